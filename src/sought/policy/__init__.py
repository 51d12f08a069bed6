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
from sought.policy.round_robin import RoundRobin
from sought.policy.search_impact import SearchImpact
from sought.policy.similarity import Similarity
from sought.policy.split import Split
from sought.policy.topical import Topical
from sought.policy.user_centric import UserCentric

__all__ = [
    "NEVER",
    "POLICIES",
    "Backlinks",
    "Belief",
    "BreadthFirst",
    "DemandFirst",
    "Estimator",
    "Fetches",
    "FirstGain",
    "ForwardLinks",
    "GainRate",
    "Learned",
    "Learner",
    "Location",
    "Never",
    "Opic",
    "PageRank",
    "Pages",
    "Policy",
    "Prospect",
    "Random",
    "RandomWalk",
    "RoundRobin",
    "SearchImpact",
    "Similarity",
    "Split",
    "Topical",
    "UserCentric",
    "beliefs_of",
    "parse_policy",
]
