"""How often does a cycle do what need not be done at every step?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often things are done, in seconds: tables committed, the index committed, a plan thrown away for a new one.

    `chosen` is how many rows a plan has; 0: enough for all connections.  A plan is thrown away sooner if there is news,
    and if planning then takes no more than a share `planning` of the time: in a small crawl every second or two.
    """

    commit: float = 0.5
    index: float = 10.0
    plan: float = 30.0
    chosen: int = 0
    planning: float = 0.0

    def plan_lasts(self, seconds: float) -> float:
        """How long to go by a plan that took so many seconds to make."""
        return min(self.plan, max(seconds / self.planning, 1.0)) if self.planning else self.plan


LIVE = Rhythm(planning=0.1)
