"""Are near-duplicates found, and are different pages left alone?  Labelled pairs made from a seed.

Near-duplicates are one page twice with another banner, date or advert, with its boilerplate in another order, or with
up to 2 % of its words edited.  Different pages share a template, the vocabulary of a topic, or a long navigation.
Pairs in between (3 to 8 % edited) are work for the clock and have no label: readers disagree about them.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from sought.web.sketch import NEAR_DUPLICATE, bands, shingles, similarity, sketch

_SYLLABLES = [
    first + vowel
    for first in ["b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr", "ch"]
    for vowel in "aeiou"
]


@dataclass(frozen=True, slots=True)
class _Page:
    """A page in the parts that change separately; each is a list of words."""

    banner: list[str]
    navigation: list[str]
    date: list[str]
    body: list[str]
    footer: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.banner + self.navigation + self.date + self.body + self.footer)


Make = random.Random
Change = Callable[[Make, _Page], _Page]


def run(seed: int = 1, pairs: int = 2000) -> dict[str, float]:
    """Recall and precision of "shares a band, and the sketches agree"; documents sketched per second."""
    make = random.Random(seed)  # noqa: S311  not for secrets: the same pairs every time
    kinds = (_near_pair, _far_pair, _pair_between)
    near, far, between = ([kind(make) for _ in range(-(-pairs // 3))] for kind in kinds)
    _is_near(*near[0])  # compiled before the clock starts
    start = time.perf_counter()
    found_near, found_far = (sum(_is_near(*pair) for pair in labelled) for labelled in (near, far))
    for pair in between:
        _is_near(*pair)
    elapsed = time.perf_counter() - start
    return {
        "pairs": float(len(near + far + between)),
        "recall": found_near / len(near),
        "precision": found_near / max(found_near + found_far, 1),
        "docs_per_s": 2 * len(near + far + between) / elapsed,
    }


def _is_near(a: str, b: str) -> bool:
    one, other = (sketch(shingles(text)) for text in (a, b))
    return not set(bands(one)).isdisjoint(bands(other)) and similarity(one, other) >= NEAR_DUPLICATE


def _words(make: Make, count: int) -> list[str]:
    return ["".join(make.choices(_SYLLABLES, k=make.randint(1, 3))) for _ in range(count)]


def _page(make: Make, body: list[str], navigation: int = 40) -> _Page:
    return _Page(_words(make, 8), _words(make, navigation), _words(make, 4), body, _words(make, 25))


def _prose(make: Make) -> list[str]:
    return _words(make, make.randint(250, 900))


def _edited(make: Make, words: list[str], share: float) -> list[str]:
    words = list(words)
    for at in make.sample(range(len(words)), round(share * len(words))):
        words[at] = make.choice([*_words(make, 1), "", words[at] + "s"])
    return [word for word in words if word]


def _advert(make: Make, page: _Page) -> _Page:
    at = make.randrange(len(page.body))
    return replace(page, body=page.body[:at] + _words(make, make.randint(5, 20)) + page.body[at:])


def _turned(make: Make, page: _Page) -> _Page:
    """The boilerplate in another order."""
    at = make.randrange(1, len(page.navigation))
    return replace(page, navigation=page.navigation[at:] + page.navigation[:at], banner=page.footer, footer=page.banner)


_CHANGES: list[Change] = [
    lambda make, page: replace(page, banner=_words(make, make.randint(0, 15))),
    lambda make, page: replace(page, date=_words(make, 4)),
    _advert,
    _turned,
    lambda make, page: replace(page, body=_edited(make, page.body, make.uniform(0, 0.02))),
]


def _near_pair(make: Make) -> tuple[str, str]:
    page = other = _page(make, _prose(make))
    for change in make.sample(_CHANGES, make.randint(1, 2)):
        other = change(make, other)
    return page.text, other.text


def _far_pair(make: Make) -> tuple[str, str]:
    kind = make.randrange(3)
    topic = _words(make, 300)
    first, second = (make.choices(topic, k=400) if kind == 1 else _prose(make) for _ in range(2))
    page = _page(make, first, navigation=250 if kind == 2 else 40)
    return page.text, replace(page, body=second, date=_words(make, 4)).text


def _pair_between(make: Make) -> tuple[str, str]:
    page = _page(make, _prose(make))
    return page.text, replace(page, body=_edited(make, page.body, make.uniform(0.03, 0.08))).text
