"""When has a group been sampled enough?  When a t-test says that the mean of the sample is the group's."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sought.policy.estimator import Rows
from sought.policy.pages import Floats
from sought.policy.sampling.cycles import Flags
from sought.policy.sampling.groups import Groups, places
from sought.web.expression import brief


class Sample(NamedTuple):
    """Of each group: how many pages, their mean, how many of them have changed, and whether there are enough."""

    size: Rows
    mean: Floats
    changed: Rows
    enough: Flags


@brief
@dataclass(frozen=True)
class Sufficient:
    """The mean lies within `delta` at this confidence, by at least `least` items; or there are `most`."""

    confidence: float
    delta: float
    least: int
    most: int

    def samples(self, group: Groups, value: Floats, changed: Flags, count: int) -> Sample:
        """The shortest sufficient sample of each of `count` groups, else all there is.

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
        """By how many deviations of an item the mean of so many may be wrong."""
        from scipy.special import stdtrit

        sizes = np.arange(2, max(int(size.max(initial=0)), 1) + 1)
        table = stdtrit(sizes - 1.0, (1.0 + self.confidence) / 2.0) / np.sqrt(sizes)
        return np.concatenate([[np.inf, np.inf], table])[size]


def _deviation(group: Groups, value: Floats, size: Rows) -> Floats:
    """The standard deviation of the items of a group up to each of them; 1 for the first."""
    before = np.arange(len(group)) - (size - 1)  # where the group begins
    sums, squares = (np.append(0.0, np.cumsum(numbers)) for numbers in (value, value * value))
    total, square = (s[1:] - s[before] for s in (sums, squares))
    variance = (square - total * total / size) / np.maximum(size - 1, 1)
    return np.where(size > 1, np.sqrt(np.maximum(variance, 0.0)), 1.0)
