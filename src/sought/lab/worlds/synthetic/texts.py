"""The texts of a made-up web, and how they change.

A page has three regions (Olston and Pandey, Recrawl scheduling based on information longevity, 2008): static, churn
(replaced by every change) and scroll (a list to which every change adds an item, and the oldest goes); and some pages
have an advert.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from sought.lab.worlds.synthetic.demand import Asked
from sought.lab.worlds.synthetic.lives import NOBODY, PageKind, PageLife
from sought.lab.worlds.synthetic.shape import WebShape
from sought.lab.worlds.synthetic.words import Words, WordStock, dice

_ITEM = 8  # words of an item of a list
_ALTERED = 0.01  # of the words of a near-duplicate
_LENGTHS = 0.5  # sigma of the logarithm
_SHORT = 20
_NOTHING: Words = np.zeros(0, np.int64)


@dataclass
class Draft:
    """The present text of a page."""

    title: Words
    static: Words
    churn: Words = field(default_factory=lambda: _NOTHING)
    scroll: list[Words] = field(default_factory=list)
    advert: str = ""


class Texts:
    """The drafts of all pages, by number."""

    def __init__(self, shape: WebShape, lexis: WordStock, pages: list[PageLife]) -> None:
        self.shape, self.lexis, self.pages = shape, lexis, pages
        self.rng, self.adverts = dice(shape, "texts"), dice(shape, "advert texts")
        self.stuffing = _NOTHING
        self.drafts: list[Draft] = []
        for page in pages:
            self.drafts.append(self._copied(page) if page.like != NOBODY else self._begun(page))

    def pools(self) -> dict[int, Words]:
        """The words by which each page may be looked for: of its title and the beginning of each region."""
        return {
            page.number: np.unique(np.concatenate([draft.title, draft.static[:8], draft.churn[:3], *draft.scroll[:1]]))
            for page, draft in zip(self.pages, self.drafts, strict=True)
        }

    def stuff(self, asked: Asked) -> None:
        """Fill spam with words of queries, by how often they are asked."""
        numbers = {word: number for number, word in enumerate(self.lexis.words)}
        shares = np.array([count for _, count, _ in asked])
        if not len(asked):
            return
        drawn = self.rng.choice(len(asked), 5000, p=shares / shares.sum()).tolist()
        self.stuffing = np.array([numbers[word] for at in drawn for word in asked[at][0].split()])
        for page, draft in zip(self.pages, self.drafts, strict=True):
            if page.kind is PageKind.SPAM and page.like == NOBODY:
                draft.title, draft.static = self._fresh(page, 3), self._fresh(page, len(draft.static))
            elif page.kind is PageKind.SPAM:
                draft.title = self.drafts[page.like].title

    def change(self, page: PageLife) -> None:
        draft = self.drafts[page.number]
        draft.churn = self._fresh(page, len(draft.churn))
        if draft.scroll:
            draft.scroll = [self._fresh(page, _ITEM), *draft.scroll[:-1]]

    def advertise(self, page: PageLife) -> None:
        self.drafts[page.number].advert = self.lexis.advert(self.adverts)

    def go_on(self, old: PageLife, new: PageLife) -> None:
        """A page that moves keeps its words."""
        self.drafts[new.number] = replace(self.drafts[old.number])

    def _begun(self, page: PageLife) -> Draft:
        shape, rng = self.shape, self.rng
        title = self.lexis.title(rng, page.topic)
        if page.kind in (PageKind.HOME, PageKind.HUB, PageKind.TRAP):
            return Draft(title, self._fresh(page, _SHORT))
        middle = np.log(shape.words) - _LENGTHS**2 / 2
        length = max(_SHORT, round(float(rng.lognormal(middle, _LENGTHS))))
        churn, items = round(shape.churn * length), -(-round(shape.scroll * length) // _ITEM)
        static = max(length - churn - items * _ITEM, 0)
        list_ = [self._fresh(page, _ITEM) for _ in range(items)]
        return Draft(title, self._fresh(page, static), self._fresh(page, churn), list_)

    def _copied(self, page: PageLife) -> Draft:
        """Nearly the same as another page (moved pages get the text of the old page when they are born)."""
        draft = replace(self.drafts[page.like])
        count = max(1, round(_ALTERED * len(draft.static)))
        if page.kind is PageKind.DUPLICATE and len(draft.static):
            draft.static = draft.static.copy()
            draft.static[self.rng.integers(0, len(draft.static), count)] = self._fresh(page, count)
        return draft

    def _fresh(self, page: PageLife, count: int) -> Words:
        if page.kind is PageKind.SPAM and len(self.stuffing):
            return self.rng.choice(self.stuffing, count)
        return self.lexis.text(self.rng, page.topic, page.second, count)
