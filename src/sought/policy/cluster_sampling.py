"""Known pages of the clusters of which a sample has changed most."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import numpy as np

from sought.beliefs.ages import by_rotation
from sought.beliefs.clusters.clustering import Closeness, Cluster
from sought.beliefs.clusters.feature_names import Features
from sought.beliefs.cycle_change import CycleChange, Form, Weighting
from sought.beliefs.cycles import (
    WEEK,
    Flags,
    changed_in_cycle,
    cycles_at,
    dice,
    first_discovery,
    in_cycle,
    resources,
    sampled_from,
)
from sought.beliefs.site_samples import Foremost, Groups, foremost, grouped, lowest, members, one_by_one, places, ranks
from sought.policy.sampling_order import values
from sought.web.checks import check_choice, check_positive, check_share, check_whole
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.mixing import fractions
from sought.web.pages import Floats, Pages, Rows


class Sample(NamedTuple):
    """For each group: the size of its sample, the mean, the number of changed pages, and whether it is sufficient."""

    size: Rows
    mean: Floats
    changed: Rows
    enough: Flags


@brief
@dataclass(frozen=True)
class Sufficient:
    """When a sample suffices: its mean is known to within `delta` at this confidence by a t-test, from at least `least`
    items; or it has `most` items.
    """

    confidence: float
    delta: float
    least: int
    most: int

    def samples(self, group: Groups, value: Floats, changed: Flags, count: int) -> Sample:
        """The shortest sufficient sample of each of `count` groups, or all items if none suffices.

        Items come group by group, in the order in which they are drawn.
        """
        size = places(group) + 1
        enough = (size >= self.least) & (self._distance(size) * _deviation(group, value, size) <= self.delta)
        enough |= size >= self.most
        needed = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(needed, group[enough], size[enough])
        taken = size <= needed[group]
        group, value, changed = group[taken], value[taken], changed[taken]
        sizes = np.bincount(group, minlength=count)
        means = np.bincount(group, value, count) / np.maximum(sizes, 1)
        return Sample(sizes, means, np.bincount(group[changed], minlength=count), needed <= sizes)

    def _distance(self, size: Rows) -> Floats:
        """The half-width of the confidence interval of a mean of so many items, in standard deviations of an item."""
        from scipy.special import stdtrit

        sizes = np.arange(2, max(int(size.max(initial=0)), 1) + 1)
        table = stdtrit(sizes - 1.0, (1.0 + self.confidence) / 2.0) / np.sqrt(sizes)
        return np.concatenate([[np.inf, np.inf], table])[size]


def _deviation(group: Groups, value: Floats, size: Rows) -> Floats:
    """For each item, the standard deviation of its group's items up to it; 1 for the first."""
    before = np.arange(len(group)) - (size - 1)  # where the group begins
    sums, squares = (np.append(0.0, np.cumsum(numbers)) for numbers in (value, value * value))
    total, square = (s[1:] - s[before] for s in (sums, squares))
    variance = (square - total * total / size) / np.maximum(size - 1, 1)
    return np.where(size > 1, np.sqrt(np.maximum(variance, 0.0)), 1.0)


Which = Literal["nearest", "random"]


