"""How well could a query be answered?  The score of an ideal page."""

import numpy as np
from numpy.typing import NDArray

from sought.index.analysis import LANGUAGES, NO_STEMMER
from sought.index.measure import GainMeasure
from sought.index.vectors import EACH, HEAD, Vector, joined

_TITLE, _BODY, _ANCHORS = 1, 3, 1  # how often it holds each word of the query


def ideal_scores(measure: GainMeasure) -> NDArray[np.float32]:
    """For each query the score of a page of average length that has the query as its title.

    Its language is the one whose terms for the queries are on most pages; without pages, none.  It has no in-links.
    """
    languages = measure.filing.languages or [LANGUAGES.index(NO_STEMMER)]
    for language in languages:
        measure.filing.read(language)
    scores = np.zeros(len(measure.queries), np.float32)
    held = measure.statistics.of_terms(len(measure.vocabulary))[:, -1]
    language = max(languages, key=lambda each: int(held[measure.filing.terms(each)[1]].sum()))
    starts, terms = measure.filing.terms(language)
    lengths = measure.statistics.lengths // max(measure.statistics.pages, 1)
    pages = [
        _page(language, terms[a:b], lengths) for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    first = len(measure.statistics.importance)
    matches = measure.matches(first + np.arange(len(pages)), joined(pages))
    is_own = matches.pages - first == matches.queries
    scores[matches.queries[is_own]] = matches.scores[is_own]
    return scores


def _page(language: int, terms: NDArray[np.int32], lengths: NDArray[np.int64]) -> Vector:
    page = np.zeros(HEAD + EACH * len(terms), np.uint32)
    page[0] = language
    page[1:HEAD] = lengths
    page[1] = len(terms)
    page[HEAD::EACH] = terms
    page[HEAD + 1 :: EACH] = _TITLE | _BODY << 16
    page[HEAD + 2 :: EACH] = _ANCHORS
    return page
