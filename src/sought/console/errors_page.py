"""The page of errors: what went wrong, how often, where, and what was left out by rule?"""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.folders import without_folder
from sought.console.history import SPANS, Histories
from sought.console.live import shown
from sought.console.log_page import LogReader
from sought.console.overview import span_asked
from sought.console.pulse import Pulse, errors, is_on, last_pulse
from sought.record.admission import REASONS

_LATEST = 10  # warnings


def routes(context: ConsoleContext, journal: Histories, log: LogReader) -> list[BaseRoute]:
    async def show(request: Request) -> HTMLResponse:
        span, now = span_asked(request), time.time()
        pulse, history = await asyncio.to_thread(lambda: (last_pulse(context.path), journal.read(span, now)))
        tables = await context.tables("errors", lambda view: view.status().to_json())
        values = shown(pulse, now) | {"history": history, "span": span, "spans": SPANS, "refusals": REASONS}
        stamp, events = await log.read("warning", "", values["unit"])
        values |= {"events": events[:_LATEST], "stamp": stamp, "most": 0, "errors_of": errors}
        values["damage"] = _damage(context.path, pulse, tables.found if not is_on(pulse, now) else None)
        return context.with_tables(request, "console_errors.html", tables, **values)

    return [Route("/console/errors", show)]


def _damage(path: Path, pulse: Pulse | None, status: Mapping[str, Any] | None) -> list[str]:
    """Unreadable parts of the record, by the pulse of a running crawl, or else by the tables."""
    if status is not None:
        return [without_folder(path, each) for each in status.get("damage", ())]
    return pulse.damage if pulse else []
