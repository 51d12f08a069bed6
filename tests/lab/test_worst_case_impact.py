"""The worst case of uncrawled pages: what an adversary leaves of their impact, and which to choose."""

from itertools import combinations

import numpy as np
import pytest

from sought.index.sketches import Sketches
from sought.lab.studies.pandey_olston_2008.worst_case import adversary, random_web, web_of
from sought.lab.studies.pandey_olston_2008.worst_case_impact import MOST_TRIED, WorstCase

STEEP = [r**-1.5 for r in range(1, 11)]


def random_case(seed, pages, queries, longest, value=STEEP, weights=True):
    """Lists of pages with intervals of any scores, many of them equal."""
    dice = np.random.default_rng([0x30C4, seed])
    sizes = dice.integers(0, min(longest, pages) + 1, queries)
    rows = [np.sort(dice.choice(pages, size, replace=False)) for size in sizes]
    low = np.round(dice.uniform(0, 4, sizes.sum()), 1).astype(np.float32)
    crawled = -np.sort(-np.round(dice.uniform(0, 3, (queries, len(value))) * (dice.random((queries, 1)) < 0.5), 1))
    sketches = Sketches(
        dice.uniform(0.5, 3, queries) if weights else np.ones(queries),
        crawled.astype(np.float32),
        np.zeros(crawled.shape, np.uint32),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([np.zeros(0, np.int64), *rows]) * 7 + 3,  # rows of a crawl, not 0, 1, 2, …
        np.zeros(sizes.sum(), np.uint32),
    )
    high = low + np.round(dice.exponential(1.0, len(low)), 1).astype(np.float32)
    return WorstCase(sketches, low, high, np.asarray(value, float))


def test_impact_is_what_the_adversary_leaves():
    """Lower ends for the set, upper ends for all others: no assignment of scores is worse, and this one is as bad."""
    dice, differ = np.random.default_rng(7), 0
    for _ in range(60):
        web = random_web(dice)
        for count in range(len(web.rows) + 1):
            for chosen in combinations(web.rows.tolist(), count):
                impact = web.impact(np.array(chosen, np.int64))
                assert impact == pytest.approx(adversary(web, chosen), abs=1e-12)
                differ += impact > 0
    assert differ > 100


def test_two_pages_alone_in_a_list():
    """V(2) each alone, V(1) + V(2) together."""
    web = web_of([[(4, 1.0, 2.0), (9, 1.0, 2.0)]], STEEP)
    assert [web.impact(np.array(rows)) for rows in ([4], [9], [4, 9])] == pytest.approx(
        [STEEP[1], STEEP[1], STEEP[0] + STEEP[1]]
    )
    assert web.ranks().tolist() == [2, 2]


def test_the_worst_rank_of_a_page():
    """1 + crawled and uncrawled pages that can be as good as its lower end; Figure 3: P_3 may come fifth."""
    web = web_of([[(0, 5, 6), (1, 3, 7), (2, 3.5, 5.5), (3, 0, 9)]], [1.0] * 8, [[9.0, 8.0, 2.0]])
    assert web.ranks().tolist() == [2 + 4, 2 + 4, 2 + 4, 0]
    without = web_of([[(0, 5, 6), (1, 3, 7), (2, 3.5, 5.5)]], [1.0] * 8, [[9.0, 8.0, 2.0]])
    assert without.ranks()[2] == 5


