"""Which rank has a score, and which score a rank, if only four points of a list are known?  Compiled code.

A curve goes through the scores at rank 1, n^1/3, n^2/3 and n, in straight lines on log-log paper (S. Pandey, C. Olston,
User-centric Web crawling, 2005, §5.1.2): on a piece, the score at rank r is A·r^-a.  Lists of at most four results are
all knots.  A `Curve` is (scores of the knots, their ranks, the logarithms of these, the slope a of each piece, their
number), a `VisibilityTables` what is known of visibility: (I of the first ranks, their logarithms and cube roots, c,
exponent).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.index.pieces import inlined
from sought.index.visibility import Floats
from sought.web.compiled import Bool, Int

Float = Any  # a float of compiled code

Curve = tuple[Floats, NDArray[np.int64], Floats, Floats, Int]
VisibilityTables = tuple[Floats, Floats, Floats, Float, Float]

SUMS, MIDPOINT, PRINTED = 0, 1, 2  # ways to add up visibility over ranks
_SHORT = 32  # ranks that are summed one by one even if visibility is integrated
_PEEL = 4  # ranks from which the series below is accurate, and steps of a steep piece that are summed one by one
_STEEP = 0.5
_ROUNDING = 1e-9


@inlined
def visibility_at(rank: Int, tables: VisibilityTables) -> Float:
    """I(rank)."""
    return tables[0][rank] if rank < tables[0].size else tables[3] * np.float64(rank) ** -tables[4]


@inlined
def log_of(rank: Int, tables: VisibilityTables) -> Float:
    return tables[1][rank] if rank < tables[1].size else math.log(rank)


@inlined
def knot_ranks(n: Int, ranks: NDArray[np.int64], tables: VisibilityTables) -> Int:
    """Ranks at equal distances on a log scale; returns how many."""
    if n <= 4:
        for j in range(n):
            ranks[j] = j + 1
        return n
    root = tables[2][n] if n < tables[2].size else np.cbrt(n)
    ranks[0], ranks[3] = 1, n
    second: Int = max(2, np.int64(root + 0.5))
    ranks[1], ranks[2] = second, max(second + 1, np.int64(root * root + 0.5))
    return 4


@inlined
def load(n: Int, record: NDArray[np.uint32], curve: Curve, tables: VisibilityTables) -> Int:
    """Fill the arrays of a curve for a list of n results; slopes are computed on demand.  Returns the knots' number."""
    scores, ranks, logs, slopes, _ = curve
    count = knot_ranks(n, ranks, tables)
    for j in range(count):
        scores[j], logs[j], slopes[j] = np.uint32(record[1 + j]).view(np.float32), log_of(ranks[j], tables), -1.0
    return count


@inlined
def slope_of(piece: Int, curve: Curve) -> Float:
    """The slope of a piece, computed on demand: most shifts need one or none."""
    scores, _, logs, slopes, _ = curve
    if slopes[piece] < 0:
        slopes[piece] = math.log(scores[piece] / scores[piece + 1]) / (logs[piece + 1] - logs[piece])
    return slopes[piece]


@inlined
def score_at(rank: Int, curve: Curve, tables: VisibilityTables) -> Float:
    """The score at a whole rank; beyond the end, the last score."""
    scores, ranks, logs, _, count = curve
    j = count - 1
    while ranks[j] > rank:
        j -= 1
    if ranks[j] == rank or j == count - 1:
        return scores[j]
    return scores[j] * math.exp(slope_of(j, curve) * (logs[j] - log_of(rank, tables)))


@inlined
def rank_of(score: Float, curve: Curve) -> Float:
    """The rank of a score, which need not be whole; n + 1 if it is below all others."""
    scores, ranks, logs, _, count = curve
    if score < scores[count - 1]:
        return ranks[count - 1] + 1.0
    j = 0
    while scores[j] > score:
        j += 1
    if j == 0 or scores[j] == score:
        return np.float64(ranks[j])
    if ranks[j] == ranks[j - 1] + 1:
        return ranks[j] - 0.5  # between two known ranks
    return math.exp(logs[j - 1] + math.log(scores[j - 1] / score) / slope_of(j - 1, curve))


@inlined
def tie_rank(score: Float, tie: Int, curve: Curve) -> Int:
    """The rank of a page in a block of equal scores, by its hash; 0 if the curve has no such block."""
    scores, ranks, _, _, count = curve
    first = 0
    while first < count and scores[first] > score:
        first += 1
    last = first
    while last + 1 < count and scores[last + 1] == score:
        last += 1
    if first in (count, last) or scores[first] != score:
        return 0
    share = 1.0 - (np.float64(tie) + 0.5) / 4294967296.0
    return ranks[first] + np.int64(share * (ranks[last] - ranks[first] + 1))


@inlined
def own_rank(score: Float, tie: Int, curve: Curve) -> Int:
    """The rank of a page that is in the list."""
    block = tie_rank(score, tie, curve)
    if block:
        return block
    return min(np.int64(rank_of(score, curve) + 0.5), curve[1][curve[4] - 1])


@inlined
def next_rank(score: Float, tie: Int, curve: Curve) -> Int:
    """The rank of a page that enters the list: after all better ones."""
    block = tie_rank(score, tie, curve)
    return block if block else np.int64(math.ceil(rank_of(score, curve) * (1 - _ROUNDING)))


