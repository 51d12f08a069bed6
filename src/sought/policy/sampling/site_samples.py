"""Which pages of every site are the samples of this cycle?  The same whenever one asks in it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.policy.estimator import Rows
from sought.policy.pages import Floats, Pages
from sought.policy.sampling.cycles import (
    Flags,
    changed_in_cycle,
    dice,
    in_cycle,
    resources,
    sampled_from,
)
from sought.policy.sampling.groups import Foremost, Groups, foremost, grouped, lowest
from sought.web.mixing import fractions


class SiteSamples(NamedTuple):
    """Sites with pages that can be sampled, in which order theirs are, and the first of each: its samples.

    `fetched` are rows fetched in the present cycle, `luck` the numbers drawn in it, the lowest first;
    `nearness`, from 0 to below 1, is greatest for these.
    """

    site: Groups
    sites: int
    fetched: Flags
    luck: NDArray[np.uint64]
    nearness: Floats
    first: Foremost

    @property
    def missing(self) -> tuple[Rows, Rows]:
        """Samples that are not fetched yet, and their places."""
        todo = ~self.fetched[self.first.rows]
        return self.first.rows[todo], self.first.place[todo]


def site_samples(pages: Pages, now: float, cycle: float) -> SiteSamples:
    """sqrt(N·r) pages of each site, rounded, at least one (Cho & Ntoulas, VLDB 2002).

    N is the pages of a site on average and r the share of pages that can be fetched in a cycle; so N·r is the fetches
    of a cycle over the number of sites.
    """
    fetched = in_cycle(pages, now, cycle)
    among = sampled_from(pages, fetched)
    site, count = grouped(pages.host, among)
    fetches = min(resources(pages, cycle), int(np.count_nonzero(among)))
    size = max(1, round((fetches / max(count, 1)) ** 0.5))
    luck = dice(pages, now, cycle)
    nearness = fractions(~luck)
    return SiteSamples(site, count, fetched, luck, nearness, foremost(pages, site, count, nearness, size))


def changed_samples(pages: Pages, now: float, cycle: float) -> Rows:
    """Samples of the present cycle that were found changed, also those drawn further when fetches were left over.

    A page that was fetched for another reason is none, unless all pages of its site before it have been fetched: then
    it would have been the next.
    """
    samples = site_samples(pages, now, cycle)
    waiting = np.where(samples.fetched, np.int32(-1), samples.site)
    next_one = np.append(lowest(waiting, samples.sites, samples.luck), np.uint64(0))  # the last is for no site
    is_sample = samples.luck < next_one[samples.site]
    is_sample[samples.first.rows] = True
    return np.flatnonzero(is_sample & (samples.site >= 0) & changed_in_cycle(pages, now, cycle))
