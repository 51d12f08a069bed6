"""New pages by the importance that fetched pages have passed on to them."""

from dataclasses import dataclass

from sought.beliefs.opic import OpicScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Opic(Ordering, OpicScore):
    """Cash received along links (Abiteboul, Preda & Cobena, Adaptive On-Line Page Importance, WWW 2003)."""
