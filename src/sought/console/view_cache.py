"""How do pages read the tables without waiting for the disk?  One thread looks up, and remembers.

To open a View reads the whole table, and what follows from it may take seconds.  So one thread keeps one View: it opens
another when the store has changed, and remembers its answers until then.  A View is good for 15 seconds, and for longer
if it took long to work out what was asked of it, but no longer than sought.toml and settings.json say the same: who
has just given an order looks for what it did.  Who asks gets the answer if it comes soon, else the last one that was
given to the same question, else a `Pending`.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from sought.operate.view import View
from sought.record.config import FILE as CONFIG
from sought.record.settings import FILE as SETTINGS
from sought.record.settings import crawl_config, load_settings
from sought.web.errors import SoughtError

EVERY = 15.0  # seconds for which a View is good
AS_LONG = 10.0  # times as long as it and its answers took: so for a tenth of the time at most the thread is busy
LONGEST = 600.0  # seconds
IDLE = 600.0  # seconds without a question after which the View goes: of a large crawl it takes much memory
PATIENCE = 1.5  # seconds that a page waits
MOST_ANSWERS = 200
MOST_WAITING = 20
Found = TypeVar("Found")
Question = Callable[[View], Found]


class Pending(SoughtError):
    """The answer takes longer than a page should."""


@dataclass(frozen=True)
class Dated(Generic[Found]):
    """An answer, and when the tables were read that it is from."""

    found: Found
    time: float


class ViewCache:
    """Answers of one crawl's tables.  From `_answer` on all methods belong to the thread."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self._path = path
        self._patience = patience
        self._thread = ThreadPoolExecutor(1, "views")
        self._view: View | None = None
        self._stamp: object = None
        self._orders: object = None
        self._worked = 0.0  # seconds, on opening this View and on answers from it
        self._looked_at = -EVERY  # by a clock that is never set
        self._answers: OrderedDict[Hashable, Dated[Any]] = OrderedDict()
        self._under_way: dict[Hashable, Future[Any]] = {}
        self._rest: asyncio.TimerHandle | None = None

    async def ask(self, key: Hashable, question: Question[Found]) -> Dated[Found]:
        """The answer to a question that `key` stands for.  Raises Pending, or what is wrong with the question."""
        self._rest_later()
        work = self._under_way.get(key)
        if work is None or work.done():
            work = self._submitted(key, question)
        try:
            async with asyncio.timeout(self._patience):
                answer: Dated[Found] = await asyncio.shield(asyncio.wrap_future(work))
                return answer
        except TimeoutError:
            if last := self._answers.get(key):
                return last
            raise Pending("The crawl's tables are being read.") from None

    def _submitted(self, key: Hashable, question: Question[Found]) -> "Future[Dated[Found]]":
        self._under_way = {each: work for each, work in self._under_way.items() if not work.done()}
        if len(self._under_way) >= MOST_WAITING:
            raise Pending("Too many pages wait for the crawl's tables: try again in a moment.")
        work = self._under_way[key] = self._thread.submit(self._answer, key, question)
        return work

    def _rest_later(self) -> None:
        if self._rest:
            self._rest.cancel()
        self._rest = asyncio.get_running_loop().call_later(IDLE, self._thread.submit, self._drop)

    async def close(self) -> None:
        """Let go of the files, when what is being looked up has been found."""
        if self._rest:
            self._rest.cancel()
        self._thread.submit(self._drop)
        await asyncio.to_thread(self._thread.shutdown)

    def _answer(self, key: Hashable, question: Question[Found]) -> Dated[Found]:
        view = self._current()
        known = self._answers.get(key)
        if known is None or known.time != view.opened:
            known = self._answers[key] = Dated(self._looked_up(view, question), view.opened)
        self._answers.move_to_end(key)
        while len(self._answers) > MOST_ANSWERS:
            self._answers.popitem(last=False)
        return known

    def _looked_up(self, view: View, question: Question[Found]) -> Found:
        """After an unexpected error, such as vanished files, the next question gets another View."""
        began = time.monotonic()
        try:
            return question(view)
        except SoughtError:
            raise
        except BaseException:
            self._drop()
            raise
        finally:
            self._worked += time.monotonic() - began

    def _current(self) -> View:
        """A View that is fresh enough."""
        now, orders = time.monotonic(), [_stat(self._path / name) for name in (CONFIG, SETTINGS)]
        is_due = now - self._looked_at >= max(EVERY, min(AS_LONG * self._worked, LONGEST))
        if self._view is None or is_due or (orders != self._orders and _is_overruled(self._view)):
            stamp = _stamp(self._path / "store")
            if self._view is None or (stamp, orders) != (self._stamp, self._orders):
                self._drop()
                self._view, self._stamp, self._orders = View(self._path), stamp, orders
                self._worked = time.monotonic() - now
            self._looked_at = now
        return self._view

    def _drop(self) -> None:
        if self._view:
            self._view.close()
            self._view = None


def _is_overruled(view: View) -> bool:
    """Whether orders changed since.  Pages that were ordered come and go with every commit."""
    old, new = (replace(each, wanted=()) for each in (view.settings, load_settings(view.path)))
    return old != new or view.config != crawl_config(view.path)


def _stat(file: Path) -> object:
    """Something that is equal as long as a file stays as it is."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _stamp(store: Path) -> object:
    """Something that is equal as long as nothing was written to a store: its tables, and what was written since.

    Other files of RocksDB are written by those who only read, too.
    """
    try:
        found = [(file.name, file.stat()) for file in store.iterdir() if file.suffix in (".sst", ".log")]
    except FileNotFoundError:  # a file went away while we looked, or nothing was crawled yet
        return object()
    return sorted((name, info.st_size, info.st_mtime_ns) for name, info in found)
