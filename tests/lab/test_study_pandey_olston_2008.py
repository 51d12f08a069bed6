"""The studies of pandey-olston-2008: what each says on a small web, and that verdicts follow from numbers."""

from dataclasses import replace

import numpy as np
import pytest

from sought.beliefs.search_impact.needy import Improvability, fit_improvability
from sought.lab.replay.frontier import at_frontier, frontier_of
from sought.lab.replay.setting import Setting
from sought.lab.studies.pandey_olston_2008 import impact_orders as orders
from sought.lab.studies.pandey_olston_2008 import needy_queries as needy
from sought.lab.studies.pandey_olston_2008 import sketch_budget as budget
from sought.lab.studies.pandey_olston_2008 import tail_topics as tail
from sought.lab.studies.pandey_olston_2008.importance_and_impact import Scatter, ranks
from sought.lab.studies.pandey_olston_2008.importance_and_impact import judged as scatter_judged
from sought.lab.studies.pandey_olston_2008.uncrawled import (
    BY_IMPORTANCE,
    CRAWLED,
    DATASETS,
    HYBRID,
    gathered,
    impact_of,
    judge_in,
    setting_of,
)
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import UNJUDGED, VERDICTS, StudyContext
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.policy import PageRank
from sought.web.errors import BadInput
from tests.testing.small_world import small_world

KNOBS = {"rate": 0.0, "traps": 0.0, "sitemaps": 0.0, "deletes": 0.0}  # every fetch is of a page
SHAPE = WebShape(hosts=5, pages=320, weeks=1, words=60.0, vocabulary=800, topics=8, queries=300, **KNOBS)  # type: ignore[arg-type]  # shares
OF_WORLDS = tuple(f"pandey-olston-2008-figure-{n}" for n in (2, 5, 6, 7, 8))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    recorder, place = WorldRecorder(), tmp_path_factory.mktemp("w") / "made-up.world"
    span = generate(recorder, SHAPE)
    save_world(recorder.finish("made-up", span.seeds, span.start, span.end, WEEK), place, recorder.texts)
    return place


@pytest.fixture(scope="module")
def judge(folder):
    return whole(folder)


def whole(folder, split="none"):
    found = judge_in(folder, split)
    assert not isinstance(found, str)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_WORLDS)
def test_every_study_runs_and_finds_the_same_again(name, folder, tmp_path):
    """A verdict, its numbers, tables and figures; the same world gives the same."""
    study = EXPERIMENTS[name]
    found = study.run(StudyContext([folder], tmp_path, quick=True))
    assert found.study == name
    assert found.verdict in VERDICTS
    assert found.verdict != UNJUDGED
    assert found.because.startswith("made-up: ")
    assert found.numbers["made-up"]
    assert found.tables
    assert found.figures or name == "pandey-olston-2008-figure-6"
    if name == "pandey-olston-2008-figure-7":
        assert found == study.run(StudyContext([folder], tmp_path, quick=True))


@pytest.mark.parametrize("name", OF_WORLDS)
def test_a_world_that_is_too_small_cannot_judge(name, tmp_path):
    """It says why."""
    world = small_world()
    save_world(world, tmp_path / "small.world", [""] * len(world.versions))
    found = EXPERIMENTS[name].run(StudyContext([tmp_path / "small.world"], tmp_path, quick=True))
    assert found.verdict == UNJUDGED
    assert "fewer than" in found.because


def test_every_figure_has_a_study():
    """By its own name or another one."""
    names = {name for study in EXPERIMENTS.values() for name in (study.name, *study.aliases)}
    assert {"E003-T", *(f"E003-{figure}" for figure in (2, 5, 6, 7, 8, 9))} <= names
    assert {f"pandey-olston-2008-figure-{figure}" for figure in (2, 5, 6, 7, 8, 9)} <= names
    assert EXPERIMENTS["pandey-olston-2008-theorem-1"].worldless


# ---- datasets


