"""What does the server offer operators?  All pages of the console, live updates, and metrics."""

import asyncio
import functools
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sought.console import (
    budget_page,
    control_page,
    crawl_page,
    errors_page,
    host_pages,
    live,
    log_page,
    lookup,
    overview,
    query_pages,
    url_pages,
)
from sought.console.context import ConsoleContext
from sought.console.control import Control
from sought.console.history import Histories
from sought.console.metrics import CONTENT_TYPE, ServerTally, exposition
from sought.console.pulse import condition, understood
from sought.operate.pulse import read_pulse

Endpoint = Callable[[Request], Awaitable[Response]]


class Operators:
    """What operators are offered by a server; `close` when it ends."""

    def __init__(self, path: Path, control: Control | None, tally: ServerTally) -> None:
        self.context = ConsoleContext(path, control)
        self._tally = tally
        self._watch, self._events = live.routes(self.context)

    def routes(self) -> list[BaseRoute]:
        context, journal, log = self.context, Histories(self.context.path), log_page.LogReader(self.context.path)
        others = (query_pages, url_pages, host_pages, budget_page, control_page)
        found = [each for part in (overview, crawl_page) for each in part.routes(context, journal)]
        found += [*errors_page.routes(context, journal, log), *log_page.routes(context, log)]
        found += [*(each for part in others for each in part.routes(context)), lookup.find(context)]
        return [*(self._with_console_errors(each) for each in found), *self._events, Route("/metrics", self._metrics)]

    def end_streams(self) -> None:
        """Call this when the server starts to end: open streams would keep it alive."""
        self._watch.end()

    async def close(self) -> None:
        self.end_streams()
        await self.context.views.close()

    def _with_console_errors(self, route: BaseRoute) -> BaseRoute:
        """Errors of console pages are shown on a console page."""
        assert isinstance(route, Route)
        endpoint: Endpoint = route.endpoint

        @functools.wraps(endpoint)
        async def answered(request: Request) -> Response:
            try:
                return await endpoint(request)
            except HTTPException as error:
                answer = self.context.sorry(request, "Console", error.detail, error.status_code)
                answer.headers.update(error.headers or {})
                return answer

        return Route(route.path, answered, methods=sorted(route.methods or ()), name=route.name)

    async def _metrics(self, _: Request) -> Response:
        pulse = await asyncio.to_thread(read_pulse, self.context.path) or {}
        running = condition(understood(pulse) if pulse else None, time.time()) in ("running", "silent")
        return Response(exposition({**pulse, "running": running}, self._tally), media_type=CONTENT_TYPE)
