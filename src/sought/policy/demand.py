"""Does a policy need to know what people ask for?"""

from sought.policy.estimator import beliefs_of
from sought.policy.forward_links import ForwardLinks
from sought.policy.location import Location
from sought.policy.opic import Opic
from sought.policy.page_rank import PageRank
from sought.policy.policy import Policy
from sought.policy.topic import Hops, Likeness, Named

_WITHOUT = (ForwardLinks, Hops, Likeness, Location, Named, Opic, PageRank)


def goes_by_demand(policy: Policy) -> bool:
    """Whether some belief that it reads says nothing while nobody asks anything."""
    return any(not isinstance(belief, _WITHOUT) for belief in beliefs_of(policy))
