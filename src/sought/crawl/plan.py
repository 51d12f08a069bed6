"""Walk a policy's ranking: which rows next, at most so many a host, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.policy.ranking import best
from sought.record.outcome import number_or_none
from sought.record.table import State, Table
from sought.web.expression import expression_of
from sought.web.message import Why
from sought.web.pages import Pages
from sought.web.policy import Expected, Policy, Purpose, expected_by, purposes

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one plan takes."""

    count: int
    per_host: int
    revisit_after: float


def eligible(table: Table, now: float, revisit_after: float, excluded: Rows) -> NDArray[np.bool_]:
    """Rows that may be fetched now, whatever their value."""
    mask = table["not_before"] <= now
    mask &= table["state"] != State.DEAD
    mask &= table["last_fetch"] <= now - revisit_after
    mask[excluded] = False
    return mask


def choose(
    policy: Policy, table: Table, pages: Pages, now: float, limits: Limits, excluded: Rows
) -> tuple[Rows, NDArray[np.float64]]:
    """The best rows in order of value, at most `per_host` of each host, and their values; equals by a hash of the URL.

    `pages` is the table as the policy sees it.
    """
    if not len(table):
        return np.zeros(0, np.int64), np.zeros(0)
    values = policy(pages, now)
    may = eligible(table, now, limits.revisit_after, excluded)
    may &= values > -np.inf  # NaN is not
    values = np.where(may, values, -np.inf)
    worthy = int(np.count_nonzero(may))
    want = min(limits.count, worthy)
    depth = want
    while want:
        depth = min(worthy, depth * 4)
        rows = best(values, table["key"], depth)
        turns = turn_within_host(table["host"][rows])
        chosen = rows[turns < limits.per_host][: limits.count]
        if len(chosen) >= want or depth == worthy:
            return chosen, values[chosen]
    return np.zeros(0, np.int64), np.zeros(0)


class Plan(NamedTuple):
    """Why each row was chosen, in order of value; and what that goes by."""

    why: dict[int, Why]
    pages: Pages
    expected: Expected | None
    excluded: Rows

    @property
    def rows(self) -> Rows:
        return np.fromiter(self.why, np.int64, len(self.why))


def make_plan(policy: Policy, table: Table, pages: Pages, now: float, limits: Limits, excluded: Rows) -> Plan:
    """Let a policy choose among all rows of a table but some."""
    expected = expected_by(policy, pages, now) if len(table) else None
    ranked: Policy = (lambda *_: expected.value) if expected else policy
    rows, values = choose(ranked, table, pages, now, limits, excluded)
    return Plan(reasons(rows, values, pages, expected, expression_of(policy)), pages, expected, excluded)


def reasons(
    rows: Rows, values: NDArray[np.float64], pages: Pages, expected: Expected | None, policy: str
) -> dict[int, Why]:
    """Why each of these rows was chosen, in their order; `expected` is what the policy expects of all rows."""
    gain: Iterable[float | None] = repeat(None)
    chance: Iterable[float | None] = repeat(None)
    if expected:
        gain, chance = (map(number_or_none, each[rows].tolist()) for each in (expected.gain, expected.chance))
    purpose = (Purpose(each).spelled for each in purposes(pages, expected, rows).tolist())
    columns = zip(values.tolist(), gain, chance, purpose, strict=False)
    return {row: Why(rank, *why, policy) for rank, (row, why) in enumerate(zip(rows.tolist(), columns, strict=True), 1)}


def turn_within_host(hosts: NDArray[np.uint32]) -> NDArray[np.int64]:
    """For each row of a ranking, how many rows of the same host stand before it."""
    order = np.argsort(hosts, kind="stable")
    grouped = hosts[order]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    sizes = np.diff(np.r_[starts, len(grouped)])
    turns = np.empty(len(hosts), np.int64)
    turns[order] = np.arange(len(hosts)) - np.repeat(starts, sizes)
    return turns
