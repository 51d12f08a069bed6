"""What may a client send, and how slowly?  uvicorn with httptools bounds neither.

1. A request arrives whole, head and body, before the application sees it: at most MAX_HEAD and MAX_BODY bytes within
   REQUEST_SECONDS.  So a slow client holds nothing but its connection, and gives that up when others need it
   (`capacity.py`).
2. Requests that were sent one after the other are answered in their order.
3. A bad request is refused after the answers to those before it; then nothing more is read.
4. An answer that its client does not read is given up after WRITE_SECONDS.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from sought.console.capacity import Capacity
from sought.console.refusals import is_api, written
from sought.console.single_write import SingleWrite

MAX_HEAD = 32 << 10  # bytes of request line and headers
MAX_BODY = 64 << 10
REQUEST_SECONDS = 10.0
WRITE_SECONDS = 20.0  # until a client has read what fills the buffers
ANSWER_SECONDS = 10.0  # for an answer to a client that sends nothing more
LINGER_SECONDS = 2.0  # for a refused client to read why
_SLICE = 4096  # bytes parsed at a time
_MAX_WRITTEN = 8 * MAX_BODY  # bytes of a body as it is sent: chunks of single bytes are wasteful, but allowed
_LATE = (408, "The request took too long to arrive.")
_LONG_HEAD = (431, f"Request line and headers may have at most {MAX_HEAD:,} bytes.")
_LONG_BODY = (413, f"A request body may have at most {MAX_BODY:,} bytes.")
_NOT_HTTP = (400, "Not a valid HTTP/1.1 request.")
_FULL = (503, "Too many connections: try again in a moment.")


class _RefusedError(Exception):
    """Ends the parser's work on a request; holds status and sentence."""


