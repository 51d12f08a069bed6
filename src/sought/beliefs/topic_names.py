"""Is a page named after a topic?  If all words of the topic are in its address, or in one anchor that points at it."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.holdings import Holdings
from sought.beliefs.topic_words import Rows, Topic, Wording
from sought.record.commit import Commit
from sought.web.expression import brief
from sought.web.pages import Pages

_BATCH = 2048  # rows


@brief
@dataclass(frozen=True)
class Named(Supplied):
    """1 if all words of a topic are in one anchor that points at the page, or in its address; else 0."""

    goes_by_demand: ClassVar[bool] = False

    topic: str

    def supplier(self, holdings: Holdings) -> Supplier:
        return NamedSupplier(self, holdings)


class NamedSupplier:
    """A row is judged when it is found, and when it gets a new anchor text, until it is named."""

    def __init__(self, belief: Named, holdings: Holdings) -> None:
        self.table = holdings.table
        self.topic = Topic(belief.topic)
        self.wording = Wording(holdings.store, holdings.table)
        self.values = np.zeros(0)
        self.judged = 0  # rows below have been judged
        self.noted: set[int] = set()  # rows with new anchor texts since

    def take(self, committed: Commit) -> None:
        self.noted.update(committed.named)

    def column(self, pages: Pages) -> Column:
        if len(self.values) < len(self.table):
            self.values = np.concatenate([self.values, np.zeros(len(self.table) * 5 // 4 - len(self.values))])
        noted = np.fromiter(self.noted, np.int64, len(self.noted))
        known = noted[(noted < self.judged)]
        rows = np.concatenate([np.sort(known[self.values[known] == 0]), np.arange(self.judged, len(self.table))])
        for at in range(0, len(rows), _BATCH):
            self._judge(rows[at : at + _BATCH])
        self.judged = len(self.table)
        self.noted.clear()
        return self.values[: len(self.table)]

    def terms(self, row: int) -> dict[str, Any]:
        """The texts that name it."""
        for language, rows in self.wording.by_language(np.array([row])):
            _, texts = self.wording.texts(rows)
            return {"named_by": [texts[at] for at in np.flatnonzero(self._names(texts, language))]}
        return {}

    def _judge(self, rows: Rows) -> None:
        for language, some in self.wording.by_language(rows):
            owners, texts = self.wording.texts(some)
            self.values[owners[self._names(texts, language)]] = 1.0

    def _names(self, texts: list[str], language: str) -> NDArray[np.bool_]:
        """Whether a text has all words of the topic; never if the topic has none in this language."""
        _, counts = self.topic.reader(language).counts(texts)
        has_all: NDArray[np.bool_] = (counts > 0).all(axis=1) & (counts.shape[1] > 0)
        return has_all