@inlined
def _series(low: Int, score: Float, high: Int, end: Float, slope: Float, left: Bool, tables: VisibilityTables) -> Float:
    """Σ I(x)·(s(x-1) - s(x)) over x = low+1 … high on s(x) = A·x^-a; I(x-1) if `left`.

    By the Euler–Maclaurin formula: the integral of I against -ds, then corrections.  All terms are multiples of I·s/x^j
    at both ends.
    """
    e, both = tables[4], tables[4] + slope
    at_low, at_high = visibility_at(low, tables) * score, visibility_at(high, tables) * end
    to_low, to_high = 1.0 / low, 1.0 / high
    terms = (at_low - at_high) * slope / both
    at_low, at_high = at_low * to_low, at_high * to_high
    side = (at_low - at_high) * e * slope / (both + 1)
    at_low, at_high = at_low * to_low, at_high * to_high
    terms += (at_low - at_high) * e * slope * (e - slope) / (12 * (both + 2))
    at_low, at_high = at_low * to_low, at_high * to_high
    side -= (at_low - at_high) * e * (e + 1) * slope * (slope + 1) / (12 * (both + 3))
    return terms + side / 2 if left else terms - side / 2


@inlined
def _on_piece(
    piece: Int, low: Int, score: Float, high: Int, end: Float, left: Bool, curve: Curve, tables: VisibilityTables
) -> Float:
    """The same sum; step by step where the series is inaccurate."""
    if low + 1 == high:
        return visibility_at(high - left, tables) * (score - end)
    total, steps, slope = 0.0, 0, slope_of(piece, curve)
    while low < high and (low < _PEEL or (slope > _STEEP * low and steps < _PEEL)):
        following = (
            end if low + 1 == high else score * math.exp(slope * (log_of(low, tables) - log_of(low + 1, tables)))
        )
        total += visibility_at(low if left else low + 1, tables) * (score - following)
        low, score, steps = low + 1, following, steps + 1
    if low == high:
        return total
    least, most = visibility_at(high - left, tables), visibility_at(low + 1 - left, tables)
    rest = _series(low, score, high, end, slope, left, tables)
    return total + min(max(rest, least * (score - end)), most * (score - end))


@inlined
def midpoint(first: Int, last: Int, exponent: Float) -> Float:
    """Σ k^-exponent over k = first … last, as an integral between the middles."""
    return ((first - 0.5) ** (1 - exponent) - (last + 0.5) ** (1 - exponent)) / (exponent - 1)


@inlined
def printed(first: Int, last: Int, exponent: Float) -> Float:
    """The same as printed in the paper: for 3/2, 2·(1/√first - 1/√(last-1)).  Its upper limit is wrong."""
    return (np.float64(first) ** (1 - exponent) - np.float64(last - 1) ** (1 - exponent)) / (exponent - 1)


@inlined
def _visibility(first: Int, last: Int, form: Int, whole: Int, tables: VisibilityTables) -> Float:
    """Σ I(k) over k = first … last, of `whole` ranks in question."""
    total = 0.0
    while first <= last and (whole < _SHORT or (form == MIDPOINT and first < 5)):
        total += visibility_at(first, tables)
        first += 1
    if first > last:
        return total
    rule = midpoint(first, last, tables[4]) if form == MIDPOINT else printed(first, last, tables[4])
    return total + tables[3] * rule


@inlined
def drops_seen(
    low: Int, score: Float, high: Int, last: Float, left: Bool, form: Int, curve: Curve, tables: VisibilityTables
) -> Float:
    """Σ I(x)·(s(x-1) - s(x)) over x = low+1 … high, I(x-1) if `left`, over all pieces; s is `score` … `last`.

    The paper assumes linear scores within a piece, which contradicts the curve: only the integral forms do so here.
    """
    scores, ranks, _, _, count = curve
    total, whole = 0.0, high - low
    for j in range(count - 1):
        if ranks[j + 1] <= low or ranks[j] >= high:
            continue
        to = min(high, ranks[j + 1])
        end = scores[j + 1] if to == ranks[j + 1] else last
        if form == SUMS:
            total += _on_piece(j, low, score, to, end, left, curve, tables)
        else:
            fall = (scores[j] - scores[j + 1]) / (ranks[j + 1] - ranks[j])
            total += fall * _visibility(low + 1 - left, to - left, form, whole, tables)
        low, score = to, end
    return total


@inlined
def gain_of_rise(score: Float, at: Int, to: Int, form: Int, curve: Curve, tables: VisibilityTables) -> Float:
    """The gain when a page moves from rank `at` (n + 1: not in the list) up to rank `to`; others move down."""
    if to >= at:
        return 0.0
    first, last, behind = score_at(to, curve, tables), score_at(at - 1, curve, tables), visibility_at(at, tables)
    own = (visibility_at(to, tables) - behind) * (score - first)
    return own + drops_seen(to, first, at - 1, last, False, form, curve, tables) - behind * (first - last)


@inlined
def gain_of_fall(score: Float, at: Int, to: Int, form: Int, curve: Curve, tables: VisibilityTables) -> Float:
    """The gain when a page moves from rank `at` down to rank `to` (the end if it leaves); others move up."""
    if to <= at:
        return 0.0
    first, last, ahead = score_at(at + 1, curve, tables), score_at(to, curve, tables), visibility_at(at, tables)
    end = min(to, curve[1][curve[4] - 1])
    drops = drops_seen(at + 1, first, end, last, True, form, curve, tables)
    return (ahead - visibility_at(to, tables)) * (last - score) + ahead * (first - last) - drops
