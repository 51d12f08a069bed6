"""New pages by what their addresses look like."""

from dataclasses import dataclass
from typing import ClassVar

from sought.policy.ordering import Ordering, found_first, of_new
from sought.policy.pages import Floats, Pages
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Location(Ordering):
    """IL(p): addresses whose paths have fewer slashes first (Cho, Garcia-Molina & Page 1998, §2.1).

    Equals are first in, first out.
    """

    goes_by_demand: ClassVar[bool] = False

    def __call__(self, pages: Pages, now: float) -> Floats:
        return of_new(pages, found_first(self.importance(pages), pages))
