"""Did the server ask us, in its headers, not to index this page or not to follow its links?

X-Robots-Tag, as search engines document it: directives separated by commas; `name:` in front of some addresses one
crawler; `unavailable_after:` takes a date (which may itself contain a comma).  What any header forbids is forbidden.
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
    ours = product_token(agent)
    said = {word for value in response.all_headers("x-robots-tag") for word in _directives(value, ours, response.time)}
    return not said.isdisjoint(_NOINDEX), not said.isdisjoint(_NOFOLLOW)


def _directives(value: str, ours: str, now: float) -> list[str]:
    """The directives in one header that are meant for us; a date that has passed is a noindex."""
    found: list[str] = []
    for_us = True
    parts = value.lower().split(",", _MAX_PARTS)[:_MAX_PARTS]
    for position, part in enumerate(parts):
        name, colon, rest = (text.strip() for text in part.partition(":"))
        if colon and name == product_token(name) and name not in _WITH_VALUE:
            for_us = name == ours
            name, colon, rest = (text.strip() for text in rest.partition(":"))
        if not for_us:
            continue
        if name == "unavailable_after":
            name = "noindex" if _has_passed([rest, *parts[position + 1 : position + 2]], now) else ""
        found.append(name)
    return found


def _has_passed(pieces: list[str], now: float) -> bool:
    """Whether the date in the first piece, or in both with the comma between them, lies before now."""
    for text in (",".join(pieces), pieces[0]):
        for reader in (parsedate_to_datetime, datetime.fromisoformat):
            try:
                moment = reader(text.strip().upper())
            except (ValueError, OverflowError):
                continue
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() <= now
    return False
