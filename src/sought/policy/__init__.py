"""What is a fetch worth?"""

from sought.policy.breadth_first import BreadthFirst
from sought.policy.expression import POLICIES, parse_policy
from sought.policy.pages import NEVER, Pages
from sought.policy.policy import Policy
from sought.policy.round_robin import RoundRobin
from sought.policy.split import Split

__all__ = ["NEVER", "POLICIES", "BreadthFirst", "Pages", "Policy", "RoundRobin", "Split", "parse_policy"]
