"""One row of the journal, and what many rows are together."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec

HOSTS = 20  # with most fetches, of a row


class Row(msgspec.Struct, frozen=True):
    """What a crawl did in so many `seconds` up to a `time`, and how it stood then; None: not known, or not said.

    `fetched` is what the budget was charged for and was answered: pages and sitemaps; robots.txt is among the
    `purposes`, as a file, and among the `hosts`.  `gain` is what first and later fetches brought, and `expected` what
    the policy had expected of those that were measured.
    """

    time: float
    seconds: float = 0.0
    fetched: int = 0
    bytes: int = 0
    purposes: dict[str, int] = {}
    gain: dict[str, float] = {}
    expected: float = 0.0
    outcomes: dict[str, int] = {}
    hosts: dict[str, int] = {}
    price: float | None = None
    known: int | None = None
    searchable: int | None = None
    worth_of_answers: float | None = None
    unanswered: float | None = None
    poor: float | None = None
    queries: int | None = None
    searches_a_week: float | None = None
    to_gain: dict[str, float | None] = {}
    quality: float | None = None
    bytes_on_disk: dict[str, int] = {}


_SUMS = ("seconds", "fetched", "bytes", "expected")
_TALLIES = ("purposes", "gain", "outcomes")
_COUNTS = frozenset((*_SUMS, *_TALLIES, "hosts", "time"))
_LEVELS = tuple(name for name in Row.__struct_fields__ if name not in _COUNTS)


def together(rows: Sequence[Row]) -> Row:
    """Rows in the order of their times as one: counts are added up, of levels the last that is known counts."""
    found: dict[str, Any] = {"time": rows[-1].time}
    for name in _SUMS:
        found[name] = sum(getattr(row, name) for row in rows)
    for name in _TALLIES:
        found[name] = _added(getattr(row, name) for row in rows)
    found["hosts"] = top(_added(row.hosts for row in rows))
    for name in _LEVELS:
        told = (value for row in reversed(rows) if (value := getattr(row, name)) not in (None, {}))
        found[name] = next(told, getattr(rows[-1], name))
    return Row(**found)


def by_step(rows: Iterable[Row], step: float) -> list[Row]:
    """One row for every `step` seconds in which there is any, in order of time."""
    ordered = sorted(rows, key=lambda row: row.time)
    return [together(list(some)) for _, some in groupby(ordered, lambda row: row.time // step)]


def top(hosts: dict[str, int]) -> dict[str, int]:
    """Those with most fetches; equals by name, so that the same rows make the same row."""
    return dict(sorted(hosts.items(), key=lambda each: (-each[1], each[0]))[:HOSTS])


def _added(tallies: Iterable[dict[str, Any]]) -> dict[str, Any]:
    total: Counter[str] = Counter()
    for tally in tallies:
        for name, count in tally.items():
            total[name] += count  # unlike `update`, this is the same for what is not whole, or below zero
    return dict(total)