def test_dataset_2_lacks_the_most_important_pages_of_dataset_1(judge):
    """Who was at the top by PageRank has been crawled; nobody else has."""
    one, two = (frontier_of(judge, [PageRank()], setting_of(dataset)) for dataset in DATASETS)
    known = np.flatnonzero(one.pages.is_new)
    rank = one.values(PageRank())[known]
    count = int(np.ceil(DATASETS["Dataset 2"] * len(known)))
    moved = known[~two.pages.is_new[known]]  # rows are the same: new ones come at the end
    assert len(moved) == count
    assert one.values(PageRank())[moved].min() >= np.sort(rank)[::-1][count - 1]
    assert two.pages.is_new[len(one.pages) :].all()


def test_the_sample_is_what_was_not_drawn(judge):
    """A fifth of the pages, another one in another draw, and only what links lead to."""
    frontiers = [frontier_of(judge, [HYBRID], setting_of("Dataset 1", draw)) for draw in (0, 1)]
    for frontier in frontiers:
        held = len(frontier.rows) + len(frontier.crawled)
        assert len(frontier.rows) <= (1 - CRAWLED) * held + 10
    assert set(frontiers[0].page[frontiers[0].rows]) != set(frontiers[1].page[frontiers[1].rows])


def test_promoted_is_a_share():
    """Bad input is refused by name."""
    for wrong in (-0.1, 1.0, float("nan")):
        with pytest.raises(BadInput, match="promoted"):
            Setting("frontier", promoted=wrong)


def test_all_impact_is_gathered_in_the_end(judge):
    """Shares of impact ascend, and the best order is above every other."""
    frontier, impact = frontier_of(judge, [HYBRID], setting_of("Dataset 1")), impact_of(judge)
    shares = (0.1, 0.5, 1.0)
    best = gathered(frontier, impact[frontier.page], impact, shares)
    found = gathered(frontier, frontier.values(HYBRID), impact, shares)
    assert best[-1] == found[-1] == pytest.approx(1.0)
    assert sorted(found) == found
    assert all(a >= b - 1e-12 for a, b in zip(best, found, strict=True))
    assert gathered(frontier, frontier.values(HYBRID), np.zeros(len(impact)), shares) == [0.0, 0.0, 0.0]


# ---- Figure 2


def test_ranks_are_shared_by_equals():
    """Two first ones are each at one and a half, counted from a half on."""
    assert ranks(np.array([3.0, 1.0, 1.0])).tolist() == [2.5, 1.0, 1.0]


def test_importance_and_impact():
    """Weak and rising holds; strong does not, nor falling; all alike cannot be judged."""
    dice = np.random.default_rng(1)
    x = dice.lognormal(0, 1, 5000)
    weak = dice.poisson(0.3 + 0.2 * np.log1p(x)) * dice.pareto(1.6, 5000)
    assert scatter_judged("w", Scatter(x, weak)).holds
    strong = scatter_judged("w", Scatter(x, x + 0.1 * dice.random(5000)))
    assert strong.holds is False
    assert [claim.holds for claim in strong.claims] == [False, True]
    falling = scatter_judged("w", Scatter(x, dice.poisson(1 / (1 + x)).astype(float)))
    assert falling.holds is False
    assert [claim.holds for claim in falling.claims] == [True, False]
    assert scatter_judged("w", Scatter(x, np.ones(5000))).holds is None


# ---- Figure 5

_AT = np.array(orders.SHARES)


def as_published(lead):
    """Curves in the shape of Figure 5."""
    independent = _AT**0.8
    driven = np.where(_AT <= 0.4, _AT**0.5, np.minimum(_AT**0.5, independent - 0.02))
    mixed = np.maximum(_AT**0.5, independent + lead)
    return {orders.RANDOM: _AT, orders.INDEPENDENT: independent, orders.DRIVEN: driven, orders.MIXED: mixed}


def orders_of(first, second):
    clues = orders.Clues(100, 0.5, 0.6, 0.1, 1.2)
    return orders.Orders(
        dict(zip(DATASETS, (first, second), strict=True)),
        dict.fromkeys(DATASETS, clues),
        {dataset: [0.1] for dataset in DATASETS},
    )


