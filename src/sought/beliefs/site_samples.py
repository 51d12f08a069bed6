"""Which pages of every site are sampled in a cycle?  And which rows of any groups come first, and which group?

Groups are numbered from 0; a row of group -1 is in none.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.cycles import Flags, changed_in_cycle, dice, in_cycle, resources, sampled_from
from sought.web.mixing import fractions
from sought.web.pages import Floats, Pages, Rows, pieces

Groups = NDArray[np.int32]
_MAX_GROUPS = 1 << 26  # larger numbers are invalid
_BINS = 1 << 22  # of all groups together
_BINS_OF_ONE = 1 << 12
_APART = 0.999  # the last of a group stays before the first of the next


class Foremost(NamedTuple):
    """The first rows of every group, group by group and in order; `place` is 0, 1, 2, … in each."""

    rows: Rows
    group: Groups
    place: Rows


def grouped(numbers: NDArray[Any], among: Flags) -> tuple[Groups, int]:
    """The group of every row by a number from 0 on, and the number of groups; rows not in `among` have none."""
    group = np.full(len(numbers), -1, np.int32)
    for piece in pieces(len(numbers)):
        some = numbers[piece]
        belongs = among[piece] & (some >= 0) & (some < _MAX_GROUPS)
        group[piece][belongs] = some[belongs].astype(np.int32)
    present = members(group, int(group.max(initial=-1)) + 1) > 0
    number = np.append(np.cumsum(present, dtype=np.int32) - 1, np.int32(-1))  # the last is for -1
    return number[group].astype(np.int32, copy=False), int(np.count_nonzero(present))


def members(group: Groups, count: int) -> Rows:
    """How many rows each group has."""
    return np.bincount(group[group >= 0], minlength=count)


def foremost(pages: Pages, group: Groups, count: int, nearness: Floats, most: int) -> Foremost:
    """The `most` rows of greatest nearness (0 to 1) in every group, ties by key.

    Only rows that may be among them are sorted; a histogram by group and nearness excludes the others.
    """
    rows = np.flatnonzero(_may_be_first(group, count, nearness, most))
    order = np.lexsort((pages.key[rows], -_sound(nearness[rows]), group[rows]))
    rows = rows[order]
    groups = group[rows]
    place = places(groups)
    kept = place < most
    return Foremost(rows[kept], groups[kept], place[kept])


def _may_be_first(group: Groups, count: int, nearness: Floats, most: int) -> Flags:
    bins = max(1, min(_BINS_OF_ONE, _BINS // max(count, 1)))
    histogram = np.zeros(count * bins, np.int64)
    for piece in pieces(len(group)):
        bin_ = _bin(group[piece], nearness[piece], bins)
        np.add.at(histogram, bin_[bin_ >= 0], 1)
    before = np.cumsum(histogram.reshape(count, bins), axis=1) - histogram.reshape(count, bins)
    is_full = np.append((before >= most).ravel(), True)  # the last is for rows in no group
    out = np.empty(len(group), np.bool_)
    for piece in pieces(len(group)):
        out[piece] = ~is_full[_bin(group[piece], nearness[piece], bins)]
    return out


def _bin(group: Groups, nearness: Floats, bins: int) -> Rows:
    """The bin of each row, those of greatest nearness in the first bin of their group; -1 for a row in no group."""
    nth = np.minimum((1.0 - _sound(nearness)) * bins, bins - 1).astype(np.int64)
    return np.where(group >= 0, group * np.int64(bins) + nth, -1)


def _sound(nearness: Floats) -> Floats:
    """From 0 to 1; NaN is 0."""
    return np.clip(np.nan_to_num(nearness), 0.0, 1.0)


def places(group: Groups) -> Rows:
    """The place of each item in its group, for items sorted by group."""
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]]) if len(group) else np.zeros(0, np.int64)
    sizes = np.diff(np.r_[starts, len(group)])
    return np.arange(len(group)) - np.repeat(starts, sizes)


def lowest(group: Groups, count: int, dice: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The lowest number drawn in each group; the highest there is for an empty one."""
    out = np.full(count, np.iinfo(np.uint64).max, np.uint64)
    for piece in pieces(len(group)):
        among = group[piece] >= 0
        np.minimum.at(out, group[piece][among], dice[piece][among])
    return out


def ranks(worth: Floats, changes: Rows, luck: NDArray[np.uint64]) -> Rows:
    """0 for the group of greatest worth, 1 for the next, …; ties by the number of changes, then by luck.

    Worth is compared to twelve digits, because equal means of the same numbers may differ in the last ones.
    """
    order = np.lexsort((luck, -changes, -np.round(worth, 12)))
    out = np.empty(len(worth), np.int64)
    out[order] = np.arange(len(worth))
    return out


def one_by_one(group: Groups, rank: Rows, nearness: Floats) -> Floats:
    """From 0 to below 1: whole groups by rank, and in each the nearest first; -1 for rows in none."""
    count = max(len(rank), 1)
    base = np.append((count - 1.0 - rank) / count, -1.0)  # the last is for rows in no group
    out = np.empty(len(group))
    for piece in pieces(len(group)):
        inside = np.where(group[piece] >= 0, _sound(nearness[piece]), 0.0)
        out[piece] = base[group[piece]] + inside * (_APART / count)
    return out


class SiteSamples(NamedTuple):
    """Sites with pages that can be sampled, the order of their pages in this cycle, and their samples (`first`).

    `fetched` are rows fetched in the present cycle, `luck` the random numbers of the cycle, the lowest first;
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
    """sqrt(N·r) pages of each site, rounded, at least one (Cho & Ntoulas, VLDB 2002); the same during a whole cycle.

    N is the mean number of pages of a site and r the share of pages that can be fetched in a cycle; so N·r is the
    number of fetches in a cycle over the number of sites.
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
    """Samples of the present cycle that were found changed, including further samples for which fetches were left.

    A page that was fetched for another reason does not count, unless all pages of its site before it have been fetched:
    then it would have been the next sample.
    """
    samples = site_samples(pages, now, cycle)
    waiting = np.where(samples.fetched, np.int32(-1), samples.site)
    next_one = np.append(lowest(waiting, samples.sites, samples.luck), np.uint64(0))  # the last is for no site
    is_sample = samples.luck < next_one[samples.site]
    is_sample[samples.first.rows] = True
    return np.flatnonzero(is_sample & (samples.site >= 0) & changed_in_cycle(pages, now, cycle))
