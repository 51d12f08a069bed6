"""Numbers and times as words in a sentence."""

from math import isfinite

from sought.console.wording import age, ahead, count

WEEK = 7 * 86400.0
_UNITS = ((86400.0, "day"), (3600.0, "hour"), (60.0, "minute"), (1.0, "second"))


def amount(value: float) -> str:
    """
    >>> [amount(each) for each in (1234.5, 42.4, 0.1234, 0.0001, 0.0, -3.0)]
    ['1,234', '42', '0.12', 'less than 0.01', '0', '-3']
    """
    if value and abs(value) < 0.01:
        return "less than 0.01"
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.2g}"


def since(then: float | None, now: float) -> str:
    """
    >>> since(0, 7300), since(1000, 8300)
    ('never', '2 hours ago')
    """
    return age(then, now) if is_time(then) and then is not None else "never"


def until(then: float, now: float) -> str:
    """
    >>> until(8300, 1000)
    'in about 2 hours'
    """
    words = ahead(then, now)
    return words.replace("in ", "in about ", 1) if then > now else words


def is_time(then: float | None) -> bool:
    """False for None, infinity, NaN, and 0 and less, which mean "never".

    >>> [is_time(each) for each in (None, float("-inf"), 0.0, 1.0)]
    [False, False, False, True]
    """
    return then is not None and isfinite(then) and then > 0


def duration(seconds: float) -> str:
    """
    >>> [duration(each) for each in (45, 100, 610, 7200, 86400, 250000)]
    ['45 seconds', '2 minutes', '10 minutes', '2 hours', '24 hours', '3 days']
    """
    size, name = next((unit for unit in _UNITS if seconds >= 1.5 * unit[0]), _UNITS[-1])
    return count(round(seconds / size), name)


def every(rate_a_day: float) -> str:
    """
    >>> [every(each) for each in (24.0, 1.0, 0.1, 0.0)]
    ['about every 60 minutes', 'about every 24 hours', 'about every 10 days', 'never']
    """
    if rate_a_day <= 0.0:
        return "never"
    days = 1.0 / rate_a_day
    return f"about every {duration(days * 86400.0)}" if days < 3652 else "less than once in ten years"
