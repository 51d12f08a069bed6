"""The studies of tan-mitra-2010: what each says on a small web, and that verdicts follow from numbers."""

from itertools import pairwise

import msgspec
import numpy as np
import polars as pl
import pytest

from sought.lab.judge.statistics import t_statistic
from sought.lab.measures.reading import ReadCopies
from sought.lab.replay.setting import Setting
from sought.lab.replay.watched_crawl import ADDRESS, CONTENT, watched
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import UNJUDGED, VERDICTS, StudyContext, WorldResult
from sought.lab.studies.tan_mitra_2010 import cluster_intervals as intervals
from sought.lab.studies.tan_mitra_2010 import cluster_sizes as sizes
from sought.lab.studies.tan_mitra_2010 import cycle_weights as weights
from sought.lab.studies.tan_mitra_2010 import feature_sets as sets
from sought.lab.studies.tan_mitra_2010 import number_of_clusters as number
from sought.lab.studies.tan_mitra_2010 import policies
from sought.lab.studies.tan_mitra_2010 import word_dimensions as dimensions
from sought.lab.studies.tan_mitra_2010.cycles import (
    AGAIN,
    FRESH,
    LITTLE,
    PRECISE,
    RATIO,
    TWICE,
    CycleWorld,
    effect,
    ground_of,
    paired,
    part_of,
    reasons,
)
from sought.lab.studies.tan_mitra_2010.folds import KS
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.policy.cluster_sampling import ClusterSampling
from tests.testing.small_world import small_world
from tests.testing.tiny_worlds import world_of

STEADY = {"births": 0.0, "deletes": 0.0, "ephemeral": 0.0, "traps": 0.0, "sitemaps": 0.0, "adverts": 0.0}
SHAPE = WebShape(
    hosts=20, hubs=1, pages=140, weeks=34, words=40.0, vocabulary=500, topics=6, queries=80, rate=0.2, by_host=0.3,
    by_topic=0.3, **STEADY,  # type: ignore[arg-type]  # shares
)  # fmt: skip
ALL = tuple(f"tan-mitra-2010-figure-{n}" for n in range(1, 9))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    recorder, place = WorldRecorder(), tmp_path_factory.mktemp("w") / "made-up.world"
    span = generate(recorder, SHAPE)
    save_world(recorder.finish("made-up", span.seeds, span.start, span.end, WEEK), place, recorder.texts)
    return place


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_study_runs(name, folder, results):
    """A verdict, its numbers, tables and figures."""
    found = EXPERIMENTS[name].run(StudyContext([folder], results, cores=0, quick=True))
    assert found.study == name
    assert found.verdict in VERDICTS
    assert (
        found.verdict != UNJUDGED
    ) or name == "tan-mitra-2010-figure-7"  # whose difference is below its error on so small a world
    assert found.because.startswith("made-up: ")
    assert found.numbers["made-up"]
    assert found.tables
    assert found.figures


@pytest.mark.parametrize("name", ALL)
def test_a_world_that_is_too_small_cannot_judge(name, tmp_path):
    """It says why."""
    world = small_world()
    save_world(world, tmp_path / "w", [""] * len(world.versions))
    found = EXPERIMENTS[name].run(StudyContext([tmp_path / "w"], tmp_path, cores=0, quick=True))
    assert found.verdict == UNJUDGED
    assert "cycles" in found.because


def test_one_host_cannot_tell_whether_clusters_are_more_even_than_sites(tmp_path):
    """Nor is SLS a rival there."""
    recorder = WorldRecorder()
    shape = WebShape(hosts=1, pages=120, weeks=17, words=20.0, queries=10, rate=0.0, **STEADY)  # type: ignore[arg-type]  # shares
    span = generate(recorder, shape)
    world = recorder.finish("one", span.seeds, span.start, span.end, WEEK)
    save_world(world, tmp_path / "w", recorder.texts)
    found = EXPERIMENTS["tan-mitra-2010-figure-2"].run(StudyContext([tmp_path / "w"], tmp_path, cores=0))
    assert (found.verdict, found.because) == (UNJUDGED, "one: one host, fewer than 20")
    ground = ground_of(tmp_path / "w", 2)
    assert isinstance(ground, CycleWorld)
    assert "SLS" not in policies.arms(ground)


