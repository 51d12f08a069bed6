"""Under which conditions do the two compete?  The same settings for both, except the policy."""

from dataclasses import dataclass
from pathlib import Path

from sought.demo.figures import DEFAULT, ROUND_ROBIN
from sought.toyweb import Served

DAY = 86400.0


@dataclass(frozen=True)
class Conditions:
    """A web, its clock, its people and the crawlers' budget.

    Neither crawler can keep up: there are more pages, and they change more often, than the budget buys.  The web's
    oddities are left out: they show how a crawler survives, not what it chooses.
    """

    days_per_second: float = 0.1
    fetches_a_second: int = 12
    searches_a_second: float = 20.0
    before: int = 300  # fetches, breadth first, that were made before: both begin with copies of that crawl
    asked_before: int = 120  # searches that both know of when they begin
    lead: float = 3.0  # seconds that the clock of the contest is ahead of the slowest at most (pace.py)

    @property
    def policies(self) -> dict[str, str]:
        """By side.  The default policy knows how fast that web's clock runs; the other does not use time."""
        return {
            DEFAULT: f"TimeLapse(Worth(), times={self.days_per_second * DAY:g})",
            ROUND_ROBIN: "RoundRobin(new=True)",
        }

    def write(self, path: Path, served: Served, policy: str) -> Path:
        """Make a crawl directory."""
        path.mkdir(parents=True, exist_ok=True)
        (path / "sought.toml").write_text(self._settings(served, policy), "utf-8")
        return path

    def _settings(self, served: Served, policy: str) -> str:
        """Short delays are fine here: the hosts are our own."""
        return f"""\
{served.toml().replace("[fetch]", "[fetch]" + chr(10) + "timeout = 5.0", 1)}
[agent]
contact = "demo@example.org"

[scope]
domains = ["toy.test"]

[crawl]
budget = "{3600 * self.fetches_a_second} per hour"
policy = "{policy}"
revisit_after = "2s"

[demand]
refresh = "4s"
half_life = "60s"

[politeness]
delay = 0.1
latency_factor = 1.0
"""