@brief
@dataclass(frozen=True)
class ClusterSampling:
    """CLS, Algorithm 1 of Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010, §4.

    Pages are in `k` clusters by their `features`.  In every cycle of `cycle` seconds pages of each cluster are fetched,
    that closest to its centre first, until the mean of their φ (`CycleChange`) is known to within `delta` at
    `confidence` by a t-test, or R/N pages are (R fetches of a cycle, N clusters), or all.  Then whole clusters are
    fetched, that with the largest mean first, the closest pages first.  Samples count as fetches of the cycle.

    Departures: the paper gives no `delta`.  A sample has at least `least` pages before it is tested, because two equal
    pages have no variance.  If there are fewer fetches than clusters, one page is sampled of each of the clusters whose
    pages had the largest means in the last cycle in which some were fetched.  `sample="random"` draws samples at
    random, because the closest pages are the same in every cycle and may not be representative.  Clusters are sampled
    in parallel, one page of each at a time.  A batch of fetches may take several samples of a cluster at once, or may
    have room for more than the samples; then pages are fetched before sampling has ended.  Ties of means are broken by
    the number of changed samples, then at random.  Pages first fetched in this cycle are not sampled; pages without a
    cluster come after all others, the oldest copy first, and pages fetched in this cycle after these.
    """

    paper: ClassVar[str] = "tan-mitra-2010"

    k: int = 100
    features: Features = "static+dynamic"
    weighting: Weighting = "GAD"
    form: Form = "fixed"
    cycle: float = WEEK
    confidence: float = 0.8
    delta: float = 0.1
    least: int = 5
    sample: Which = "nearest"
    needs: ClassVar[str] = "scipy"

    def __post_init__(self) -> None:
        check_share("ClusterSampling: confidence", self.confidence, below_one=True)
        check_positive("ClusterSampling: delta", self.delta)
        check_whole("ClusterSampling: least", self.least, 2, 1_000_000)
        check_choice("ClusterSampling: sample", self.sample, get_args(Which))
        try:
            _ = self.beliefs
        except BadInput as error:
            raise BadInput(f"ClusterSampling: {error}") from None

    @property
    def beliefs(self) -> tuple[Cluster, Closeness, CycleChange]:
        change = CycleChange(self.weighting, self.form, self.cycle)
        return Cluster(self.k, self.features), Closeness(self.k, self.features), change

    def __call__(self, pages: Pages, now: float) -> Floats:
        state = self._state(pages, now)
        whole = one_by_one(state.cluster, state.rank, state.closeness)
        todo = ~state.ended[state.first.group] & ~state.fetched[state.first.rows]
        samples, place = state.first.rows[todo], state.first.place[todo]
        return values(pages, now, state.fetched, 1.0 + by_rotation(pages, now), whole, samples, place)

    def explained(self, pages: Pages, row: int, now: float) -> dict[str, Any]:
        """The page's cluster and its sample."""
        state = self._state(pages, now)
        number = int(state.cluster[row])
        if number < 0:
            return {}
        sampled = int(state.sample.size[number])
        return {
            "cluster": int(pages.belief(self.beliefs[0])[row]),
            "cluster_size": int(state.sizes[number]),
            "cluster_rank": int(state.rank[number]) + 1,
            "sampled": sampled,
            "mean_of_sample": float(state.sample.mean[number]) if sampled else None,
            "sampling_ended": bool(state.ended[number]),
            "fetched_in_this_cycle": bool(state.fetched[row]),
        }

    def _state(self, pages: Pages, now: float) -> "_State":
        number, closeness, phi = (pages.belief(belief) for belief in self.beliefs)
        fetched = in_cycle(pages, now, self.cycle)
        cluster, count = grouped(number, sampled_from(pages, fetched))
        closeness, luck = _as_shares(closeness), dice(pages, now, self.cycle)
        fetches = resources(pages, self.cycle)
        most = max(1, fetches // max(count, 1))
        first = foremost(pages, cluster, count, fractions(~luck) if self.sample == "random" else closeness, most)
        done = fetched[first.rows]
        rows, of_cluster, sizes = first.rows[done], first.group[done], members(cluster, count)
        changed = changed_in_cycle(pages, now, self.cycle)[rows]
        rule = Sufficient(self.confidence, self.delta, self.least, most)
        sample = rule.samples(of_cluster, np.clip(phi[rows], 0.0, 1.0), changed, count)
        worth, drawn = sample.mean, lowest(cluster, count, luck)
        ended = sample.enough | (np.bincount(of_cluster, minlength=count) >= sizes)  # all its pages are fetched
        if not sample.size.all():
            worth = np.where(sample.size > 0, worth, _last_means(pages, cluster, count, phi, fetched, self.cycle))
        if fetches < count:
            ended |= ranks(np.where(sample.size > 0, np.inf, worth), sample.changed, drawn) >= fetches
        return _State(cluster, sizes, fetched, closeness, first, sample, ended, ranks(worth, sample.changed, drawn))


class _State(NamedTuple):
    """The state of Algorithm 1 in the present cycle: clusters, their first pages, samples so far, and ranks."""

    cluster: Groups
    sizes: Rows
    fetched: Flags
    closeness: Floats
    first: Foremost
    sample: Sample
    ended: Flags
    rank: Rows


def _as_shares(closeness: Floats) -> Floats:
    """Cosines scaled to 0 … 1."""
    return np.clip((closeness + 1.0) / 2.0, 0.0, 1.0)


def _last_means(pages: Pages, cluster: Groups, count: int, phi: Floats, fetched: Flags, cycle: float) -> Floats:
    """For each cluster, the mean φ of the pages fetched in the last cycle before this one in which some were."""
    rows = np.flatnonzero((cluster >= 0) & ~fetched)
    group, number = cluster[rows], cycles_at(pages.last_fetch[rows], first_discovery(pages), cycle)
    latest = np.full(count, -np.inf)
    np.maximum.at(latest, group, number)
    is_last = number == latest[group]
    rows, group = rows[is_last], group[is_last]
    total = np.bincount(group, np.clip(phi[rows], 0.0, 1.0), count)
    return total / np.maximum(np.bincount(group, minlength=count), 1)
