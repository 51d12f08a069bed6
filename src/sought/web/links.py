"""Where does this page point to, and with what words?"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from sought.web.document import Link
from sought.web.errors import BadURL
from sought.web.tags import FRAME, LINK
from sought.web.url import canonical, origin

MAX_LINKS = 2000
MAX_ANCHOR = 200
_MAX_ELEMENTS = 20_000  # looked at to find the links
_NOT_VOUCHED = frozenset(("nofollow", "ugc", "sponsored"))
_NOT_FETCHED = ("#", "javascript:", "mailto:", "tel:", "data:")
_READ = 10 * MAX_ANCHOR  # characters, white space and all
# Navigation repeats the same links on every page of a site: by site, href, text and rel.
_KEPT = 32_768
_kept: dict[tuple[str, str, str, str], Link] = {}


@dataclass(slots=True)
class Reader:
    """Reads the text of elements.  They may nest, and a text inside 500 of them must not be read 500 times."""

    left: int

    def of(self, element: Any) -> str:
        if self.left <= 0:
            return ""
        text: str = element.text
        self.left -= len(text)
        return text[:_READ]


class Found(dict[tuple[str, str], Link]):
    """Links in the order of the page, each target and wording once."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base, self.site = base, origin(base)

    def add(self, href: str, anchor: str = "", rel: str = "") -> Link | None:
        url = resolved(href.strip(), self.base)
        if not url:
            return None
        link = Link(url, anchor[:MAX_ANCHOR], bool(rel) and not _NOT_VOUCHED.isdisjoint(rel.lower().split()))
        return self.setdefault((link.url, link.anchor), link) if len(self) < MAX_LINKS else None


def resolved(href: str, base: str) -> str:
    """Canonical form, or nothing."""
    if not href or href.startswith(_NOT_FETCHED):
        return ""
    try:
        return canonical(href, base)
    except BadURL:
        return ""


def links(document: Any, seen: int, base: str, reader: Reader) -> tuple[Found, list[str]]:
    """Links of a parsed page, and the mailto: addresses on it; `seen` are the bits of its tags."""
    found, mails = Found(base), []
    for element in islice(_linking(document, seen), _MAX_ELEMENTS):
        href = element.getattr("href") or (seen & FRAME and element.getattr("src")) or ""
        if href[:1] in ("", "#"):
            continue
        key = (found.site, href, reader.of(element), element.getattr("rel") or "")
        link = _kept.get(key)
        if link:
            found.setdefault((link.url, link.anchor), link)
        elif href[:7].lower() == "mailto:":
            mails.append(href[7:300])
        else:
            _add(found, element, key)
        if len(found) >= MAX_LINKS:
            break
    for element in islice(document.get_elements_by_tag_name("link"), 200) if seen & LINK else ():
        if _rel(element) & {"next", "prev"}:
            found.add(element.getattr("href") or "")
    return found, mails


def _add(found: Found, element: Any, key: tuple[str, str, str, str]) -> None:
    """Add a link not met before, and keep it if it means the same on every page of the site."""
    _, href, text, rel = key
    anchor = " ".join(text.split())
    link = found.add(href, anchor or _alternative(element), rel)
    if link and anchor and href.startswith(("/", "http:/", "https:/")) and sum(map(len, key)) < 500:
        if len(_kept) >= _KEPT:
            _kept.clear()
        _kept[key] = link


def _linking(document: Any, seen: int) -> Iterator[Any]:
    # By far most pages have only <a>, and selectors cost ten times as much as one name.
    if seen & FRAME:
        return iter(document.query_selector_all("a[href], area[href], frame[src], iframe[src]"))
    return iter(document.get_elements_by_tag_name("a"))


def _alternative(element: Any) -> str:
    """Alternative text of an area, or of the image that is the link: the first of the first, a few levels down."""
    for _ in range(4):
        if element is None:
            break
        alt = element.getattr("alt")
        if alt:
            return " ".join(alt[:MAX_ANCHOR].split())
        element = element.first_element_child
    return ""


def _rel(element: Any) -> set[str]:
    return set((element.getattr("rel") or "").lower().split())


def canonical_link(document: Any, seen: int, base: str, headers: Iterable[str]) -> str:
    """What the page says its address is: <link rel=canonical>, or the same as a header (RFC 8288)."""
    elements = islice(document.get_elements_by_tag_name("link"), 200) if seen & LINK else ()
    inside = (element.getattr("href") or "" for element in elements if "canonical" in _rel(element))
    for href in chain(inside, _header_targets(headers)):
        return resolved(href.strip(), base)
    return ""


_TARGET = re.compile(r"<([^<>]{1,4096})>([^<>]{0,1000})")
_CANONICAL = re.compile(r";\s*rel\s*=\s*(?:\"[^\"]*\bcanonical\b[^\"]*\"|canonical\b)", re.IGNORECASE)


def _header_targets(headers: Iterable[str]) -> Iterator[str]:
    for header in headers:
        for target, parameters in _TARGET.findall(header[:16_384]):
            if _CANONICAL.search(parameters):
                yield target