def test_curves_as_published_hold():
    """All statements at once; by which scorer is told."""
    good, bad = orders_of(as_published(0.01), as_published(0.2)), orders_of(as_published(0.2), as_published(0.0))
    part = orders.judged("w", {"BM25()": good, "another": bad})
    assert part.holds
    assert len(part.figures) == 2
    [told] = [table for table in part.tables if "statements" in table.title]
    assert [row[1:] for row in told.rows if "Dataset 2" in str(row[0])] == [["yes", "no"]]
    assert orders.judged("w", {"BM25()": bad, "another": good}).holds is False


@pytest.mark.parametrize(
    ("name", "curve", "statement", "found"),
    [
        (orders.RANDOM, _AT**0.5, orders.RANDOM_WORST, ""),
        (orders.DRIVEN, _AT**2, orders.EARLY_BEST, ""),
        (orders.DRIVEN, _AT**0.5, orders.DRIES_UP, "50% of the pages"),
        (orders.MIXED, _AT, orders.HYBRID_BEST, "above the hybrid"),
    ],
)
def test_each_statement_can_fail(name, curve, statement, found):
    """What is not as published is said, with what may be the reason."""
    claims = orders_of(as_published(0.1), {**as_published(0.2), name: curve}).claims()
    assert any(found in claim.detail for claim in claims if claim.statement == statement and not claim.holds)
    assert not any(claim.at == "Dataset 1" for claim in claims if not claim.holds)


def test_the_lead_must_grow():
    """Dataset 2 is where the hybrid pays."""
    part = orders.judged("w", {"BM25()": orders_of(as_published(0.2), as_published(0.0))})
    assert part.holds is False
    assert "leads by more on Dataset 2" in part.because
    assert "1.20 times the mean impact" in part.because


# ---- Figure 6


def test_tail_topics():
    """Promoted pages that are shown, and have more impact than others of their kind."""
    example = tail.Example("http://a.test/x", 1, 90, 100, "x", "x", 3, 0.5)
    good = tail.Tail([example], 1, 20, 0.5, 0.1, 0.2)
    assert tail.judged("w", good).holds
    poor, hidden = replace(good, impact=0.05), replace(good, examples=[replace(example, rank=0)])
    assert [claim.holds for claim in tail.judged("w", poor).claims] == [True, True, False]
    assert [claim.holds for claim in tail.judged("w", hidden).claims] == [True, False, True]
    none = tail.judged("w", replace(good, examples=[], promoted=0))
    assert [claim.holds for claim in none.claims] == [False, None, None]
    assert none.holds is False
    assert "0 of 20" in none.because


def test_promoted_pages_are_unimportant_and_early(judge):
    """They are among the first by impact, and among the last by importance; a rank is one among all pages."""
    with at_frontier(judge, [HYBRID, BY_IMPORTANCE], setting_of("Dataset 1")) as reached:
        frontier = reached.frontier()
    promoted, last, first = tail.promoted_in(frontier)
    assert set(promoted) == set(first) & set(last)
    assert len(first) == tail.LEAST
    weight = frontier.values(BY_IMPORTANCE)
    others = np.setdiff1d(frontier.rows, last)
    assert weight[last].max() <= weight[others].min()
    text = judge.demand.texts[int(np.argmax(judge.demand.weights("judged", judge.world.start)))]
    results = tail.shown_in(judge)
    found = [tail.rank_of(judge, results, page, text) for page in range(len(judge.world.urls))]
    shown = sorted(rank for rank in found if rank)
    assert shown == list(range(1, len(shown) + 1))
    assert tail.rank_of(judge, results, 0, "nobody asks this") == 0


# ---- Figure 7


def taught(slope, seed, queries=4000, noise=1.0):
    dice = np.random.default_rng(seed)
    x = dice.random(queries)
    improvement = dice.poisson(np.exp(0.5 + slope * x) * dice.gamma(1 / noise, noise, queries)).astype(float)
    return needy.Improved(x, improvement, np.ones(queries, np.bool_), x)


def of_both(each):
    return {(dataset, needy.C): each for dataset in DATASETS}


