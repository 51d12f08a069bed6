"""What may be ordered, what was ordered, and what came of it?"""

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.control import COOKIE, Control, keep_session
from sought.console.folders import without_folder
from sought.console.live import shown
from sought.console.pulse import last_pulse
from sought.operate.order_check import place
from sought.operate.order_status import orders_given
from sought.operate.orders import (
    AddSeed,
    AnyOrder,
    BlockHost,
    FetchNow,
    Pause,
    Resume,
    SetBudget,
    UnblockHost,
)
from sought.record.config import FILE, load_config
from sought.record.settings import Settings, load_settings
from sought.web.errors import BadConfig, BadInput, SoughtError

WHO = "console"
ORDERS: Mapping[str, Callable[[str], AnyOrder]] = {
    "pause": lambda _: Pause(),
    "resume": lambda _: Resume(),
    "budget": SetBudget,
    "seed": AddSeed,
    "block": BlockHost,
    "unblock": UnblockHost,
    "fetch": FetchNow,
}


def routes(context: ConsoleContext) -> list[BaseRoute]:
    async def control(request: Request) -> HTMLResponse:
        values = await asyncio.to_thread(_files, context, time.time())
        given, again = request.query_params.get("given", "")[:100], "again" in request.query_params
        waits = again and any(each.id == given and each.waits for each in values["orders"])
        return context.page(request, "console_control.html", **values, given=given, waits_already=waits)

    return [Route("/console/control", control, methods=["GET"]), *_order_routes(context)]


def _files(context: ConsoleContext, now: float) -> dict[str, Any]:
    """What small files say: pulse, settings and orders."""
    settings = _settings(context)
    return shown(last_pulse(context.path), now) | {
        "settings": settings,
        "budget": settings.budget or _budget(context),
        "orders": orders_given(context.path),
    }


def _settings(context: ConsoleContext) -> Settings:
    try:
        return load_settings(context.path)
    except SoughtError:
        return Settings()  # the crawl will say what is wrong with the file


def _budget(context: ConsoleContext) -> str:
    try:
        return load_config(context.path / FILE).crawl.budget
    except SoughtError:
        return ""


def _order_routes(context: ConsoleContext) -> list[BaseRoute]:
    """None without --control: these addresses answer 404 then."""
    control = context.control
    if control is None:
        return []

    async def enter(request: Request) -> Response:
        session = await control.enter((await _form(request)).get("token", ""))
        if session is None:
            return context.sorry(request, "Control", "Wrong token", 403)
        answer = RedirectResponse("/console/control", 303)
        keep_session(answer, request, session)
        return answer

    async def leave(request: Request) -> Response:
        control.check(request, (await _form(request)).get("key", ""))
        control.leave(request)
        answer = RedirectResponse("/console/control", 303)
        answer.delete_cookie(COOKIE, path="/console")
        return answer

    async def order(request: Request) -> Response:
        return await _ordered(context, control, request)

    return [
        Route("/console/control/enter", enter, methods=["POST"]),
        Route("/console/control/leave", leave, methods=["POST"]),
        Route("/console/control/{order}", order, methods=["POST"]),
    ]


async def _ordered(context: ConsoleContext, control: Control, request: Request) -> Response:
    make = ORDERS.get(request.path_params["order"])
    if make is None:
        raise HTTPException(404, "No such order.")
    form = await _form(request)
    control.check(request, form.get("key", ""))
    try:
        async with control.placing:  # two presses at the same moment are one order, too
            placed = await asyncio.to_thread(place, context.path, make(form.get("what", "")), WHO)
    except (SoughtError, OSError) as error:
        return _refused(context, request, error)
    asked = {"given": placed.id} | ({"again": "1"} if placed.waits_already else {})
    return RedirectResponse(f"/console/control?{urlencode(asked)}", 303)


def _refused(context: ConsoleContext, request: Request, error: SoughtError | OSError) -> Response:
    """400 if the order makes no sense, 409 if the crawl's directory cannot take any."""
    if isinstance(error, OSError):
        return context.sorry(request, "Control", f"The order cannot be written: {error.strerror or error}", 409)
    status = 400 if isinstance(error, BadInput) and not isinstance(error, BadConfig) else 409
    return context.sorry(request, "Control", without_folder(context.path, str(error)), status)


async def _form(request: Request) -> dict[str, str]:
    """Fields of a plain form, the last of each name; nothing else is understood."""
    body = await request.body()
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send a form (application/x-www-form-urlencoded).")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=10))
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
