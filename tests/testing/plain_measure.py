"""What measuring should say, worked out plainly: pages as counts of terms, answers as sets of them."""

from collections import Counter as Bag
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sought.index import Entry
from sought.index.analysis import LANGUAGES, required_terms, stemming, terms
from sought.index.exact import Exact, ExactLists
from sought.index.fields import texts
from sought.index.filing import query_words
from sought.index.measure import GainMeasure
from sought.index.quality import Matches
from sought.index.query import MAX_TERMS
from sought.index.scorers import BM25, Scorer
from sought.index.statistics import Census
from sought.index.vectors import EACH, FIELDS, HEAD, Counter, Vector, Vectors, joined

# A few words of each language, with stems, accents and scripts; all of them are also met in pages of other languages.
WORDS = {
    "en": ["run", "running", "runs", "boat", "boats", "city", "cities", "lake", "café", "x86", "C3PO", "be"],
    "de": ["Häuser", "haus", "Straße", "laufen", "läuft", "groß", "see", "boote", "Käse", "rot"],
    "fr": ["état-major", "états", "désirée", "l'eau", "cœur", "courir", "courons", "lac", "été", "rouge"],
    "ru": ["город", "города", "бежать", "бегут", "озеро", "озёра", "красный"],
    "ar": ["مدينة", "المدينة", "كتاب", "كتب", "بحيرة"],
    "ja": ["東京都", "京都", "湖", "走る", "カフェ", "ｶﾌｪ", "東"],
    "zh": ["北京市", "北京", "湖水", "城市", "京"],
    "": ["lorem", "ipsum", "boat", "running", "東京", "état", "x86"],
}


def measure_of(
    queries: Sequence[str],
    scorer: Scorer = BM25(),  # noqa: B008  a frozen value
    weights: NDArray[np.float64] | None = None,
) -> GainMeasure:
    """An exact measure; without weights, all queries weigh the same."""
    return GainMeasure(queries, np.ones(len(queries)) if weights is None else weights, scorer=scorer, estimator=Exact())


def counter_of(measure: GainMeasure, languages: Sequence[str] = ()) -> Counter:
    """What counts for a measure; languages read beforehand have their terms counted from the first page on."""
    for language in languages:
        measure.filing.read(LANGUAGES.index(stemming(language)))
    return Counter(measure.vocabulary, measure.filing.read)


def counted(entries: Sequence[Entry], counter: Counter) -> Vectors:
    """Vectors of pages, read as the index reads them."""
    for entry in entries:
        language = stemming(entry.language)
        for text in texts(entry):
            counter.read(text, language)
        counter.end_page(language)
    return counter.take()


def survey(measure: GainMeasure, vectors: Vectors, importance: NDArray[np.float64] | None = None) -> None:
    """Freeze the statistics of these pages."""
    census = Census(len(measure.vocabulary))
    census.add(vectors)
    measure.freeze(census.statistics(importance))


def rows_of(vectors: Vectors) -> NDArray[np.int64]:
    return np.arange(len(vectors), dtype=np.int64)


@lru_cache(maxsize=1000)
def bags(entry: Entry) -> list[Bag[str]]:
    """The terms of each field of a page."""
    return [Bag(terms(text, entry.language)) for text in texts(entry)]


def wanted(query: str, language: str) -> list[str]:
    """What a page of a language must hold to answer a query."""
    return required_terms(terms(query_words(query), language))[:MAX_TERMS]


def answered(entries: Sequence[Entry], queries: Sequence[str]) -> set[tuple[int, int]]:
    """All pairs of page and query that match, by the definition."""
    pairs = set()
    for p, entry in enumerate(entries):
        held = set().union(*bags(entry))
        for q, query in enumerate(queries):
            wanted = set(terms(query_words(query), entry.language))
            if wanted and wanted <= held:
                pairs.add((p, q))
    return pairs


def told(vector: Vector, vocabulary: Sequence[str]) -> tuple[str, list[int], list[Bag[str]]]:
    """A vector spelled out: the language, the lengths of the fields, and how often each holds each term."""
    counts: list[Bag[str]] = [Bag() for _ in range(FIELDS)]
    for term, both, others in vector[HEAD:].reshape(-1, EACH).tolist():
        numbers = both & 0xFFFF, both >> 16, others & 0xFFFF, others >> 16
        for bag, number in zip(counts, numbers, strict=True):
            bag[vocabulary[term]] += number
    return LANGUAGES[vector[0]], vector[1:HEAD].tolist(), [+bag for bag in counts]


def scores_of(found: Matches) -> dict[tuple[int, int], float]:
    """Of each page for each query; no pair comes twice."""
    pairs = list(zip(found.pages.tolist(), found.queries.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    return dict(zip(pairs, found.scores.tolist(), strict=True))


def by_query(scores: dict[tuple[int, int], float], queries: int) -> list[list[float]]:
    """The scores for each query, best first."""
    return [sorted((s for (_, q), s in scores.items() if q == query), reverse=True) for query in range(queries)]


def lists_of(measure: GainMeasure) -> list[list[float]]:
    """The scores that a measure holds for each query, best first."""
    assert isinstance(measure.lists, ExactLists)
    return [measure.lists.scores(query).tolist() for query in range(len(measure.queries))]


def one_by_one(vectors: Vectors) -> list[Vectors]:
    return [joined([vectors[i]]) for i in range(len(vectors))]