def test_improvability_that_falls_and_is_predicted_holds():
    """Two halves of the same kind."""
    found = needy.learned_halves(taught(-2.0, 1), taught(-2.0, 2))
    assert found.accuracy > 0.9
    assert needy.judged("w", of_both(found)).holds


def test_improvability_that_rises_or_is_another_does_not_hold():
    """The slope is told, and that of queries with ten results."""
    rising = needy.judged("w", of_both(needy.learned_halves(taught(2.0, 1), taught(2.0, 2))))
    assert rising.holds is False
    assert {claim.at for claim in rising.claims if claim.statement == needy.FALLS and not claim.holds} == set(DATASETS)
    assert "b = " in rising.because
    another = needy.judged("w", of_both(needy.learned_halves(taught(-3.0, 1), taught(-0.1, 2))))
    assert another.holds is False
    assert "predicts" in another.because


def test_improvability_without_improvement_cannot_be_judged():
    """Nor with queries that are all alike."""
    idle = replace(taught(-2.0, 1), improvement=np.zeros(4000))
    assert needy.judged("w", of_both(needy.learned_halves(idle, idle))).holds is None
    alike = replace(taught(-2.0, 1), x=np.ones(4000))
    assert needy.judged("w", of_both(needy.learned_halves(alike, alike))).holds is None


def test_explained_variance():
    """1 of a perfect prediction, 0 of the mean."""
    each = fit_improvability(np.arange(40.0), np.repeat([3.0, 1.0], 20))
    means = each.buckets.improvement
    assert needy.explained(each, means) == 1.0
    assert needy.explained(each, np.full(len(means), means.mean())) == pytest.approx(0.0)


def test_halves_are_apart_and_improvement_is_counted(folder):
    """No query is in both; each page that came was fetched for it, and there are no more than ten."""
    one, other = needy.halves(whole(folder, "string"))
    start = one.world.start
    for half in (one, other):
        assert np.array_equal(half.demand.weights("known", start), half.demand.weights("judged", start))
    asked = [half.demand.weights("known", start) > 0 for half in (one, other)]
    assert not (asked[0] & asked[1]).any()
    little, much = (needy.improved(one, "Dataset 1", share) for share in (0.02, 0.9))
    assert len(little.x) == np.count_nonzero(asked[0])
    assert np.array_equal(little.x, much.x)
    assert 0 < little.improvement.sum() < much.improvement.sum()
    assert much.improvement.max() <= needy.SEEN
    assert (little.x >= 0).all()
    assert np.array_equal(little.attained, much.attained)
    assert 0 <= little.attained.min() < little.attained.max() <= 1


# ---- Figures 8 and 9


def kept(few):
    every = np.array(budget.BUDGETS) ** 0.5
    impact = {0.0: 0.2 * every, budget.PRINTED: 0.3 * every, budget.SMALL: few * every, 0.2: 0.95 * every, 1.0: every}
    return budget.SketchImpact(impact, np.array(budget.BUDGETS), 2000, 500)


def test_few_sketches():
    """Enough impact with few sketches holds; else it is said at which budget."""
    good = budget.judged("w", dict.fromkeys(DATASETS, kept(0.93)))
    assert good.holds
    assert good.numbers["Dataset 1: share of sketches that is enough"] == budget.SMALL
    bad = budget.judged("w", dict.fromkeys(DATASETS, kept(0.5)))
    assert bad.holds is False
    assert "0.500 of the impact" in bad.because
    assert bad.numbers["Dataset 2: share of sketches that is enough"] == 0.2
    assert len(bad.figures) == 4


def test_all_sketches_are_the_hybrid(folder):
    """Whatever the curve, with all sketches it is the same; with one the curve decides which."""
    _, test = needy.halves(whole(folder, "string"))
    curves = [Improvability(), Improvability(0, -30), Improvability(0, 30)]
    found = [budget.measured(test, "Dataset 1", curve, (0.0, 0.001, 1.0)).impact for curve in curves]
    for share in (0.0, 1.0):
        assert all(np.array_equal(each[share], found[0][share]) for each in found)
    assert not all(np.array_equal(each[0.001], found[0][0.001]) for each in found)
