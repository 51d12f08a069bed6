"""How does the crawl stand right now, by its pulse?

running   its pulse is recent
silent    its process is alive, but its pulse is old: it plans, or it is stuck
ended     it has ended, or its process is gone
never     there has never been a pulse
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from sought.console.folders import without_folder
from sought.operate.pulse import read_pulse

SILENT = 10.0  # seconds
Condition = Literal["running", "silent", "ended", "never"]


class PulseRequest(msgspec.Struct, frozen=True):
    """Sent, and not answered yet."""

    url: str
    since: float
    purpose: str = ""


class PulseFetch(msgspec.Struct, frozen=True):
    """Answered and measured; None: not measured, or nothing was expected."""

    url: str
    time: float
    kind: str = ""
    gain: float | None = None
    expected: float | None = None
    purpose: str = ""
    rank: int | None = None


class PulseChoice(msgspec.Struct, frozen=True):
    """To be fetched soon; a page that somebody asked for has no value."""

    url: str
    value: float | None = None
    purpose: str = ""


class Turn(msgspec.Struct, frozen=True):
    """A host that the crawl has to do with; None: it is busy, and rests from its answer on."""

    origin: str
    in_flight: int = 0
    chosen: int = 0
    next_at: float | None = None
    delay: float | None = None
    crawl_delay: float = 0.0
    troubles: int = 0


class PulseBudget(msgspec.Struct, frozen=True):
    """So many fetches `per` so many `seconds`; None where there is no such bound."""

    per: int | None = None
    seconds: float | None = None
    left: float | None = None
    used: int = 0


class PulseDemand(msgspec.Struct, frozen=True):
    """What is known of the answers; None where nothing was asked."""

    queries: int = 0
    searches_a_week: float = 0.0
    unanswered: float | None = None
    poor: float | None = None
    worth_of_answers: float | None = None
    quality: float | None = None
    to_gain: dict[str, float | None] = {}
    not_known: dict[str, str] = {}


class PulseProgress(msgspec.Struct, frozen=True):
    """What a run has done so far."""

    fetched: int = 0
    bytes: int = 0
    in_flight: int = 0
    known: int = 0
    hosts_waiting: int = 0
    disk: int = 0
    outcomes: dict[str, int] = {}
    troubles: dict[str, str] = {}


class Pulse(msgspec.Struct, frozen=True):
    """A pulse as far as the console shows it."""

    time: float
    process: int = 0
    policy: str = ""
    paused: bool = False
    started: float = 0.0
    ended: str | None = None
    price: float | None = None
    speed: float | None = None
    budget: PulseBudget = PulseBudget()
    progress: PulseProgress = PulseProgress()
    demand: PulseDemand = PulseDemand()
    in_flight: list[PulseRequest] = []
    finished: list[PulseFetch] = []
    next: list[PulseChoice] = []
    hosts: list[Turn] = []
    damage: list[str] = []


def understood(pulse: Mapping[str, Any] | None) -> Pulse | None:
    """None also for what is no pulse: another version may have written it."""
    try:
        return msgspec.convert(pulse, Pulse) if pulse is not None else None
    except (msgspec.ValidationError, RecursionError):
        return None


def last_pulse(path: Path) -> Pulse | None:
    """The last pulse, without the crawl's path: `ended` and `damage` may name files."""
    pulse = understood(read_pulse(path))
    if pulse is None:
        return None
    ended = None if pulse.ended is None else without_folder(path, pulse.ended)
    return msgspec.structs.replace(pulse, ended=ended, damage=[without_folder(path, each) for each in pulse.damage])


def condition(pulse: Pulse | None, now: float) -> Condition:
    if pulse is None:
        return "never"
    if pulse.ended is not None:
        return "ended"
    if abs(now - pulse.time) <= SILENT:
        return "running"
    return "silent" if _is_there(pulse.process) else "ended"


def is_on(pulse: Pulse | None, now: float) -> bool:
    """Whether a crawl runs."""
    return condition(pulse, now) in ("running", "silent")


def _is_there(process: int) -> bool:
    if not 0 < process < 1 << 31:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def errors(outcomes: Mapping[str, int]) -> dict[str, int]:
    """Those of some counts that are: status 4xx and 5xx, and why there was no answer.

    >>> errors({"200": 7, "304": 1, "404": 2, "timeout": 1})
    {'404': 2, 'timeout': 1}
    """
    return {name: count for name, count in outcomes.items() if count and not _is_good(name)}


def share_of_errors(outcomes: Mapping[str, int]) -> float | None:
    """Of all answers; None if there are none.

    >>> share_of_errors({"200": 9, "404": 1}), share_of_errors({})
    (0.1, None)
    """
    whole = sum(outcomes.values())
    return sum(errors(outcomes).values()) / whole if whole > 0 else None


def _is_good(name: str) -> bool:
    return name.isdecimal() and 200 <= int(name[:9]) < 400
