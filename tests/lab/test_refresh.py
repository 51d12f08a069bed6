"""All refresh rules beside each other, and the calibration of change rates: quick runs, and verdicts by hand."""

import numpy as np
import pytest

from sought.beliefs.clusters.clustering import Cluster
from sought.lab.replay.observers import (
    Everywhere,
    Forecasts,
    fetches_in_rotation,
    forecasts_of,
    joined_forecasts,
    pages_of,
)
from sought.lab.replay.poisson_pages import START, UNIT, PoissonPages, SimulatedMeans, Simulation, drawn
from sought.lab.replay.signals import Signals
from sought.lab.studies.refreshing import rates, refresh
from sought.lab.studies.refreshing import signals as refresh_signals
from sought.lab.studies.refreshing import theory as refresh_theory
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import HOLDS, UNJUDGED, VERDICTS, StudyContext
from sought.lab.studies.worth import headline as worth
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.policy import POLICIES, RoundRobin
from sought.policy.noisy_signals import NoisySignals
from sought.policy.optimal_freshness import OptimalFreshness
from sought.record.fetches import Fetches
from tests.testing.tiny_worlds import world_of

SHAPE = WebShape(hosts=3, pages=40, weeks=10, words=40.0, vocabulary=400, topics=5, queries=80, rate=0.3, traps=0.0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    recorder, place = WorldRecorder(), tmp_path_factory.mktemp("w") / "made-up.world"
    span = generate(recorder, SHAPE)
    save_world(recorder.finish("made-up", span.seeds, span.start, span.end, WEEK), place, recorder.texts)
    return place


# ---- quick runs


@pytest.mark.slow
@pytest.mark.parametrize("name", ["refresh", "refresh-signals", "rates"])
def test_every_study_runs(name, folder, tmp_path, monkeypatch):
    """A verdict from numbers, with its tables; round-robin differs from itself by nothing."""
    monkeypatch.setattr(rates, "FEWEST", 20)
    found = EXPERIMENTS[name].run(StudyContext([folder], tmp_path, cores=0, quick=True))
    assert found.verdict in VERDICTS
    assert found.verdict != UNJUDGED
    assert found.numbers["made-up"]
    assert found.tables[0].title == f"{name}: what must hold"
    if name == "refresh":
        [row] = [row for row in found.tables[1].rows if row[0] == refresh.ROUND_ROBIN]
        assert row[4:8] == [0.0, 0.0, 0.0, 0.0]
        assert found.numbers["made-up"]["Ceiling at 5.0%, share of gap"] == 1.0
    if name == "refresh-signals":
        at = found.tables[2].columns.index("held but gone")
        gone = {str(row[0]): float(row[at] or 0.0) for row in found.tables[2].rows}
        assert 0.0 <= gone["Ceiling"] < gone[refresh.ROUND_ROBIN] < 1.0  # some pages vanish, and nobody tells


def test_what_theory_says_comes_out(tmp_path):
    """Also in a few seconds."""
    found = EXPERIMENTS["refresh-theory"].run(StudyContext([], tmp_path, quick=True))
    assert found.verdict == HOLDS, found.because


def test_estimators_are_as_far_off_as_they_must_be(tmp_path):
    """Also with few pages."""
    found = EXPERIMENTS["rates-known"].run(StudyContext([], tmp_path, quick=True))
    assert found.verdict == HOLDS, found.because


@pytest.mark.parametrize("name", ["refresh", "refresh-signals", "rates"])
def test_a_world_that_cannot_tell_says_why(name, tmp_path):
    """Nobody asks, or it is too short."""
    world = world_of({"a": [(0, "one"), (1, "two")], "b": [(0, "one")]}, [], 3)
    save_world(world, tmp_path / "small.world", [""] * len(world.versions))
    found = EXPERIMENTS[name].run(StudyContext([tmp_path / "small.world"], tmp_path, cores=0, quick=True))
    assert found.verdict == UNJUDGED


def test_every_refresh_rule_has_a_place():
    """All that are registered and rank known pages are compared in one of the tables."""
    arms = [*refresh.ARMS.values(), *refresh_signals.ARMS.values()]
    policies = [*(arm.policy for arm in arms), *(arm.policy for arm in worth.WARM.values())]
    compared = {type(part).__name__ for policy in policies for part in (policy, getattr(policy, "known", None))}
    of_new_pages = {
        *("Backlinks", "BreadthFirst", "DemandFirst", "ForwardLinks", "Learned", "Location", "Opic", "PageRank"),
        *("RandomWalk", "SearchImpact", "Similarity", "TimeLapse", "Topical"),
    }
    assert set(POLICIES) - of_new_pages <= compared


# ---- verdicts by hand


def reached(name, kind, quality, low=0.0, share=0.0, budget=0.01):
    difference = quality - 0.9
    return refresh.ArmResult(name, kind, budget, {"quality": quality}, share, difference, low, difference + 0.01)


def claims(*others):
    found = [
        reached(refresh.ROUND_ROBIN, "floor", 0.9),
        reached("Nutch", "changes", 0.905, share=0.05),
        reached("LambdaCrawl, views", "demand", 0.93, low=0.02),
        *others,
    ]
    return [claim.holds for claim in refresh.claims_of(found)]


def test_rules_are_judged_by_their_numbers():
    """Each of the four claims fails by itself."""
    assert claims() == [True, True, True, True]
    assert claims(
        reached("Nutch", "changes", 0.905, budget=0.02), reached("PoissonRates, views", "demand", 0.91, budget=0.02)
    ) == [
        *(False, True, True, True),
    ]
    assert claims(reached("Frequency", "changes", 0.94)) == [True, False, True, True]
    assert claims(reached("PoissonRates, views", "demand", 0.8949)) == [True, True, False, True]
    assert claims(reached("Frequency", "changes", 0.92, share=0.21)) == [True, True, True, False]


def test_large_budgets_may_teach_rates():
    """What rules by changes reach above 2 % is not judged."""
    more = [
        reached("Frequency", "changes", 0.92, share=0.5, budget=0.05),
        reached("LambdaCrawl, views", "demand", 0.95, low=0.01, budget=0.05),
    ]
    assert claims(*more) == [True, True, True, True]


def told(**quality):
    kinds = {name: arm.kind for name, arm in refresh_signals.ARMS.items()}
    names = {"noisy": "NoisySignals", "views": "NoisySignals, views", "best": "OptimalFreshness, views"}
    given = {names[each]: value for each, value in quality.items()}
    found = [reached(name, kind, given.get(name, 0.9), low=given.get(name, 0.9) - 0.91) for name, kind in kinds.items()]
    return [claim.holds for claim in refresh_signals.claims_of(found)]


def test_signals_are_judged_by_their_numbers():
    """They must help, against round-robin and against oneself without them."""
    assert told(noisy=0.93, views=0.95, best=0.94) == [True, True, True]
    assert told(noisy=0.905, views=0.95, best=0.94) == [False, True, True]
    assert told(noisy=0.93, views=0.95, best=0.96) == [True, False, False]


def kept(**changes):
    found = {
        (name, 0.1, known): SimulatedMeans(0.5, 2.0, 0.5) for name in refresh_theory.POLICIES for known in (True, False)
    }
    found[refresh_theory.FRESHNESS, 0.1, True] = found[refresh_theory.FRESHNESS, 0.1, False] = SimulatedMeans(
        0.52, 3.0, 0.5
    )
    found[refresh_theory.AGE, 0.1, True] = SimulatedMeans(0.5, 1.5, 0.5)
    found[refresh_theory.SEEN, 0.1, True] = SimulatedMeans(0.4, 5.0, 0.7)
    found[refresh_theory.POISSON, 0.1, True] = SimulatedMeans(changes.get("poisson", 0.51), 2.0, 0.5)
    if "learned" in changes:
        found[refresh_theory.FRESHNESS, 0.1, False] = SimulatedMeans(changes["learned"], 3.0, 0.5)
    return [claim.holds for claim in refresh_theory.claims_of(found)]


def test_theory_is_judged_by_its_numbers():
    """One that is fresher than the best, or one too far behind, is found."""
    assert kept() == [True] * 6
    assert kept(poisson=0.53) == [False, True, True, True, True, True]
    assert kept(poisson=0.48) == [True, True, True, True, False, True]
    assert kept(learned=0.49) == [True, True, True, True, True, False]


# ---- forecasts


def made(chance, changed):
    return Forecasts(np.array(chance, float), np.array(changed, bool), np.arange(len(chance)))


def test_scores_of_forecasts():
    """By hand."""
    good = made([0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75], [1, 0, 0, 0, 1, 1, 1, 0])
    assert good.slope == pytest.approx(1.0)
    assert good.ratio == pytest.approx(1.0)
    assert good.brier == pytest.approx(0.75 * 0.25)
    assert good.likelihood == pytest.approx(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert good.table() == [(0.25, 0.25, 4), (0.75, 0.75, 4)]
    assert made([0.0, 1.0], [1, 0]).likelihood == pytest.approx(np.log(1e-3))
    assert np.isnan(made([], []).likelihood)
    assert np.isnan(made([0.3], [0]).ratio)
    assert np.isnan(made([0.3, 0.3], [0, 1]).slope)
    assert len(joined_forecasts([good, good])) == 16
    assert len(good.some(good.before < 3)) == 3


def rated(**likelihood):
    """Forecasts of one chance each, at which half of the pages change: the nearer to a half, the better."""
    names = {"alike": rates.ALIKE, "bayes": rates.BAYES, "cluster": rates.BY_CLUSTER, "regular": "regular"}
    chances = dict.fromkeys(rates.ESTIMATORS, 0.8) | {names[each]: value for each, value in likelihood.items()}
    rarely = {name: made([chance, 1 - chance] * 10, [1, 0, 0, 1] * 5) for name, chance in chances.items()}
    return [claim.holds for claim in rates.claims_of({1: rarely, 20: rarely})[:4]]


def test_estimators_are_judged_by_their_forecasts():
    """Best of all, but for the cluster's; and each page by itself is worse than all alike."""
    assert rated(bayes=0.6, alike=0.7, cluster=0.55) == [True, True, True, True]
    assert rated(bayes=0.7, alike=0.6, cluster=0.55) == [False, True, False, True]
    assert rated(bayes=0.6, alike=0.7, cluster=0.65) == [True, True, True, False]
    assert rated(bayes=0.6, alike=0.7, cluster=0.55, regular=0.65) == [True, False, True, True]


def test_somebody_who_looks_in_turn_sees_what_there_is():
    """All at the start, then each page every second unit; one that is gone is not looked at again."""
    world = world_of({"a": [(0, "one"), (1, "two")], "b": [(0, "one"), (2, None)], "c": [(3, "new")]}, ["one"], 6)
    log = list(fetches_in_rotation(world, 2))
    looks: dict[str, list[tuple[int, float, bool]]] = {name: [] for name in "abc"}
    for unit, each in enumerate(log):
        for row, gap, changed in zip(each.row, each.gap, each.changed, strict=True):
            looks[world.urls[row][-1]].append((unit, gap / WEEK, bool(changed)))
    assert looks["a"][0] == (0, np.inf, True)
    assert [gap for _, gap, _ in looks["a"][2:]] == [2.0] * len(looks["a"][2:])
    assert sum(changed for _, _, changed in looks["a"]) == 2
    assert [changed for _, _, changed in looks["b"]][-1]  # found gone
    assert sum(changed for _, _, changed in looks["b"]) == 2
    assert looks["c"][0][1] == np.inf
    assert looks["c"][0][0] in (3, 4)


def test_dates_are_those_that_servers_tell(folder):
    """As Signals has them, if all changes are told."""
    world, signals = world_of({"a": [(0, "one"), (1, "two"), (3, "three")]}, ["one"], 4), Signals(dates=True)
    for each in fetches_in_rotation(world, 1):
        version = int(world.live(each.time[0])[0])
        assert each.modified[0] == signals.changed_at(world, version, each.time[0])[0]


def test_nobody_is_asked_before_anything_is_known():
    """Forecasts begin when a page has been looked at again, and know nothing of what comes."""
    log = [
        Fetches.from_columns(
            np.array([0, 1]), np.full(2, START + k * UNIT), np.full(2, UNIT if k else np.inf), np.array([k == 2, False])
        )
        for k in range(4)
    ]
    pages = PoissonPages(np.ones(2), np.ones(2), np.zeros(2, np.uint32)).table(np.full(2, START), {}, 0.0)
    found = forecasts_of({"all": Everywhere()}, log, pages)["all"]
    assert found.before.tolist() == [1, 1, 2, 2]
    assert found.changed.tolist() == [True, False, False, False]
    assert found.chance[0] == found.chance[1] == pytest.approx(-np.expm1(-0.5 / 2))  # half a change in two gaps


def test_pages_of_a_world_have_their_clusters():
    """One column, by page of the world."""
    world = world_of({"a": [(0, "one")], "b": [(0, "two")]}, ["one"], 2)
    pages = pages_of(world, {Cluster(): np.array([3.0, -1.0])})
    assert pages.belief(Cluster()).tolist() == [3.0, -1.0]
    assert pages.is_new.all()


# ---- Poisson pages


def test_round_robin_is_as_fresh_as_worked_out():
    """A page fetched every T units is fresh for (1 − e^{−λT})/(λT) of the time."""
    pages = PoissonPages(np.full(400, 0.5), np.ones(400), np.zeros(400, np.uint32))
    found = Simulation(pages, RoundRobin(), 100, known=True).run(300, 40)
    assert found.freshness == pytest.approx((1 - np.exp(-2.0)) / 2.0, abs=0.01)
    assert found.seen == pytest.approx(found.freshness)
    assert found.age == pytest.approx(2.0 - 2.0 + (1 - np.exp(-2.0)), abs=0.05)  # T/2 − 1/λ + (1 − e^{−λT})/(λ²T)


def test_without_signals_their_rule_is_optimal_freshness():
    """So it is not in the table of rules without signals."""
    pages = drawn(200, 5, 0.3, 0.5, 1.0, 0)
    both = [
        Simulation(pages, each, 20, known=False).run(30, 5)
        for each in (NoisySignals(weight="same"), OptimalFreshness())
    ]
    assert both[0] == both[1]
