"""What if something goes wrong that nobody expected?  An ordinary answer, and the whole story for the operator."""

import asyncio
import logging
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOG = logging.getLogger("sought.console")
_NOT_OURS = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


class UnexpectedErrors:
    """Middleware inside the guard, so that this answer is guarded as well.

    A panic of a library in Rust is no `Exception`; for whoever asked it is the same.  An answer that has begun cannot
    be taken back: its connection is closed.
    """

    def __init__(self, app: ASGIApp, answer: Callable[[Request], Response]) -> None:
        self._app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        except _NOT_OURS:
            raise
        except BaseException as error:
            _LOG.error("%r: a surprise", scope["path"], exc_info=error)
            if begun:
                raise
            await self._answer(Request(scope))(scope, receive, send)
