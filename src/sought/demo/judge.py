"""How good are the answers really?  Their visible score over that of the best answer.

Truth is the toy web now: a search index of all its healthy pages as they are, brought up to date every few seconds.
Pages are scored by their own words (title, text, address), with the crawl's scorer.  An answer is worth

    Σ visibility(rank) × true score of the page shown there    (0 if it is gone, or no longer says what is asked)
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from sought.demo.example import ExampleAnswers, ShownAnswer
from sought.demo.searchers import RANKS
from sought.index import Entry, Index
from sought.index.visibility import Visibility
from sought.toyweb import ToyWeb
from sought.web.digest import digest
from sought.web.message import Response

_AT_ONCE = 50  # pages that are read between two reports
_MOST = 1_000  # pages that can be an answer; no word of the toy web is on more


class ToyTruth:
    """The toy web at a moment, searchable.  `renew` before anything else."""

    def __init__(self, toy: ToyWeb, folder: Path) -> None:
        self._toy = toy
        self._index = Index.open(folder, writable=True)
        self._held: dict[str, int] = {}  # the version of each page that can be found
        self._rows: dict[str, int] = {}
        self._scores: dict[str, dict[str, float]] = {}

    def renew(self, t: float, more: Callable[[int, int], bool] = lambda done, of: True) -> int:
        """Update to the toy web at `t`; returns how many pages had changed.

        `more` is called with pages read and their total, and returns whether to go on; if not, nothing changes.
        """
        live = {url: self._toy.version(url, t) or 0 for url in self._toy.live(t)}
        gone = self._held.keys() - live.keys()
        changed = [url for url, version in live.items() if self._held.get(url) != version]
        entries: list[Entry] = []
        for some in range(0, len(changed), _AT_ONCE):
            if not more(some, len(changed)):
                return 0
            entries += [self._entry(url, t) for url in changed[some : some + _AT_ONCE]]
        self._index.delete(self._rows[url] for url in gone)
        self._index.update(entries)
        self._index.commit()
        self._held = live
        self._scores.clear()
        return len(gone) + len(changed)

    def scores(self, query: str) -> dict[str, float]:
        """Every page that answers a query, best first, and how well."""
        if query not in self._scores:
            self._scores[query] = self._index.scores(query, _MOST)
        return self._scores[query]

    def worth(self, query: str, urls: Sequence[str]) -> list[float]:
        """What each page shown really is worth."""
        scores = self.scores(query)
        return [scores.get(url, 0.0) for url in urls]

    def ideal(self, query: str) -> list[float]:
        """The same of the best answer there is; nothing if there is none."""
        return list(self.scores(query).values())[:RANKS]

    def gone(self, urls: Sequence[str]) -> list[bool]:
        """Whether nothing is there any more, for each."""
        return [url not in self._held for url in urls]

    def judge(self, query: str, shown: tuple[ShownAnswer, ShownAnswer]) -> ExampleAnswers | None:
        """What both answers are worth; None if there is no answer to this question."""
        ideal = self.ideal(query)
        if not ideal:
            return None
        worth = self.worth(query, shown[0].urls), self.worth(query, shown[1].urls)
        gone = self.gone(shown[0].urls), self.gone(shown[1].urls)
        best = value(ideal)
        quality = value(worth[0]) / best, value(worth[1]) / best
        return ExampleAnswers(query, shown, worth, gone, ideal[0], best, quality)

    def close(self) -> None:
        self._index.close()

    def _entry(self, url: str, t: float) -> Entry:
        parts = urlsplit(url)
        answer = self._toy.answer(parts.netloc, parts.path, {}, t)
        page = digest(Response(url, answer.status, headers=answer.headers, body=answer.body))
        row = self._rows.setdefault(url, len(self._rows))
        return Entry(row, url, page.title, page.main or page.text, "", page.language)


def value(worth: Sequence[float], visibility: Visibility = Visibility()) -> float:  # noqa: B008  a frozen value
    """What attention finds in an answer whose results are worth that much."""
    return float((visibility.table(len(worth))[1:] * worth).sum())
