"""Was this asked a moment ago?  Answers, as long as the index they came from has not changed.

Few queries are asked often, and finding the words to show in ten pages costs more than finding the pages: an answer is
worth keeping until the crawl commits the next pages.  If then all would be searched for anew at once, people would have
to wait: so while there is more to do than can be done, an answer from before the commit will do for a moment longer.
"""

import time
from collections import OrderedDict
from math import inf
from pathlib import Path
from typing import NamedTuple

from sought.index import Answer

MOST = 5_000  # answers, each some 13 KB
LONGER = 5.0  # seconds that an answer will do after a commit, at most

State = tuple[int, int]


class AnswerKey(NamedTuple):
    """Which part of which answer."""

    text: str
    limit: int
    offset: int


class CachedAnswer(NamedTuple):
    """An answer, and of how many pages."""

    answer: Answer
    pages: int


class _Kept(NamedTuple):
    found: CachedAnswer
    commit: int  # the last one before it was found


class AnswerCache:
    """Answers of one state of the index; those not asked for the longest time go first.

    Invariant: an answer is at least as new as the state under which it is filed.  So a searcher asks `get`, notes
    the `state`, searches, and hands the note to `keep`, which passes over what has been overtaken.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "meta.json"  # written by every commit
        self.state: State | None = None
        self._kept: OrderedDict[AnswerKey, _Kept] = OrderedDict()
        self._commits = 0  # that were noticed, and when the last was
        self._noticed = -inf

    def get(self, asked: AnswerKey, busy: bool = False) -> CachedAnswer | None:
        """An answer of the present state; if `busy`, one that was overtaken by its last commit may do, too."""
        self._look_up()
        kept = self._kept.get(asked)
        if kept is None or not (kept.commit == self._commits or (busy and self._will_do(asked, kept))):
            return None
        self._kept.move_to_end(asked)
        return kept.found

    def _will_do(self, asked: AnswerKey, kept: _Kept) -> bool:
        """Not all for the same time: their turns to be searched for are spread over it."""
        longer = LONGER * (hash(asked) % 256 + 1) / 256
        return kept.commit == self._commits - 1 and time.monotonic() < self._noticed + longer

    def keep(self, asked: AnswerKey, found: CachedAnswer, state: State | None) -> None:
        if state is None or state != self.state:
            return
        self._kept[asked] = _Kept(found, self._commits)
        if len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def _look_up(self) -> None:
        try:
            status = self._file.stat()
            state = status.st_mtime_ns, status.st_ino
        except OSError:
            state = None
            self._kept.clear()
        if state != self.state:
            self.state = state
            self._commits += 1
            self._noticed = time.monotonic()
