"""Features and words of pages that do not exist, in groups of uneven size."""

import numpy as np
from numpy.typing import NDArray

GROUPS, FEATURES, WORDS = 150, 68, 1000
_DRAWS = 75  # words of a page, of which about sixty are different
_PIECE = 10_000  # pages at once


def feature_table(pages: int, seed: int = 1) -> NDArray[np.float32]:
    """Pages × features from 0 to 1: those of their group, and chance."""
    random = np.random.default_rng(seed)
    means = random.beta(0.5, 1.0, (GROUPS, FEATURES)).astype(np.float32)
    table = means[_groups(pages, random)]
    table += np.float32(0.12) * random.standard_normal((pages, FEATURES), dtype=np.float32)
    return np.clip(table, 0.0, 1.0, out=table)


def word_rows(pages: int, seed: int = 2) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
    """TF-IDF of the words of pages, as values, columns and bounds; a third of the words are no group's own."""
    random = np.random.default_rng(seed)
    common = 1.0 / np.arange(1, WORDS + 1) ** 0.7
    own = common * random.gamma(0.3, 1.0, (GROUPS, WORDS))
    chances = 0.7 * own / own.sum(1, keepdims=True) + 0.3 * common / common.sum()
    ends = np.arange(GROUPS)[:, None] + np.minimum(np.cumsum(chances, 1), 1.0)
    ends[:, -1] = np.arange(1, GROUPS + 1)
    group = _groups(pages, random)
    pieces = [_words(group[at : at + _PIECE], ends.ravel(), random) for at in range(0, pages, _PIECE)]
    lengths, words, counts = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    rarity = np.log(pages / np.maximum(np.bincount(words, minlength=WORDS), 1))
    values = ((1.0 + np.log(counts)) * rarity[words]).astype(np.float32)
    return values, words.astype(np.int32), np.concatenate(([0], np.cumsum(lengths)))


def _groups(pages: int, random: np.random.Generator) -> NDArray[np.int64]:
    """Large groups and small ones."""
    share = 1.0 / np.arange(1, GROUPS + 1) ** 0.7
    return random.choice(GROUPS, pages, p=share / share.sum())


def _words(
    group: NDArray[np.int64], ends: NDArray[np.float64], random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """How many words each page has, which, and how often."""
    draws = random.random((len(group), _DRAWS)) + group[:, None]
    word = np.minimum(np.searchsorted(ends, draws.ravel(), "right"), GROUPS * WORDS - 1) % WORDS
    found, counts = np.unique(np.repeat(np.arange(len(group)), _DRAWS) * WORDS + word, return_counts=True)
    return np.bincount(found // WORDS, minlength=len(group)), found % WORDS, counts
