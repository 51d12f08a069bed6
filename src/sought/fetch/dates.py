"""When does a server say that a page was last modified?"""

from datetime import UTC
from email.utils import parsedate_to_datetime


def modified_at(header: str, now: float) -> float:
    """Seconds since 1970 of a Last-Modified header; 0 if there is none, or none that can be true at this time."""
    try:
        moment = parsedate_to_datetime(header) if header else None
        said = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() if moment else 0.0
    except (ValueError, OverflowError, TypeError):
        return 0.0
    return said if 0.0 < said <= now else 0.0
