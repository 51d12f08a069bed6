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
from sought.operate.explain import needy
from sought.operate.explain_query import explain_query
from sought.operate.view import View
from sought.record.workload import POOR

MOST = 1000  # queries that are looked through


def needy_rows(view: View, limit: int, *, only_unanswered: bool) -> list[dict[str, Any]]:
    """The first of them, each with a `why`."""
    return [each | {"why": why(each)} for each in needy(view, limit, unanswered=only_unanswered)]


def why(row: dict[str, Any]) -> str:
    """
    >>> why({"results": 0}), why({"results": 1}), why({"results": 30}), why({"results": 30, "why": "pages are old"})
    ('no page answers it', '1 result', 'its best page could fit better', 'pages are old')
    """
    if reason := row.get("why"):
        return str(reason)
    results = row["results"]
    if not results:
        return "no page answers it"
    if results < POOR:
        return "1 result" if results == 1 else f"{results} results"
    return "its best page could fit better"


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
    return found | {"why": why(found), "report": view.measuring.report()}
