"""Theorem 1 of pandey-olston-2008: choosing for the worst case is hard, and why."""

from itertools import combinations

import numpy as np
import pytest

from sought.lab.studies.pandey_olston_2008.worst_case import (
    FLAT,
    STEEP,
    WORST_CASE,
    SmallGraph,
    _reductions,
    _sums,
    judged,
    predicted,
    reduction,
)
from sought.lab.studies.study import HOLDS, StudyContext

TRIANGLE = SmallGraph(5, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])


def test_the_study_holds(tmp_path):
    """It needs no world, finds the same again, and tells what it counted."""
    found = WORST_CASE.run(StudyContext((), tmp_path, quick=True))
    assert (found.study, found.verdict, found.worlds) == ("pandey-olston-2008-theorem-1", HOLDS, [])
    numbers = found.numbers["made by hand"]
    assert numbers["sets with another impact than the adversary's"] == 0
    assert numbers["sets of vertices with another impact than predicted"] == 0
    share = numbers["share of sets with more than the sum of their pages"]
    assert isinstance(share, float)
    assert 0 < share < 1
    assert found == WORST_CASE.run(StudyContext((), tmp_path, quick=True))


@pytest.mark.parametrize(("value", "r"), [(STEEP, 1), (STEEP, 3), (FLAT, 3)])
def test_impact_counts_edges(value, r):
    """2K·V(1) + dK·V(r+1) + n·(V(r) - V(r+1)), by hand for a triangle with a tail."""
    web = reduction(TRIANGLE, r, value)
    below = value[r] if r < len(value) else 0.0
    for chosen, edges in (((0, 1, 2), 3), ((2, 3, 4), 2), ((0, 1, 4), 1), ((1, 3), 0)):
        impact = 2 * len(chosen) * value[0] + 3 * len(chosen) * below + edges * (value[r - 1] - below)
        assert predicted(TRIANGLE, r, value, chosen) == pytest.approx(impact)
        assert web.impact(np.array(chosen)) == pytest.approx(impact)


def test_the_reduction_is_the_one_of_the_paper():
    """Kinds A, B and C: so many lists, of such lengths, and each dummy in one of them only."""
    r, web = 3, reduction(TRIANGLE, 3, STEEP)
    lengths = np.diff(web.sketches.bounds)
    fillers = sum(3 - degree for degree in TRIANGLE.degrees)
    assert lengths.tolist() == [2 + r - 1] * 5 + [1] * 10 + [1 + r] * fillers
    rows, counts = np.unique(web.sketches.rows, return_counts=True)
    assert (counts[rows >= 5] == 1).all()
    assert len(rows) == 5 + 5 * (r - 1) + fillers * r


def test_most_edges_are_found():
    """The set of most impact is the densest subgraph, and no dummy is in it."""
    web = reduction(TRIANGLE, 1, STEEP)
    best = max(combinations(range(5), 3), key=lambda chosen: web.impact(np.array(chosen)))
    assert best == (0, 1, 2)
    assert web.choose(3).tolist() == [0, 1, 2]
    assert TRIANGLE.densest(3) == 3


def test_what_does_not_hold_is_named():
    """A verdict follows from numbers: one set that is wrong, and it is said."""
    sums, reduced = _sums(3), _reductions(6)
    assert judged(sums, reduced).holds
    sums.wrong = 1
    part = judged(sums, reduced)
    assert part.holds is False
    assert "the adversary leaves" in part.because
