"""What is the exact expected impact of uncrawled pages whose scores are distributions?

E[I(p)] = Σ f(q) Σ V(r)·P(p, q, r) (S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §4.2).  Where the
paper has "convoluted integrals": given the score s of p, its rank is 1 + the crawled ones above s + the number of other
candidates above s, which are independent (a Poisson binomial distribution).

A distribution is a leaf: a row of a table of equally likely quantiles.  Candidates of a leaf differ only by their ties,
and ties matter only for leaves that can have exactly score s.  So for each leaf and s, all other leaves are summed
once; of tied ones, those before p in order of ties are summed forwards, those after it backwards.  Nothing is divided
out, which would be unstable.  Time for a query: leaves · nodes · candidates · K.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.index.lists import Numbers, Scores
from sought.index.sketches import Sketches, are_valid_scores
from sought.index.slabs import Keys, Offsets
from sought.index.visibility import Floats
from sought.web.compiled import Bool, Int, cached, compiled, readable

_TIES = np.uint64(0xFFFFFFFF)


def expected_impact(sketches: Sketches, leaves: NDArray[np.int32], quantiles: Scores, value: Floats) -> Floats:
    """f(q)·Σ V(r)·P(p, q, r) of each candidate.

    `leaves` has the distribution of each candidate's score, a row of `quantiles`; value[r - 1] is V(r), 0 beyond.
    """
    sketches.check_seen(value)
    sketches.check_pairs(leaves)
    check_leaves(leaves, quantiles)
    sizes = np.diff(sketches.bounds)
    order = np.lexsort((~sketches.ties, np.repeat(np.arange(len(sizes)), sizes)))  # the order of equal scores
    in_order = np.zeros(len(leaves))
    columns = sketches.bounds, leaves[order], sketches.ties[order]
    nodes = np.sort(quantiles.astype(np.float32) + np.float32(0), axis=1).view(np.uint32)
    seen = np.ascontiguousarray(value, np.float64)
    _expected(*columns, sketches.crawled_keys, nodes, seen, int(sizes.max(initial=0)), in_order)
    impact = np.empty(len(leaves))
    impact[order] = in_order
    return sketches.pair_weights * impact


def check_leaves(leaves: NDArray[np.int32], quantiles: Scores) -> None:
    if quantiles.ndim != 2 or not quantiles.shape[1] or not are_valid_scores(quantiles):
        raise ValueError("quantiles must be finite, not negative, and some for each leaf")
    if len(leaves) and not 0 <= int(leaves.min()) <= int(leaves.max()) < len(quantiles):
        raise IndexError(f"a leaf that is none of {len(quantiles)}")


@compiled
def _present(leaves: NDArray[np.int32], counts: Offsets, present: Offsets) -> Int:
    """How many candidates each leaf has, and which leaves have any; returns how many leaves."""
    found = 0
    for leaf in leaves:
        if not counts[leaf]:
            present[found] = leaf
            found += 1
        counts[leaf] += 1
    return found


@compiled
def _below(nodes: Numbers, score: Int) -> Int:
    """How many nodes, which ascend, are below a score."""
    low, high = 0, nodes.size
    while low < high:
        middle = (low + high) >> 1
        if nodes[middle] < score:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def _not_below(crawled: Keys, key: Int) -> Int:
    """How many keys, which descend, are as large or larger."""
    found = 0
    while found < crawled.size and crawled[found] >= key:
        found += 1
    return found


@compiled
def _none(chances: Floats) -> None:
    """Surely none is above."""
    for t in range(chances.size):
        chances[t] = 0.0
    chances[0] = 1.0


@compiled
def _one_more(chances: Floats, chance: float) -> None:
    """Chances that 0, 1, … are above, with one more that is above by chance."""
    for t in range(chances.size - 1, 0, -1):
        chances[t] = (1 - chance) * chances[t] + chance * chances[t - 1]
    chances[0] *= 1 - chance


@compiled
def _one_behind(worth: Floats, chance: float) -> None:
    """What it is worth if 0, 1, … are above besides, with one more that is above by chance."""
    for t in range(worth.size - 1):
        worth[t] = (1 - chance) * worth[t] + chance * worth[t + 1]
    worth[worth.size - 1] *= 1 - chance


@compiled
def _untied(
    score: Int, nodes: Numbers, counts: Offsets, present: Offsets, chances: Floats, above: Floats, equal: Floats
) -> Bool:
    """Chances that 0, 1, … of the leaves that cannot have this score are above it; and of all leaves, how likely it is.

    Returns False if surely so many are above that nothing is seen.
    """
    _none(chances)
    size = nodes.shape[1]
    for leaf in present:
        least, most = _below(nodes[leaf], score), _below(nodes[leaf], score + 1)
        above[leaf], equal[leaf] = (size - most) / size, (most - least) / size
        if most == least and most < size:
            for _ in range(counts[leaf]):
                _one_more(chances, above[leaf])
    seen = 0.0
    for t in range(chances.size):
        seen += chances[t]
    return seen > 0


@compiled
def _worth(value: Floats, chances: Floats, worth: Floats) -> None:
    """What it is worth if 0, 1, … are above besides; `value` if 0, 1, … are above in all."""
    for more in range(worth.size):
        worth[more] = 0.0
        for t in range(worth.size - more):
            worth[more] += chances[t] * value[t + more]


@compiled
def _tied(
    leaf: Int,
    key: Int,
    leaves: NDArray[np.int32],
    ties: Numbers,
    crawled: Keys,
    above: Floats,
    equal: Floats,
    chances: Floats,
    worth: Floats,
    kept: Floats,
    share: float,
    impact: Floats,
) -> None:
    """Add to the impact of each candidate of a leaf what it has at one score (a key without a tie), which is so likely.

    `crawled` are those not above that score.
    """
    for i in range(leaves.size - 1, -1, -1):
        other = leaves[i]
        if other == leaf:
            for t in range(worth.size):
                kept[i, t] = worth[t]
        if equal[other] > 0 and above[other] > 0:
            _one_behind(worth, above[other])
    _none(chances)
    for i in range(leaves.size):
        other = leaves[i]
        if other == leaf:
            before = _not_below(crawled, key | np.uint64(ties[i]))
            for t in range(worth.size - before):
                impact[i] += share * chances[t] * kept[i, t + before]
        if equal[other] > 0:
            _one_more(chances, above[other] + equal[other])


@cached(
    types.void(
        *(readable(types.int64), readable(types.int32), readable(types.uint32), types.uint64[:, ::1]),
        *(types.uint32[:, ::1], readable(types.float64), types.int64, types.float64[::1]),
    )
)
def _expected(
    bounds: Offsets,
    leaves: NDArray[np.int32],
    ties: Numbers,
    crawled: Keys,
    nodes: Numbers,
    value: Floats,
    longest: int,
    impact: Floats,
) -> None:
    """Scores are bits here, which have the same order."""
    counts, present = np.zeros(len(nodes), np.int64), np.empty(min(longest, len(nodes)), np.int64)
    above, equal = np.zeros(len(nodes)), np.zeros(len(nodes))
    chances, worth, kept = np.empty(value.size), np.empty(value.size), np.empty((longest, value.size))
    share = 1 / nodes.shape[1]
    for query in range(len(crawled)):
        first, last = bounds[query], bounds[query + 1]
        here, here_ties, found = leaves[first:last], ties[first:last], impact[first:last]
        some = present[: _present(here, counts, present)]
        for leaf in some:
            start = _below(nodes[leaf], 1)
            while start < nodes.shape[1]:
                score = np.int64(nodes[leaf, start])
                end = _below(nodes[leaf], score + 1)
                key = np.uint64(score) << np.uint64(32)
                before = _not_below(crawled[query], key | _TIES)
                room = value.size - before
                if room > 0 and _untied(score, nodes, counts, some, chances[:room], above, equal):
                    _worth(value[before:], chances[:room], worth[:room])
                    columns = here, here_ties, crawled[query, before:], above, equal
                    _tied(leaf, key, *columns, chances[:room], worth[:room], kept, (end - start) * share, found)
                start = end
        for leaf in some:
            counts[leaf] = 0
