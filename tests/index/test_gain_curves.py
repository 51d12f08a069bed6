"""Gain, estimated from twenty bytes a query: how far from exact, and where exactly the same."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.curve import midpoint, printed
from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.visibility import Visibility
from sought.web.errors import BadInput

VISIBILITY = Visibility()


def columns(queries, before, after, ties):
    return (
        np.array(queries, np.uint32),
        np.array(before, np.float32),
        np.array(after, np.float32),
        np.array(ties, np.uint32),
    )


def filled(kind, scores, queries=1):
    """Lists with as many scores for each query, and ties 0, 1, …"""
    lists = kind.open(queries, VISIBILITY)
    count = len(scores)
    owners = np.repeat(np.arange(queries, dtype=np.uint32), count // queries)
    lists.fill(owners, np.asarray(scores, np.float32), np.arange(count, dtype=np.uint32))
    return lists


def draw(rng, shape, count):
    if shape == "zipf":
        return (rng.pareto(1.2, count) + 1).astype(np.float32)
    if shape == "exponential":
        return (rng.exponential(size=count) + 1e-3).astype(np.float32)
    return (np.abs(rng.normal(5, 1, count)) + 1e-3).astype(np.float32)


def spearman(a, b):
    ranks = [np.argsort(np.argsort(column)) for column in (a, b)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def mixed_shifts(rng, shape, scores, count):
    """Of pages chosen at random a quarter enters, a quarter leaves and half change; which are there beforehand."""
    chosen = rng.permutation(len(scores))[:count]
    before, after, kind = scores[chosen].copy(), draw(rng, shape, count), rng.integers(0, 4, count)
    before[kind == 0] = 0
    after[kind == 1] = 0
    there = np.ones(len(scores), np.bool_)
    there[chosen[kind == 0]] = False
    return chosen, before, after, there


def compared(shape, n, kind, seed=0):
    """Gains by Exact and by curves, of a fifth of the pages of many lists of about n results."""
    rng = np.random.default_rng(seed)
    queries = max(3, 40_000 // n)
    scores = draw(rng, shape, n * queries)
    chosen, before, after, there = mixed_shifts(rng, shape, scores, min(n * queries // 5, 5000))
    owners = np.repeat(np.arange(queries, dtype=np.uint32), n)
    ties = rng.integers(0, 2**32, n * queries, np.uint32)
    gains = []
    for each in (Exact(), kind):
        lists = each.open(queries, VISIBILITY)
        lists.fill(owners[there], scores[there], ties[there])
        gains.append(lists.shift(owners[chosen], before, after, ties[chosen]).gain)
    return gains


@settings(deadline=None)
@given(st.sets(st.floats(0.0625, 1024, width=32), min_size=1, max_size=300))
def test_rank_of_the_score_at_a_rank_is_that_rank(scores):
    """F(F⁻¹(r)) = r, at every whole rank of a list without ties; and F⁻¹ never rises."""
    count = len(scores)
    lists = filled(Curves(depth=0), sorted(scores))
    zeros, ranks = np.zeros(count, np.uint32), np.arange(1, count + 1, dtype=np.uint32)
    at = lists.scores(zeros, ranks)
    assert np.all(np.diff(at) <= 0)
    # F takes float32 scores: a rank is found as well as float32 tells it from its neighbours.
    slope = np.abs(np.gradient(np.log(at))) if count > 1 else np.ones(1)
    tellable = slope > 1e-4
    assert lists.ranks(zeros, at.astype(np.float32))[tellable] == pytest.approx(ranks[tellable], abs=2e-3)
    assert lists.ranks(zeros[:1], np.array([2000], np.float32))[0] == 1
    assert lists.ranks(zeros[:1], np.array([0.01], np.float32))[0] == count + 1


def test_knots_are_equally_spaced_on_a_log_scale():
    """Of a thousand results those at rank 1, 10, 100 and 1000 are remembered, whatever the order they come in."""
    rng = np.random.default_rng(1)
    lists = filled(Curves(depth=0), rng.permutation(np.arange(1, 1001)))
    assert lists.scores(np.zeros(4, np.uint32), np.array([1, 10, 100, 1000], np.uint32)).tolist() == [1000, 991, 901, 1]
    assert lists.counts.tolist() == [1000]
    assert lists.best.tolist() == [1000]
    assert lists.nbytes == 28  # 20 for the curve, and how many results are deeper, and from which score on


small_moves = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, *np.geomspace(0.1, 9, 40)])), max_size=30)


@settings(deadline=None)
@given(small_moves)
def test_lists_of_four_are_exact(moves):
    """At most four results, no two alike: the same ranks and gains as Exact, through entries, exits and moves."""
    exact, curves = Exact().open(1, VISIBILITY), Curves(depth=0).open(1, VISIBILITY)
    held = dict.fromkeys(range(4), 0.0)
    for page, score in moves:
        if score and score in held.values():
            continue
        shift = columns([0], [held[page]], [score], [page])
        held[page] = score
        a, b = exact.shift(*shift), curves.shift(*shift)
        assert (a.rank_before[0], a.rank_after[0]) == (b.rank_before[0], b.rank_after[0])
        assert b.gain[0] == pytest.approx(a.gain[0], rel=1e-12, abs=1e-12)
        assert exact.best.tolist() == curves.best.tolist()
        assert exact.counts.tolist() == curves.counts.tolist()


@pytest.mark.parametrize("n", [5, 8, 20, 100, 1000, 30_000, 100_000])
@pytest.mark.parametrize("slopes", [(0.3, 0.6, 1.0), (1, 1, 1), (2, 1, 0.5), (0.05, 0.1, 3)])
def test_on_its_own_curve_it_is_exact(n, slopes):
    """Lists that are such curves: closed forms instead of sums over ranks cost less than 1/1000 of any gain."""
    rng = np.random.default_rng(n)
    ranks = np.array([1, max(2, round(n ** (1 / 3))), max(3, round(n ** (2 / 3))), n])
    knots = np.exp(-np.cumsum([0, *(np.diff(np.log(ranks)) * slopes)]))
    scores = np.exp(np.interp(np.log(np.arange(1, n + 1)), np.log(ranks), np.log(knots))).astype(np.float32)
    at = rng.integers(0, n, 30)
    after = (scores[at] * np.exp(rng.normal(size=30))).astype(np.float32)
    after[::3] = 0
    alike = 0
    for i in range(30):
        shift = columns([0], [scores[at[i]] if i % 5 else 0], [after[i]], [n - 1 - at[i]])
        a, b = (filled(kind, scores[::-1].copy()).shift(*shift) for kind in (Exact(), Curves(depth=0)))
        if a.rank_before[0] == b.rank_before[0] and a.rank_after[0] == b.rank_after[0]:
            alike += 1
            assert b.gain[0] == pytest.approx(a.gain[0], rel=1e-3, abs=1e-10)
    assert alike >= 24  # float32 scores of neighbours may be alike, and then ranks are not


# Three pieces are what the paper has; the first ranks of a list, where attention is, are where they err, and the longer
# the list the more.  Least rank correlation of single gains, and largest error of their sum (entries, exits, moves), of
# eight draws.  Of long lists there is no sum to speak of: one fetch of thousands is up to 95 % of it, and with 10,000
# results it was off by anything from -66 % to +588 %.
MEASURED = {
    ("zipf", 10): (0.95, 0.02),
    ("zipf", 100): (0.98, 0.1),
    ("zipf", 1000): (0.98, 0.25),
    ("zipf", 10_000): (0.98, np.inf),
    ("zipf", 100_000): (0.98, np.inf),
    ("exponential", 10): (0.93, 0.02),
    ("exponential", 100): (0.94, 0.2),
    ("exponential", 1000): (0.92, 0.25),
    ("exponential", 10_000): (0.93, np.inf),
    ("exponential", 100_000): (0.93, np.inf),
    ("normal", 10): (0.95, 0.06),
    ("normal", 100): (0.91, 0.3),
    ("normal", 1000): (0.84, 0.6),
    ("normal", 10_000): (0.78, np.inf),
    ("normal", 100_000): (0.7, np.inf),
}


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "n"), MEASURED)
def test_how_far_from_exact(shape, n):
    """Curves put fetches into much the same order as Exact; up to 1000 results, sums are right to some tens of %."""
    correlation, error = MEASURED[shape, n]
    for seed in range(8 if n <= 10_000 else 2):
        exact, estimated = compared(shape, n, Curves(depth=0), seed)
        assert spearman(exact, estimated) > correlation
        assert abs(estimated.sum() / exact.sum() - 1) < error


@pytest.mark.parametrize("integral", ["midpoint", "printed"])
def test_falling_evenly_within_a_piece_is_further_off(integral):
    """The paper's simplification costs much of the order of fetches, with either integral (erratum 2)."""
    exact, estimated = compared("exponential", 1000, Curves(depth=0))
    _, simplified = compared("exponential", 1000, Curves(depth=0, integral=integral))
    assert spearman(exact, simplified) < spearman(exact, estimated) - 0.1
    assert simplified.min() < 0 <= estimated.min()


