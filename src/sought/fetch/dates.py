"""When does a server say that a page was last modified?"""

import calendar
import re
from datetime import UTC
from email.utils import mktime_tz, parsedate_to_datetime, parsedate_tz


def modified_at(header: str, now: float) -> float:
    """Seconds since 1970 of a Last-Modified header; 0 if there is none, or none that can be true at this time."""
    try:
        moment = parsedate_to_datetime(header) if header else None
        said = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() if moment else 0.0
    except (ValueError, OverflowError, TypeError):
        return 0.0
    return said if 0.0 < said <= now else 0.0


# ---- When does a sitemap or a feed say that a page changed?


_W3C_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?\s?([Zz]|[+-]\d\d:?\d\d)?)?)?)?"
)
_FIRST_YEAR, _LAST_YEAR = 1970, 2100
_LONGEST = 64  # characters of a date


def w3c_time(text: str) -> float | None:
    """Seconds since 1970 of a W3C date (a year, a month, a day or a moment); None if it is not one."""
    found = _W3C_DATE.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (
        int(found[i] or default) for i, default in enumerate("011000", 1) if i < 7
    )
    year = min(max(year, _FIRST_YEAR), _LAST_YEAR)
    if not (1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1] and hour < 24 and minute < 60):
        return None
    return float(calendar.timegm((year, month, day, hour, minute, min(second, 59)))) - _offset(found[7])


def _offset(zone: str | None) -> float:
    if not zone or zone in "Zz":
        return 0.0
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (3600.0 * hours + 60.0 * minutes) * (-1 if zone[0] == "-" else 1)


def feed_time(text: str) -> float | None:
    """The same of a date in a feed: RSS writes them as mails do (RFC 822), everything else as sitemaps do."""
    text = text.strip()[:_LONGEST]
    found = w3c_time(text)
    return _mail_time(text) if found is None else found


def _mail_time(text: str) -> float | None:
    try:
        moment = parsedate_tz(text)
        if moment is None or not _FIRST_YEAR <= moment[0] <= _LAST_YEAR:
            return None
        calendar.monthrange(moment[0], moment[1])  # months are from 1 to 12
        return float(mktime_tz(moment))
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
