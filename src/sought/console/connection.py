"""How large may a request's head be, and how slowly may it come?  uvicorn with httptools bounds neither."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sought.console.together import Together

MAX_HEAD = 32 << 10  # bytes of request line and headers
HEAD_SECONDS = 10.0
_SENTENCE = b"The head of this request is too large.\n"
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_SENTENCE), _SENTENCE)
)


class TooLarge(Exception):
    """Ends the parser's work on a request."""


class Connection(HttpToolsProtocol):
    """A connection whose requests have bounded heads that arrive in bounded time."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._head = 0
        self._in_head = True
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its parent
        super().connection_made(Together(transport, self.loop))
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if not self._in_head:
            self._head = 0
        elif self._head > MAX_HEAD:
            self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._forget_deadline()
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD:
            self._refuse()
            raise TooLarge
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        if not self.transport.is_closing():  # nobody has been answered yet
            super().send_400_response(msg)

    def _refuse(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_TOO_LARGE)
            self.transport.close()

    def _expect_head(self) -> None:
        self._forget_deadline()
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _forget_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None
