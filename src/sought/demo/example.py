"""What did both sides answer to one search, and what is the difference, in one sentence?"""

from collections.abc import Mapping
from typing import NamedTuple

from sought.demo.figures import SIDES, Both

_SAME = 0.02  # of the best answer there is: a smaller difference is none
_LOOKED_AT = 5  # results that are shown as an example


class ShownAnswer(NamedTuple):
    """An answer as a searcher sees it; `search` is its id, if it was recorded, `pages` of how many it was chosen."""

    search: str | None
    urls: tuple[str, ...]
    titles: tuple[str, ...]
    pages: int


class ExampleAnswers(NamedTuple):
    """What was asked, what both showed, and the truth about it.

    `worth` is what each result is really worth, `gone` whether nothing is at its address any more; `best` is the worth
    of the best page there is.  `ideal` is what attention finds in the best answer there is, `quality` the share of it
    that it finds in each of the two.
    """

    query: str
    shown: tuple[ShownAnswer, ShownAnswer]
    worth: tuple[list[float], list[float]]
    gone: tuple[list[bool], list[bool]]
    best: float
    ideal: float
    quality: Both

    @property
    def differ(self) -> bool:
        """Whether one of the two answers is better."""
        return abs(self.quality[0] - self.quality[1]) > _SAME


def difference(answers: ExampleAnswers, names: Mapping[str, str]) -> str:
    """What is wrong with the worse answer, with the names of the sides."""
    if not answers.differ:
        return "Both answers are equally good."
    worse = int(answers.quality[1] < answers.quality[0])
    name, other = names[SIDES[worse]], names[SIDES[1 - worse]]
    shown, better = answers.shown[worse], answers.shown[1 - worse]
    missing = [k for k in _best_first(answers.worth[1 - worse]) if better.urls[k] not in shown.urls]
    if not shown.urls:
        return f"{name} has no results."
    if any(answers.gone[worse][:_LOOKED_AT]) and not any(answers.gone[1 - worse][:_LOOKED_AT]):
        return f"{name} shows a page that is gone: {_title(shown, answers.gone[worse].index(True))}."
    if missing and missing[0] < _LOOKED_AT:
        return f"{name} is missing {_title(better, missing[0])}."
    if 0.0 in answers.worth[worse][:_LOOKED_AT] and 0.0 not in answers.worth[1 - worse][:_LOOKED_AT]:
        page = _title(shown, answers.worth[worse].index(0.0))
        return f"{name} shows a page whose text has changed: {page}."
    return f"Both show the same pages; {other} has them in a better order."


def _best_first(worth: list[float]) -> list[int]:
    """The ranks, from 0, of results that are worth something."""
    return sorted((k for k, each in enumerate(worth) if each > 0.0), key=lambda k: -worth[k])


def _title(shown: ShownAnswer, k: int) -> str:
    return f"“{shown.titles[k] or shown.urls[k]}”"
