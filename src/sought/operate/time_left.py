"""An estimate of how long a crawl takes for the pages that it knows now, at its politeness and budget."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.crawl.cycle import Cycle
from sought.record.table import State


class TimeLeft(NamedTuple):
    """Seconds for so many pages on so many hosts; `delay` is the longest between two requests to one of them.

    `by_budget`: the budget is slower than politeness.
    """

    seconds: float
    pages: int
    hosts: int
    delay: float
    by_budget: bool = False


def time_left(cycle: Cycle) -> TimeLeft:
    """For the pages that were never fetched, or as many of them as the crawl may still fetch.

    Each host, and each address, is asked by itself: the slowest decides.  How long servers take to answer is left out.
    """
    table, hosts, now = cycle.writer.repository.table, cycle.writer.repository.hosts, cycle.clock.now()
    counts = np.bincount(table["host"][table["state"] == State.NEW], minlength=len(hosts))
    waits: dict[str, float] = {}  # seconds, of each address
    pages: dict[str, int] = {}
    delays = [0.0]
    manners = cycle.manners.politeness.manners
    waiting = [each for each in hosts.list if counts[each.number] and each.name not in cycle.planner.blocked]
    for host in waiting:
        delay = manners.rest(cycle.manners.politeness.state(host.name).crawl_delay)
        where, count = host.address or host.name, int(counts[host.number])
        waits[where] = waits.get(where, 0.0) + count * delay / max(manners.per_host, 1)
        pages[where] = pages.get(where, 0) + count
        delays.append(delay)
    known, left = sum(pages.values()), cycle.budget.left(now)
    wanted = known if cycle.budget.per is not None else int(min(known, left))
    polite = _seconds(np.array(list(waits.values())), np.array(list(pages.values()), np.float64), wanted)
    budget = wanted * cycle.budget.seconds / cycle.budget.per if cycle.budget.per else 0.0
    return TimeLeft(max(polite, budget), wanted, len(waiting), max(delays), budget > polite)


def _seconds(waits: NDArray[np.float64], pages: NDArray[np.float64], wanted: int) -> float:
    """Until so many pages are fetched, if each address is asked as fast as it may be; `waits` is for all its pages.

    >>> _seconds(np.array([10.0, 100.0]), np.array([10.0, 100.0]), 20)
    10.0
    """
    left = wanted - pages[waits <= 0.0].sum()  # those cost no time
    order = np.argsort(waits)[np.count_nonzero(waits <= 0.0) :]
    waits, pages = waits[order], pages[order]
    pace = pages / waits
    for at, wait in enumerate(waits):  # until the address with the shortest wait ends, then the next
        if left <= pages[at] + pace[at + 1 :].sum() * wait:
            return max(0.0, float(left / pace[at:].sum()))
        left -= pages[at]
    return float(waits[-1]) if len(waits) else 0.0
