"""Known pages in directories in which a sampled page has changed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.cycles import WEEK, changed_in_cycle, check_cycle
from sought.beliefs.folder import Folder
from sought.beliefs.site_samples import SiteSamples, site_samples
from sought.policy.sampling_order import values
from sought.web.expression import brief
from sought.web.pages import Floats, Pages


@brief
@dataclass(frozen=True)
class DirectorySampling:
    """DB (Q. Tan, Z. Zhuang, P. Mitra, C. L. Giles, Efficiently Detecting Webpage Updates Using Samples, ICWE 2007), as
    compared in Tan & Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010, §6.3.5.

    In every cycle of `cycle` seconds pages of each site are sampled (`site_samples`); if one has changed, its whole
    directory is fetched; remaining fetches go to further samples, drawn at random from all pages.

    Departures: the paper gives no order; directories are fetched in the order in which their changed pages were drawn.
    Any page found changed in this cycle counts as a sample: if it is none, its directory is being fetched anyway.
    Samples that cannot be fetched are not replaced.
    """

    paper: ClassVar[str] = "tan-mitra-2010"

    cycle: float = WEEK

    def __post_init__(self) -> None:
        check_cycle("DirectorySampling: cycle", self.cycle)

    @property
    def beliefs(self) -> tuple[Folder]:
        return (Folder(),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        samples = site_samples(pages, now, self.cycle)
        near = self._near(pages, now, samples)
        return values(pages, now, samples.fetched, samples.nearness, near, *samples.missing)

    def _near(self, pages: Pages, now: float, samples: SiteSamples) -> Floats:
        """From 0 to below 1 for pages in directories with a changed page, by the first of these; else -1."""
        folder = pages.belief(Folder())
        rows = np.flatnonzero(changed_in_cycle(pages, now, self.cycle) & (samples.site >= 0))
        if not len(rows):
            return np.full(len(pages), -1.0)
        first = rows[np.lexsort((samples.luck[rows], folder[rows]))]
        known, at = np.unique(folder[first], return_index=True)
        drawn = samples.nearness[first[at]]
        place = np.minimum(np.searchsorted(known, folder), len(known) - 1)
        return np.where(known[place] == folder, drawn[place], -1.0)
