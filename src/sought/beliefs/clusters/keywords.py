"""Is a page among the best for the most frequent query words?  RF = (11 - rank)/10 for the first ten results of a word.

The ranking features of Tan & Mitra 2010, for the 20 words that weigh most in all that is asked.  Ranks are by TF-IDF,
which for one word is √(tf/length), among pages as they were when clusters were last made: a page that has changed
is ranked among these.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.clusters.feature_names import KEYWORDS
from sought.index.analysis import LANGUAGES
from sought.index.filing import single_words, terms_of_queries
from sought.record.measuring import Measuring

FIRST = 10

Singles = NDArray[np.float32]
Keys = NDArray[np.uint64]


class BestKeywords(NamedTuple):
    """For each keyword the best pages: how much they are about it (0: there are no more), and their keys."""

    scores: Singles
    keys: Keys


def no_pages(keywords: int) -> BestKeywords:
    return BestKeywords(np.zeros((keywords, FIRST), np.float32), np.zeros((keywords, FIRST), np.uint64))


def asked_terms(measuring: Measuring) -> NDArray[np.bool_]:
    """Which terms of the vocabulary are in a query that weighs something; others are counted for topics, or before."""
    is_term_asked = np.zeros(len(measuring.vocabulary), np.bool_)
    if measuring.measure is not None:
        is_asked, filing = measuring.asked.weights > 0, measuring.measure.filing
        for language in filing.languages:
            starts, terms = filing.terms(language)
            is_term_asked[terms[np.repeat(is_asked, np.diff(starts))]] = True
    return is_term_asked


def heaviest(measuring: Measuring) -> list[str]:
    """The words that weigh most, each as much as the queries that hold it; among equals by spelling."""
    words, weights = single_words(measuring.asked.texts, measuring.asked.weights)
    ordered = sorted((-weight, word) for weight, word in zip(weights.tolist(), words, strict=True) if weight > 0)
    return [word for _, word in ordered[:KEYWORDS]]


def spellings(words: Sequence[str], measuring: Measuring) -> list[tuple[str, int]]:
    """The terms that stand for words on pages, in the languages there are: each with the number of its word."""
    languages = measuring.measure.filing.languages if measuring.measure else []
    spellings: dict[str, int] = {}
    for language in languages:
        for number, terms in enumerate(terms_of_queries(words, LANGUAGES[language])):
            for term in terms[:1]:
                spellings.setdefault(term, number)
    return list(spellings.items())


def with_pages(best: BestKeywords, scores: Singles, keys: Keys) -> BestKeywords:
    """The best of these pages and of those before; among equals the larger key comes first."""
    merged = no_pages(len(best.scores))
    for word in range(len(best.scores)):
        value = np.concatenate([best.scores[word], scores[:, word]])
        key = np.concatenate([best.keys[word], keys])
        first = np.lexsort((~key, -value))[:FIRST]
        merged.scores[word], merged.keys[word] = value[first], key[first]
    return merged


def rank_features(best: BestKeywords, scores: Singles, keys: Keys) -> Singles:
    """RF of pages, 0 beyond the first ten; a row for each page, as many columns as keywords there may be."""
    features = np.zeros((len(scores), KEYWORDS), np.float32)
    for word in range(len(best.scores)):
        own, others, other_keys = scores[:, word, None], best.scores[word], best.keys[word]
        ahead = (others > own) | ((others == own) & (other_keys > keys[:, None]))
        rank = 1 + np.count_nonzero(ahead & (other_keys != keys[:, None]), axis=1)
        features[:, word] = np.where((own[:, 0] > 0) & (rank <= FIRST), (FIRST + 1 - rank) / FIRST, 0)
    return features
