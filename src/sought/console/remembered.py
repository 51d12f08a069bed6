"""Was this asked a moment ago?  Answers, as long as the index they came from has not changed.

Few queries are asked often, and finding the words to show in ten pages costs more than finding the pages: an answer is
worth keeping until the crawl commits the next pages.
"""

from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from sought.index import Answer

MOST = 5_000  # answers, each some 13 KB

State = tuple[int, int]


class Asked(NamedTuple):
    """Which part of which answer."""

    text: str
    limit: int
    offset: int


class Found(NamedTuple):
    """An answer, and of how many pages."""

    answer: Answer
    pages: int


class Remembered:
    """Answers of one state of the index; those not asked for the longest time go first.

    Invariant: an answer is at least as new as the state under which it is filed.  So whoever searches asks `get`, notes
    the `state`, searches, and hands the note to `keep`, which passes over what has been overtaken.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "meta.json"  # written by every commit
        self.state: State | None = None
        self._found: OrderedDict[Asked, Found] = OrderedDict()

    def get(self, asked: Asked) -> Found | None:
        state = self._looked_up()
        if state is None or state != self.state:
            self._found.clear()
            self.state = state
        found = self._found.get(asked)
        if found:
            self._found.move_to_end(asked)
        return found

    def keep(self, asked: Asked, found: Found, state: State | None) -> None:
        if state is None or state != self.state:
            return
        self._found[asked] = found
        if len(self._found) > MOST:
            self._found.popitem(last=False)

    def _looked_up(self) -> State | None:
        try:
            status = self._file.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino
