"""From a policy's `repr` back to the policy: `Split(new=DemandFirst(), known=UserCentric(), share=0.3)`."""

from functools import lru_cache

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
from sought.policy.rates import RATES
from sought.policy.refresh.common_crawl import CommonCrawl
from sought.policy.refresh.embarrassment_based import EmbarrassmentBased
from sought.policy.refresh.frequency import Frequency
from sought.policy.refresh.lambda_crawl import LambdaCrawl
from sought.policy.refresh.longevity import Longevity
from sought.policy.refresh.mirror_sync import MirrorSync
from sought.policy.refresh.noisy_signals import NoisySignals
from sought.policy.refresh.nutch import Nutch
from sought.policy.refresh.optimal_freshness import OptimalFreshness
from sought.policy.refresh.poisson_rates import PoissonRates
from sought.policy.refresh.staleness_based import StalenessBased
from sought.policy.refresh.storm_crawler import StormCrawler
from sought.policy.round_robin import RoundRobin
from sought.policy.sampling.cluster_sampling import ClusterSampling
from sought.policy.sampling.directory_sampling import DirectorySampling
from sought.policy.sampling.link_sampling import LinkSampling
from sought.policy.sampling.site_sampling import SiteSampling
from sought.policy.search_impact import SearchImpact
from sought.policy.similarity import Similarity
from sought.policy.split import Split
from sought.policy.time_lapse import TimeLapse
from sought.policy.topical import Topical
from sought.policy.user_centric import UserCentric
from sought.policy.worth.worth import Worth
from sought.web.errors import BadInput
from sought.web.expression import evaluated

_POLICIES: tuple[type, ...] = (
    *(BreadthFirst, DemandFirst, Never, Random, RoundRobin, Split, TimeLapse, UserCentric, Worth),
    *(Backlinks, ForwardLinks, Location, Opic, PageRank, Similarity, Topical),
    *(Learned, RandomWalk, SearchImpact),
    *(CommonCrawl, EmbarrassmentBased, Frequency, LambdaCrawl, Longevity, MirrorSync, NoisySignals, Nutch),
    *(OptimalFreshness, PoissonRates, StalenessBased, StormCrawler),
    *(ClusterSampling, DirectorySampling, LinkSampling, SiteSampling),
)
POLICIES: dict[str, type] = {policy.__name__: policy for policy in _POLICIES}
PARTS = RATES  # what policies may be made of


def parse_policy(text: str) -> Policy:
    """The policy an expression names; raises BadInput that says what is wrong with it."""
    return evaluated(text, POLICIES, "policy", PARTS)  # type: ignore[no-any-return]  # one of POLICIES


@lru_cache
def same_spelling(text: str) -> str:
    """A policy's expression as its `repr` is now: records of before name every parameter.

    What is no policy of this package stays as it is.

    >>> same_spelling("RoundRobin(new=False)"), same_spelling("Mine(2)")
    ('RoundRobin()', 'Mine(2)')
    """
    try:
        return repr(parse_policy(text))
    except BadInput:
        return text
