"""From a policy's `repr` back to the policy: `Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)`."""

from sought.policy.backlinks import Backlinks
from sought.policy.breadth_first import BreadthFirst
from sought.policy.demand_first import DemandFirst
from sought.policy.forward_links import ForwardLinks
from sought.policy.learned import Learned
from sought.policy.location import Location
from sought.policy.never import Never
from sought.policy.opic import Opic
from sought.policy.page_rank import PageRank
from sought.policy.policy import Policy
from sought.policy.random_order import Random
from sought.policy.random_walk import RandomWalk
from sought.policy.round_robin import RoundRobin
from sought.policy.search_impact import SearchImpact
from sought.policy.similarity import Similarity
from sought.policy.split import Split
from sought.policy.topical import Topical
from sought.policy.user_centric import UserCentric
from sought.web.expression import evaluated

_POLICIES: tuple[type, ...] = (
    *(BreadthFirst, DemandFirst, Never, Random, RoundRobin, Split, UserCentric),
    *(Backlinks, ForwardLinks, Location, Opic, PageRank, Similarity, Topical),
    *(Learned, RandomWalk, SearchImpact),
)
POLICIES: dict[str, type] = {policy.__name__: policy for policy in _POLICIES}


def parse_policy(text: str) -> Policy:
    """The policy an expression names; raises BadInput that says what is wrong with it."""
    return evaluated(text, POLICIES, "policy")  # type: ignore[no-any-return]  # one of POLICIES
