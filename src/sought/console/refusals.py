"""What does a client get when its request is refused, or fails?"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import lru_cache
from http import HTTPStatus

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sought.console.pages import page

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}  # of every answer; no answer has one of these by itself
_SENTENCES = {  # for the bare phrases of starlette
    "Not Found": "No such page.",
    "Method Not Allowed": "This address does not support that method.",
}


def is_api(path: str) -> bool:
    """Whether a program asks, not a person."""
    return path.startswith("/api/")


def sentence_of(error: HTTPException) -> str:
    """What went wrong, as a sentence."""
    return ended(_SENTENCES.get(error.detail, error.detail))


def ended(text: str) -> str:
    """With a full stop."""
    return text if text.endswith(".") else f"{text}."


def refusal(path: str, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """The answer to a request for `path`."""
    if is_api(path):
        content = msgspec.json.encode({"error": sentence})
        answer = Response(content, status, {"Cache-Control": "no-store"}, "application/json")
    else:
        answer = page("refused.html", status, title=HTTPStatus(status).phrase, sentence=sentence)
    answer.headers.update(headers or {})
    return answer


async def refused(request: Request, error: Exception) -> Response:
    """Exception handler of an application without a form of its own."""
    assert isinstance(error, HTTPException)
    return refusal(request.url.path, error.status_code, sentence_of(error), error.headers)


@lru_cache(64)
def written(status: int, sentence: str, *, for_program: bool) -> bytes:
    """A whole answer but for its status line and date, for a connection that is closed after it."""
    again = {"retry-after": "1"} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
    answer = refusal("/api/" if for_program else "/", status, sentence, again)
    headers = {**answer.headers, **HEADERS, "connection": "close"}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return head.encode("latin-1") + b"\r\n" + bytes(answer.body)


_LOG = logging.getLogger("sought.console")
_NOT_OURS = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)


class UnexpectedErrors:
    """Middleware inside the guard, so that this answer is guarded as well.

    A panic of a library in Rust is no `Exception`, but gets the same answer.  An answer that has begun cannot
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
            _LOG.error("%r: unexpected error", scope["path"], exc_info=error)
            if begun:
                raise
            await self._answer(Request(scope))(scope, receive, send)
