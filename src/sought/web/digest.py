"""What is in this response?  Bytes in, a Document out; never an exception, always linear time."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from sought.web.document import Document, PageCounts
from sought.web.html.encoding import decoded
from sought.web.html.links import FoundLinks, canonical_in, target_of
from sought.web.html.markup import Markup, read
from sought.web.html.tags import BASE, H1, H2, H3, HTML, LINK, META, TITLE, TYPED
from sought.web.html.visible import attribute, is_resolved, raw_text, resolved
from sought.web.language import language
from sought.web.message import Response
from sought.web.sketch import shingled, sketch

AGENT = "sought"
MAX_TITLE = 500
MAX_HEADINGS = 64
_HTML = frozenset(("text/html", "application/xhtml+xml"))
_MAX_META = 200  # <meta> and <link> elements that are read
_MAX_EMAILS = 1000
_MAX_FEEDS = 10
_FEEDS = frozenset(("application/rss+xml", "application/atom+xml", "application/feed+json"))
_LOCAL = re.compile(r"[A-Za-z0-9._%+-]{1,64}$")
_DOMAIN = re.compile(r"(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])")
_REFRESH = re.compile(r"\s*(\d{1,4})(?:\.\d{0,9})?\s*[;,\s]\s*(?:url\s*=\s*)?[\"']?([^\"'\s]{1,4096})", re.IGNORECASE)
_MAX_DELAY = 10
_NO_COUNTS = PageCounts()


def digest(response: Response, agent: str = AGENT) -> Document:
    """The document a response holds; an empty one if it is neither HTML nor plain text.

    `agent` is the name by which <meta> may address this crawler.  X-Robots-Tag belongs to the response and is not read.
    """
    kind, body = response.media_type, response.body
    if not kind and b"\0" not in body[:512]:
        kind = "text/html" if body[:512].lstrip()[:1] == b"<" else "text/plain"
    if kind in _HTML:
        return _html(response, agent)
    if kind == "text/plain":
        return _plain(response)
    return _document(response, "", "", b"")


def _plain(response: Response) -> Document:
    source, _, _ = decoded(response.body, response.header("content-type"))
    title = next((line for line in source[:10_000].splitlines() if line.strip()), "")
    text = " ".join(source.split())
    return _document(response, _line(title), text, text.encode(), PageCounts(text_bytes=len(response.body)))


def _html(response: Response, agent: str) -> Document:
    _, source, encoding = decoded(response.body, response.header("content-type"))
    page = read(source)
    if page.refused:
        return Document(refused=page.refused, size=len(response.body))
    base = next((target_of(attribute(value), response.url, encoding) for value in page.values(BASE)), "")
    base = base or response.url
    links = FoundLinks(base, encoding)
    links.add_all(page)
    canonical = _relations(page, links) or next(canonical_in(response.all_headers("link")), "")
    robots = list(_metas(page, links, (b"robots", agent.lower().encode())))
    text = resolved(page.text)
    return _document(
        response,
        next((_line(raw_text(value)) for value in page.values(TITLE)), ""),
        text,
        page.text if is_resolved(page.text) else text.encode(),
        PageCounts(page.images, page.tables, text_bytes=page.outside),
        main=text if page.main is page.text else resolved(page.main),
        declared=next((attribute(value)[:40] for value in page.values(HTML)), ""),
        mails=links.mails,
        robots=robots,
        headings=_headings(page),
        links=tuple(links.links.values()),
        canonical=target_of(canonical.strip(), base, encoding),
        base=base,
        feeds=_feeds(page, base, encoding),
    )


def _document(
    response: Response,
    title: str,
    text: str,
    utf8: bytes,
    counts: PageCounts = _NO_COUNTS,
    *,
    main: str | None = None,
    declared: str = "",
    mails: Iterable[str] = (),
    robots: Iterable[str] = (),
    **parts: Any,
) -> Document:
    """`utf8` is the text, encoded."""
    shingles, words = shingled(utf8)
    directives = set(robots)
    return Document(
        title=title,
        text=text,
        main=text if main is None else main,
        language=language(declared, response.header("content-language"), text) if text else "",
        noindex=not directives.isdisjoint(("noindex", "none")),
        nofollow=not directives.isdisjoint(("nofollow", "none")),
        counts=PageCounts(counts.images, counts.tables, words, counts.text_bytes, _emails(text, mails)),
        content=_content(title, utf8),
        shingles=shingles,
        sketch=sketch(shingles),
        size=len(response.body),
        **parts,
    )


def _content(title: str, text: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(title.encode() + b"\n" + text, digest_size=8).digest(), "little")


def _line(text: str) -> str:
    return " ".join(text.split())[:MAX_TITLE].rstrip()


def _headings(page: Markup) -> tuple[str, ...]:
    """The text of the headings, those of the first level first."""
    headings = [words for level in (H1, H2, H3) for words in page.values(level)]
    return tuple(_line(resolved(words)) for words in headings[:MAX_HEADINGS])


def _relations(page: Markup, links: FoundLinks) -> str:
    """Add <link rel=next> and rel=prev to the links; return the first canonical address, or nothing."""
    canonical = ""
    for relation, value in page.pairs(LINK)[:_MAX_META]:
        relations = attribute(relation).lower().split()
        if "next" in relations or "prev" in relations:
            links.add(attribute(value))
        if "canonical" in relations:
            canonical = canonical or attribute(value)
    return canonical


def _feeds(page: Markup, base: str, encoding: str) -> tuple[str, ...]:
    """Targets of <link rel=alternate> with the type of a feed."""
    typed = page.pairs(TYPED)[:_MAX_META]
    if not typed:
        return ()
    alternates = {value for relation, value in page.pairs(LINK) if "alternate" in attribute(relation).lower().split()}
    feeds = dict.fromkeys(
        target_of(attribute(value), base, encoding)
        for kind, value in typed
        if value in alternates and attribute(kind).partition(";")[0].strip().lower() in _FEEDS
    )
    feeds.pop("", None)
    return tuple(feeds)[:_MAX_FEEDS]


def _metas(page: Markup, links: FoundLinks, names: tuple[bytes, ...]) -> Iterator[str]:
    """Robots directives for this crawler; the target of a refresh is added to the links."""
    for name, value in page.pairs(META)[:_MAX_META]:
        name = name.strip().lower()
        if name == b"refresh":
            links.add(_refresh_target(attribute(value[:5000])))
        elif name in names:
            yield from re.split(r"[\s,]+", attribute(value[:5000]).lower())


def _refresh_target(content: str) -> str:
    match = _REFRESH.match(content)
    return match[2] if match and int(match[1]) <= _MAX_DELAY else ""


def _emails(text: str, mails: Iterable[str]) -> int:
    addresses = {mail.partition("?")[0].strip().lower() for mail in mails if "@" in mail}
    at = text.find("@")
    for _ in range(_MAX_EMAILS):
        if at < 0:
            break
        local, domain = _LOCAL.search(text[max(at - 64, 0) : at]), _DOMAIN.match(text[at + 1 : at + 300])
        if local and domain:
            addresses.add(f"{local[0]}@{domain[0]}".lower())
        at = text.find("@", at + 1)
    return len(addresses)