@settings(deadline=None)
@given(
    st.lists(st.floats(0.0625, 64, width=32), max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.sampled_from([0.0, 0.1, 1.0, 1.5, 7.0, 60.0, 70.0])), max_size=20),
)
def test_no_gain_is_negative(scores, moves):
    """Up to rounding, 1e-8 of the score: ties, flat lists, entries, exits, after whatever upkeep."""
    lists, held = filled(Curves(depth=0), scores), dict(enumerate(scores))
    for page, score in moves:
        shift = columns([0], [held.get(page, 0.0)], [score], [page])
        held[page] = score
        assert lists.shift(*shift).gain[0] >= -1e-8 * max(64, score)
        count = int(lists.counts[0])
        assert count == sum(s > 0 for s in held.values())
        at = lists.scores(np.zeros(count, np.uint32), np.arange(1, count + 1, dtype=np.uint32))
        assert np.all(np.diff(at) <= 1e-6 * at[1:])


@pytest.mark.parametrize("shape", ["zipf", "exponential", "normal"])
@pytest.mark.parametrize("n", [100, 1000])
def test_upkeep_keeps_the_curve(shape, n):
    """Between fills knots move with the list: when every page has changed once, the inner ones are off by half at most.

    That is the root mean square over many lists.  The ends are the best and the worst score, of which a curve cannot
    know the next when they leave.
    """
    rng = np.random.default_rng(4)
    queries = 20_000 // n
    scores, owners = draw(rng, shape, n * queries), np.repeat(np.arange(queries, dtype=np.uint32), n)
    ties = rng.integers(0, 2**32, n * queries, np.uint32)
    kept, fresh = Curves(depth=0).open(queries, VISIBILITY), Curves(depth=0).open(queries, VISIBILITY)
    kept.fill(owners, scores, ties)
    for some in np.array_split(rng.permutation(n * queries), 20):
        after, none = draw(rng, shape, len(some)), np.zeros(len(some), np.float32)
        moved = rng.random(len(some)) < 0.5
        for chosen, before, then in (
            (moved, scores[some], after),
            (~moved, scores[some], none),
            (~moved, none, after),
        ):
            pages = some[chosen]
            kept.shift(owners[pages], before[chosen], then[chosen], ties[pages])
        scores[some] = after
    fresh.fill(owners, scores, ties)
    assert kept.counts.tolist() == fresh.counts.tolist()
    for rank in (round(n ** (1 / 3)), round(n ** (2 / 3))):
        at = np.arange(queries, dtype=np.uint32), np.full(queries, rank, np.uint32)
        off = np.log(kept.scores(*at) / fresh.scores(*at))
        assert np.sqrt(np.mean(off**2)) < 0.5


