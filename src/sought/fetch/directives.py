"""Do the headers forbid indexing this page or following its links?

X-Robots-Tag, as search engines document it: directives separated by commas; a `name:` prefix addresses one crawler;
`unavailable_after:` takes a date, which may contain a comma.  If any header forbids something, it is forbidden.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from sought.fetch.agent import product_token
from sought.web.message import Response

_MAX_PARTS = 100
_NOINDEX = frozenset({"noindex", "none"})
_NOFOLLOW = frozenset({"nofollow", "none"})
_WITH_VALUE = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def header_directives(response: Response, agent: str) -> tuple[bool, bool]:
    """(noindex, nofollow) for the crawler called `agent`, at the time of the response."""
    own_name = product_token(agent)
    words = {
        word for value in response.all_headers("x-robots-tag") for word in _directives(value, own_name, response.time)
    }
    return not words.isdisjoint(_NOINDEX), not words.isdisjoint(_NOFOLLOW)


def _directives(value: str, own_name: str, now: float) -> list[str]:
    """The directives in one header for this crawler; a date that has passed counts as noindex."""
    directives: list[str] = []
    for_us = True
    parts = value.lower().split(",", _MAX_PARTS)[:_MAX_PARTS]
    for position, part in enumerate(parts):
        name, colon, rest = (text.strip() for text in part.partition(":"))
        if colon and name == product_token(name) and name not in _WITH_VALUE:
            for_us = name == own_name
            name, colon, rest = (text.strip() for text in rest.partition(":"))
        if not for_us:
            continue
        if name == "unavailable_after":
            name = "noindex" if _has_passed([rest, *parts[position + 1 : position + 2]], now) else ""
        directives.append(name)
    return directives


def _has_passed(parts: list[str], now: float) -> bool:
    """Whether the date in the first part, or in both joined by a comma, has passed."""
    for text in (",".join(parts), parts[0]):
        for reader in (parsedate_to_datetime, datetime.fromisoformat):
            try:
                moment = reader(text.strip().upper())
            except (ValueError, OverflowError):
                continue
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() <= now
    return False
