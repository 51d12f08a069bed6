"""What is a page worth in the answers now?"""

from dataclasses import dataclass

from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class SearchValue(Supplied):
    """Σ_q f_q·I(rank of p for q)·S(p, q): what attention finds in a page, by the copies that the crawl holds.

    In the unit of gains: these values of all pages add up to what the answers are worth, the numerator of quality (S.
    Pandey, C. Olston, User-centric Web crawling, 2005, eq. 5).  0 for pages that are not searchable.
    """


@brief
@dataclass(frozen=True)
class Presence(Supplied):
    """What the answers would lose if a page were not there, and those behind it moved up; what it gains by entering.

    In the unit of `SearchValue`, and at most that.  0 for pages that are not searchable.
    """