# ---- what they share


def test_a_cycle_of_policies_is_one_of_the_replay(folder):
    """And there are as many clusters as leave ten fetches of the smallest cycle for each, at least five."""
    ground = ground_of(folder, 4)
    assert isinstance(ground, CycleWorld)
    assert ground.cycle == 4 * WEEK
    assert ground.world.units == 8
    assert ground.clusters == 5  # 9 % of 140 pages are fewer than 50
    assert ground.hosts == 20


def test_ten_distances_to_words_are_what_a_crawl_has(folder, results):
    """The policy of Figure 3 does what ClusterSampling does, if it has as many."""
    ground = ground_of(folder, 4)
    assert isinstance(ground, CycleWorld)
    own = ClusterSampling(k=5, weighting="NAD", cycle=ground.cycle)
    arms = {"wide": dimensions.WideSampling(k=5, weighting="NAD", cycle=ground.cycle), "own": own}
    found = ground.series(arms, LITTLE, StudyContext([], results, cores=0))
    for name in (RATIO, FRESH, PRECISE):
        assert found["wide"][name].tolist() == found["own"][name].tolist()


def test_differences_are_told_in_deviations_and_in_pairs():
    """Cohen's d, and t of the differences of pairs: the same in every pair is infinitely sure."""
    a, b = np.array([1.0, 3.0, np.nan]), np.array([0.0, 2.0, 7.0])
    assert effect(a, b[:2]) == pytest.approx(1.0 / np.sqrt(2.0))
    assert paired(a, b) == np.inf
    assert np.isnan(effect(a[:1], b))
    assert part_of(np.arange(8.0), 0.0, 0.25) == 0.5
    assert part_of(np.arange(8.0), 0.75, 1.0) == 6.5


def test_what_is_fetched_again():
    """Of two pages of the second cycle one was in the first, of those of the third none was in the second."""
    found = reasons(pl.DataFrame({"unit": [0, 0, 1, 1, 2], "page": [1, 2, 2, 3, 1]}), 6)
    assert found[AGAIN].tolist()[1:] == [0.5, 0.0]
    assert np.isnan(found[AGAIN][0])
    assert found[TWICE].tolist() == [2 / 6, 3 / 6, 3 / 6]


# ---- a crawl that sees everything


def test_who_fetches_everything_knows_how_often_pages_change(folder):
    """The share of cycles in which a page shows something else than in the one before."""
    ground = ground_of(folder, 4)
    assert isinstance(ground, CycleWorld)
    seen = watched(open_world(folder), ground.setting, 3, ("static", "dynamic", "all"))
    world = ground.world
    shown = ReadCopies(world).shown
    states = [shown[world.live(world.start + unit * world.unit)[seen.page]] for unit in range(4)]
    often = np.mean([a != b for a, b in pairwise(states)], axis=0)
    assert seen.frequency.tolist() == pytest.approx(often.tolist())
    assert 0.0 < often.mean() < 1.0
    assert {name: table.shape[1] for name, table in seen.features.items()} == {"static": 38, "dynamic": 10, "all": 68}
    assert len(seen.words[ADDRESS]) == len(seen.words[CONTENT]) == len(seen.page)
    assert np.array_equal(seen.host, world.sites[1][seen.page])


def test_nothing_is_known_of_changes_before_the_first_cycle(folder):
    """All dynamic features are 0."""
    seen = watched(open_world(folder), Setting(pages="fixed", every=4), 0, ("dynamic",))
    assert not seen.features["dynamic"].any()


# ---- verdicts

CURVE = [0.2, 0.3, 0.5, 0.7, 0.72, 0.725, 0.726, 0.727, 0.728]


def test_a_curve_that_is_steep_then_flat():
    """Holds; one that goes on rising does not, nor one whose knee is late."""
    assert number.judged("w", KS, {"words": CURVE}, 2000).holds
    steady = [0.1 + 0.003 * k for k in KS]
    part = number.judged("w", KS, {"words": CURVE, "more": steady}, 2000)
    assert not part.holds
    assert "more: the knee" in part.because
    assert "more: τ is steep" in part.because


