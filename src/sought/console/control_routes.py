"""Orders from the console: a form for each, which become files that the crawl reads (operate/orders.py)."""

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.control import COOKIE, Control, keep_session
from sought.console.folders import without_folder
from sought.operate.order_check import place
from sought.operate.orders import AddSeed, AnyOrder, BlockHost, FetchNow, Pause, Resume, SetBudget, UnblockHost
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


def routes(office: ConsoleContext) -> list[BaseRoute]:
    """None without control: then there are no such addresses."""
    control = office.control
    if control is None:
        return []

    async def enter(request: Request) -> Response:
        session = await control.enter((await _form(request)).get("token", ""))
        if session is None:
            return office.sorry(request, "Control", "This is not the token", 403)
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
        return await _ordered(office, control, request)

    return [
        Route("/console/control/enter", enter, methods=["POST"]),
        Route("/console/control/leave", leave, methods=["POST"]),
        Route("/console/control/{order}", order, methods=["POST"]),
    ]


async def _ordered(office: ConsoleContext, control: Control, request: Request) -> Response:
    make = ORDERS.get(request.path_params["order"])
    if make is None:
        raise HTTPException(404, "There is no such order.")
    form = await _form(request)
    control.check(request, form.get("key", ""))
    try:
        async with control.placing:  # two presses at the same moment are one order, too
            placed = await asyncio.to_thread(place, office.path, make(form.get("what", "")), WHO)
    except (SoughtError, OSError) as error:
        return _refused(office, request, error)
    asked = {"given": placed.id} | ({"again": "1"} if placed.waits_already else {})
    return RedirectResponse(f"/console/control?{urlencode(asked)}", 303)


def _refused(office: ConsoleContext, request: Request, error: SoughtError | OSError) -> Response:
    """400 if the order makes no sense, 409 if the crawl's directory cannot take any."""
    if isinstance(error, OSError):
        return office.sorry(request, "Control", f"The order cannot be written: {error.strerror or error}", 409)
    status = 400 if isinstance(error, BadInput) and not isinstance(error, BadConfig) else 409
    return office.sorry(request, "Control", without_folder(office.path, str(error)), status)


async def _form(request: Request) -> dict[str, str]:
    """Fields of a plain form, the last of each name; nothing else is understood."""
    body = await request.body()
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Send a plain form.")
    try:
        return dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=10))
    except ValueError:
        raise HTTPException(400, "This is not a form.") from None
