"""How long ago was that?  In words a person would use, and exactly."""

from datetime import UTC, datetime
from math import ceil, isfinite

_STEPS = ((60, "minute"), (3600, "hour"), (86400, "day"), (7 * 86400, "week"), (30.44 * 86400, "month"))
_YEAR = 365.25 * 86400
_LATEST = 253402300799.0  # the year 9999


def age(then: float, now: float) -> str:
    """
    >>> age(0, 7300)
    '2 hours ago'
    """
    return f"{_span(now - then)} ago" if now - then >= 60 else "just now"


def ahead(then: float, now: float) -> str:
    """
    >>> ahead(7300, 0), ahead(7.2, 0), ahead(0, 1)
    ('in 2 hours', 'in 8 s', 'now')
    """
    seconds = then - now
    if seconds <= 0:
        return "now"
    return f"in {_span(seconds)}" if seconds >= 60 else f"in {ceil(seconds)} s"


def length(seconds: float) -> str:
    """
    >>> length(0.25), length(45.3), length(7300.0)
    ('0.2 s', '45 s', '2 hours')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return _span(seconds)


def _span(seconds: float) -> str:
    size, name = (_YEAR, "year") if seconds >= _YEAR else max(step for step in _STEPS if step[0] <= seconds)
    whole = int(seconds / size)
    return f"{whole} {name}{'' if whole == 1 else 's'}"


def moment(then: float) -> datetime | None:
    """A Unix time as a date in UTC; None if it is none."""
    return datetime.fromtimestamp(then, UTC) if isfinite(then) and 0 < then <= _LATEST else None


def iso(then: float) -> str | None:
    """As machines read it: '2026-11-16T07:30:00Z'."""
    found = moment(then)
    return found.isoformat(timespec="seconds").replace("+00:00", "Z") if found else None


def briefly(then: float) -> str:
    """As a column has it: '16 Nov 07:30:00'."""
    found = moment(then)
    return f"{found.day} {found:%b %H:%M:%S}" if found else ""


def exactly(then: float) -> str:
    """As people read it: '16 November 2026, 07:30:00 UTC'."""
    found = moment(then)
    return f"{found.day} {found:%B %Y, %H:%M:%S} UTC" if found else ""
