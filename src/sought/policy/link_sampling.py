"""Known pages near sampled pages that have changed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.cycles import WEEK, check_cycle
from sought.beliefs.near_changed import NearChanged
from sought.beliefs.site_samples import SiteSamples, site_samples
from sought.policy.sampling_order import values
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class LinkSampling:
    """LB (Q. Tan, Z. Zhuang, P. Mitra, C. L. Giles, Efficiently Detecting Webpage Updates Using Samples, ICWE 2007), as
    compared in Tan & Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010, §6.3.5.

    In every cycle of `cycle` seconds pages of each site are sampled (`site_samples`); if one has changed, all pages at
    most `hops` links away from it are fetched; remaining fetches go to further samples, drawn at random from all pages.

    Departures: the paper gives no order; pages are fetched by their distance from the nearest changed sample, not
    sample by sample.  Samples that cannot be fetched are not replaced.
    """

    paper: ClassVar[str] = "tan-mitra-2010"

    hops: int = 3
    cycle: float = WEEK

    def __post_init__(self) -> None:
        check_cycle("LinkSampling: cycle", self.cycle)
        _ = self.beliefs  # says what is wrong with hops

    @property
    def beliefs(self) -> tuple[NearChanged]:
        return (NearChanged(self.hops, self.cycle),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        samples = site_samples(pages, now, self.cycle)
        near = self._near(pages, samples)
        return values(pages, now, samples.fetched, samples.nearness, near, *samples.missing)

    def _near(self, pages: Pages, samples: SiteSamples) -> Floats:
        """From 0 to below 1 for pages near changed samples, the nearest first; else -1.

        While nothing has been fetched in this cycle, the belief may still be that of the last one.
        """
        hops = pages.belief(self.beliefs[0])
        is_near = (hops >= 0) & (hops <= self.hops)
        if not samples.fetched.any():
            is_near[:] = False
        return np.where(is_near, (1.0 + self.hops - np.where(is_near, hops, 0.0)) / (2.0 + self.hops), -1.0)
