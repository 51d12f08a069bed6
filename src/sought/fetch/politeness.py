"""When may the next request to this host start?

A host is idle, busy (as many requests in flight as are allowed), resting (the delay after its last answer) or cooling
(it had trouble, or asked for time).  Invariant: a request begins only when neither its host nor its address is busy,
and both have rested.  Times are seconds since 1970 and always given by the caller: no clock, no waiting here.
"""

import math
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from sought.web.message import Failure, Response

_UNSENT = frozenset({Failure.DNS, Failure.ADDRESS})  # no server was bothered, so none needs a rest


@dataclass(frozen=True, slots=True)
class Manners:
    """Seconds between answer and next request, and how many requests at once."""

    delay: float = 1.0
    max_delay: float = 30.0
    latency_factor: float = 2.0
    per_host: int = 1
    per_address: int = 1

    def rest(self, crawl_delay: float, elapsed: float = 0.0) -> float:
        """Seconds after an answer that took so long, from a host whose robots.txt asks for a delay."""
        return max(self.delay, min(self.max_delay, max(crawl_delay, self.latency_factor * elapsed)))


@dataclass(frozen=True, slots=True)
class HostManners:
    """All that must outlive a restart.  `last_began > last_ended` says that a request was in flight."""

    next_at: float = 0.0
    last_began: float = 0.0
    last_ended: float = 0.0
    crawl_delay: float = 0.0
    troubles: int = 0  # in a row
    address: str = ""  # where it was last asked


class _Place:
    """A host or an address under way."""

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
        """Nothing to wait for; and what was learned about it is older than a robots.txt may be."""
        if self.in_flight or self.next_at > now:
            return False
        return not (self.crawl_delay or self.troubles) or self.last_ended + DAY <= now


class Politeness:
    """The state of every host and address that still constrains something; `forget` drops the others."""

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self._hosts: dict[str, _Place] = {}
        self._addresses: dict[str, _Place] = {}

    def __len__(self) -> int:
        return len(self._hosts) + len(self._addresses)

    def ready_at(self, host: str, address: str, now: float) -> float:
        """Earliest time a request may start; infinite while host or address are busy.  "" is an unknown address."""
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
        """Every `began` is followed by one `ended`, whatever came of it."""
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
        """What the host's robots.txt asks for (0 for nothing); holds from the last answer on."""
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
        """Go on after a restart; a request that was in flight counts as ended when it began, plus the delay.

        The address is owed the delay after the last request, not the host's time of cooling down.
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
        """Let nothing be later than now, as after a clock that was ahead; returns the hosts of which something was.

        What was to wait from a moment to come waits as long from now on, and never longer than any trouble takes.
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
        """Drop what no longer constrains anything: one pass, to be called now and then."""
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
    """Cool down for `first` seconds, `growth` times longer each time in a row up to `cap`; at last, dead for a day."""

    first: float
    growth: float
    cap: float
    dead_after: int


RULES: dict[str, Rule] = {
    "429": Rule(first=60, growth=2, cap=2 * HOUR, dead_after=10),  # we are too fast for it
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
    """The rule an answer falls under; nothing if the host is well (a missing or an unwanted page is no trouble)."""
    if response.failure:
        return response.failure if response.failure in RULES else ""
    if response.status in (429, 503):
        return str(response.status)
    return "5xx" if 500 <= response.status <= 599 else ""


def cool_down(kind: str, in_a_row: int, response: Response, now: float) -> float:
    """Seconds to leave the host alone: what the table says or what the host asked for, the longer of the two."""
    rule = RULES[kind]
    if in_a_row >= rule.dead_after:
        return DAY
    seconds = min(rule.cap, rule.first * rule.growth ** (in_a_row - 1))
    return max(seconds, retry_after(response, now)) if kind in ("429", "503") else seconds


def retry_after(response: Response, now: float) -> float:
    """Seconds asked for by a Retry-After header (RFC 9110 §10.2.3), at most a day; 0 if there is none to understand."""
    text = response.header("retry-after").strip()
    try:
        seconds = float(text) if text.isdecimal() else parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError):
        return 0.0
    return min(max(seconds, 0.0), DAY) if math.isfinite(seconds) else DAY
