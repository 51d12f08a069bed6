"""What do people ask, and what do they click on?

Every live page has one question that it answers: two or three words of its title ("winter telescope").  How often a
question is asked drifts:

    weight = interest in the subject (wanders) × (fame of the page (Zipf's law) + news (fades in days after its birth))

All of it is a function of the seed and of toy time, so the same seed is the same people.  Searchers look at few ranks
and click on what really is good now.
"""

import math
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sought.index.visibility import Visibility
from sought.toyweb import ToyWeb
from sought.toyweb.dice import dice, index
from sought.toyweb.sites import ToyPage
from sought.toyweb.vocabulary import TITLES

RANKS = 10  # results that are asked for
_SWING = 2.0  # interest in a subject is between e^-2 and e^2
_PERIODS = (9.0, 31.0)  # toy days in which it comes and goes; two, so that no two weeks are alike
_ZIPF = 1.2  # exponent of fame
_NEWS = 0.3  # what is new is asked for like a page of that fame
_FADES = 3.0  # toy days in which news grow old
_CLICKS = 0.8  # chance that the best page there is gets clicked by who looks at it
_WORD = re.compile(r"\w+")
_DULL = frozenset(("an", *(word for title in TITLES for word in _WORD.findall(re.sub(r"\{\w+\}", "", title)))))


@dataclass(frozen=True)
class Questions:
    """What may be asked at a moment, and how often; weights sum to 1."""

    texts: list[str]
    weights: NDArray[np.float64]

    def drawn(self, rng: np.random.Generator) -> str:
        return self.texts[int(rng.choice(len(self.texts), p=self.weights))]

    def top(self, count: int) -> list[tuple[str, float]]:
        """The most asked, with their shares."""
        totals: dict[str, float] = {}
        for text, weight in zip(self.texts, self.weights.tolist(), strict=True):
            totals[text] = totals.get(text, 0.0) + weight
        return sorted(totals.items(), key=lambda each: -each[1])[:count]


@dataclass(frozen=True)
class Public:
    """All searchers of the toy web."""

    toy: ToyWeb
    seed: int = 1

    def questions(self, t: float) -> Questions:
        """What is asked at toy time `t`."""
        pages = [page for site in self.toy.atlas.sites for page in site.live(t)]
        weights = np.array([self._weight(page, t) for page in pages])
        return Questions([question(page) for page in pages], weights / weights.sum())

    def _weight(self, page: ToyPage, t: float) -> float:
        return self.interest(page.site.subject.name, t) * (fame(page) + news(page, t))

    def interest(self, subject: str, t: float) -> float:
        """How much people care for a subject at `t`; 1 is neither much nor little."""
        rng = dice("interest", self.seed, subject)
        waves = [math.sin(2 * math.pi * (t / period + rng.random())) for period in _PERIODS]
        return math.exp(_SWING * sum(waves) / len(waves))


@lru_cache(maxsize=65536)
def question(page: ToyPage) -> str:
    """The subjects of the page, as its title has them; of a page in another language its place."""
    if page.language != "en":
        return page.voice.place.lower()
    words = [word for word in _WORD.findall(page.title.lower()) if word not in _DULL]
    return " ".join(words[index(2, "question", page.key) :])  # with or without the first one


@lru_cache(maxsize=65536)
def fame(page: ToyPage) -> float:
    """By Zipf's law, for a rank within its site that has nothing to do with where it stands there."""
    return float((1 + index(page.site.slots, "fame", page.key)) ** -_ZIPF)


def news(page: ToyPage, t: float) -> float:
    """Much on the day of its birth, little a week later."""
    return _NEWS * math.exp(-(t - page.born) / _FADES)


def seen(rng: np.random.Generator, shown: int, visibility: Visibility = Visibility()) -> list[int]:  # noqa: B008  a value
    """The ranks a searcher looks at, of so many shown: the first always, the others as visibility has it."""
    chances = visibility.table(shown)[1:] / visibility.scale
    return (np.flatnonzero(rng.random(shown) < chances) + 1).tolist()


def clicked(rng: np.random.Generator, worth: list[float], best: float) -> int:
    """The rank that is clicked on, of those looked at; 0 if none.  `worth` is what each result really is."""
    for rank in seen(rng, len(worth)):
        if rng.random() < _CLICKS * worth[rank - 1] / best:
            return rank
    return 0
