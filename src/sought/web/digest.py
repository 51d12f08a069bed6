"""What does this response say?  Bytes in, a Document out; never an exception, never more than linear time."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from sought.web.document import Counts, Document
from sought.web.encoding import decoded
from sought.web.language import language
from sought.web.links import Reader, canonical_link, links, resolved
from sought.web.message import Response
from sought.web.scan import Scan, scan
from sought.web.sketch import shingles_of, sketch, words
from sought.web.tags import BASE

AGENT = "sought"
MAX_TITLE = 500
MAX_HEADINGS = 64
_HTML = frozenset(("text/html", "application/xhtml+xml"))
# Beyond these, extraction of the main text goes beyond linear time and the whole text stands for it.
_MAIN_TAGS, _MAIN_WORK, _MAIN_REACH = 50_000, 5_000_000, 50_000_000
_MAX_EMAILS = 1000
_LOCAL = re.compile(r"[A-Za-z0-9._%+-]{1,64}$")
_DOMAIN = re.compile(r"(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
_REFRESH = re.compile(r"\s*(\d{1,4})(?:\.\d{0,9})?\s*[;,\s]\s*(?:url\s*=\s*)?[\"']?([^\"'\s]{1,4096})", re.IGNORECASE)
_MAX_DELAY = 10
_DIRECTIVES = frozenset(("noindex", "nofollow", "none"))


def digest(response: Response) -> Document:
    """The document a response holds; an empty one if it is neither HTML nor plain text."""
    kind, body = response.media_type, response.body
    if not kind and b"\0" not in body[:512]:
        kind = "text/html" if body[:512].lstrip()[:1] == b"<" else "text/plain"
    if kind in _HTML:
        return _html(response)
    if kind == "text/plain":
        return _plain(response)
    return _document(response, "", "")


def _plain(response: Response) -> Document:
    source, _ = decoded(response.body, response.header("content-type"))
    text = " ".join(source.split())
    title = next((line for line in source[:10_000].splitlines() if line.strip()), "")
    return _document(
        response, " ".join(title.split())[:MAX_TITLE], text, Scan("", "", 0, 0, 0, 0, 0, len(response.body), 0)
    )


def _html(response: Response) -> Document:
    source, raw = decoded(response.body, response.header("content-type"))
    scanned = scan(raw)
    if scanned.refused:
        return Document(refused=scanned.refused)
    try:
        tree = HTMLTree.parse(source)
    except ValueError:
        return Document(refused="parser")
    return _from_tree(response, tree, scanned)


def _from_tree(response: Response, tree: Any, scanned: Scan) -> Document:
    document, reader = tree.document, Reader(4 * scanned.outside + 100_000)
    base = _base(document, scanned, response.url)
    found, mails = links(document, scanned.seen, base, reader)
    robots = set(_header_directives(response.all_headers("x-robots-tag")))
    for name, content in _metas(document):
        if name == "refresh":
            found.add(_refresh_target(content))
        elif name in ("robots", AGENT):
            robots.update(re.split(r"[\s,]+", content.lower()))
    return _document(
        response,
        " ".join((tree.title or "").split())[:MAX_TITLE],
        scanned.text,
        scanned,
        main=_main(tree, scanned),
        declared=_declared_language(document),
        headings=_headings(document, reader),
        links=tuple(found.values()),
        canonical=canonical_link(document, scanned.seen, base, response.all_headers("link")),
        base=base,
        mails=mails,
        robots=robots,
    )


def _document(
    response: Response,
    title: str,
    text: str,
    scanned: Scan | None = None,
    *,
    main: str | None = None,
    declared: str = "",
    mails: Iterable[str] = (),
    robots: Iterable[str] | None = None,
    **parts: Any,
) -> Document:
    words_of = words(text)
    shingled = shingles_of(words_of)
    counts = Counts()
    if scanned:
        counts = Counts(scanned.images, scanned.tables, len(words_of), scanned.outside, _emails(text, mails))
    said = set(_header_directives(response.all_headers("x-robots-tag")) if robots is None else robots)
    return Document(
        title=title,
        text=text,
        main=text if main is None else main,
        language=language(declared, response.header("content-language"), text) if text else "",
        noindex=not said.isdisjoint(("noindex", "none")),
        nofollow=not said.isdisjoint(("nofollow", "none")),
        counts=counts,
        content=_content(title, text),
        shingles=shingled,
        sketch=sketch(shingled),
        **parts,
    )


def _content(title: str, text: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{title}\n{text}".encode(), digest_size=8).digest(), "little")


def _main(tree: Any, scanned: Scan) -> str | None:
    if scanned.tags > _MAIN_TAGS or scanned.work > _MAIN_WORK or scanned.reach > _MAIN_REACH:
        return None
    main: str = extract_plain_text(
        tree, main_content=True, preserve_formatting=False, links=False, list_bullets=False, alt_texts=False
    )
    return main


def _base(document: Any, scanned: Scan, url: str) -> str:
    if scanned.seen & BASE:
        for element in islice(document.get_elements_by_tag_name("base"), 8):
            href = element.getattr("href")
            if href:
                return resolved(href.strip(), url) or url
    return url


def _declared_language(document: Any) -> str:
    root = document.first_element_child
    return (root.getattr("lang") or root.getattr("xml:lang") or "")[:40] if root else ""


def _headings(document: Any, reader: Reader) -> tuple[str, ...]:
    """The words of the headings, first all of the first level."""
    found: list[str] = []
    for level in ("h1", "h2", "h3"):
        elements = islice(document.get_elements_by_tag_name(level), MAX_HEADINGS - len(found))
        found.extend(" ".join(reader.of(element).split())[:MAX_TITLE] for element in elements)
    return tuple(heading for heading in found if heading)


def _metas(document: Any) -> Iterator[tuple[str, str]]:
    for element in islice(document.get_elements_by_tag_name("meta"), 200):
        name = element.getattr("name") or element.getattr("http-equiv")
        if name:
            yield name.strip().lower(), (element.getattr("content") or "")[:5000]


def _refresh_target(content: str) -> str:
    found = _REFRESH.match(content)
    return found[2] if found and int(found[1]) <= _MAX_DELAY else ""


def _header_directives(values: Iterable[str]) -> Iterator[str]:
    """X-Robots-Tag: directives for all, or `agent: directives` for one."""
    for value in values:
        agent, colon, rest = value[:1000].lower().partition(":")
        directives = agent if not colon else rest if agent.strip() == AGENT else ""
        yield from (name for name in re.split(r"[\s,]+", directives) if name in _DIRECTIVES)


def _emails(text: str, mails: Iterable[str]) -> int:
    found = {mail.partition("?")[0].strip().lower() for mail in mails if "@" in mail}
    at = text.find("@")
    for _ in range(_MAX_EMAILS):
        if at < 0:
            break
        local, domain = _LOCAL.search(text[max(at - 64, 0) : at]), _DOMAIN.match(text[at + 1 : at + 300])
        if local and domain:
            found.add(f"{local[0]}@{domain[0]}".lower())
        at = text.find("@", at + 1)
    return len(found)
