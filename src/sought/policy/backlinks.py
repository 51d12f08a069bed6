"""New pages by the number of links to them."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.policy.ordering import earliest_first, of_new
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class Backlinks:
    """IB'(p), links seen so far; ties first in, first out (Cho, Garcia-Molina & Page 1998, §2.1 and §4, `backlink`).

    Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015) call the same number the in-degree of a frontier page.
    """

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"

    def importance(self, pages: Pages) -> Floats:
        return pages.inlinks.astype(np.float64)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, earliest_first(self.importance(pages), pages))
