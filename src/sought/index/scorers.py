"""How well does a page match a query?  Scorers as values.

A score is zero unless the page has every term of the query.  It depends only on the page and on frozen statistics.
All scorers sum over the query's terms, in the matching loop; they differ in what a term adds (`kind` and `weights`) and
in how the sum becomes a score (`finish`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sought.index.fields import WORDED
from sought.index.query import BOOST
from sought.index.statistics import Floats, Statistics
from sought.web.errors import BadInput
from sought.web.expression import brief

Scores = NDArray[np.float32]
Queries = NDArray[np.int32]
Weights = NDArray[np.float32]

FIELDS_APART, FIELDS_TOGETHER, PRESENCE = 0, 1, 2  # what a term adds
_LEAST = np.float32(1e-6)  # the least score of a matching page, which belongs at the end of the list


Importance = Literal["none", "in-links", "PageRank"]


class Scorer(Protocol):
    """What a term adds, and how the sum becomes a score."""

    @property
    def kind(self) -> int: ...

    @property
    def is_sum(self) -> bool:
        """Whether the score is the sum itself."""

    @property
    def importance(self) -> Importance:
        """The importance of pages that `finish` needs."""

    def weights(self, statistics: Statistics, terms: int) -> NDArray[np.float32]:
        """The weight of each term in each field."""

    def lengths(self, statistics: Statistics) -> NDArray[np.float32]:
        """For each field and each of 256 length classes: what is added to a term's count in the denominator."""

    def finish(self, queries: Queries, sums: Scores, importance: Floats, bounds: Floats) -> Scores:
        """Scores from sums; `bounds` are the least and largest sum and importance of each query."""


def length_classes() -> NDArray[np.int64]:
    """The least length of each class: the index stores lengths in a byte, exact up to 40, then 1 in 8."""
    byte = np.arange(256) - 24
    mantissa, shift = byte & 7, (byte >> 3) - 1
    return np.where(byte < 8, byte, (mantissa | 8) << np.maximum(shift, 0)) + 24


@brief
@dataclass(frozen=True)
class BM25:
    """BM25 as in the search index: Robertson & Zaragoza 2009, in four fields, each with its boost."""

    k1: float = 1.2
    b: float = 0.75

    kind = FIELDS_APART
    is_sum = True
    importance: ClassVar[Importance] = "none"

    def __post_init__(self) -> None:
        if not (0 <= self.k1 < np.inf and 0 <= self.b <= 1):
            raise BadInput(f"BM25: k1 is not negative and b is from 0 to 1; not {self.k1} and {self.b}")

    def weights(self, statistics: Statistics, terms: int) -> NDArray[np.float32]:
        frequency = statistics.of_terms(terms)[:, : len(WORDED)]
        odds = ((max(statistics.pages, 1) - frequency + 0.5).clip(0.5) / (frequency + 0.5)).astype(np.float32)
        # In 32 bits, as in the index: for a term on all pages this is mostly rounding, entirely so from 2^24 pages on.
        idf = np.log(1 + odds).clip(2.0**-24)
        boosts = np.array([BOOST.get(name, 1.0) for name in WORDED])
        weights: Weights = (idf * boosts * (self.k1 + 1)).astype(np.float32)
        return weights

    def lengths(self, statistics: Statistics) -> NDArray[np.float32]:
        mean = (statistics.lengths / max(statistics.pages, 1))[:, None]
        # In a field that no page has yet, any length is average.
        relative = np.where(mean > 0, length_classes() / np.maximum(mean, 1e-9), 1.0)
        return (self.k1 * (1 - self.b + self.b * relative)).astype(np.float32)

    def finish(self, queries: Queries, sums: Scores, importance: Floats, bounds: Floats) -> Scores:
        return sums


@brief
@dataclass(frozen=True)
class TfIdf:
    """TF-IDF as in Lucene until version 5: sqrt(tf)·idf²/sqrt(length), over all fields as one text."""

    kind = FIELDS_TOGETHER
    is_sum = True
    importance: ClassVar[Importance] = "none"

    def weights(self, statistics: Statistics, terms: int) -> NDArray[np.float32]:
        idf = 1 + np.log(max(statistics.pages, 1) / (statistics.of_terms(terms)[:, -1] + 1.0))
        return np.repeat((idf.clip(1e-3) ** 2)[:, None], len(WORDED), 1).astype(np.float32)

    def lengths(self, statistics: Statistics) -> NDArray[np.float32]:
        return np.zeros((len(WORDED), 256), np.float32)

    def finish(self, queries: Queries, sums: Scores, importance: Floats, bounds: Floats) -> Scores:
        return sums


@brief
@dataclass(frozen=True)
class Inlinks:
    """The number of in-links plus one, so that pages without links are in the list, too."""

    kind = PRESENCE
    is_sum = False
    importance: ClassVar[Importance] = "in-links"

    def weights(self, statistics: Statistics, terms: int) -> NDArray[np.float32]:
        return np.ones((terms, len(WORDED)), np.float32)

    def lengths(self, statistics: Statistics) -> NDArray[np.float32]:
        return np.zeros((len(WORDED), 256), np.float32)

    def finish(self, queries: Queries, sums: Scores, importance: Floats, bounds: Floats) -> Scores:
        return np.where(sums > 0, importance + 1, 0).astype(np.float32)


@brief
@dataclass(frozen=True)
class TfIdfPageRank:
    """a·TF-IDF + b·PageRank, each scaled to [0, 1] among the query's results (Tan & Mitra 2010)."""

    a: float = 0.5
    b: float = 0.5

    kind = FIELDS_TOGETHER
    is_sum = False
    importance: ClassVar[Importance] = "PageRank"

    def __post_init__(self) -> None:
        if not (self.a >= 0 and self.b >= 0 and 0 < self.a + self.b < np.inf):
            raise BadInput(f"TfIdfPageRank: a and b are not negative, and one is positive; not {self.a} and {self.b}")

    def weights(self, statistics: Statistics, terms: int) -> NDArray[np.float32]:
        return TfIdf().weights(statistics, terms)

    def lengths(self, statistics: Statistics) -> NDArray[np.float32]:
        return TfIdf().lengths(statistics)

    def finish(self, queries: Queries, sums: Scores, importance: Floats, bounds: Floats) -> Scores:
        least, most, least_rank, most_rank = bounds[queries].T
        text = _scaled(sums, least, most)
        rank = _scaled(importance, least_rank, most_rank)
        mixed = (self.a * text + self.b * rank).astype(np.float32)
        return np.where(sums > 0, np.maximum(mixed, _LEAST), np.float32(0))


def _scaled(values: NDArray[Any], least: Floats, most: Floats) -> Floats:
    """Scaled to [0, 1]; 1 where all are equal."""
    span = most - least
    with np.errstate(over="ignore"):  # a new value may be far outside a tiny range
        scaled = (values - least) / np.where(span > 0, span, 1.0)
    return np.where(span > 0, scaled, 1.0).clip(0.0, 1.0)


SCORERS: dict[str, type[Any]] = {scorer.__name__: scorer for scorer in (BM25, TfIdf, Inlinks, TfIdfPageRank)}
