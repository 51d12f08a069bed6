"""Which queries are answered badly, and how well is one answered?"""

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.answers import Unit
from sought.console.context import ConsoleContext
from sought.console.live import shown
from sought.console.lookup import About, route
from sought.console.paging import ListPage, choice, page_asked, rows_of, text_asked
from sought.console.pulse import last_pulse
from sought.demand.rows import query_text
from sought.operate.explain_query import explain_query, needy
from sought.operate.view import View

MOST = 1000  # queries that are looked through


def needy_rows(view: View, limit: int, *, only_unanswered: bool) -> list[dict[str, Any]]:
    """The first of them, for a template."""
    return [each.to_json() for each in needy(view, limit, unanswered=only_unanswered)]


KINDS = {"all": "All", "unanswered": "Unanswered"}


def routes(context: ConsoleContext) -> list[BaseRoute]:
    async def queries(request: Request) -> HTMLResponse:
        kind, text, at = choice(request, "show", list(KINDS)), text_asked(request), page_asked(request)
        tables = await context.tables(("queries", kind), lambda view: _all_queries(view, kind == "unanswered"))
        found = tables.found or {"rows": [], "report": None}
        pulse = await asyncio.to_thread(last_pulse, context.path)
        rows = [each for each in found["rows"] if text.casefold() in each["query"].casefold()]
        asked = {"show": kind if kind != "all" else "", "text": text}
        part = ListPage(rows[rows_of(at)], at, len(rows), "/console/queries", asked)
        values = {"part": part, "kinds": KINDS, "kind": kind, "text": text, "most": MOST}
        values |= shown(pulse, time.time(), found["report"]) | {"unit": Unit.by(found["report"] or {})}
        return context.with_tables(request, "console_queries.html", tables, **values)

    return [Route("/console/queries", queries), route(context, About("query", "Query", query_text, _one_query))]


def _all_queries(view: View, only_unanswered: bool) -> dict[str, Any]:
    rows = needy_rows(view, MOST, only_unanswered=only_unanswered)
    return {"rows": rows, "report": view.measuring.report()}


def _one_query(view: View, query: str, now: float) -> dict[str, Any]:
    found = explain_query(view, query, view.config.policy, now)
    return found.to_json() | {"report": view.measuring.report()}
