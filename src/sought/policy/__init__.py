"""What is a fetch worth?"""

from sought.policy.backlinks import Backlinks
from sought.policy.breadth_first import BreadthFirst
from sought.policy.demand_first import DemandFirst
from sought.policy.estimator import Belief, Estimator, Fetches, Learner, beliefs_of
from sought.policy.expression import POLICIES, parse_policy
from sought.policy.first_gain import FirstGain
from sought.policy.forward_links import ForwardLinks
from sought.policy.gain_rate import GainRate
from sought.policy.learned import Learned
from sought.policy.location import Location
from sought.policy.never import Never
from sought.policy.opic import Opic
from sought.policy.page_rank import PageRank
from sought.policy.pages import NEVER, Pages
from sought.policy.policy import Policy
from sought.policy.prospect import Prospect
from sought.policy.random_order import Random
from sought.policy.random_walk import RandomWalk
from sought.policy.rates import BayesRate, IntervalRate, LastModifiedRate, MomentRate, OnlineRate, RegularRate
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

__all__ = [
    "NEVER",
    "POLICIES",
    "Backlinks",
    "BayesRate",
    "Belief",
    "BreadthFirst",
    "ClusterSampling",
    "CommonCrawl",
    "DemandFirst",
    "DirectorySampling",
    "EmbarrassmentBased",
    "Estimator",
    "Fetches",
    "FirstGain",
    "ForwardLinks",
    "Frequency",
    "GainRate",
    "IntervalRate",
    "LambdaCrawl",
    "LastModifiedRate",
    "Learned",
    "Learner",
    "LinkSampling",
    "Location",
    "Longevity",
    "MirrorSync",
    "MomentRate",
    "Never",
    "NoisySignals",
    "Nutch",
    "OnlineRate",
    "Opic",
    "OptimalFreshness",
    "PageRank",
    "Pages",
    "PoissonRates",
    "Policy",
    "Prospect",
    "Random",
    "RandomWalk",
    "RegularRate",
    "RoundRobin",
    "SearchImpact",
    "Similarity",
    "SiteSampling",
    "Split",
    "StalenessBased",
    "StormCrawler",
    "TimeLapse",
    "Topical",
    "UserCentric",
    "Worth",
    "beliefs_of",
    "parse_policy",
]
