"""The server's end of a search process: questions go there, and their answers come back in the same order."""

import asyncio
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from sought.console.answer_cache import CachedAnswer
from sought.console.search_process import LENGTH, ProcessReply, Question, decode_reply, message
from sought.web.errors import CrawlDamaged, SoughtError

TOO_LONG = "The search took too long: try fewer or rarer words, or try again in a moment."
_PATIENCE = 5.0  # seconds for a process to end


class TooBusy(SoughtError):
    """More searches wait than can be answered soon, or this one took too long."""


class SearchFailed(SoughtError):
    """A search process could not answer, or is gone."""


@dataclass(eq=False, slots=True)
class PendingSearch:
    """A question, and where its answer is waited for."""

    question: Question
    answer: asyncio.Future[CachedAnswer | None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    twice: bool = False  # asked

    def fail(self, error: SoughtError) -> None:
        if not self.answer.done():  # or else nobody waits any more
            self.answer.set_exception(error)


@contextmanager
def _closed_on_error(connection: socket.socket) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


class Worker(asyncio.Protocol):
    """States: *starting*, *ready*, *lost*.  `work` are the questions it has, the first of which it is working on.

    It has done so since `since`, by the event loop's clock.

    Calls `changed` when it is ready, has answered, or is lost.  A search that takes longer than `seconds` is ended, and
    the process with it.
    """

    def __init__(self, folder: Path, seconds: float, changed: Callable[["Worker"], None]) -> None:
        self.work: deque[PendingSearch] = deque()
        self.ready = self.lost = False
        self.since = 0.0
        self._seconds, self._changed = seconds, changed
        self._got = bytearray()
        self._transport: asyncio.Transport | None = None
        self._limit: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "sought.console.search_process", str(folder)]
        with theirs, _closed_on_error(ours):
            self.process = subprocess.Popen(  # noqa: S603  our own command
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the server, which then lets it end
            )
        self._connecting = self._loop.create_task(self._connect(ours))

    async def _connect(self, ours: socket.socket) -> None:
        try:
            await self._loop.create_unix_connection(lambda: self, sock=ours)
        except OSError as error:
            ours.close()
            self.connection_lost(error)

    def ask(self, waiting: PendingSearch) -> None:
        """If it is ready."""
        assert self._transport
        self._transport.write(message(waiting.question))
        self.work.append(waiting)
        if len(self.work) == 1:
            self._begin()

    async def end(self) -> None:
        """Let it go, and wait until it has."""
        await self._connecting
        if self._transport:
            self._transport.close()
        await asyncio.to_thread(self._ended)

    def _ended(self) -> None:
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but its class

    def data_received(self, data: bytes) -> None:
        self._got += data
        while len(self._got) >= LENGTH.size:
            stop = LENGTH.size + LENGTH.unpack_from(self._got)[0]
            if len(self._got) < stop:
                return
            reply = decode_reply(memoryview(self._got)[LENGTH.size : stop])
            del self._got[:stop]
            self._replied(reply)

    def _replied(self, reply: ProcessReply) -> None:
        if not self.ready:
            self.ready = True
        else:
            waiting = self.work.popleft()
            self._begin()
            if reply.trouble:
                waiting.fail(CrawlDamaged(reply.trouble) if reply.is_damaged else SearchFailed(reply.trouble))
            elif not waiting.answer.done():
                waiting.answer.set_result(reply.found)
        self._changed(self)

    def _begin(self) -> None:
        """Count the time of the first question anew."""
        if self._limit:
            self._limit.cancel()
        self._limit = self._loop.call_later(self._seconds, self._too_long) if self.work else None
        self.since = self._loop.time()

    def _too_long(self) -> None:
        self.work[0].fail(TooBusy(TOO_LONG))
        self.process.kill()

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        if self._limit:
            self._limit.cancel()
        if self.work:
            self.work[0].fail(SearchFailed("a search process has ended before its time"))
        self._changed(self)
