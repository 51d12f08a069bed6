"""From a policy's `repr` back to the policy: `Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)`."""

from sought.policy.breadth_first import BreadthFirst
from sought.policy.demand_first import DemandFirst
from sought.policy.never import Never
from sought.policy.policy import Policy
from sought.policy.random_order import Random
from sought.policy.round_robin import RoundRobin
from sought.policy.split import Split
from sought.policy.user_centric import UserCentric
from sought.web.expression import evaluated

POLICIES: dict[str, type] = {
    p.__name__: p for p in (BreadthFirst, DemandFirst, Never, Random, RoundRobin, Split, UserCentric)
}


def parse_policy(text: str) -> Policy:
    """The policy an expression names; raises BadInput that says what is wrong with it."""
    return evaluated(text, POLICIES, "policy")  # type: ignore[no-any-return]  # one of POLICIES
