"""New pages by the importance that fetches so far have passed on to them."""

from dataclasses import dataclass

from sought.beliefs.opic import OpicScore
from sought.policy.ordering import Ordering
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Opic(Ordering, OpicScore):
    """Cash that has come in along links (Abiteboul, Preda & Cobena, Adaptive On-Line Page Importance, WWW 2003)."""
