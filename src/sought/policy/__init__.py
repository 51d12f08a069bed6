"""What is a fetch worth?  Rules that rank pages: one published rule a file, with its citation."""

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief, Estimator, Learner
from sought.beliefs.first_gain import FirstGain
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.interval_rate import IntervalRate
from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.beliefs.moment_rate import MomentRate
from sought.beliefs.online_rate import OnlineRate
from sought.beliefs.prospect import Prospect
from sought.beliefs.regular_rate import RegularRate
from sought.policy.backlinks import Backlinks
from sought.policy.breadth_first import BreadthFirst
from sought.policy.cluster_sampling import ClusterSampling
from sought.policy.common_crawl import CommonCrawl
from sought.policy.demand_first import DemandFirst
from sought.policy.directory_sampling import DirectorySampling
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.forward_links import ForwardLinks
from sought.policy.frequency import Frequency
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.learned import Learned
from sought.policy.link_sampling import LinkSampling
from sought.policy.location import Location
from sought.policy.longevity import Longevity
from sought.policy.mirror_sync import MirrorSync
from sought.policy.never import Never
from sought.policy.noisy_signals import NoisySignals
from sought.policy.nutch import Nutch
from sought.policy.opic import Opic
from sought.policy.optimal_freshness import OptimalFreshness
from sought.policy.page_rank import PageRank
from sought.policy.poisson_rates import PoissonRates
from sought.policy.random_order import Random
from sought.policy.random_walk import RandomWalk
from sought.policy.round_robin import RoundRobin
from sought.policy.search_impact import SearchImpact
from sought.policy.similarity import Similarity
from sought.policy.site_sampling import SiteSampling
from sought.policy.split import Split
from sought.policy.staleness_based import StalenessBased
from sought.policy.storm_crawler import StormCrawler
from sought.policy.time_lapse import TimeLapse
from sought.policy.topical import Topical
from sought.policy.user_centric import UserCentric
from sought.policy.worth.worth import Worth
from sought.record.fetches import Fetches
from sought.web.pages import NEVER, Pages
from sought.web.policy import Policy, beliefs_of
from sought.web.registry import POLICIES, parse_policy

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
