"""Which rows does the log have?  Searches, views and clicks of results, and tallies; nothing about who asked.

Every row passes `checked`: texts on one line in valid Unicode, canonical addresses, bounded numbers.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from functools import lru_cache
from math import isfinite
from operator import index
from typing import Any

from sought.web.errors import BadInput, BadURL
from sought.web.url import canonical

DAY = 86400.0
WEEK = 7 * DAY
MAX_QUERY = 1000
MAX_SHOWN = 100
MAX_HIT = 2048
MAX_RANK = 10_000
MAX_COUNT = 1e15
MAX_TIME = 253402300799.0  # the year 9999
_IDS = 1 << 64
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_OUR_ID = re.compile("sought-[0-9a-f]{16}")


class Action(StrEnum):
    """What a person did with a result."""

    VIEW = "view"
    CLICK = "click"


@dataclass(frozen=True, slots=True)
class Search:
    """A query, its Unix time, and the results shown, best first.  `id` 0: an id will be assigned."""

    query: str
    time: float
    shown: tuple[str, ...] = ()
    id: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """A result of the search `search` was seen or clicked.  `rank` counts from 1; 0: unknown."""

    search: int
    action: Action
    time: float
    url: str = ""
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """From this day on the query is asked `count` times a week, with `clicks` clicks of the URL.

    `undated`: the source had no day, and `day` is the day of the import.
    """

    query: str
    count: float
    day: date
    url: str = ""
    clicks: float = 0.0
    undated: bool = False


Row = Search | Event | Tally


def checked(row: Row) -> Row:
    """The row as it is stored; BadInput says what is wrong."""
    if isinstance(row, Search):
        return checked_search(row)
    if isinstance(row, Event):
        return checked_event(row)
    if bad := [n for n in (row.count, row.clicks) if not 0 <= n <= MAX_COUNT]:
        raise BadInput(f"count or clicks out of range: {bad[0]:g}")
    return replace(row, query=query_text(row.query), url=_hit(row.url))


def checked_search(search: Search) -> Search:
    shown = tuple(_hit(each) for each in search.shown[:MAX_SHOWN])
    number = _whole(search.id, "id")
    return Search(query_text(search.query), _moment(search.time), shown, _id(number or secrets.randbits(64) or 1))


def checked_event(event: Event) -> Event:
    rank = _whole(event.rank, "rank")
    if rank > MAX_RANK:
        raise BadInput(f"rank is beyond {MAX_RANK:,}")
    search, time = _id(_whole(event.search, "id")), _moment(event.time)
    checked = Event(search, _action(event.action), time, _hit(event.url), max(rank, 0))
    if not checked.url and not checked.rank:
        raise BadInput("needs a result or its rank")
    return checked


def is_bounded(row: Search | Event) -> bool:
    """Whether the numbers of a stored row are within the bounds of `checked`."""
    if isinstance(row, Search):
        number, fits = row.id, len(row.shown) <= MAX_SHOWN
    else:
        number, fits = row.search, 0 <= row.rank <= MAX_RANK
    return fits and 0 < number < _IDS and 0 <= row.time <= MAX_TIME


def query_text(text: str) -> str:
    """A query on one line; raises BadInput."""
    text = " ".join(text.split())
    if not text:
        raise BadInput("no query")
    if len(text) > MAX_QUERY:
        raise BadInput(f"query longer than {MAX_QUERY:,} characters: {text[:40]}…")
    if not _is_unicode(text):
        raise BadInput("query is not valid Unicode (UTF-8)")
    if _CONTROL.search(text):
        raise BadInput("query has control characters")
    return text


def source_id(text: str) -> int:
    """The id of a search for the id in its source: a one-way hash, so that it identifies nobody."""
    if _OUR_ID.fullmatch(text):
        return int(text[7:], 16) or 1
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little") or 1


def written_id(search: int) -> str:
    """A search's id for export; `source_id` reads it back."""
    return f"sought-{search:016x}"


@lru_cache(maxsize=65536)
def _hit(text: str) -> str:
    """A result: a canonical URL, or its name in the source."""
    if text.lstrip()[:8].lower().startswith(("http://", "https://")):
        try:
            return canonical(text)
        except BadURL:
            pass
    text = " ".join(text[: 2 * MAX_HIT].split())[:MAX_HIT].rstrip()
    return text if _is_unicode(text) else text.encode("utf-8", "replace").decode()


def _whole(number: Any, name: str) -> int:
    """A Python int, also from NumPy."""
    try:
        return index(number)
    except TypeError:
        raise BadInput(f"{name} is no whole number") from None


def _id(number: int) -> int:
    if not 0 < number < _IDS:
        raise BadInput("id is no positive number of 64 bits")
    return number


def _action(name: str) -> Action:
    try:
        return Action(name)
    except ValueError:
        raise BadInput("action is neither view nor click") from None


def _moment(value: Any) -> float:
    """A time in whole milliseconds, which every format supports."""
    try:
        time = float(value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput("time is no number") from None
    if not (isfinite(time) and 0 <= time <= MAX_TIME):
        raise BadInput(f"not a time between 1970 and 9999: {time:g}")
    rounded = round(time, 3)
    return (
        rounded if rounded <= time else round(rounded - 0.001, 3)
    )  # rounded down: a new search must not be in the future


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
