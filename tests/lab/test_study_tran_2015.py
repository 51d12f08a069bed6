"""The studies of tran-et-al-2015: they run, and their verdicts follow from the numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sought.graph.links import links_of
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import FAILS, HOLDS, UNJUDGED, Statement, StudyContext
from sought.lab.studies.tran_2015.cases import (
    LOW_SKEW,
    OMEGAS,
    RANDOM,
    RW,
    RW_EG,
    SKEWED,
    above,
    best_share,
    claim_over_draws,
    ground_of,
    walk,
)
from sought.lab.studies.tran_2015.impact_signs import sent, sent_beside
from sought.lab.studies.tran_2015.learning import LINEAR, TREE, claim_of, features
from sought.lab.studies.tran_2015.omega import best, side
from sought.lab.studies.tran_2015.quality import ChosenQuality, chosen
from sought.lab.studies.tran_2015.quality import claims_of as quality_claims
from sought.lab.studies.tran_2015.ratios import JUDGED, Ratio
from sought.lab.studies.tran_2015.ratios import claims_of as ratio_claims
from sought.lab.studies.tran_2015.shares import flat_claims, shares_of, skewed_claims
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from tests.testing.small_world import small_world

NAMES = tuple(f"tran-et-al-2015-{name}" for name in ("table-2", *(f"figure-{n}" for n in (3, 4, 5, 6, 8))))
STILL: dict[str, Any] = {
    "weeks": 1,
    "rate": 0.0,
    "births": 0.0,
    "deletes": 0.0,
    "ephemeral": 0.0,
    "drift": 0.0,
    "traps": 0.0,
}
FLAT = WebShape(pages=500, hosts=5, topics=10, vocabulary=3000, words=60.0, queries=1500, zipf=0.5, skew=0.1, **STILL)
STEEP = WebShape(pages=1500, hosts=40, topics=40, vocabulary=4000, words=30.0, queries=150, zipf=2.0, skew=2.0, **STILL)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A flat world, a skewed one, and one with too few pages."""
    made = {}
    for name, shape in (("flat", FLAT), ("steep", STEEP)):
        recorder = WorldRecorder()
        span = generate(recorder, shape)
        made[name] = recorder.finish(name, span.seeds, span.start, span.end, WEEK)
    made["tiny"] = small_world()
    root = tmp_path_factory.mktemp("worlds")
    for name, world in made.items():
        save_world(world, root / f"{name}.world", [""] * len(world.versions))
    made["mute"] = replace(made["tiny"], tallies=type(made["tiny"].tallies)(), name="mute")
    save_world(made["mute"], root / "mute.world", [""] * len(made["mute"].versions))
    return {name: root / f"{name}.world" for name in made}


def bench_of(*worlds: Path):
    return StudyContext(list(worlds), worlds[0].parent / "results", cores=1, quick=True)


@pytest.fixture(scope="module")
def grounds(folders):
    return {name: ground_of(folders[name], bench_of(folders[name])) for name in ("flat", "steep")}


# ---- they run


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_studies_run(name, folders):
    """Each runs on every kind of world; verdicts are of those that can judge, and say why others cannot."""
    study = EXPERIMENTS[name]
    found = study.run(bench_of(*folders.values()))
    assert found.study == name
    assert found.verdict in (HOLDS, FAILS)
    assert "mute: nobody asks" in found.because
    assert "small: fewer than 100 pages" in found.because
    judged = [world for world in ("flat", "steep") if any(world in table.title for table in found.tables)]
    assert judged
    assert all(len(row) == len(table.columns) for table in found.tables for row in table.rows)
    assert all(figure.svg.startswith("<svg") for figure in found.figures)


@pytest.mark.parametrize("name", NAMES)
def test_worlds_that_cannot_judge(name, folders):
    """Without queries nothing is judged."""
    assert EXPERIMENTS[name].run(bench_of(folders["mute"])).verdict == UNJUDGED


def test_figures_of_the_paper_are_each_judged_on_their_kind_of_data(folders):
    """Figure 4 is of data of low skew, Figure 5 of skewed data."""
    assert EXPERIMENTS["tran-et-al-2015-figure-4"].run(bench_of(folders["steep"])).verdict == UNJUDGED
    assert EXPERIMENTS["tran-et-al-2015-figure-5"].run(bench_of(folders["flat"])).verdict == UNJUDGED


def test_the_same_run_says_the_same(folders):
    """Frontiers, draws and figures do not depend on when they are made."""
    first, again = (EXPERIMENTS["tran-et-al-2015-figure-5"].run(bench_of(folders["steep"])) for _ in range(2))
    assert (first.numbers, first.tables, first.figures) == (again.numbers, again.tables, again.figures)


