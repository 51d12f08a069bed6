"""How are answers sent, also hostile ones?

Every behaviour ends: after `patience` seconds, after MOST bytes, or when the client disconnects.
"""

import asyncio
import itertools
import socket
import struct
from collections.abc import Awaitable, Callable
from http import HTTPStatus

from sought.toyweb.answer import Behaviour, ToyAnswer, http_date

MOST = 64 << 20
DRIP_EVERY = 0.1
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Wire:
    """One connection while an answer is sent."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, slow: float, patience: float
    ) -> None:
        self.reader, self.writer, self.slow, self.patience = reader, writer, slow, patience

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def client_left_within(self, seconds: float) -> bool:
        """Wait; True as soon as the client disconnects (or sends something)."""
        try:
            await asyncio.wait_for(self.reader.read(1), seconds)
        except TimeoutError:
            return False
        return True


def head(answer: ToyAnswer, t: float, *, keep: bool, length: int | None) -> bytes:
    """Status line and headers, without the empty line that ends them."""
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}", f"Date: {http_date(t)}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    lines += [f"Content-Length: {length}"] if length is not None else []
    lines += [] if keep else ["Connection: close"]
    return "\r\n".join([*lines, ""]).encode("latin-1", "replace")


async def deliver(answer: ToyAnswer, wire: Wire, t: float, *, head_only: bool, keep: bool) -> bool:
    """Send an answer; true if the connection can serve another request."""
    if answer.behaviour is Behaviour.SLOW and await wire.client_left_within(wire.slow):
        return False
    if answer.behaviour in (Behaviour.PLAIN, Behaviour.SLOW):
        length = None if answer.status == 304 else len(answer.body)
        await wire.send(head(answer, t, keep=keep, length=length) + b"\r\n" + (b"" if head_only else answer.body))
        return keep
    await asyncio.wait_for(_HOSTILE[answer.behaviour](answer, wire, t), wire.patience)
    return False


async def _raw(answer: ToyAnswer, wire: Wire, t: float) -> None:
    await wire.send(answer.body)


async def _hang(answer: ToyAnswer, wire: Wire, t: float) -> None:
    await wire.client_left_within(wire.patience)


async def _reset(answer: ToyAnswer, wire: Wire, t: float) -> None:
    # SO_LINGER with 0 seconds makes the kernel send a reset.
    wire.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wire.writer.transport.abort()


async def _drip(answer: ToyAnswer, wire: Wire, t: float) -> None:
    everything = head(answer, t, keep=False, length=len(answer.body)) + b"\r\n" + answer.body
    for at in range(len(everything)):
        await wire.send(everything[at : at + 1])
        if await wire.client_left_within(DRIP_EVERY):
            return


async def _endless_body(answer: ToyAnswer, wire: Wire, t: float) -> None:
    await wire.send(head(answer, t, keep=False, length=None) + b"\r\n")
    await _repeat(answer.body, wire)


async def _endless_headers(answer: ToyAnswer, wire: Wire, t: float) -> None:
    await wire.send(head(answer, t, keep=False, length=None))
    await _repeat(answer.body, wire)


async def _repeat(piece: bytes, wire: Wire) -> None:
    for _ in itertools.repeat(None, MOST // len(piece)):
        await wire.send(piece)
        await asyncio.sleep(0)  # a fast client must not block other hosts


_HOSTILE: dict[Behaviour, Callable[[ToyAnswer, Wire, float], Awaitable[None]]] = {
    Behaviour.RAW: _raw,
    Behaviour.HANG: _hang,
    Behaviour.RESET: _reset,
    Behaviour.DRIP: _drip,
    Behaviour.ENDLESS_BODY: _endless_body,
    Behaviour.ENDLESS_HEADERS: _endless_headers,
}