@pytest.mark.parametrize("seed", range(20))
def test_ranks_are_impacts_of_one_page(seed):
    """V(r_wc) summed over a page's queries is the impact of the set that has only this page."""
    web = random_case(seed, 12, 6, 10)
    seen = np.concatenate([[0.0], STEEP, np.zeros(30)])[web.ranks()]
    for row in web.rows:
        mine = web.sketches.rows == row
        assert web.impact(np.array([row])) == pytest.approx((seen * web.sketches.pair_weights)[mine].sum(), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_more_pages_never_have_less(seed):
    """Impact is monotone and super-additive: C and D together have at least what each has."""
    web = random_case(seed, 20, 12, 14)
    dice = np.random.default_rng(seed)
    for _ in range(20):
        one, other = np.array_split(dice.permutation(web.rows)[: dice.integers(2, len(web.rows) + 1)], 2)
        assert web.impact(np.concatenate([one, other])) >= web.impact(one) + web.impact(other) - 1e-9


def test_few_pages_are_chosen_as_well_as_can_be():
    """No set of c pages has more, and the choice is c different pages."""
    for seed in range(30):
        web = random_case(seed, 8, 5, 7)
        for c in range(len(web.rows) + 2):
            chosen = web.choose(c)
            assert len(np.unique(chosen)) == len(chosen) == min(c, len(web.rows))
            best = max(web.impact(np.array(rows, np.int64)) for rows in combinations(web.rows, min(c, len(web.rows))))
            assert web.impact(chosen) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("value", [STEEP, [1.0] * 2, [1.0] * 10], ids=["steep", "top 2", "top 10"])
def test_greedy_is_near_the_best(value):
    """Never above the best there is; on random webs it is the best nearly always.  That is measured, not promised."""
    equal, shares = 0, []
    for seed in range(60):
        web = random_case(seed, 11, 8, 9, value)
        c = 2 + seed % 5
        best, found = web.impact(web.choose(c)), web.impact(web.greedy(c))
        assert found <= best + 1e-9
        equal += found > best - 1e-9
        shares.append(found / best if best else 1.0)
    assert equal >= 48
    assert np.mean(shares) > 0.99


def test_no_swap_makes_the_greedy_choice_better():
    """Of many pages too, where not all choices can be tried."""
    for seed in range(3):
        web = random_case(seed, 60, 40, 15, [1.0] * 3)
        assert len(web.rows) > MOST_TRIED
        chosen = web.choose(10)
        assert len(np.unique(chosen)) == 10
        impact, others = web.impact(chosen), np.setdiff1d(web.rows, chosen)
        for i in range(10):
            for other in others:
                assert web.impact(np.append(np.delete(chosen, i), other)) <= impact + 1e-9


def test_a_pair_is_looked_for():
    """Pages that have nothing alone: only two of them together come into the top 1, which single steps never see."""
    decoys = [[(10 + i, 1.0, 1.0)] for i in range(20)]
    pairs = [[(0, 1.0, 2.0), (1, 1.0, 2.0)] for _ in range(5)]
    web = web_of(pairs + decoys, [1.0])
    assert web.impact(np.array([0])) == web.impact(np.array([1])) == 0
    assert web.choose(2).tolist() == [0, 1]


def test_a_pair_that_helps_a_third():
    """Two rivals of a chosen page: only without both it is seen."""
    third = [(0, 3.0, 3.0), (1, 1.0, 4.0), (2, 1.0, 4.0)]
    decoys = [[(10 + i, 1.0, 1.0)] for i in range(20)]
    web = web_of([*([third] * 4), *([[(0, 1.0, 1.0)]] * 3), *decoys], [1.0])
    assert web.choose(3).tolist() == [0, 1, 2]


def test_nothing_is_chosen_of_nothing():
    """No queries, no pages, none asked for."""
    assert web_of([], STEEP).choose(3).tolist() == []
    assert web_of([[]], STEEP).impact(np.zeros(0, np.int64)) == 0
    assert random_case(0, 30, 20, 10).choose(0).tolist() == []


def test_choices_are_the_same_again():
    """Same webs, same pages."""
    assert random_case(5, 40, 30, 12).choose(8).tolist() == random_case(5, 40, 30, 12).choose(8).tolist()


def test_what_does_not_fit_is_told():
    """Compiled code looks at nothing."""
    with pytest.raises(ValueError, match="the lower end first"):
        web_of([[(0, 2.0, 1.0)]], STEEP)
    with pytest.raises(ValueError, match="nor rise"):
        web_of([[(0, 1.0, 2.0)]], [0.5, 1.0])
    with pytest.raises(ValueError, match="twice"):
        web_of([[(0, 1.0, 2.0), (0, 1.0, 2.0)]], STEEP)
    with pytest.raises(IndexError, match="no candidate"):
        web_of([[(0, 1.0, 2.0)]], STEEP).impact(np.array([1]))
