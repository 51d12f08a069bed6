"""How often does a cycle commit and plan?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Seconds between commits of the tables, commits of the index, and new plans.

    `chosen` is the number of rows in a plan; 0: enough for all connections.  After a commit a new plan is made sooner,
    if planning takes no more than a share `planning` of the time: in a small crawl every second or two.
    """

    commit: float = 0.5
    index: float = 10.0
    plan: float = 30.0
    chosen: int = 0
    planning: float = 0.0

    def plan_lasts(self, seconds: float) -> float:
        """How long a plan is used that took so many seconds to make."""
        return min(self.plan, max(seconds / self.planning, 1.0)) if self.planning else self.plan


LIVE = Rhythm(planning=0.1)
