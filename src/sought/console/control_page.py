"""The page of control: what may be ordered, what was ordered, and what came of it?"""

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.live import shown
from sought.console.watching import last_pulse
from sought.operate.order_status import orders_given
from sought.record.config import FILE, load_config
from sought.record.settings import Settings, load_settings
from sought.web.errors import SoughtError


def routes(office: ConsoleContext) -> list[BaseRoute]:
    async def control(request: Request) -> HTMLResponse:
        values = await asyncio.to_thread(_files, office, time.time())
        given, again = request.query_params.get("given", "")[:100], "again" in request.query_params
        waits = again and any(each.id == given and each.waits for each in values["orders"])
        return office.page(request, "console_control.html", **values, given=given, waits_already=waits)

    return [Route("/console/control", control, methods=["GET"])]


def _files(office: ConsoleContext, now: float) -> dict[str, Any]:
    """What small files say: pulse, settings and orders."""
    settings = _settings(office)
    return shown(last_pulse(office.path), now) | {
        "settings": settings,
        "budget": settings.budget or _budget(office),
        "orders": orders_given(office.path),
    }


def _settings(office: ConsoleContext) -> Settings:
    try:
        return load_settings(office.path)
    except SoughtError:
        return Settings()  # the crawl will say what is wrong with the file


def _budget(office: ConsoleContext) -> str:
    try:
        return load_config(office.path / FILE).crawl.budget
    except SoughtError:
        return ""
