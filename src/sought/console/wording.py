"""How are numbers, times and names written on pages?"""

from datetime import UTC, datetime
from math import ceil, floor, isfinite, log10

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


NOTHING = "–"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")
PURPOSES = {
    "new": "never fetched before",
    "stale": "its text may have changed or gone",
    "hub": "for its links",
    "known": "fetched before; the policy gives no reason",
    "file": "robots.txt or a sitemap",
}


def number(value: float | None) -> str:
    """
    >>> [number(each) for each in (None, 12345678, 12345678.9, 12.345, 0.04567, -0.000012345)]
    ['–', '12,345,678', '1.23 × 10⁷', '12.3', '0.0457', '−1.23 × 10⁻⁵']
    """
    if value is None or not isfinite(value):
        return NOTHING
    return _signed(value, _plain(abs(value)))


def _plain(value: float) -> str:
    if value == int(value) or 1000 <= value < 1e6:
        return f"{value:,.0f}"
    power = floor(log10(value))
    if -3 <= power < 6:
        return f"{value:.{2 - power}f}"
    return f"{value / 10**power:.2f} × 10{str(power).translate(_RAISED)}"


def _signed(value: float, text: str) -> str:
    return f"−{text}" if value < 0 else text


def change(value: float | None) -> str:
    """Of searches, with its sign also if it is more.

    >>> change(2.5), change(-0.5), change(0.0)
    ('+2.50', '−0.50', '0')
    """
    return f"+{searches(value)}" if value is not None and value > 0.005 else searches(value)


def searches(value: float | None) -> str:
    """A number of searches, with few digits.

    >>> [searches(each) for each in (None, 1234.5, 12.34, 0.123, 3e-10, 0.0, -0.25, -3e-10)]
    ['–', '1,234', '12.3', '0.12', '< 0.01', '0', '−0.25', '> −0.01']
    """
    if value is None or not isfinite(value):
        return NOTHING
    size = abs(value)
    if size < 1e-12:
        return "0"
    if size < 0.005:
        return "< 0.01" if value > 0 else "> −0.01"
    return _signed(value, f"{size:.2f}") if size < 10 else number(value)


def share(value: float | None) -> str:
    """100 % and 0 % only where they are exact.

    >>> share(0.0712), share(1.0), share(0.99999), share(0.00001), share(0.0)
    ('7.1 %', '100 %', '> 99.9 %', '< 0.1 %', '0 %')
    """
    if value is None or not isfinite(value):
        return NOTHING
    if value in (0.0, 1.0):
        return f"{value:.0%}".replace("%", " %")
    if 0.9995 <= value < 1.0:
        return "> 99.9 %"
    if 0.0 < value < 0.0005:
        return "< 0.1 %"
    return _signed(value, f"{abs(value):.1%}".replace("%", " %"))


def points(value: float | None) -> str:
    """
    >>> points(-0.0298)
    '−3.0 points'
    """
    if value is None or not isfinite(value):
        return NOTHING
    return f"{'+' if value > 0 else ''}{_signed(value, f'{100 * abs(value):.1f}')} points"


def speed(value: float | None) -> str:
    """
    >>> speed(0.0), speed(12.34), speed(0.02)
    ('0 a second', '12.3 a second', '1.2 a minute')
    """
    if value is None or not isfinite(value):
        return NOTHING
    return f"{number(60 * value)} a minute" if 0 < value < 0.1 else f"{number(float(f'{value:.3g}'))} a second"


def exact(value: float | None) -> str:
    """With all its digits, for who looks closer."""
    return "not known" if value is None or not isfinite(value) else f"exactly {value:.12g} in the unit of the scorer"


def size(value: float | None) -> str:
    """
    >>> size(1234567)
    '1.23 MB'
    """
    if value is None or not isfinite(value):
        return NOTHING
    step = min(int(log10(value) // 3), len(_SIZES) - 1) if value >= 1000 else 0
    return f"{number(float(f'{value / 1000**step:.3g}'))} {_SIZES[step]}"


def count(value: int, one: str, many: str = "") -> str:
    """
    >>> count(1, "query", "queries"), count(2000, "fetch", "fetches")
    ('1 query', '2,000 fetches')
    """
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def spelled(name: str) -> str:
    """A name of a table as words."""
    return name.replace("_", " ").replace("-", " ")


_ROBOTS = {
    "parsed": "follows robots.txt",
    "allow": "no robots.txt",
    "deny": "not crawled: robots.txt is unavailable",
    "guarded": "not crawled: its network is not allowed",
}


def robots(kind: str) -> str:
    """How a host's robots.txt is taken."""
    return _ROBOTS.get(kind, kind)


def purpose(name: str | None) -> str:
    return PURPOSES.get(name or "", "not on record")
