"""How often is a page seen?"""

from dataclasses import dataclass

from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Views(Supplied):
    """v(p) = Σ_q f_q·I(rank of p for q): how many a week see a page in the answers to what they ask.

    J. Wolf et al., Optimal Crawling Strategies for Web Search Engines, WWW 2002; ranks are those of the copies that the
    crawl holds.  0 for pages that are no answer to anything.
    """
