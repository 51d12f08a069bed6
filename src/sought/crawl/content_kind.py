"""Is a page HTML, plain text, or something else?  As a small number that the store keeps.

Told by the media type, and where there is none by the first sign, as digesting does.
"""

from sought.web.message import Response

UNKNOWN, HTML, TEXT, OTHER = range(4)  # unknown: fetched before this was kept
_TYPES = {"text/html": HTML, "application/xhtml+xml": HTML, "text/plain": TEXT}


def content_kind(response: Response) -> int:
    """One of the four."""
    if response.media_type:
        return _TYPES.get(response.media_type, OTHER)
    start = response.body[:512]
    if b"\0" in start:
        return OTHER
    return HTML if start.lstrip()[:1] == b"<" else TEXT