@pytest.mark.parametrize("n", [1, 2, 3, 5, 1000])
def test_equal_scores(n):
    """All alike: nobody displaces anybody better, and a page stands where its hash says.  True of a fresh curve only:

    when one of them falls, the last piece slopes down to it, and the others are no longer known to be alike.
    """
    scores, ties = np.full(n, 2, np.float32), ((np.arange(n) + 0.5) / n * 2**32).astype(np.uint32)

    def fresh(kind):
        lists = kind.open(1, VISIBILITY)
        lists.fill(np.zeros(n, np.uint32), scores, ties)
        return lists

    entering = np.zeros(3, np.uint32), np.array([1, 2, 3], np.float32)
    assert fresh(Curves(depth=0)).entry(*entering) == pytest.approx(fresh(Exact()).entry(*entering), rel=1e-9)
    for page in range(0, n, max(1, n // 20)):
        for after in (0, 1, 3):
            shift = columns([0], [2], [after], [ties[page]])
            a, b = fresh(Exact()).shift(*shift), fresh(Curves(depth=0)).shift(*shift)
            assert (a.rank_before[0], a.rank_after[0]) == (b.rank_before[0], b.rank_after[0])
            assert b.gain[0] == pytest.approx(a.gain[0], rel=1e-9, abs=1e-12)


def test_a_page_ranked_among_its_own_copy():
    """Erratum 8: by the paper's ranks one page too many is displaced when a page goes down or out."""
    scores = [8.0, 4.0, 2.0, 1.0]
    seen = VISIBILITY.table(6)
    exact, paper = filled(Curves(depth=0), scores), filled(Curves(depth=0, ranks="paper"), scores)
    out = columns([0], [8], [0], [0])
    gain = (seen[1] - seen[2]) * 4 + (seen[2] - seen[3]) * 2 + (seen[3] - seen[4]) * 1
    assert exact.shift(*out).gain[0] == pytest.approx(gain)
    assert paper.shift(*out).gain[0] == pytest.approx(gain + (seen[4] - seen[5]) * 1)
    down = columns([0], [4], [1], [1])
    assert filled(Curves(depth=0), scores).shift(*down).rank_after[0] == 3
    assert filled(Curves(depth=0, ranks="paper"), scores).shift(*down).rank_after[0] == 4


@pytest.mark.parametrize(
    ("rule", "first", "last", "error", "digits"),
    [
        *((printed, 1, 10, -0.33, 2), (printed, 10, 40, -0.066, 3)),
        *((midpoint, 10, 40, 0.0007, 4), (midpoint, 5, 20, 0.0028, 4)),
        *((midpoint, 2, 10, 0.021, 3), (midpoint, 1, 10, 0.11, 2)),
    ],
)
def test_integrals_of_visibility(rule, first, last, error, digits):
    """Erratum 1: what the paper prints, what it should have printed, and how far both are from the sum."""
    exact = sum(k**-1.5 for k in range(first, last + 1))
    assert round(rule(first, last, 1.5) / exact - 1, digits) == error


def test_the_printed_integral_at_its_worst():
    """It is negative for one rank, and nothing for the first two."""
    assert printed(2, 2, 1.5) < 0
    assert printed(1, 2, 1.5) == 0


@pytest.mark.parametrize(("integral", "rule"), [("midpoint", midpoint), ("printed", printed)])
def test_forms_of_the_paper(integral, rule):
    """Summation by parts with an even fall within each piece: §5.1.2 as it is printed, written out here."""
    scores = np.geomspace(1000, 1, 1000).astype(np.float32)
    lists, zero = filled(Curves(depth=0, integral=integral), scores), np.zeros(1, np.uint32)
    at, to = 20, 90  # both within the piece from rank 10 to rank 100
    finv = {r: float(lists.scores(zero, np.array([r], np.uint32))[0]) for r in (at, at + 1, to)}
    s2 = np.float32(finv[to] * 1.0001)
    shifts = lists.shift(*columns([0], [finv[at]], [s2], [0]))
    assert (shifts.rank_before[0], shifts.rank_after[0]) == (at, to - 1)
    last = to - 1
    seen, fall = VISIBILITY.table(100), (scores[9] - scores[99]) / 90
    end = float(filled(Curves(depth=0), scores).scores(zero, np.array([last], np.uint32))[0])
    middle = VISIBILITY.scale * rule(at + 1, last - 1, 1.5)
    others = seen[at] * finv[at + 1] - fall * middle - seen[last] * end
    assert shifts.gain[0] == pytest.approx((seen[last] - seen[at]) * s2 + others, rel=1e-6)


@settings(deadline=None)
@given(st.lists(st.floats(0.125, 8, width=32), max_size=40), st.floats(0.125, 8, width=32))
def test_entry_foretells_the_gain(scores, score):
    """What `entry` says is what a shift from nothing then measures, and asking changes nothing."""
    lists = filled(Curves(depth=0), scores)
    foretold = lists.entry(np.zeros(1, np.uint32), np.array([score], np.float32))
    assert lists.counts.tolist() == [len(scores)]
    shifts = lists.shift(*columns([0], [0], [score], [99]))
    assert foretold[0] == pytest.approx(shifts.gain[0], rel=1e-6, abs=1e-9)
    assert foretold[0] > 0


def test_a_list_longer_than_the_tables():
    """Beyond rank 65,536 visibility and logarithms are worked out: nothing is seen of that in a gain."""
    n = 200_000
    scores = (1000 / np.arange(1, n + 1)).astype(np.float32)
    for at, to in ((150_000, 60_000), (60_000, 150_000), (70_000, 190_000), (190_000, 70_000)):
        shift = columns([0], [scores[at]], [scores[to] * 1.000002], [at])
        a, b = (filled(kind, scores).shift(*shift) for kind in (Exact(), Curves(depth=0)))
        assert abs(int(a.rank_after[0]) - int(b.rank_after[0])) <= 1
        assert b.gain[0] == pytest.approx(a.gain[0], rel=1e-3, abs=0)


def test_what_cannot_be_is_refused():
    """A page in an empty list, a query that is not there, and forms nobody has heard of."""
    with pytest.raises(ValueError, match="has no results"):
        filled(Curves(depth=0), []).shift(*columns([0], [1], [2], [0]))
    with pytest.raises(IndexError):
        filled(Curves(depth=0), [1]).entry(np.array([1], np.uint32), np.ones(1, np.float32))
    options: list[dict[str, Any]] = [{"integral": "simpson"}, {"ranks": "fractional"}]
    for option in options:
        with pytest.raises(BadInput, match="is one of"):
            Curves(depth=0, **option)
    assert repr(Curves(depth=0)) == "Curves(depth=0)"


def test_a_curve_of_the_first_results():
    """With a depth, what happens further down gains nothing; lists that are no longer are as without."""
    n, depth = 3000, 100
    lists = filled(Curves(depth=depth), np.arange(1, n + 1))
    assert lists.floors[0] > n - depth
    assert lists.counts[0] == n
    assert lists.best[0] == n
    deep = lists.shift(*columns([0, 0], [0, 500], [700, 0], [1, 2]))
    assert deep.gain.tolist() == [0.0, 0.0]
    assert deep.rank_before.tolist() == deep.rank_after.tolist() == [0, 0]
    assert lists.entry(np.zeros(1, np.uint32), np.full(1, 700, np.float32)).tolist() == [0.0]
    rises = lists.shift(*columns([0], [500], [n + 1], [3]))
    assert (int(rises.rank_before[0]), int(rises.rank_after[0])) == (0, 1)
    assert rises.gain[0] > 0
    short = np.arange(1, depth + 1)
    entering = columns([0], [0], [50.5], [1])
    assert (
        filled(Curves(depth=depth), short).shift(*entering).gain == filled(Curves(depth=0), short).shift(*entering).gain
    )


def test_equal_scores_at_the_floor():
    """A list of equal scores that is longer than the depth has no head; pages may come and go all the same."""
    lists = filled(Curves(depth=10), [5.0] * 50)
    assert lists.counts[0] == 50
    assert lists.best[0] > 5.0 - 1e-5
    lists.shift(*columns([0] * 60, [5] * 60, [0] * 60, range(60)))
    lists.shift(*columns([0], [0], [9], [1]))
    assert lists.shift(*columns([0], [9], [9], [1])).rank_after.tolist() == [1]


@pytest.mark.parametrize("shape", ["zipf", "exponential", "normal"])
def test_what_a_list_is_worth(shape):
    """Along a curve it is about what it is along the list: short ones the same, long ones within a quarter."""
    rng = np.random.default_rng(1)
    for count, tolerance in ((3, 1e-6), (100, 0.25), (3000, 0.25)):
        scores = draw(rng, shape, count)
        exact, curve = (float(filled(kind, scores).attention()[0]) for kind in (Exact(), Curves()))
        assert curve == pytest.approx(exact, rel=tolerance), count