# ---- frontiers


def test_kinds_of_worlds(grounds):
    """The regimes follow from how much the best 0.8 % of pages have."""
    assert grounds["flat"].regime is LOW_SKEW
    assert grounds["steep"].regime is SKEWED
    assert best_share(np.array([6.0, 2.0, 1.0, 1.0]), 0.25, 4) == 0.6


def test_a_frontier_is_new_pages_that_crawled_ones_link_to(grounds):
    """F and D are disjoint, each page of F has a link from D, and what is known is of D alone."""
    for ground in grounds.values():
        for case in ground.drawn:
            frontier = case.frontier
            assert not np.isin(case.rows, frontier.crawled).any()
            assert np.isin(case.rows, frontier.links.targets).all()
            assert frontier.known.views[frontier.crawled].sum() > 0
            assert frontier.known.views[case.rows].sum() == 0
            assert (case.week.clicks <= case.week.views).all()


def test_walks_that_ignore_virtual_edges_are_rw(grounds):
    """ω = 1 is RW, and all methods say something of every page."""
    case = grounds["flat"].drawn[0]
    assert (case.walk("clicks", 1.0) == case.importance(walk("clicks", 1.0, 1.0))).all()
    methods = case.methods("clicks", 0.5)
    assert list(methods) == [RANDOM, "InDegree", "PageRank", "Q-Overlap", "Q-Hybrid", RW, RW_EG]
    assert all(np.isfinite(values).all() and len(values) == len(case.rows) for values in methods.values())


def test_shares_are_of_the_ideal(grounds):
    """A ranking by the truth would have 1; all have between 0 and 1."""
    for name, regime in (("flat", LOW_SKEW), ("steep", SKEWED)):
        found = shares_of(grounds[name].drawn, "clicks", regime, 2)
        assert all(((values >= 0) & (values <= 1)).all() for values in found.values())


def test_features_have_a_row_for_each_page(grounds):
    """15 of them, as live: six rankings, depth, and four of parents for clicks and for views each."""
    case = grounds["flat"].drawn[0]
    table = features(case, 0.5)
    assert table.shape == (len(case.rows), 15)
    assert np.isfinite(table).all()


# ---- sums over links


def test_virtual_edges_are_counted_without_making_them():
    """AᵀA without its diagonal, times a vector."""
    dice = np.random.default_rng(5)
    adjacency = (dice.random((12, 12)) < 0.3) & ~np.eye(12, dtype=bool)
    sources, targets = np.nonzero(adjacency)
    links = links_of(sources, targets, 12)
    amount, dense = dice.random(12), adjacency.astype(float)
    virtual = dense.T @ dense
    np.fill_diagonal(virtual, 0.0)
    np.testing.assert_allclose(sent(links, amount), dense.T @ amount)
    np.testing.assert_allclose(sent_beside(links, amount), virtual @ amount, atol=1e-12)


# ---- verdicts


def test_what_is_above():
    """By more than half a point, and by more than two standard errors of the difference; between, nothing is told."""
    assert above(np.array([0.51, 0.61]), np.array([0.50, 0.60])) is True
    assert above(np.array([0.504, 0.604]), np.array([0.50, 0.60])) is False
    assert above(np.array([0.9, 0.1, 0.6]), np.array([0.5, 0.5, 0.5])) is None
    assert above(np.array([0.1, 0.9, 0.4]), np.array([0.5, 0.5, 0.5])) is False
    assert above(np.array([0.6]), np.array([0.5])) is True


def test_what_cannot_be_told_is_not_judged():
    """And says why."""
    sure, unsure = (claim_over_draws(Statement("a"), holds, "1") for holds in (True, None))
    assert (sure.holds, sure.detail) == (True, "1")
    assert (unsure.holds, unsure.detail) == (None, "draws are too few to tell: 1")


def ratio(impact, enriched, pages=50.0):
    return Ratio(pages, 10.0, impact, 0.5, 20.0, enriched, 0.5, 0.0, 0.0)


@pytest.mark.parametrize(
    ("clicked", "unclicked", "enriched", "expected"),
    [(3.0, 1.0, 4.0, True), (3.0, 2.5, 4.0, False), (3.0, 1.0, 2.9, False)],
)
def test_verdict_on_ratios(clicked, unclicked, enriched, expected):
    """Seen pages lead to clearly more, and to more still when enriched."""
    seen, unseen = ratio(clicked, enriched), ratio(unclicked, unclicked)
    found = {(JUDGED, "D_C"): seen, (JUDGED, "D_NC"): unseen, (JUDGED, "D_V"): seen, (JUDGED, "D_NV"): unseen}
    assert all(claim.holds for claim in ratio_claims(found)) is expected


