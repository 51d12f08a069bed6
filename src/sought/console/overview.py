"""The overview: how good the answers are and how that moves, where the budget goes, and what is to be done."""

import asyncio
import time
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from sought.console.folders import without_folder
from sought.console.history import SPANS, Histories, History, Span
from sought.console.live import shown
from sought.console.office import AGAIN, Office
from sought.console.orders_given import orders_given
from sought.console.standing import Dated
from sought.console.watching import last_pulse
from sought.crawl.admission import REASONS
from sought.crawl.host_insight import all_hosts
from sought.crawl.insight import needy
from sought.crawl.settings import Settings, load_settings
from sought.crawl.view import View
from sought.web.errors import SoughtError

_HOSTS = 15
_NEEDY = 12


def routes(office: Office) -> list[BaseRoute]:
    journal = Histories(office.path)

    async def overview(request: Request) -> HTMLResponse:
        span = _span(request)
        now = time.time()
        files = await asyncio.to_thread(_files, office, journal, span, now)
        tables, problem = await _tables(office)
        answer = office.page(
            request,
            "console.html",
            **files,
            span=span,
            spans=SPANS,
            tables=tables,
            problem=problem,
            refusals=REASONS,
            given=request.query_params.get("given", "")[:100],
        )
        if tables is None and problem:
            answer.headers["Refresh"] = AGAIN
        return answer

    async def history(request: Request) -> Response:
        found = await asyncio.to_thread(journal.read, _span(request), time.time())
        body = await asyncio.to_thread(lambda: msgspec.json.encode(found.columns()))
        return Response(body, headers={"Cache-Control": "no-store"}, media_type="application/json")

    return [Route("/console", overview, name="console"), Route("/console/history.json", history)]


def _span(request: Request) -> Span:
    found = SPANS.get(request.query_params.get("over", "hours"))
    if found is None:
        raise HTTPException(400, f"The parameter over is one of {', '.join(SPANS)}.")
    return found


def _files(office: Office, journal: Histories, span: Span, now: float) -> dict[str, Any]:
    """What small files say: pulse, journal, settings and orders."""
    pulse, history = last_pulse(office.path), journal.read(span, now)
    return shown(pulse, now) | {
        "history": history,
        "totals": _totals(history),
        "settings": _settings(office),
        "orders": orders_given(office.path, now),
        "crawled": (office.path / "store").exists(),
        "directory": str(office.path),
    }


def _totals(history: History) -> dict[str, Any]:
    asked = history.fetched
    return {
        "gain_per_fetch": history.a_fetch(history.gain),
        "expected_per_fetch": history.a_fetch(history.total("expected")),
        "purposes": [(name, count, count / asked) for name, count in history.by_purpose().items()],
        "hosts": [(origin, count, count / asked) for origin, count in history.by_host()] if asked else [],
    }


def _settings(office: Office) -> Settings:
    try:
        return load_settings(office.path)
    except SoughtError:
        return Settings()  # the crawl will say what is wrong with the file


async def _tables(office: Office) -> tuple[Dated[dict[str, Any]] | None, str]:
    """What the tables say, or why they do not; neither if nothing was crawled yet."""
    if not (office.path / "store").exists():
        return None, ""
    try:
        return await office.standing.ask("overview", _looked_up), ""
    except SoughtError as why:  # it takes a while, or the crawl's files are in trouble: an operator should know
        return None, without_folder(office.path, str(why))


def _looked_up(view: View) -> dict[str, Any]:
    return {
        "status": view.status(),
        "hosts": all_hosts(view, _HOSTS),
        "needy": needy(view, _NEEDY),
        "asked": bool(view.measuring.asked.rate.any()),
        "policy": repr(view.config.policy),
        "budget": view.config.crawl.budget,
    }