class _Deadline:
    """Something that happens unless it is called off."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float, then: Callable[[], object]) -> None:
        self.clear()
        self._timer = self._loop.call_later(seconds, then)

    def clear(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    @property
    def is_set(self) -> bool:
        return self._timer is not None


class Connection(HttpToolsProtocol):
    """One client.

    `_arriving` is the part of a request that is being read, "" between requests.  `_held` is the request whose body is
    not complete.  `_answering`: a complete request is with the application; others may wait in `pipeline`.  `_is_over`:
    nothing more is read, and the connection is closed after the last answer.
    """

    def __init__(self, *arguments: Any, capacity: Capacity, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._capacity = capacity
        self._has_room = True
        self._arriving = ""
        self._size = 0  # bytes of the part that arrives
        self._held: tuple[RequestResponseCycle, Any] | None = None
        self._answering = False
        self._is_over = False
        self._refusal = b""
        self._reading, self._writing = _Deadline(self.loop), _Deadline(self.loop)

    # ---- from the transport

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its parent
        super().connection_made(SingleWrite(transport, self.loop, WRITE_SECONDS))
        self._has_room = self._capacity.enter(self)
        self._expect()

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        for start in range(0, len(data), _SLICE):
            if self._is_over:
                return
            self._parse(data[start : start + _SLICE])
        if not (self._answering or self._reading.is_set or self._is_over):  # empty lines before a request
            self._expect()

    def eof_received(self) -> bool | None:  # type: ignore[override]  # as asyncio has it
        """The client may still read the answer, but not for ever: most have gone."""
        if not self._answering:
            self.transport.close()  # after what was written just now
            return None
        self._stop_reading()
        self._reading.set(ANSWER_SECONDS, self.transport.abort)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._reading.clear()
        self._writing.clear()
        self._capacity.leave(self)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._writing.set(LINGER_SECONDS if self._is_over else WRITE_SECONDS, self.transport.abort)
        self._capacity.waits(self)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._writing.clear()
        if self._answering:
            self._capacity.works(self)

    # ---- from the parser

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._arriving, self._size = "head", 0
        self._expect()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._arriving == "head":  # fields after a body are not looked at
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD:
            raise _RefusedError(*_LONG_HEAD)
        if not self._has_room:
            raise _RefusedError(*_FULL)
        if any(name == b"content-length" and int(value) > MAX_BODY for name, value in self.headers):
            raise _RefusedError(*_LONG_BODY)
        self._arriving, self._size = "body", 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if len(self.cycle.body) + len(body) > MAX_BODY:
            raise _RefusedError(*_LONG_BODY)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._arriving = ""
        self._reading.clear()
        super().on_message_complete()
        if self._held:
            held, self._held = self._held, None
            self._start_asgi_task(*held)

    # ---- answers

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        if cycle.more_body:
            self._held = cycle, app
            if cycle.waiting_for_100_continue:
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                cycle.waiting_for_100_continue = False
            return
        self._answering = True
        self._capacity.works(self)
        super()._start_asgi_task(cycle, app)

    def on_response_complete(self) -> None:
        self._answering = False
        super().on_response_complete()
        if self._answering or self.transport.is_closing():
            return
        self._capacity.waits(self)
        if self._arriving:
            self._unset_keepalive_if_required()
        if self._refusal:
            self._send_refusal()
        elif self._is_over:
            self.transport.close()

    def shutdown(self) -> None:
        """The server ends: idle connections close at once, the others after their answer."""
        if self._answering:
            self._stop_reading()
        else:
            self.transport.close()
        if self.flow.write_paused or not self._answering:
            self._writing.set(LINGER_SECONDS, self.transport.abort)

    def evict(self) -> None:
        """Others need the place."""
        if self.flow.write_paused or self._is_over:
            self.transport.abort()
            return
        if self._arriving:
            self.transport.write(self._written(*_LATE))
        self.transport.close()

    # ---- requests

    def _parse(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:  # to what this server does not speak: an ordinary request, and the last
            self._stop_reading()
        except httptools.HttpParserError as error:
            cause = error.__context__
            self._refuse(*(cause.args if isinstance(cause, _RefusedError) else _NOT_HTTP))
        else:
            self._size += len(data)
            if self._arriving == "head" and self._size > MAX_HEAD + _SLICE:
                self._refuse(*_LONG_HEAD)
            elif self._arriving == "body" and self._size > _MAX_WRITTEN:
                self._refuse(*_LONG_BODY)

    def _expect(self) -> None:
        """A whole request, from now on."""
        self._reading.set(REQUEST_SECONDS, self._late)
        if not self._answering:
            self._capacity.waits(self)

    def _late(self) -> None:
        if self.flow.read_paused:  # it waits for us
            self._expect()
        elif self._arriving:
            self._refuse(*_LATE)
        else:
            self.transport.close()

    def _stop_reading(self) -> None:
        """What has arrived whole will be answered; the rest is forgotten."""
        self._is_over = True
        self._reading.clear()
        self._unset_keepalive_if_required()
        self._held, self._arriving = None, ""
        if self.pipeline and self.pipeline[0][0].more_body:
            self.pipeline.popleft()

    def _refuse(self, status: int, sentence: str) -> None:
        if self.transport.is_closing():
            return
        self._refusal = self._written(status, sentence)
        self._stop_reading()
        if not self._answering:
            self._send_refusal()

    def _written(self, status: int, sentence: str) -> bytes:
        path = bytes(getattr(self, "url", b"")).decode("latin-1")
        date = b"".join(b"%s: %s\r\n" % header for header in self.server_state.default_headers)
        return STATUS_LINE[status] + date + written(status, sentence, for_program=is_api(path))

    def _send_refusal(self) -> None:
        """And listen for a moment without reading: if we closed at once, the client might not get it."""
        self.transport.write(self._refusal)
        self.transport.write_eof()
        self.flow.resume_reading()
        self._reading.set(LINGER_SECONDS, self.transport.abort)
        self._capacity.waits(self)