def test_verdict_on_omega():
    """The best ω is on the paper's side, or as good as one there; where ω does not matter nothing is judged."""
    rising = np.tile(np.linspace(0.4, 0.6, len(OMEGAS)), (3, 1))
    assert side("clicks", rising, SKEWED).holds is True
    assert side("clicks", rising, LOW_SKEW).holds is False
    assert side("clicks", rising[:, ::-1], LOW_SKEW).holds is True
    assert side("clicks", np.full((3, len(OMEGAS)), 0.5), LOW_SKEW).holds is None
    nearly = np.full((3, len(OMEGAS)), 0.3)
    nearly[:, 2], nearly[:, 9] = 0.500, 0.504
    assert side("clicks", nearly, LOW_SKEW).holds is True
    assert best([0.1, 0.5, 0.5, 0.2]) == 2


def curves(**last):
    """Shares that are the same at each cut, or as given."""
    names = {"Random": 0.2, "InDegree": 0.3, "PageRank": 0.35, "Q-Overlap": 0.4, "Q-Hybrid": 0.41, RW: 0.5, RW_EG: 0.55}
    return {name: np.broadcast_to(last.get(name.replace("-", "_"), value), (3, 10)) for name, value in names.items()}


EARLY_AND_LATE = np.array([0.7] * 5 + [0.4] * 5)


def test_verdict_on_flat_shares():
    """Queries win early, RW-EG late, and the order of walks is as theirs."""
    as_theirs = curves(Q_Overlap=EARLY_AND_LATE)
    assert all(claim.holds for claim in flat_claims(as_theirs))
    for changed, failing in (
        ({RW: 0.55}, 1),  # RW-EG is no better
        ({"PageRank": 0.52}, 1),
        ({"Q_Overlap": 0.7}, 1),  # wins late too
        ({"Q_Overlap": 0.4}, 1),  # never wins
        ({"Random": 0.5}, 1),
    ):
        found = curves(**({"Q_Overlap": EARLY_AND_LATE} | changed))
        assert sum(not claim.holds for claim in flat_claims(found)) == failing, changed


def test_verdict_on_skewed_shares():
    """Queries win at first, walks in the end, clearly."""
    drying = np.array([0.8] * 2 + [0.3] * 8)
    as_theirs = {"Random": 0.01, "Q_Overlap": drying, "Q_Hybrid": drying}
    assert all(claim.holds for claim in skewed_claims(curves(**as_theirs)))
    for changed in ({"Random": 0.2}, {"PageRank": 0.9}, {"Q_Overlap": 0.53}, {RW: 0.44, "RW_EG": 0.45}):
        claims = skewed_claims(curves(**(as_theirs | changed)))
        assert not all(claim.holds for claim in claims), changed


def test_verdict_on_chosen_pages():
    """Rates go with shares; PageRank has the highest PageRank, Q-Overlap the lowest of all but Random."""
    found = {
        RANDOM: ChosenQuality(0.1, 0.2, 0.1),
        "PageRank": ChosenQuality(0.3, 0.4, 9.0),
        "Q-Overlap": ChosenQuality(0.5, 0.9, 1.0),
        RW: ChosenQuality(0.6, 1.0, 5.0),
    }
    assert [claim.holds for claim in quality_claims([found])] == [True, True, True]
    against = {name: replace(each, rate=1.1 - each.rate) for name, each in found.items()}
    assert [claim.holds for claim in quality_claims([against])] == [False, True, True]
    swapped = found | {"PageRank": found["Q-Overlap"], "Q-Overlap": found["PageRank"]}
    assert [claim.holds for claim in quality_claims([swapped])][1:] == [False, False]


def test_equals_share_the_places_that_are_left():
    """Chances sum to the number of places."""
    np.testing.assert_allclose(chosen(np.array([3.0, 1.0, 1.0, 1.0, 0.0]), 0.4), [1, 1 / 3, 1 / 3, 1 / 3, 0])


def test_verdict_on_learning():
    """The tree must win on flat data; the linear model must not on skewed data; and it must be clear."""
    found = {RW_EG: np.array([[0.5]]), TREE: np.array([[0.6]]), LINEAR: np.array([[0.4]])}
    turned = found | {TREE: np.array([[0.5]]), LINEAR: np.array([[0.6]])}
    noisy = {RW_EG: np.array([[0.5], [0.5]]), TREE: np.array([[0.4], [0.7]]), LINEAR: np.array([[0.4], [0.7]])}
    for regime in (LOW_SKEW, SKEWED):
        assert [claim_of(each, regime).holds for each in (found, turned, noisy)] == [True, False, None]
