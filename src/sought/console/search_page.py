"""The search page: a field, results, and what to do when there are none."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.asking import MAX_PAGE, PAGE, Question, may_remember, number, query, search_id
from sought.console.pages import page
from sought.console.search_service import SearchReply, SearchService
from sought.console.wording import age, exactly, iso
from sought.demand.rows import written_id
from sought.index import Hit

_NEAR = 2  # pages named before and after this one


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A result as the page shows it.  `href` is "" for an address that no browser should follow."""

    rank: int
    href: str
    host: str
    path: str
    title: str
    pieces: tuple[tuple[str, bool], ...]
    fetched: str
    fetched_iso: str | None
    fetched_exactly: str


def routes(service: SearchService) -> list[BaseRoute]:
    async def search(request: Request) -> HTMLResponse:
        text = query(request)
        if not text:
            return _page(service, pages=await service.searcher.pages())
        return _page(service, **_filled(await service.ask(_question(request, text)), time.time()))

    return [Route("/", search, name="search")]


def failure(service: SearchService, request: Request, status: int, sentence: str) -> HTMLResponse:
    """The page when something is wrong, with what was asked to change it."""
    text = " ".join(request.query_params.get("q", "").split())[:1000]
    return _page(service, status, query=text if text.isprintable() else "", problem=sentence)


def _page(service: SearchService, status: int = 200, **values: Any) -> HTMLResponse:
    shown = {"query": "", "pages": 0, "problem": "", "fetched": False} | values
    if not shown["pages"]:
        shown["fetched"] = service.has_archive()
    return page("search.html", status, **shown, keep_days=service.keep_days)


def _question(request: Request, text: str) -> Question:
    at = number(request, "page", 1, 1, MAX_PAGE)
    given = request.query_params.get("search", "")
    try:
        search = search_id(given) if given else 0
    except HTTPException:
        search = 0  # the page is worth more than its record
    return Question(text, PAGE, (at - 1) * PAGE, search, may_remember(request))


def _filled(reply: SearchReply, now: float) -> dict[str, Any]:
    question, answer = reply.question, reply.answer
    at, last = question.offset // PAGE + 1, min(-(-answer.total // PAGE), MAX_PAGE)
    return {
        "query": question.text,
        "pages": reply.pages,
        "reply": answer,
        "search": written_id(reply.search) if reply.search else "",
        "hits": [_shown(rank, hit, now) for rank, hit in enumerate(answer.hits, question.offset + 1)],
        "at": at,
        "last": last,
        "links": {n: _address(reply, n) for n in _neighbours(at, last)},
    }


def _neighbours(at: int, last: int) -> list[int]:
    """The pages that can be reached from here."""
    near = {1, *range(at - _NEAR, at + _NEAR + 1)}
    return sorted(n for n in near if 1 <= n <= last)


def _address(reply: SearchReply, at: int) -> str:
    """Of a page of the same search; the first page is asked for again without an id, as a search of its own."""
    more = {"page": at} if at > 1 else {}
    same = {"search": written_id(reply.search)} if reply.search and at > 1 else {}
    return "/?" + urlencode({"q": reply.question.text, **more, **same})


def _shown(rank: int, hit: Hit, now: float) -> ShownHit:
    scheme, _, rest = hit.url.partition("://")
    host, slash, path = rest.partition("/")
    href = hit.url if scheme in ("http", "https") else ""
    return ShownHit(
        rank,
        href,
        host,
        f"{slash}{path}",
        hit.title or rest or hit.url,
        tuple(_pieces(hit)),
        age(hit.time, now),
        iso(hit.time),
        exactly(hit.time),
    )


def _pieces(hit: Hit) -> Iterator[tuple[str, bool]]:
    """The snippet in parts, those marked that were asked for."""
    at = 0
    for start, end in hit.highlights:
        yield hit.snippet[at:start], False
        yield hit.snippet[start:end], True
        at = end
    yield hit.snippet[at:], False
