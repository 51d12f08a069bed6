"""New pages by the depth of their addresses."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.location import LocationScore
from sought.policy.ordering import Ordering, earliest_first, of_new
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class Location(Ordering, LocationScore):
    """IL(p): addresses whose paths have fewer slashes first (Cho, Garcia-Molina & Page 1998, §2.1).

    Ties are first in, first out.
    """

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, earliest_first(self.importance(pages), pages))
