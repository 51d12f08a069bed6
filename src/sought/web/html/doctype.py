"""Is this page in quirks mode?"""

import re

_SPACES_AND_COMMENTS = re.compile(rb"(?:[\t\n\f\r ]|<!--(?:-?>|.{0,4000}?--!?>)|<[?][^>]{0,4000}>)*", re.DOTALL)
_DOCTYPE = re.compile(rb"<!doctype\s*([^>]{0,2000})", re.IGNORECASE)
# Doctypes of pages in standards mode; all others are in quirks mode.
_MODERN = re.compile(
    rb"html\s*(?:$|system\s|public\s*[\"'](?!(?:-//w3c//dtd html (?:[23][ .]|4[.]0 (?:frameset|transitional)//)"
    rb"|-//w3c//dtd html 3|-//ietf//|-//netscape|-//microsoft|-//w3c//dtd w3|-//w3o//|-//webtechs|html[\"']|-/w3c)))",
    re.IGNORECASE,
)


def is_quirks(source: bytes) -> bool:
    """Whether a page is in quirks mode, by its doctype or for want of one: then a table does not end a paragraph."""
    head = source[:16_384]
    begin = _SPACES_AND_COMMENTS.match(head)
    doctype = _DOCTYPE.match(head, begin.end() if begin else 0)
    return not (doctype and _MODERN.match(doctype[1].strip()))
