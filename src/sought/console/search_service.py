"""Who answers a search, and what is recorded of it?

What the log says of a search: the query, when, and the results of its first page, in order.  Who then looks at further
pages asks nothing new, so these are no searches: each of their results is a *view* of the same search, with its rank.
Clicks follow as events.  Further results without the id of their search (an old link) are shown and leave no trace.
"""

import asyncio
import secrets
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sought.console.answer_cache import AnswerKey, CachedAnswer
from sought.console.asking import Question
from sought.console.metrics import ServerTally
from sought.console.recorder import QueryRecorder
from sought.console.searcher import Searcher
from sought.console.suggestions import Suggestions
from sought.console.worker import TooBusy
from sought.demand import Action, Event, Search
from sought.index import Answer
from sought.record.config import FILE, load_config
from sought.record.workload import query_log

_DAY = 86400.0


@dataclass(frozen=True, slots=True)
class SearchReply:
    """An answer of `pages` searchable pages, 0 if there are none yet; `search` is its id in the log, 0 if not there."""

    question: Question
    answer: Answer
    pages: int
    search: int


class SearchService:
    """Searches of one crawl, what is suggested, and what is recorded."""

    def __init__(self, path: Path) -> None:
        log = query_log(path, load_config(path / FILE))
        self.path = path
        self.keep_days = round(log.keep / _DAY)
        self.searcher = Searcher(path / "index")
        self.suggestions = Suggestions(log)
        self.recorder = QueryRecorder(log)
        self.tally = ServerTally()
        self._ids = random_ids()

    def has_archive(self) -> bool:
        """Whether anything was ever fetched, searchable or not."""
        folder = self.path / "archive"
        return folder.is_dir() and any(folder.iterdir())

    def start(self) -> None:
        self.searcher.start()
        self.recorder.start()

    async def close(self) -> None:
        await self.searcher.close()
        await asyncio.to_thread(self.recorder.close)

    async def ask(self, question: Question) -> SearchReply:
        found = await self._found(AnswerKey(question.text, question.limit, question.offset))
        if found is None or not found.pages:
            return SearchReply(question, Answer(), 0, 0)
        answer, pages = found
        return SearchReply(question, answer, pages, self._remember(question, answer))

    async def _found(self, asked: AnswerKey) -> CachedAnswer | None:
        began = time.perf_counter()
        try:
            found = await self.searcher.search(asked)
        except TooBusy:
            self.tally.refused += 1
            raise
        self.tally.answered(time.perf_counter() - began)
        return found

    def _remember(self, question: Question, answer: Answer) -> int:
        """Its id in the log."""
        shown, now = tuple(hit.url for hit in answer.hits), time.time()
        if not question.remember or (question.offset and not question.search):
            return 0
        if question.offset:
            ranks = enumerate(shown, question.offset + 1)
            self.recorder.take(Event(question.search, Action.VIEW, now, url, rank) for rank, url in ranks)
            return question.search
        number = next(self._ids)
        self.recorder.take([Search(question.text, now, shown, number)])
        return number


def random_ids() -> Iterator[int]:
    """Unguessable ids, drawn many at a time, because a system call takes as long as a cached answer."""
    while True:
        yield from (number for (number,) in struct.iter_unpack("=Q", secrets.token_bytes(8 * 512)) if number)
