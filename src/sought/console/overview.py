"""The overview: what an operator needs first, on one screen, and how it moves."""

import asyncio
import time
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from sought.console.answers import Unit
from sought.console.context import ConsoleContext
from sought.console.history import SPANS, Histories, HistorySpan
from sought.console.live import shown
from sought.console.paging import choice
from sought.console.pulse import last_pulse
from sought.console.query_pages import needy_rows
from sought.operate.view import View

_NEEDY = 6


def routes(context: ConsoleContext, journal: Histories) -> list[BaseRoute]:
    async def overview(request: Request) -> HTMLResponse:
        span, now = span_asked(request), time.time()
        pulse, history = await asyncio.to_thread(lambda: (last_pulse(context.path), journal.read(span, now)))
        tables = await context.tables("overview", _looked_up)
        values = shown(pulse, now, tables.found["report"] if tables.found else None)
        values |= {"history": history, "span": span, "spans": SPANS}
        return context.with_tables(request, "console_overview.html", tables, **values)

    async def history(request: Request) -> Response:
        now = time.time()
        found = await asyncio.to_thread(journal.read, span_asked(request), now)
        body = await asyncio.to_thread(lambda: msgspec.json.encode(found.columns(now)))
        return Response(body, headers={"Cache-Control": "no-store"}, media_type="application/json")

    return [Route("/console", overview, name="console"), Route("/console/history.json", history)]


def span_asked(request: Request) -> HistorySpan:
    return SPANS[choice(request, "over", list(SPANS))]


def _looked_up(view: View) -> dict[str, Any]:
    status, report = view.status(), view.measuring.report()
    return {
        "report": report,
        "unit": Unit.by(report),
        "needy": needy_rows(view, _NEEDY, only_unanswered=False),
        "fetched": status.fetched,
        "never_fetched": status.states.get("new", 0),
        "searchable": status.searchable,
    }
