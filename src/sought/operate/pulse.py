"""The pulse: the state of a running crawl, written once a second to DIR/pulse.json."""

import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from sought.crawl.cycle import Cycle
from sought.crawl.observer import FILE as HOST_FILE
from sought.operate.outlook import Outlook, demand
from sought.record.files import replace_file
from sought.record.hosts import Host
from sought.record.outcome import Finished
from sought.record.store import Store
from sought.web.expression import expression_of

_MOST = 30


def host_states(cycle: Cycle, now: float) -> list[dict[str, Any]]:
    """Hosts that are being asked, then those in trouble, then those with the best pages of the plan."""
    hosts = cycle.writer.repository.hosts
    flying = Counter(visit.host for visit in cycle.in_flight.values())
    troubled = (hosts.by_origin[origin].number for origin in cycle.progress.troubles if origin in hosts.by_origin)
    numbers = dict.fromkeys([*flying, *troubled, *islice(cycle.planner.queue.rows, _MOST)])
    return [_host_state(cycle, hosts[number], flying[number], now) for number in islice(numbers, _MOST)]


def _host_state(cycle: Cycle, host: Host, in_flight: int, now: float) -> dict[str, Any]:
    """`next_at` is null while it is busy: the delay begins with its answer."""
    polite = cycle.manners.politeness
    state, ready = polite.state(host.name), polite.ready_at(host.name, host.address, now)
    return {
        "origin": host.origin,
        "in_flight": in_flight,
        "chosen": len(cycle.planner.queue.rows.get(host.number, ())),
        "next_at": ready if ready < math.inf else None,
        "delay": polite.manners.rest(state.crawl_delay),
        "crawl_delay": state.crawl_delay,
        "troubles": state.troubles,
    }


# ---- The file: written whole each time, for any process to read
#
# After kill -9 the last pulse stays, but its `process` no longer exists; a crawl that ends sets `ended`.


FILE = "pulse.json"
_LARGEST = 4 << 20  # bytes that are read of a pulse
FINISHED = 50
_IN_FLIGHT = 100
_NEXT = 20
_DAMAGE = 20


class PulseNotes(NamedTuple):
    """What the cycle itself does not keep: the outlook, the report of its measuring, the latest fetches, and damage.

    `speed` is answers a second over the last minute; None at the start.
    """

    ahead: Outlook
    report: dict[str, Any]
    finished: list[dict[str, Any]]
    speed: float | None = None
    damage: Sequence[str] = ()


def pulse(cycle: Cycle, noted: PulseNotes, now: float, ended: str | None) -> dict[str, Any]:
    """Everything, as JSON has it; `ended` is None while the crawl runs."""
    return {
        "time": now,
        "process": os.getpid(),
        "policy": expression_of(cycle.planner.policy),
        "paused": cycle.paused,
        "started": cycle.progress.started,
        "ended": ended,
        "budget": _budget(cycle, now),
        "price": noted.ahead.price,
        "speed": noted.speed,
        "progress": asdict(cycle.progress),
        "in_flight": list(islice(_in_flight(cycle), _IN_FLIGHT)),
        "finished": noted.finished,
        "next": list(islice(_next(cycle), _NEXT)),
        "hosts": host_states(cycle, now),
        "demand": demand(noted.report, noted.ahead).to_json(),
        "damage": noted.damage[:_DAMAGE],
    }


def write_pulse(path: Path, values: dict[str, Any]) -> None:
    """Replace the pulse of a crawl directory."""
    replace_file(path / FILE, msgspec.json.encode(values))


def read_pulse(path: Path) -> dict[str, Any] | None:
    """The last pulse of a crawl directory; None if there is none."""
    try:
        with (path / FILE).open("rb") as file:
            values: dict[str, Any] = msgspec.json.decode(file.read(_LARGEST), type=dict[str, Any])
    except (OSError, ValueError, RecursionError):
        return None
    return values


def described(each: Finished, store: Store) -> dict[str, Any]:
    """A fetch that has been measured."""
    o = each.outcome
    names = ("time", "kind", "gain", "expected", "purpose", "rank")
    return {"url": store.url(each.row), **{name: getattr(o, name) for name in names}}


def _budget(cycle: Cycle, now: float) -> dict[str, Any]:
    budget, left = cycle.budget, cycle.budget.left(now)
    return {
        "per": budget.per,
        "seconds": budget.seconds if budget.per is not None else None,
        "left": left if left < math.inf else None,
        "used": budget.used,
        "allowed": budget.allowed,
    }


def _in_flight(cycle: Cycle) -> Iterator[dict[str, Any]]:
    """The oldest first."""
    for visit in cycle.in_flight.values():
        if visit.row is None:
            url = visit.url or f"{cycle.writer.repository.hosts[visit.host].origin}/robots.txt"
            yield {"url": url, "since": visit.sent, "purpose": HOST_FILE}
        elif why := cycle.planner.chosen.get(visit.row):  # else its answer has just come
            yield {"url": cycle.writer.repository.store.url(visit.row), "since": visit.sent, "purpose": why.purpose}


def _next(cycle: Cycle) -> Iterator[dict[str, Any]]:
    """What is chosen, the best first; what was asked for before all else."""
    asked = set(cycle.rows_in_flight)
    for row, why in cycle.planner.chosen.items():
        if row not in asked:
            value = why.value if why.rank else None
            yield {"url": cycle.writer.repository.store.url(row), "value": value, "purpose": why.purpose}
