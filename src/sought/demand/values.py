"""How are fields of foreign files parsed?  Text, numbers, days and times; anything else is BadInput."""

from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

from sought.web.errors import BadInput

_MILLISECONDS = 1e11  # a Unix time beyond this (the year 5138) is in milliseconds


def text(value: Any, name: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise BadInput(f"no {name}" if value is None else f"{name} is no text: {_shown(value)}")


def number(value: Any, name: str) -> float:
    """A number, or the text of one."""
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        try:
            parsed = float(value)
        except (ValueError, OverflowError):
            parsed = float("nan")
        if isfinite(parsed):
            return parsed
    raise BadInput(f"{name} is no number: {_shown(value)}" if value not in (None, "") else f"no {name}")


def whole(value: Any, name: str) -> int:
    parsed = number(value, name)
    if parsed != int(parsed):
        raise BadInput(f"{name} is no whole number: {_shown(value)}")
    return int(parsed)


def day(value: Any, default: date) -> date:
    """A date as YYYY-MM-DD; anything after it (a time) is ignored."""
    if value in (None, ""):
        return default
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(str(value).strip()[:10])
    except ValueError:
        raise BadInput(f"not a date like 2026-01-31: {_shown(value)}") from None


def moment(value: Any) -> float:
    """A Unix time from seconds, milliseconds or ISO 8601; without a zone it is UTC."""
    if isinstance(value, str) and not _is_number(value):
        try:
            parsed = datetime.fromisoformat(value.strip())
            return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
        except (ValueError, OverflowError):
            raise BadInput(f"not a time like 2026-01-31T12:00:00Z: {_shown(value)}") from None
    seconds = number(value, "timestamp")
    return seconds / 1000 if seconds > _MILLISECONDS else seconds


def today(now: float) -> date:
    return datetime.fromtimestamp(now, UTC).date()


def _is_number(value: str) -> bool:
    return value.strip().replace(".", "", 1).isdecimal()


def _shown(value: Any) -> str:
    return repr(value)[:60]
