"""When may the next request to this host start?

A host is idle, busy (as many requests in flight as are allowed), resting (the delay after its last answer) or cooling
down (after trouble, or because it asked for time; the rules are the table RULES).  Invariant: a request begins only
when neither its host nor its address is busy, and both have rested.  Times are seconds since 1970 and given by the
caller: no clock and no waiting here.
"""

import math
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from sought.web.message import Failure, Response

_UNSENT = frozenset({Failure.DNS, Failure.ADDRESS})  # no server was reached, so none needs a rest


@dataclass(frozen=True, slots=True)
class Manners:
    """Seconds between answer and next request, and how many requests at once."""

    delay: float = 1.0
    max_delay: float = 30.0
    latency_factor: float = 2.0
    per_host: int = 1
    per_address: int = 1

    def rest(self, crawl_delay: float, elapsed: float = 0.0) -> float:
        """Seconds to wait after an answer that took `elapsed`, if robots.txt asks for `crawl_delay`."""
        return max(self.delay, min(self.max_delay, max(crawl_delay, self.latency_factor * elapsed)))


@dataclass(frozen=True, slots=True)
class HostManners:
    """The state that survives a restart.  `last_began > last_ended`: a request was in flight."""

    next_at: float = 0.0
    last_began: float = 0.0
    last_ended: float = 0.0
    crawl_delay: float = 0.0
    troubles: int = 0  # in a row
    address: str = ""  # of the last request


class _Place:
    """The state of a host or an address."""

    __slots__ = ("address", "crawl_delay", "in_flight", "last_began", "last_ended", "next_at", "troubles")

    def __init__(self) -> None:
        self.in_flight = 0
        self.next_at = 0.0
        self.last_began = 0.0
        self.last_ended = 0.0
        self.crawl_delay = 0.0
        self.troubles = 0
        self.address = ""

    def is_idle(self, now: float) -> bool:
        """Whether nothing constrains it, and its robots.txt is out of date."""
        if self.in_flight or self.next_at > now:
            return False
        return not (self.crawl_delay or self.troubles) or self.last_ended + DAY <= now


class Politeness:
    """The state of every host and address that constrains something; `forget` drops the others."""

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self._hosts: dict[str, _Place] = {}
        self._addresses: dict[str, _Place] = {}

    def __len__(self) -> int:
        return len(self._hosts) + len(self._addresses)

    def ready_at(self, host: str, address: str, now: float) -> float:
        """The earliest time for a request; infinite while host or address are busy.  "" is an unknown address."""
        place = self._hosts.get(host)
        if place is not None:
            if place.in_flight >= self.manners.per_host:
                return math.inf
            now = max(now, place.next_at)
        place = self._addresses.get(address)
        if place is not None:
            if place.in_flight >= self.manners.per_address:
                return math.inf
            now = max(now, place.next_at)
        return now

    def began(self, host: str, address: str, now: float) -> None:
        for place in self._places(host, address):
            place.in_flight += 1
            place.last_began = now
        self._hosts[host].address = address

    def ended(self, host: str, address: str, now: float, response: Response) -> None:
        """Every `began` must be followed by one `ended`, whatever the outcome."""
        places = self._places(host, address)
        owner = places[0]
        rest = 0.0 if response.failure in _UNSENT else self._delay(owner, response.elapsed)
        for place in places:
            place.in_flight = max(0, place.in_flight - 1)
            place.last_ended = now
            place.next_at = max(place.next_at, now + rest)
        kind = trouble_kind(response)
        owner.troubles = owner.troubles + 1 if kind else 0
        if kind:
            owner.next_at = max(owner.next_at, now + cool_down(kind, owner.troubles, response, now))

    def set_crawl_delay(self, host: str, seconds: float) -> None:
        """Set the delay that robots.txt asks for (0: none); it applies from the last answer on."""
        place = self._host(host)
        place.crawl_delay = max(0.0, seconds)
        if place.last_ended:
            place.next_at = max(place.next_at, place.last_ended + self._delay(place, 0.0))

    def state(self, host: str) -> HostManners:
        place = self._hosts.get(host)
        if place is None:
            return HostManners()
        rest = (place.crawl_delay, place.troubles, place.address)
        return HostManners(place.next_at, place.last_began, place.last_ended, *rest)

    def restore(self, host: str, state: HostManners) -> None:
        """Restore the state after a restart; a request in flight counts as ended when it began.

        The address gets the delay after the last request, but not the host's cool-down.
        """
        place = self._host(host)
        place.last_began, place.last_ended = state.last_began, state.last_ended
        place.crawl_delay, place.troubles = state.crawl_delay, state.troubles
        place.next_at, place.address = state.next_at, state.address
        delay, last = self._delay(place, 0.0), max(state.last_began, state.last_ended)
        if state.last_began > state.last_ended:
            place.next_at = max(place.next_at, last + delay)
        if state.address:
            _, machine = self._places(host, state.address)
            machine.next_at = max(machine.next_at, last + delay)

    def cap(self, now: float) -> set[str]:
        """Correct times in the future, after the clock was ahead; returns the hosts that were changed.

        Waits that would start in the future start now, and none is longer than the longest cool-down.
        """
        changed = set()
        bound = now + max(self.manners.delay, self.manners.max_delay, DAY)
        for name, place in self._hosts.items():
            ahead = max(place.last_began, place.last_ended) - now
            if ahead > 0 or place.next_at > bound:
                place.last_began, place.last_ended = min(place.last_began, now), min(place.last_ended, now)
                place.next_at = min(place.next_at - max(ahead, 0.0), bound)
                changed.add(name)
        for place in self._addresses.values():
            place.last_began, place.last_ended = min(place.last_began, now), min(place.last_ended, now)
            place.next_at = min(place.next_at, now + self.manners.rest(math.inf))
        return changed

    def forget(self, now: float) -> None:
        """Drop idle hosts and addresses, in one pass; to be called now and then."""
        for places in (self._hosts, self._addresses):
            for name in [name for name, place in places.items() if place.is_idle(now)]:
                del places[name]

    def _delay(self, place: _Place, elapsed: float) -> float:
        return self.manners.rest(place.crawl_delay, elapsed)

    def _host(self, host: str) -> _Place:
        place = self._hosts.get(host)
        if place is None:
            place = self._hosts[host] = _Place()
        return place

    def _places(self, host: str, address: str) -> tuple[_Place, ...]:
        owner = self._host(host)
        if not address:
            return (owner,)
        place = self._addresses.get(address)
        if place is None:
            place = self._addresses[address] = _Place()
        return owner, place


HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Rule:
    """Cool down for `first` seconds, `growth` times longer at each repetition up to `cap`; then a day."""

    first: float
    growth: float
    cap: float
    dead_after: int


RULES: dict[str, Rule] = {
    "429": Rule(first=60, growth=2, cap=2 * HOUR, dead_after=10),  # we are too fast
    "503": Rule(first=60, growth=2, cap=2 * HOUR, dead_after=10),
    "5xx": Rule(first=5, growth=2, cap=HOUR, dead_after=15),  # often one broken page of a healthy host
    Failure.TIMEOUT: Rule(first=30, growth=3, cap=2 * HOUR, dead_after=6),
    Failure.CONNECT: Rule(first=60, growth=4, cap=6 * HOUR, dead_after=5),
    Failure.DNS: Rule(first=300, growth=4, cap=6 * HOUR, dead_after=4),
    Failure.TLS: Rule(first=600, growth=6, cap=6 * HOUR, dead_after=3),
    Failure.HEADERS: Rule(first=30, growth=4, cap=6 * HOUR, dead_after=5),  # not a web server
    Failure.ADDRESS: Rule(first=HOUR, growth=6, cap=6 * HOUR, dead_after=3),  # our own refusal
}


def trouble_kind(response: Response) -> str:
    """The rule for an answer; empty if the host is fine (a missing or unwanted page is no trouble)."""
    if response.failure:
        return response.failure if response.failure in RULES else ""
    if response.status in (429, 503):
        return str(response.status)
    return "5xx" if 500 <= response.status <= 599 else ""


def cool_down(kind: str, in_a_row: int, response: Response, now: float) -> float:
    """Seconds to leave the host alone: by the table or as the host asked, whichever is longer."""
    rule = RULES[kind]
    if in_a_row >= rule.dead_after:
        return DAY
    seconds = min(rule.cap, rule.first * rule.growth ** (in_a_row - 1))
    return max(seconds, retry_after(response, now)) if kind in ("429", "503") else seconds


def retry_after(response: Response, now: float) -> float:
    """Seconds asked for by a Retry-After header (RFC 9110 §10.2.3), at most a day; 0 if missing or invalid."""
    text = response.header("retry-after").strip()
    try:
        seconds = float(text) if text.isdecimal() else parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError):
        return 0.0
    return min(max(seconds, 0.0), DAY) if math.isfinite(seconds) else DAY
