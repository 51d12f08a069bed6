"""What is a fetch worth?"""

from sought.policy.breadth_first import BreadthFirst
from sought.policy.demand_first import DemandFirst
from sought.policy.estimator import Belief, Estimator, Fetches, Learner, beliefs_of
from sought.policy.expression import POLICIES, parse_policy
from sought.policy.first_gain import FirstGain
from sought.policy.gain_rate import GainRate
from sought.policy.never import Never
from sought.policy.pages import NEVER, Pages
from sought.policy.policy import Policy
from sought.policy.prospect import Prospect
from sought.policy.random_order import Random
from sought.policy.round_robin import RoundRobin
from sought.policy.split import Split
from sought.policy.user_centric import UserCentric

__all__ = [
    "NEVER",
    "POLICIES",
    "Belief",
    "BreadthFirst",
    "DemandFirst",
    "Estimator",
    "Fetches",
    "FirstGain",
    "GainRate",
    "Learner",
    "Never",
    "Pages",
    "Policy",
    "Prospect",
    "Random",
    "RoundRobin",
    "Split",
    "UserCentric",
    "beliefs_of",
    "parse_policy",
]
