"""The page of all hosts: how many pages has each, and how is it treated?"""

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.live import shown
from sought.console.paging import ListPage, choice, page_asked, rows_of, text_asked
from sought.console.watching import last_pulse
from sought.operate.explain_host import all_hosts
from sought.operate.view import View

MOST = 5_000  # hosts that are looked through, those with most URLs first
KINDS = {"all": "All hosts", "trouble": "With trouble now"}


def routes(office: ConsoleContext) -> list[BaseRoute]:
    async def hosts(request: Request) -> HTMLResponse:
        kind, text, at = choice(request, "show", list(KINDS)), text_asked(request), page_asked(request)
        tables = await office.tables("hosts", _looked_up)
        found = tables.found or {"rows": [], "count": 0}
        rows = [each for each in found["rows"] if _is_wanted(each, kind, text)]
        asked = {"show": kind if kind != "all" else "", "text": text}
        part = ListPage(rows[rows_of(at)], at, len(rows), "/console/hosts", asked)
        values = {"part": part, "kinds": KINDS, "kind": kind, "text": text, "partly": found["count"] > MOST}
        pulse = await asyncio.to_thread(last_pulse, office.path)
        return office.with_tables(
            request, "console_hosts.html", tables, **values, most=MOST, **shown(pulse, time.time())
        )

    return [Route("/console/hosts", hosts)]


def _is_wanted(host: dict[str, Any], kind: str, text: str) -> bool:
    return text.casefold() in host["origin"].casefold() and (kind == "all" or host["troubles_in_a_row"] > 0)


def _looked_up(view: View) -> dict[str, Any]:
    return {"rows": [each.to_json() for each in all_hosts(view, MOST)], "count": len(view.hosts)}