def test_even_clusters():
    """Clusters near their mean against a few large sites; and the other way round."""
    even, uneven = np.array([9.0, 10, 10, 11]), np.array([1.0, 1, 1, 37])
    assert (part := sizes.judged("w", even, uneven)).holds
    assert (
        msgspec.convert(msgspec.json.decode(msgspec.json.encode(part)), WorldResult) == part
    )  # it can be written down
    assert not sizes.judged("w", uneven, even).holds


def noisy(level, seed=0, cycles=24):
    return level + 0.01 * np.random.default_rng(seed).standard_normal(cycles)


@pytest.mark.parametrize(
    ("levels", "holds"),
    [((0.30, 0.40, 0.40, 0.40), True), ((0.45, 0.40, 0.40, 0.40), False), ((0.30, 0.40, 0.45, 0.40), False)],
)
def test_a_plateau_of_distances(levels, holds):
    """5 is lowest, 10 to 30 are level."""
    found = {dims: noisy(level) for dims, level in zip((5, 10, 20, 30), levels, strict=True)}
    assert dimensions.judged("w", found).holds is holds


LITTLE_R = {"url": 0.2, "content": 0.25, "static": 0.3, "dynamic": 0.35, "static+dynamic": 0.4, "all": 0.401}


def of_sets(ratios):
    return {name: {RATIO: noisy(value), TWICE: noisy(0.5)} for name, value in ratios.items()}


@pytest.mark.parametrize(
    ("change", "said"),
    [({}, ""), ({"url": 0.5}, "addresses"), ({"dynamic": 0.45}, "together"), ({"static": 0.36}, "dynamic features")],
)
def test_sets_of_features(change, said):
    """As in the figure; and what is wrong is named."""
    much = of_sets(dict.fromkeys(LITTLE_R, 0.3))
    part = sets.sets_judged("w", {0.09: of_sets(LITTLE_R | change), 0.35: much})
    assert part.holds is (not change)
    assert said in part.because


def test_sets_that_differ_where_much_can_be_fetched():
    """More than a tenth is not alike."""
    part = sets.sets_judged("w", {0.09: of_sets(LITTLE_R), 0.35: of_sets(LITTLE_R)})
    assert not part.holds
    assert "with much" in part.because


def of_measures(ratio, fresh, precise):
    return {RATIO: noisy(ratio, 1), FRESH: noisy(fresh, 2), PRECISE: noisy(precise, 3), AGAIN: noisy(0.5)}


def test_ranking_features():
    """MP@10 is higher with them, and nothing else differs."""
    without = of_measures(0.3, 0.6, 0.8)
    assert sets.ranking_judged("w", of_measures(0.3, 0.6, 0.81), without).holds
    assert "mp@10" in sets.ranking_judged("w", of_measures(0.3, 0.6, 0.79), without).because
    shaky = {name: np.tile([0.7, 0.9], 6) for name in without}
    nearly = shaky | {PRECISE: shaky[PRECISE] + 0.001}
    assert sets.ranking_judged("w", nearly, shaky).holds is None  # a difference below its error
    assert "freshness@10 is alike" in sets.ranking_judged("w", of_measures(0.3, 0.7, 0.81), without).because


def test_weights_of_cycles():
    """SAD is best at first, GAD in the end, and NAD passes SAD; not so if SAD stays ahead."""
    start, end = np.ones(12), np.ones(12)
    found = {
        "NAD": np.r_[0.2 * start, 0.5 * end],
        "SAD": np.r_[0.3 * start, 0.4 * end],
        "AAD": np.r_[0.25 * start, 0.55 * end],
        "GAD": np.r_[0.25 * start, 0.6 * end],
    }
    assert weights.judged("w", found).holds
    part = weights.judged("w", found | {"SAD": np.r_[0.3 * start, 0.7 * end]})
    assert not part.holds
    assert "overtakes" in part.because
    assert "best in the end" in part.because


def of_policies(clusters, rivals, precise=0.8):
    found = {name: of_measures(clusters, clusters, 0.8) for name in policies.CLUSTERS}
    found |= {name: of_measures(rivals, rivals, precise) for name in policies.RIVALS}
    return found | {policies.IDEAL: of_measures(1.0, 1.0, 1.0)}


