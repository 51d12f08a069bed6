"""New pages by the number of links they are expected to have."""

from dataclasses import dataclass
from typing import ClassVar

from sought.beliefs.forward_links import ForwardLinksScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class ForwardLinks(Ordering, ForwardLinksScore):
    """IF'(p): links on the page, or the mean of its host if it was never fetched (Cho et al. 1998, §2.1)."""

    paper: ClassVar[str] = "cho-garcia-molina-page-1998"
