"""The page of the crawl: what it does now, where its budget goes, and whether its expectations come true."""

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.history import SPANS, Histories, History
from sought.console.live import shown
from sought.console.overview import span_asked
from sought.console.pulse import last_pulse
from sought.operate.view import View
from sought.web.expression import expression_of


def routes(context: ConsoleContext, journal: Histories) -> list[BaseRoute]:
    async def crawl(request: Request) -> HTMLResponse:
        span, now = span_asked(request), time.time()
        pulse, history = await asyncio.to_thread(lambda: (last_pulse(context.path), journal.read(span, now)))
        tables = await context.tables("crawl", _looked_up)
        values = shown(pulse, now, tables.found["report"] if tables.found else None)
        values |= {"history": history, "totals": _totals(history), "span": span, "spans": SPANS}
        return context.with_tables(request, "console_crawl.html", tables, **values)

    return [Route("/console/crawl", crawl)]


def _totals(history: History) -> dict[str, Any]:
    asked = history.fetched
    return {
        "gain_per_fetch": history.a_fetch("gain_searches"),
        "expected_per_fetch": history.a_fetch("expected_searches"),
        "purposes": [(name, count, count / asked) for name, count in history.by_purpose().items()],
        "hosts": [(origin, count, count / asked) for origin, count in history.by_host()] if asked else [],
    }


def _looked_up(view: View) -> dict[str, Any]:
    return {
        "status": view.status().to_json(),
        "report": view.measuring.report(),
        "policy": expression_of(view.config.policy),
    }
