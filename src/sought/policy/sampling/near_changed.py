"""How many links away is a sample that was just found changed?"""

from dataclasses import dataclass
from typing import ClassVar

from sought.policy.checks import check_whole
from sought.policy.sampling.cycles import WEEK, check_cycle
from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class NearChanged(Supplied):
    """Links from the nearest sample that was found changed in the present cycle: 0 for itself, to `hops`; inf beyond.

    Samples are those of site_samples.py, cycles are `cycle` seconds long (cycles.py).
    """

    hops: int = 3
    cycle: float = WEEK

    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole("NearChanged: hops", self.hops, 1, 10)
        check_cycle("NearChanged: cycle", self.cycle)
