"""How long ago was that?  In words a person would use, and exactly."""

from datetime import UTC, datetime
from math import isfinite

_STEPS = ((60, "minute"), (3600, "hour"), (86400, "day"), (7 * 86400, "week"), (30.44 * 86400, "month"))
_YEAR = 365.25 * 86400
_LATEST = 253402300799.0  # the year 9999


def age(then: float, now: float) -> str:
    """
    >>> age(0, 7300)
    '2 hours ago'
    """
    seconds = now - then
    if seconds < 60:
        return "just now"
    if seconds >= _YEAR:
        return _ago(seconds / _YEAR, "year")
    size, name = max(step for step in _STEPS if step[0] <= seconds)
    return _ago(seconds / size, name)


def _ago(number: float, name: str) -> str:
    whole = int(number)
    return f"{whole} {name}{'' if whole == 1 else 's'} ago"


def moment(then: float) -> datetime | None:
    """A Unix time as a date in UTC; None if it is none."""
    return datetime.fromtimestamp(then, UTC) if isfinite(then) and 0 < then <= _LATEST else None


def iso(then: float) -> str | None:
    """As machines read it: '2026-11-16T07:30:00Z'."""
    found = moment(then)
    return found.isoformat(timespec="seconds").replace("+00:00", "Z") if found else None


def exactly(then: float) -> str:
    """As people read it: '16 November 2026, 07:30:00 UTC'."""
    found = moment(then)
    return f"{found.day} {found:%B %Y, %H:%M:%S} UTC" if found else ""
