"""The page of all queries: which are answered badly, and why?"""

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.answers import Unit
from sought.console.context import ConsoleContext
from sought.console.live import shown
from sought.console.needy_queries import MOST, needy_rows
from sought.console.paging import ListPage, choice, page_asked, rows_of, text_asked
from sought.console.watching import last_pulse
from sought.operate.view import View

KINDS = {"all": "All that need pages", "unanswered": "Unanswered"}


def routes(office: ConsoleContext) -> list[BaseRoute]:
    async def queries(request: Request) -> HTMLResponse:
        kind, text, at = choice(request, "show", list(KINDS)), text_asked(request), page_asked(request)
        tables = await office.tables(("queries", kind), lambda view: _looked_up(view, kind == "unanswered"))
        found = tables.found or {"rows": [], "report": None}
        pulse = await asyncio.to_thread(last_pulse, office.path)
        rows = [each for each in found["rows"] if text.casefold() in each["query"].casefold()]
        asked = {"show": kind if kind != "all" else "", "text": text}
        part = ListPage(rows[rows_of(at)], at, len(rows), "/console/queries", asked)
        values = {"part": part, "kinds": KINDS, "kind": kind, "text": text, "most": MOST}
        values |= shown(pulse, time.time(), found["report"]) | {"unit": Unit.by(found["report"] or {})}
        return office.with_tables(request, "console_queries.html", tables, **values)

    return [Route("/console/queries", queries)]


def _looked_up(view: View, only_unanswered: bool) -> dict[str, Any]:
    rows = needy_rows(view, MOST, only_unanswered=only_unanswered)
    return {"rows": rows, "report": view.measuring.report()}
