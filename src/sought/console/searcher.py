"""Here is a query: which pages, and soon?  Keeps the search index open, and searches in threads, so many at a time.

States of the index: *missing* (nothing was crawled yet, or it is being built again), *open*.  A commit of the crawl is
seen by the next search; an index that was replaced is opened again.
"""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sought.console.remembered import Asked, Found, Remembered
from sought.index import Index
from sought.index.analysis import reading
from sought.index.snippet import Terms, snippet
from sought.web.errors import BadInput, CrawlDamaged, SoughtError

THREADS = 2
MAX_WAITING = 64
MAX_SECONDS = 5.0

Awaited = asyncio.Future[Found | None]


class TooBusy(SoughtError):
    """More searches wait than can be answered soon, or this one took too long."""


class Searcher:
    """The search index of a crawl, for any number of threads.  Made and used by one event loop."""

    def __init__(self, folder: Path, waiting: int = MAX_WAITING, seconds: float = MAX_SECONDS) -> None:
        self._folder = folder
        self._waiting = waiting
        self._seconds = seconds
        self._index: Index | None = None
        self._opening = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, "search")
        self._unfinished = 0
        self._remembered = Remembered(folder)

    def warm_up(self) -> None:
        """Load (the first time on a machine: make) the machine code of reading, before anybody waits for an answer."""
        snippet(reading("word", ""), Terms(["word"]), "")

    async def search(self, asked: Asked) -> Found | None:
        """The answer, and of how many pages; None if there is no index yet."""
        if found := self._remembered.get(asked):
            return found
        if self._unfinished >= THREADS + self._waiting:
            raise TooBusy("Too many searches at once: try again in a moment.")
        state, loop = self._remembered.state, asyncio.get_running_loop()
        answer: Awaited = loop.create_future()
        self._threads.submit(self._work, asked, loop, answer)
        self._unfinished += 1
        found = await self._soon(answer)
        if found:
            self._remembered.keep(asked, found, state)
        return found

    async def _soon(self, answer: Awaited) -> Found | None:
        """A search that takes too long goes on in its thread, and counts until it has ended."""
        try:
            async with asyncio.timeout(self._seconds):
                return await answer
        except TimeoutError:
            raise TooBusy("This search took too long: try fewer or rarer words, or try again in a moment.") from None

    def _work(self, asked: Asked, loop: asyncio.AbstractEventLoop, answer: Awaited) -> None:
        try:
            found, error = self._search(asked), None
        except BaseException as raised:  # noqa: BLE001  whoever waits is told, of a panic of the search engine, too
            found, error = None, raised
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._finished, answer, found, error)

    def _finished(self, answer: Awaited, found: Found | None, error: BaseException | None) -> None:
        self._unfinished -= 1
        if answer.done():
            return  # nobody waits any more
        if error:
            answer.set_exception(error)
        else:
            answer.set_result(found)

    async def pages(self) -> int:
        """How many pages can be found."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._pages)

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _search(self, asked: Asked) -> Found | None:
        index = self._opened()
        if index is None:
            return None
        try:
            return Found(index.search(*asked), len(index))
        except CrawlDamaged:
            self._dropped(index)
        again = self._opened()  # replaced meanwhile: the new one, or none until it is there
        return Found(again.search(*asked), len(again)) if again else None

    def _pages(self) -> int:
        """From the folder as it is now, as nobody has searched since."""
        index = self._opened()
        if index is None:
            return 0
        try:
            index.reload()
        except CrawlDamaged:
            self._dropped(index)
            return 0
        return len(index)

    def _opened(self) -> Index | None:
        with self._opening:
            if self._index is None:
                try:
                    self._index = Index.open(self._folder, writable=False)
                except BadInput:
                    return None
            return self._index

    def _dropped(self, index: Index) -> None:
        with self._opening:
            if self._index is index:
                self._index = None
