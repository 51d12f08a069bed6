"""How is a page about one URL, query or host made?  Read the parameter, look it up, show it or one sentence why not."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sought.console.answers import Unit
from sought.console.context import ConsoleContext, link
from sought.console.folders import without_folder
from sought.console.view_cache import Pending
from sought.operate.view import View
from sought.web.errors import BadConfig, BadInput, CrawlDamaged

_LONGEST = 4_200  # characters
_HOST = re.compile(r"(?:[\w-]+\.)+[\w-]*[a-z][\w-]*(?::\d+)?|\[[0-9a-f:]+\](?::\d+)?|localhost(?::\d+)?", re.I)


@dataclass(frozen=True)
class About:
    """What a page is about: the name of its parameter, how that is read, and what is asked of the tables."""

    kind: str
    title: str
    read: Callable[[str], str]
    ask: Callable[[View, str, float], dict[str, Any]]

    @property
    def parameter(self) -> str:
        return self.kind[0]


def route(context: ConsoleContext, about: About) -> BaseRoute:
    async def show(request: Request) -> HTMLResponse:
        given = request.query_params.get(about.parameter, "")
        try:
            wanted = _read(about, given)
        except BadInput as error:
            return context.sorry(request, about.title, str(error), 400)
        if not (context.path / "store").exists():
            return context.sorry(request, about.title, "Nothing has been crawled yet", 404)
        return await _answered(context, request, about, wanted)

    return Route(f"/console/{about.kind}", show)


def _read(about: About, given: str) -> str:
    if not given.strip():
        raise BadInput(f"The parameter {about.parameter} is missing")
    if len(given) > _LONGEST:
        raise BadInput(f"The parameter {about.parameter} is too long")
    return about.read(given)


async def _answered(context: ConsoleContext, request: Request, about: About, wanted: str) -> HTMLResponse:
    try:  # as of when the tables were read: the ranking is computed once for all pages
        found = await context.views.ask((about.kind, wanted), lambda view: about.ask(view, wanted, view.opened))
    except Pending as why:
        return context.wait(request, about.title, why)
    except CrawlDamaged as error:  # of another version, say: it says what to do
        return context.sorry(request, about.title, without_folder(context.path, str(error)), 409)
    except BadConfig:  # the crawl's files are in trouble
        raise
    except BadInput as error:  # it is not known
        return context.sorry(request, about.title, without_folder(context.path, str(error)), 404)
    values: dict[str, Any] = {"found": found.found, "read": found.time, "wanted": wanted, "now": time.time()}
    values["unit"] = Unit.by(found.found.get("report", {}))
    return context.page(request, f"console_{about.kind}.html", **values)


def find(context: ConsoleContext) -> BaseRoute:
    """One field for all three: an address, the name of a host, or else a query."""

    async def go(request: Request) -> Response:
        text = request.query_params.get("what", "").strip()
        if not text or len(text) > _LONGEST:
            return context.sorry(request, "Look up", "Enter a URL, a host or a query", 400)
        kind = "url" if "://" in text else "host" if _HOST.fullmatch(text) else "query"
        return RedirectResponse(link(kind, text), 303)

    return Route("/console/find", go)