def test_all_policies():
    """Significantly above all rivals in two measures, much the same in the third, and all below Ideal."""
    assert policies.judged("w", of_policies(0.5, 0.3)).holds
    assert "0 of 24 pairs" in policies.judged("w", of_policies(0.5, 0.5)).because
    assert "mp@10 of all" in policies.judged("w", of_policies(0.5, 0.3, 0.7)).because
    beaten = of_policies(0.5, 0.3) | {policies.IDEAL: of_measures(0.4, 1.0, 1.0)}
    assert "Ideal" in policies.judged("w", beaten).because


def test_how_fast_a_web_is_is_told():
    """Of four pages one changes in each of eight cycles, one in two; 9 % of them is one page."""
    history = {"a": [(u, f"text {u}") for u in range(9)], "b": [(0, "one"), (3, "two"), (5, "three")]}
    history |= {"c": [(0, "still")], "d": [(0, "quiet")]}
    tempo = policies.tempo_of(world_of(history, ["text"], 8))
    assert tempo == pytest.approx((10 / 32, 1.0, 0.5))  # after eight cycles a and b are other than at the start
    told = policies.judged("w", of_policies(0.5, 0.3), tempo).because
    assert "31.2% of the pages change, 100.0% of the 9% that change most, and under round-robin 50.0%" in told


def test_one_host_has_no_sites_to_compare():
    """And says so."""
    found = {name: series for name, series in of_policies(0.5, 0.3).items() if name != "SLS"}
    part = policies.judged("w", found)
    assert part.holds
    assert "sites are not compared" in part.because


def falling(level):
    return [level + 0.3, level + 0.2, level + 0.1, level]


def test_variation_inside_groups():
    """Falls, all < dynamic < static, below frequency and below sites; each claim can fail."""
    values = {"static": falling(0.5), "dynamic": falling(0.4), "all": falling(0.3), intervals.FREQUENCY: falling(0.6)}
    curve = intervals.VariationCurve((5, 10, 25, 50), values, 0.9)
    assert intervals.judged("w", curve, curve).holds
    for change, said in [
        ({"static": falling(0.3)}, "dynamic is below static"),
        ({"dynamic": falling(0.2)}, "all is below dynamic"),
        ({intervals.FREQUENCY: falling(0.2)}, "all is below Freq"),
        ({"all": falling(0.3)[::-1]}, "variation falls"),
    ]:
        part = intervals.judged("w", intervals.VariationCurve((5, 10, 25, 50), values | change, 0.9), curve)
        assert not part.holds
        assert said in part.because
    few_sites = intervals.judged("w", intervals.VariationCurve((5, 10, 25, 50), values, 0.35), curve)
    assert "below sites" in few_sites.because
    without = intervals.judged("w", intervals.VariationCurve((5, 10, 25, 50), values), curve).claims[-1]
    assert (without.statement, without.holds) == (intervals.BELOW_SITES, None)
    assert "sites are not compared" in without.detail


def test_variation_by_hand():
    """Deviation over mean in groups of two or more: (1, 3) has 1/2, (2, 2) none; a page alone says nothing."""
    found = intervals.variation(np.array([1.0, 3.0, 2.0, 2.0, 9.0]), np.array([4, 4, 7, 7, 8]))
    assert found == pytest.approx(0.25)
    assert np.isnan(intervals.variation(np.array([1.0, 2.0]), np.array([0, 1])))


def test_intervals_are_cycles_for_each_change(folder):
    """Of all pages, over two halves; a page that never changed has all cycles."""
    world = open_world(folder)
    pages = np.arange(len(world.urls))
    shown = ReadCopies(world).shown
    states = np.array([shown[world.live(world.start + unit * world.unit)] for unit in range(11)])
    changes = (states[1:] != states[:-1]).sum(axis=0)
    found = intervals.intervals_of(world, pages, 0, 10)
    assert found.tolist() == (10 / np.maximum(changes, 1)).tolist()
    assert t_statistic(found, found) == 0.0
