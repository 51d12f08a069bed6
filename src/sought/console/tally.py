"""How many searches were answered, and how fast?"""

from bisect import bisect_left
from dataclasses import dataclass, field

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, float("inf"))  # seconds


@dataclass(slots=True)
class ServerTally:
    """Since the server was started."""

    searches: int = 0
    refused: int = 0
    clicks: int = 0
    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))

    def answered(self, seconds: float) -> None:
        self.searches += 1
        self.seconds += seconds
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
