"""Made-up words: each subject has its own, and pages mix them with common words.

Words have no letter e and end in a consonant that no stemmer takes away, so that each is a term of its own.  Adverts
use other words: they begin with z.
"""

import zlib

import numpy as np
from numpy.typing import NDArray

from sought.lab.worlds.synthetic.shape import WebShape

Dice = np.random.Generator
Words = NDArray[np.int64]
_VOWELS, _MIDDLES, _ENDS = "aiou", "bdfgklmnprtv", "kmnprt"
_OWN, _SECOND = 0.55, 0.8  # of a page's words are its subject's, up to here its second subject's; the rest is common
_ADVERT_WORDS = 500
_PER_SENTENCE = 12


def dice(shape: WebShape, what: str) -> Dice:
    """A random generator for one purpose, independent of other parameters."""
    return np.random.default_rng([shape.seed, zlib.crc32(what.encode())])


class WordStock:
    """The words of a web, and texts made of them (as numbers of words)."""

    def __init__(self, shape: WebShape) -> None:
        rng = dice(shape, "words")
        self.words = _coined(rng, shape.vocabulary, "")
        self.adverts = _coined(rng, _ADVERT_WORDS, "z")
        self.size = max(20, min(shape.vocabulary, 3 * shape.vocabulary // shape.topics))
        self.own = [rng.choice(shape.vocabulary, self.size, replace=False) for _ in range(shape.topics)]
        self.by_rank = _zipf(self.size)
        self.everybody = _zipf(shape.vocabulary)

    def text(self, rng: Dice, topic: int, second: int, count: int) -> Words:
        ranks = np.searchsorted(self.by_rank, rng.random(count))
        common = np.searchsorted(self.everybody, rng.random(count))
        kind = rng.random(count)
        return np.select([kind < _OWN, kind < _SECOND], [self.own[topic][ranks], self.own[second][ranks]], common)

    def title(self, rng: Dice, topic: int) -> Words:
        """Three words of a subject, frequent or not."""
        return self.own[topic][rng.choice(self.size, 3, replace=False)]

    def advert(self, rng: Dice) -> str:
        return " ".join(self.adverts[i] for i in rng.integers(0, _ADVERT_WORDS, 8))

    def written(self, text: Words) -> str:
        """The text as sentences."""
        words = [self.words[i] for i in text.tolist()]
        runs = (words[at : at + _PER_SENTENCE] for at in range(0, len(words), _PER_SENTENCE))
        return " ".join(" ".join(run).capitalize() + "." for run in runs)

    def named(self, title: Words) -> str:
        return " ".join(self.words[i].capitalize() for i in title.tolist())


def _zipf(size: int) -> NDArray[np.float64]:
    weights = 1.0 / (np.arange(size) + 3.0)
    return np.asarray(np.cumsum(weights) / weights.sum() * (1 + 1e-12))  # no draw lies beyond the last


def _coined(rng: Dice, count: int, start: str) -> list[str]:
    """Different words, the first ones shorter."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = 2 + len(words) // 4000 % 3
        letters = [start] if start else []
        for _ in range(syllables):
            letters += [_MIDDLES[rng.integers(len(_MIDDLES))], _VOWELS[rng.integers(len(_VOWELS))]]
        words["".join(letters) + _ENDS[rng.integers(len(_ENDS))]] = None
    return list(words)
