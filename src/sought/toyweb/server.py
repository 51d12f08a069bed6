"""How is the toy web served over real HTTP?

One process listens on one port at the loopback address of every host (Linux answers on all of 127/8).  Toy time runs by
itself or is set by hand.  Every request is logged with the number of requests in progress at its host and address, so
that tests can check politeness.
"""

import asyncio
import errno
import math
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import NamedTuple

import uvloop

from sought.toyweb.answer import ToyAnswer, plain
from sought.toyweb.delivery import Wire, deliver
from sought.toyweb.toy import ToyWeb

REMEMBERED = 200_000  # requests
REQUEST_LIMIT = 64 << 10
WRITE_BUFFER = 4 << 20


class ServedRequest(NamedTuple):
    """One request: wall time (seconds since 1970), target, status, and how many were in progress with it."""

    time: float
    host: str
    address: str
    path: str
    status: int
    host_busy: int
    address_busy: int


class Served:
    """A toy web that is being served; `toy` has the port, so its URLs are the real ones."""

    networks = ("127.0.0.0/8",)

    def __init__(self, toy: ToyWeb, days_per_second: float, start: float) -> None:
        self.toy, self.port = toy, toy.port
        self.resolve = dict(toy.addresses)
        self.seeds = [toy.portal]
        self.requests: deque[ServedRequest] = deque(maxlen=REMEMBERED)
        self._rate = days_per_second
        self._set = (start, time.monotonic(), math.inf)  # replaced at once: several threads read it
        self._busy: Counter[str] = Counter()

    def now(self) -> float:
        """Toy time in days."""
        days, since, until = self._set
        return max(days, min(days + (time.monotonic() - since) * self._rate, until))

    def set_time(self, t: float) -> None:
        self._set = (t, time.monotonic(), self._set[2])

    def run_until(self, t: float) -> None:
        """Let toy time run on, and stop at `t` until another call."""
        self._set = (self.now(), time.monotonic(), t)

    def advance(self, days: float) -> None:
        self.set_time(self.now() + days)

    def toml(self) -> str:
        """The lines of a sought.toml to crawl this web."""
        names = [f'"{host}" = "{address}"' for host, address in self.resolve.items()]
        quoted = [", ".join(f'"{text}"' for text in texts) for texts in (self.seeds, self.networks)]
        return "\n".join(
            [
                f"seeds = [{quoted[0]}]",
                "",
                "[fetch]",
                f"allow_networks = [{quoted[1]}]",
                "",
                "[fetch.resolve]",
                *names,
                "",
            ]
        )

    @contextmanager
    def visit(self, host: str, address: str, path: str, status: int) -> Iterator[None]:
        """Log a request, and count it while it is being answered."""
        for key in (host, address):
            self._busy[key] += 1
        self.requests.append(
            ServedRequest(time.time(), host, address, path, status, self._busy[host], self._busy[address])
        )
        try:
            yield
        finally:
            for key in (host, address):
                self._busy[key] -= 1
                if not self._busy[key]:
                    del self._busy[key]  # clients may invent any number of host names

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on one connection until it ends."""
        # Ordinary answers fit into the buffer: a request ends when its answer is written, not when it has been read.
        writer.transport.set_write_buffer_limits(high=WRITE_BUFFER)
        wire = Wire(reader, writer, self.toy.slow, self.toy.patience)
        address = writer.get_extra_info("sockname")[0]
        try:
            while await self._one(wire, address):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            writer.transport.abort()  # the client disconnected or misbehaved
        finally:
            writer.close()

    async def _one(self, wire: Wire, address: str) -> bool:
        request = (await wire.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *lines = request.removesuffix("\r\n\r\n").split("\r\n")
        method, _, rest = line.partition(" ")
        path = rest.partition(" ")[0]
        headers = {name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
        t = self.now()
        answer = self._answer(method, path, headers, t)
        host = headers.get("host", "").lower().partition(":")[0]
        with self.visit(host, address, path, answer.status):
            keep = headers.get("connection", "").lower() != "close" and answer.status < 500
            return await deliver(answer, wire, t, head_only=method == "HEAD", keep=keep)

    def _answer(self, method: str, path: str, headers: dict[str, str], t: float) -> ToyAnswer:
        if method not in ("GET", "HEAD"):
            return plain("This web can only be read.\n", 501)
        return self.toy.answer(headers.get("host", ""), path, headers, t)


def _listen(addresses: list[str], port: int) -> list[socket.socket]:
    """Sockets with one port on all addresses; tries another free port if one is taken."""
    for _ in range(20):
        sockets: list[socket.socket] = []
        try:
            for address in addresses:
                wanted = sockets[0].getsockname()[1] if sockets else port
                sockets.append(socket.create_server((address, wanted), backlog=512))
            return sockets
        except OSError as error:
            for opened in sockets:
                opened.close()
            if port or error.errno != errno.EADDRINUSE:
                raise
    raise OSError(errno.EADDRINUSE, "no port is free on all loopback addresses")


@asynccontextmanager
async def serve(toy: ToyWeb, days_per_second: float = 0.0, start: float = 0.0, port: int = 0) -> AsyncIterator[Served]:
    """Serve a toy web in this event loop; port 0 is any free one."""
    sockets = _listen(list(dict.fromkeys(toy.addresses.values())), port)
    served = Served(replace(toy, port=sockets[0].getsockname()[1]), days_per_second, start)
    talks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.create_task(served.converse(reader, writer))
        talks[talk] = writer
        talk.add_done_callback(talks.pop)

    servers = [await asyncio.start_server(connected, sock=sock, limit=REQUEST_LIMIT) for sock in sockets]
    try:
        yield served
    finally:
        for server in servers:
            server.close()
        for talk, writer in talks.items():
            talk.cancel()
            writer.transport.abort()
        await asyncio.gather(*talks, return_exceptions=True)
        for server in servers:
            await server.wait_closed()


@contextmanager
def serve_in_thread(toy: ToyWeb, days_per_second: float = 0.0, start: float = 0.0, port: int = 0) -> Iterator[Served]:
    """Serve a toy web in a separate thread, for synchronous code."""
    started: Future[tuple[Served, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def run() -> None:
        stop = asyncio.Event()
        async with serve(toy, days_per_second, start, port) as served:
            started.set_result((served, asyncio.get_running_loop(), stop))
            await stop.wait()

    def loop() -> None:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(run())
        except OSError as error:  # the port is taken: raised in the caller
            started.set_exception(error)

    thread = threading.Thread(target=loop, name="toyweb", daemon=True)
    thread.start()
    served, event_loop, stop = started.result(timeout=60)
    try:
        yield served
    finally:
        event_loop.call_soon_threadsafe(stop.set)
        thread.join()
