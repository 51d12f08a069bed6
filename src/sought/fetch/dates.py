"""When was a page last modified, by a header, a sitemap or a feed?"""

import calendar
import re
from datetime import UTC
from email.utils import mktime_tz, parsedate_to_datetime, parsedate_tz


def modified_at(header: str, now: float) -> float:
    """Seconds since 1970 of a Last-Modified header; 0 if it is missing, invalid or in the future."""
    try:
        moment = parsedate_to_datetime(header) if header else None
        time = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() if moment else 0.0
    except (ValueError, OverflowError, TypeError):
        return 0.0
    return time if 0.0 < time <= now else 0.0


_W3C_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?)?)?"
)
_FIRST_YEAR, _LAST_YEAR = 1970, 2100
_LONGEST = 64  # characters of a date


def w3c_time(text: str) -> float | None:
    """Seconds since 1970 of a W3C date (a year, a month, a day or a moment); None if it is not one."""
    match = _W3C_DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (
        int(match[i] or default) for i, default in enumerate("011000", 1) if i < 7
    )
    year = min(max(year, _FIRST_YEAR), _LAST_YEAR)
    if not (1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1] and hour < 24 and minute < 60):
        return None
    return float(calendar.timegm((year, month, day, hour, minute, min(second, 59)))) - _offset(match[7])


def _offset(zone: str | None) -> float:
    if not zone or zone in "Zz":
        return 0.0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (3600.0 * hours + 60.0 * minutes) * (-1 if zone[0] == "-" else 1)


def feed_time(text: str) -> float | None:
    """The same for a date in a feed: RSS has e-mail dates (RFC 822), other feeds have W3C dates."""
    text = text.strip()[:_LONGEST]
    time = w3c_time(text)
    return _mail_time(text) if time is None else time


def _mail_time(text: str) -> float | None:
    try:
        moment = parsedate_tz(text)
        if moment is None or not _FIRST_YEAR <= moment[0] <= _LAST_YEAR:
            return None
        calendar.monthrange(moment[0], moment[1])  # months are from 1 to 12
        return float(mktime_tz(moment))
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
