"""When is a page fetched next?  An estimate."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sought.crawl.plan import eligible
from sought.fetch.politeness import HostManners
from sought.operate.typed_report import TypedReport
from sought.operate.view import KEPT_OUT, Ranking, View, running_process
from sought.record.config import pace
from sought.record.directory import manners
from sought.record.hosts import Host
from sought.record.table import Reason, State

_WAITS = {
    State.GONE: "there was no such page when it was last fetched",
    State.DENIED: "robots.txt did not let it be fetched",
    State.DROPPED: "it was dropped for more important pages ([crawl] keep)",
}


@dataclass(frozen=True)
class NextFetch(TypedReport):
    """When a page is fetched next.

    `about` is an estimate from its `place` among all pages that may be fetched now, the budget and politeness; None: it
    is not planned, or nobody can say.  It is rough, because pages that are discovered or due meanwhile may come first.
    `not_before` is a fact: the earliest time there can be, where something is in the way until then.
    """

    about: float | None
    not_before: float | None
    place: int | None
    why: str
    running: bool


def next_fetch(view: View, row: int, ranking: Ranking) -> NextFetch:
    """When a page is fetched next, and why then."""
    return replace(_next(view, row, ranking), running=running_process(view.path) is not None)


def _next(view: View, row: int, ranking: Ranking) -> NextFetch:
    host = view.hosts[int(view.table["host"][row])]
    if why := _never(view, row, host):
        return _plan(why)
    if view.store.url(row) in view.settings.wanted:
        ready = _ready_at(view, host, ranking.now)
        return _plan("somebody asked for it: it is the next page of its host", about=ready, place=1)
    if not ranking.values[row] > -np.inf:  # NaN is not
        return _plan("the policy does not choose it")
    due, why = _due(view, row)
    if due > ranking.now:
        return _plan(why, not_before=due)
    return _planned(view, row, host, ranking)


def _plan(
    why: str, *, about: float | None = None, place: int | None = None, not_before: float | None = None
) -> NextFetch:
    return NextFetch(about, not_before, place, why, running=False)


def _never(view: View, row: int, host: Host) -> str:
    """Why a page is not fetched at all; empty if it is."""
    if host.name in view.settings.blocked:
        return f"{host.name} is blocked"
    if view.table["state"][row] == State.DEAD:
        is_type = view.table["reason"][row] == Reason.TYPE
        return "it is not a kind of content that is kept" if is_type else "it was given up, it failed too often"
    if host.robots_kind in KEPT_OUT:
        return f"its host is {KEPT_OUT[host.robots_kind]}"
    if host.robots and not host.robots.allows(view.store.url(row)):
        return "robots.txt forbids it"
    return "the crawl is paused" if view.settings.paused else ""


def _due(view: View, row: int) -> tuple[float, str]:
    """From when on a page may be fetched, and why not before."""
    last, not_before = float(view.table["last_fetch"][row]), float(view.table["not_before"][row])
    again = last + view.config.revisit_after
    if again >= not_before:
        return again, f"it was fetched less than {view.config.crawl.revisit_after} ago ([crawl] revisit_after)"
    return not_before, _WAITS.get(view.table["state"][row], "its last fetch failed")


def _planned(view: View, row: int, host: Host, ranking: Ranking) -> NextFetch:
    ahead = _ahead(view, row, ranking)
    place, on_host = int(ahead.sum()) + 1, int(ahead[view.table["host"] == host.number].sum())
    state = view.hosts.manners.get(host.name) or HostManners()
    rest = manners(view.config).rest(state.crawl_delay)
    ready = _ready_at(view, host, ranking.now) + on_host * rest
    about = max(ranking.now + (place - 1) / pace(view.config), ready)
    return _plan(f"it is number {place:,} of the pages that may be fetched now", about=about, place=place)


def _ahead(view: View, row: int, ranking: Ranking) -> NDArray[np.bool_]:
    """The rows that would be fetched before this one: greater value, or the same value and a lower key."""
    table, values = view.table, ranking.values
    may = eligible(table, ranking.now, view.config.revisit_after, np.zeros(0, np.int64))
    if view.settings.blocked:
        blocked = [host.number for host in view.hosts.list if host.name in view.settings.blocked]
        may &= ~np.isin(table["host"], np.array(blocked, np.uint32))
    first: NDArray[np.bool_] = (values > values[row]) | ((values == values[row]) & (table["key"] < table["key"][row]))
    return may & first


def _ready_at(view: View, host: Host, now: float) -> float:
    """When the next request may be sent to a host; one in trouble waits long."""
    state = view.hosts.manners.get(host.name) or HostManners()
    return max(now, state.next_at)
