"""Which formats can be imported?  Each is a value in a module of this package.

Others are found under the entry points `sought.query_formats`, or named with their module: `my_format:MINE`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sought.demand.text import ParsedRow
from sought.web.errors import BadInput
from sought.web.registry import Registry


@dataclass(frozen=True)
class QueryFormat:
    """`read` yields the rows of a file; it has the day of the import, from which a tally counts that names none."""

    name: str
    help: str
    read: Callable[[Path, date], Iterator[ParsedRow]]


QUERY_FORMATS = Registry(
    "query format", "sought.demand", "sought.query_formats", lambda value: isinstance(value, QueryFormat)
)


def query_format(name: str) -> QueryFormat:
    """By its name, or `module:Name`, also of a file in the current directory; BadInput if there is none."""
    if ":" not in name and name not in QUERY_FORMATS:
        known = f"use one of {', '.join(sorted(QUERY_FORMATS, reverse=True))}, or my_format:MINE of a file here"
        raise BadInput(f"unknown format {name!r}: {known}")
    return QUERY_FORMATS.read(name, Path.cwd())  # type: ignore[no-any-return]  # one of these
