"""Known pages, whole sites in the order of the share of their sample that has changed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.ages import by_rotation
from sought.beliefs.cycles import WEEK, changed_in_cycle, check_cycle
from sought.beliefs.site_samples import SiteSamples, lowest, one_by_one, ranks, site_samples
from sought.policy.sampling_order import values
from sought.web.expression import brief
from sought.web.pages import Floats, Pages, Rows


@brief
@dataclass(frozen=True)
class SiteSampling:
    """SLS, greedy site-level sampling (J. Cho, A. Ntoulas, Effective Change Detection Using Sampling, VLDB 2002), as
    compared in Tan & Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010, §6.3.5.

    In every cycle of `cycle` seconds sqrt(N·r) pages of each site (`site_samples`) are fetched first, then whole sites,
    that with the largest share of changed samples first.  A site is a host.

    Departures: ties of shares are broken by the number of changed samples, then at random.  Samples that cannot be
    fetched are not replaced.  Pages first fetched in this cycle are not sampled.  A batch of fetches with room for more
    than the samples takes pages of sites, ordered by the samples fetched so far.
    """

    paper: ClassVar[str] = "tan-mitra-2010"

    cycle: float = WEEK

    def __post_init__(self) -> None:
        check_cycle("SiteSampling: cycle", self.cycle)

    def __call__(self, pages: Pages, now: float) -> Floats:
        samples = site_samples(pages, now, self.cycle)
        whole = one_by_one(samples.site, self._ranks(pages, now, samples), samples.nearness)
        return values(pages, now, samples.fetched, 1.0 + by_rotation(pages, now), whole, *samples.missing)

    def _ranks(self, pages: Pages, now: float, samples: SiteSamples) -> Rows:
        """The rank of every site."""
        done = samples.fetched[samples.first.rows]
        rows, site = samples.first.rows[done], samples.first.group[done]
        sampled = np.bincount(site, minlength=samples.sites)
        changed = np.bincount(site[changed_in_cycle(pages, now, self.cycle)[rows]], minlength=samples.sites)
        share = np.where(sampled > 0, changed / np.maximum(sampled, 1), -1.0)
        return ranks(share, changed, lowest(samples.site, samples.sites, samples.luck))
