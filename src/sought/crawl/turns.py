"""Whose turn is it, and who has to wait?  Hosts that a running crawl has to do with, and how it is polite to them."""

import math
from collections import Counter
from itertools import islice
from typing import Any

from sought.crawl.cycle import Cycle
from sought.crawl.hosts import Host

_MOST = 30


def turns(cycle: Cycle, now: float) -> list[dict[str, Any]]:
    """Hosts that are being asked, then those in trouble, then those with the best pages of the plan."""
    hosts = cycle.repository.hosts
    flying = Counter(number for number, _, _ in cycle.in_flight.values())
    troubled = (hosts.by_origin[origin].number for origin in cycle.progress.troubles if origin in hosts.by_origin)
    numbers = dict.fromkeys([*flying, *troubled, *islice(cycle.queue.rows, _MOST)])
    return [_turn(cycle, hosts[number], flying[number], now) for number in islice(numbers, _MOST)]


def _turn(cycle: Cycle, host: Host, in_flight: int, now: float) -> dict[str, Any]:
    """`next_at` is null while it is busy: the delay begins with its answer."""
    polite = cycle.politeness
    state, ready = polite.state(host.name), polite.ready_at(host.name, host.address, now)
    return {
        "origin": host.origin,
        "in_flight": in_flight,
        "chosen": len(cycle.queue.rows.get(host.number, ())),
        "next_at": ready if ready < math.inf else None,
        "delay": polite.manners.rest(state.crawl_delay),
        "crawl_delay": state.crawl_delay,
        "troubles": state.troubles,
    }
