"""Here is a query: which pages, and soon?  Remembers answers, and shares out questions to search processes.

There is one process from the start; another is added when a question has to wait, up to as many as there are cores.
"""

import asyncio
import os
from collections import deque
from contextlib import suppress
from math import inf
from pathlib import Path

from sought.console.answer_cache import AnswerCache, AnswerKey, CachedAnswer
from sought.console.search_process import Question
from sought.console.worker import TOO_LONG, PendingSearch, SearchFailed, TooBusy, Worker

MAX_PROCESSES = 8
MAX_WAITING = 64
MAX_SECONDS = 5.0
_STARTING = 60.0  # more seconds for questions that come before the first process can work
_AHEAD = 2  # questions that a process is given, so that it has the next after its answer one
_SLOW = 0.05  # seconds after which no question waits behind a search
_PAUSE = 10.0  # seconds before another process is added when one could not be


class Searcher:
    """Searches one index.  Made and used by one event loop.

    Invariant: of the questions that a lost process had only the first has failed; the others are asked again.
    """

    def __init__(self, folder: Path, waiting: int = MAX_WAITING, seconds: float = MAX_SECONDS) -> None:
        self._folder = folder
        self._seconds = seconds
        self._most = min(len(os.sched_getaffinity(0)), MAX_PROCESSES)
        self._room = self._most + waiting
        self._workers: list[Worker] = []
        self._waiting: deque[PendingSearch] = deque()
        self._remembered = AnswerCache(folder)
        self._looking: asyncio.TimerHandle | None = None
        self._no_more_until = -inf
        self._ending: set[asyncio.Task[None]] = set()
        self._closing = False

    def start(self) -> None:
        """The first process: it takes a second to be ready."""
        self._add()

    async def search(self, asked: AnswerKey) -> CachedAnswer | None:
        """The answer, and of how many pages; None if there is no index yet."""
        if found := self._remembered.get(asked, busy=self._busy):
            return found
        state = self._remembered.state
        found = await self._answered(asked)
        if found:
            self._remembered.keep(asked, found, state)
        return found

    async def pages(self) -> int:
        """How many pages can be found, in the folder as it is now."""
        found = await self._answered(None)
        return found.pages if found else 0

    async def close(self) -> None:
        self._closing = True
        if self._looking:
            self._looking.cancel()
        for waiting in (*self._waiting, *(each for worker in self._workers for each in worker.work)):
            waiting.fail(TooBusy("The server is ending."))
        await asyncio.gather(*(worker.end() for worker in self._workers), *self._ending)

    @property
    def _busy(self) -> bool:
        return all(worker.work for worker in self._workers if worker.ready)

    async def _answered(self, question: Question) -> CachedAnswer | None:
        if self._closing or len(self._waiting) + sum(len(worker.work) for worker in self._workers) >= self._room:
            raise TooBusy("Too many searches at once: try again in a moment.")
        waiting = PendingSearch(question)
        self._waiting.append(waiting)
        self._share_out()
        patience = self._seconds if any(worker.ready for worker in self._workers) else self._seconds + _STARTING
        try:
            async with asyncio.timeout(patience):
                return await waiting.answer
        except TimeoutError:
            raise TooBusy(TOO_LONG) from None
        finally:
            if waiting.answer.cancelled():
                with suppress(ValueError):
                    self._waiting.remove(waiting)

    def _share_out(self) -> None:
        while self._waiting and (worker := self._free()):
            waiting = self._waiting.popleft()
            if not waiting.answer.done():
                worker.ask(waiting)
        ahead = any(len(worker.work) > 1 for worker in self._workers)
        if (self._waiting or ahead) and self._may_add():
            self._add()
        if ahead and not self._looking:
            self._looking = asyncio.get_running_loop().call_later(_SLOW, self._look)

    def _free(self) -> Worker | None:
        """One that does nothing, or one that will soon."""
        soon = asyncio.get_running_loop().time() - _SLOW
        ready = [worker for worker in self._workers if worker.ready and len(worker.work) < _AHEAD]
        free = [worker for worker in ready if not worker.work or worker.since > soon]
        return min(free, key=lambda worker: len(worker.work), default=None)

    def _look(self) -> None:
        """Questions behind a slow search are also asked of a free process."""
        self._looking, long = None, asyncio.get_running_loop().time() - _SLOW
        for worker in self._workers:
            if len(worker.work) > 1 and worker.since <= long and not worker.work[1].twice:
                idle = next((each for each in self._workers if each.ready and not each.work), None)
                if idle:
                    worker.work[1].twice = True
                    idle.ask(worker.work[1])
        self._share_out()

    def _may_add(self) -> bool:
        room = len(self._workers) < self._most and all(worker.ready for worker in self._workers)
        return room and (not self._workers or asyncio.get_running_loop().time() >= self._no_more_until)

    def _add(self) -> None:
        try:
            self._workers.append(Worker(self._folder, self._seconds, self._changed))
        except OSError as error:
            self._not_added(str(error))

    def _not_added(self, reason: str) -> None:
        """Those that are there must do for a while; if there are none, the next question is another attempt."""
        self._no_more_until = asyncio.get_running_loop().time() + _PAUSE
        while self._waiting and not self._workers:
            self._waiting.popleft().fail(SearchFailed(f"no search process can be started: {reason}"))

    def _changed(self, worker: Worker) -> None:
        if self._closing:
            return
        if worker.lost:
            self._workers.remove(worker)
            self._ending.add(task := asyncio.get_running_loop().create_task(worker.end()))
            task.add_done_callback(self._ending.discard)
            if not worker.ready:
                self._not_added("it ended at once")
            self._waiting.extendleft(list(worker.work)[:0:-1])
        self._share_out()
