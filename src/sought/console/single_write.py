"""Head and body of an answer leave in one piece: two would be two calls of the system, and two packets."""

import asyncio
from typing import Any

_AT_ONCE = 1 << 16  # bytes: who is sent more may have to be waited for


class SingleWrite(asyncio.Transport):
    """The transport of a connection; what is written within one turn of the event loop leaves together.

    After `close` the client has `seconds` to read the rest.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        super().__init__()
        self._transport, self._loop, self._seconds = transport, loop, seconds
        self._written: list[bytes] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._written:
            self._loop.call_soon(self._send)
        self._written.append(bytes(data))
        self._size += len(data)
        if self._size > _AT_ONCE:
            self._send()

    def _send(self) -> None:
        written, self._written, self._size = self._written, [], 0
        if written and not self._transport.is_closing():  # who asked may have gone meanwhile
            self._transport.write(b"".join(written))

    def close(self) -> None:
        self._send()
        self._transport.close()
        if self._transport.get_write_buffer_size():
            self._loop.call_later(self._seconds, self._transport.abort)

    def abort(self) -> None:
        self._transport.abort()

    def write_eof(self) -> None:
        self._send()
        if not self._transport.is_closing():
            self._transport.write_eof()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()
