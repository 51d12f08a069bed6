"""Worth beside everything else: quick runs, verdicts by hand, and worlds to which something happens."""

from pathlib import Path

import numpy as np
import pytest

from sought.lab.judge.statistics import Interval
from sought.lab.judge.transport import Jobs
from sought.lab.replay.observers import Forecasts
from sought.lab.replay.setting import Setting
from sought.lab.studies import bounds
from sought.lab.studies.cells import Cell, judge_for, run_cell
from sought.lab.studies.papers import NUMBERS
from sought.lab.studies.refreshing.refresh import ROUND_ROBIN
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import ALL_WORLDS, UNJUDGED, VERDICTS, StudyContext, WorldResult
from sought.lab.studies.worth import ablations as worth_ablations
from sought.lab.studies.worth import clusters as worth_clusters
from sought.lab.studies.worth import entry as worth_entry
from sought.lab.studies.worth import exploration as worth_exploration
from sought.lab.studies.worth import headline as worth
from sought.lab.studies.worth import index as worth_index
from sought.lab.studies.worth import multi_term as worth_multi_term
from sought.lab.studies.worth import robustness as worth_robustness
from sought.lab.studies.worth import signals as worth_signals
from sought.lab.studies.worth import split as worth_split
from sought.lab.studies.worth.arms import CEILING, CLAIRVOYANT, ENDS, WORTH, ArmQuality
from sought.lab.studies.worth.events import burst, drifted, half_way
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK, WorldDemand
from sought.policy import RoundRobin
from sought.policy.worth.worth import PARTS, Worth
from sought.web.errors import BadInput
from tests.testing.tiny_worlds import START, UNIT, world_of

SHAPE = WebShape(hosts=3, pages=40, weeks=10, words=40.0, vocabulary=400, topics=5, queries=80, rate=0.3, traps=0.0)
STUDIES = [name for name in EXPERIMENTS if name.startswith("worth")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    recorder, place = WorldRecorder(), tmp_path_factory.mktemp("w") / "made-up.world"
    span = generate(recorder, SHAPE)
    save_world(recorder.finish("made-up", span.seeds, span.start, span.end, WEEK), place, recorder.texts)
    return place


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return tmp_path_factory.mktemp("results")  # cells are shared between studies


# ---- quick runs


@pytest.fixture
def found(folder, results, monkeypatch):
    """What a study finds on the made-up world."""
    monkeypatch.setattr(worth_clusters, "FEWEST", 20)
    monkeypatch.setattr(worth_entry, "FEWEST", 5)
    monkeypatch.setattr(worth_multi_term, "FEWEST", 5)
    return lambda name: EXPERIMENTS[name].run(StudyContext([folder], results, cores=0, quick=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STUDIES if name != "worth-index"])
def test_every_study_runs(name, found):
    """A verdict from numbers, with what it follows from."""
    told = found(name)
    assert told.study == name
    assert told.verdict in VERDICTS
    assert told.verdict != UNJUDGED
    assert told.numbers["made-up"]
    assert any(table.title.endswith(": what must hold") for table in told.tables)
    assert all(len(row) == len(table.columns) for table in told.tables for row in table.rows)


def test_one_world_is_not_enough_for_an_index(found):
    """X1 asks for two."""
    told = found("worth-index")
    assert told.verdict == UNJUDGED
    assert told.numbers["made-up"]


def test_the_headline_is_whole(found):
    """Three starts, each with its best published policy, what budgets buy, all arms, and what was expected."""
    told = found("worth")
    titles = [table.title for table in told.tables]
    for start in worth.STARTS:
        assert f"made-up, {start}: Worth and the best published" in titles
        assert f"made-up, {start}: all arms" in titles
    [arms] = [table for table in told.tables if table.title == "made-up, warm: all arms"]
    at = {name: arms.columns.index(name) for name in ("share of gap", "lead of Worth", "low", "high")}
    rows = {row[0]: row for row in arms.rows}
    assert rows[ROUND_ROBIN][at["share of gap"]] == 0.0
    assert rows[CEILING][at["share of gap"]] == 1.0
    assert [rows[WORTH][at[name]] for name in ("lead of Worth", "low", "high")] == [0.0, 0.0, 0.0]
    assert rows[ROUND_ROBIN][at["low"]] <= rows[ROUND_ROBIN][at["lead of Worth"]] <= rows[ROUND_ROBIN][at["high"]]


def test_all_arms_are_what_they_are_called():
    """No policy stands twice in a table, and every table has Worth and the ends of the gap."""
    for arms in (worth.WARM, worth.COLD, worth.FRONTIER, worth_index.ARMS, worth_split.ARMS, worth_ablations.ARMS):
        policies = [arm.policy for arm in arms.values()]
        assert len(set(policies)) == len(policies)
        assert {WORTH, CEILING, CLAIRVOYANT} <= set(arms)
    families = {arm.family for arms in (worth.WARM, worth.COLD, worth.FRONTIER) for arm in arms.values()}
    assert {*NUMBERS.values(), "later", "practice"} - {""} <= families


# ---- verdicts by hand


def met(name, quality, lead=0.0, budget=0.01, share=0.6, family="later"):
    return ArmQuality(name, family, budget, quality, share, share, Interval(lead, lead - 0.01, lead + 0.01, 100))


def ours(quality=0.98, budget=0.01, share=0.6):
    return met(WORTH, quality, 0.0, budget, share, "Worth")


def aims(*mets, world="made-up", start="warm"):
    floor = met(ROUND_ROBIN, 0.9, 0.08, family="floor")
    return [claim.holds for claim in worth.claims_of(world, start, [floor, *mets])]


def test_the_aims_are_judged_one_by_one():
    """Better than all, below none, half of the loss, half of the gap."""
    rival = met("LambdaCrawl", 0.95, 0.03)
    assert aims(ours(), rival) == [True, True, True, True]
    assert aims(ours(0.96), rival) == [True, True, False, True]
    assert aims(ours(share=0.4), rival) == [True, True, True, False]
    assert aims(ours(share=0.4), rival, world="ghdocs-2022") == [True, True, True, True]
    assert aims(ours(), met("LambdaCrawl", 0.985, -0.005)) == [False, True, False, True]
    assert aims(ours(), met("LambdaCrawl", 0.999, -0.019)) == [False, False, False, True]
    assert aims(ours(), rival, start="cold") == [True, True]
    assert aims(ours(share=float("nan")), rival) == [True, True, True, False]


def test_nobody_can_be_better_than_perfect():
    """Where the best published loses nothing, neither may Worth."""
    assert aims(ours(1.0), met("LambdaCrawl", 1.0)) == [False, True, True, True]


def test_a_part_has_a_place_if_one_world_needs_it():
    """Worth is clearly better than without it, somewhere."""
    worlds = {
        "a": [met(f"without {part}", 0.97, 0.02 if part == PARTS[0] else 0.0) for part in PARTS],
        "b": [met(f"without {part}", 0.97, 0.02 if part == PARTS[1] else 0.005) for part in PARTS],
    }
    assert [claim.holds for claim in worth_ablations.claims_of(worlds)] == [True, True, *[False] * (len(PARTS) - 2)]
    study, context = worth_ablations.ABLATIONS, StudyContext([], Path())
    [*_, last] = study.with_all_worlds([WorldResult(world=name, data=mets) for name, mets in worlds.items()], context)
    assert (last.world, last.holds) == (ALL_WORLDS, False)


def test_an_index_must_be_better_on_two_worlds():
    """By a tenth of the loss."""
    good, poor = ([ours(quality), met("P: UserCentric", 0.95)] for quality in (0.956, 0.954))
    assert [claim.holds for claim in worth_index.claims_of({"a": good, "b": good, "c": poor})] == [True]
    assert [claim.holds for claim in worth_index.claims_of({"a": good, "b": poor})] == [False]
    assert [claim.holds for claim in worth_index.claims_of({"a": good})] == [None]


def test_a_split_may_be_a_little_better():
    """By one hundredth."""
    split = worth_split.name_of("UserCentric", 0.5)
    assert [claim.holds for claim in worth_split.claims_of([ours(), met(split, 0.985)])] == [True]
    assert [claim.holds for claim in worth_split.claims_of([ours(), met(split, 0.995)])] == [False]


def test_entry_values_are_judged_by_what_they_find():
    """Above all others at every cut, and with a slope near 1; an oracle is no rival."""
    shares = {worth_entry.ENTRY: [0.6, 0.6, 0.6], worth_entry.IMPACT: [0.9, 0.9, 0.9], "RandomWalk": [0.5, 0.5, 0.7]}
    assert [claim.holds for claim in worth_entry.claims_of(shares, 0.9)] == [True, True, False, True]
    assert not worth_entry.claims_of(shares, 1.3)[-1].holds
    assert not worth_entry.claims_of(shares, float("nan"))[-1].holds


def test_shares_and_slopes_of_entries():
    """By hand: the best page is found by one method, and said to bring half of what it does."""
    gain = np.array([4.0, 2.0, *[0.0] * 18])
    found = worth_entry.FrontierEntries({"good": gain / 2, "poor": -gain}, gain)
    assert found.share("good", 0.05) == 1.0
    assert found.share("poor", 0.05) == 0.0
    assert found.share("poor", 1.0) == 1.0
    assert found.calibration("good").slope == pytest.approx(2.0)


def led(mean, width=0.01):
    return Interval(mean, mean - width, mean + width, 100)


def test_queries_must_be_clearly_better_than_words():
    """In ranks and in quality."""
    found = worth_multi_term.TermResults({}, {}, led(0.02), [led(0.02), led(0.005)])
    assert [claim.holds for claim in worth_multi_term.claims_of(found)] == [True, True, False]


def test_signals_must_not_hurt():
    """Clearly; and only those of Worth are judged."""
    said = [
        worth_signals.SignalResult(name, signal, 0.01, 0.9, led(gain))
        for name, signal, gain in ((WORTH, "none", -1.0), (WORTH, "noisy", -0.005), (WORTH, "true", -0.02))
    ]
    said.append(worth_signals.SignalResult(ROUND_ROBIN, "noisy", 0.01, 0.9, led(-1.0)))
    assert [claim.holds for claim in worth_signals.claims_of(said)] == [True, False]


def test_signals_save_fetches():
    """As many as the curve without them is behind; below the smallest budget nobody knows."""
    curves = {worth_signals.NONE: (0.6, 0.8, 0.9), "true": (0.7, 0.9, 0.95), "noisy": (0.5, 0.7, 0.85)}
    said = [
        worth_signals.SignalResult(WORTH, signal, budget, quality, led(0.0))
        for signal, qualities in curves.items()
        for budget, quality in zip((0.01, 0.02, 0.04), qualities, strict=True)
    ]
    needed = {(each.signals, each.budget): worth_signals.budget_for_the_same(each, said) for each in said}
    assert [needed["true", budget] for budget in (0.01, 0.02, 0.04)] == ["≤ 1.00%", "1.50%", "2.00%"]
    assert [needed["noisy", budget] for budget in (0.01, 0.04)] == ["1.50%", "more"]


def test_exploring_may_cost_what_cannot_be_told():
    """The other way that is furthest ahead decides."""
    leads = {"none": led(-0.005), "draw": led(0.1)}
    explored = [worth_exploration.Explored("warm", {}, {}, each, 3) for each in (leads, {**leads, "bound": led(-0.02)})]
    assert [claim.holds for claim in worth_exploration.claims_of(explored)] == [True, False]


def test_priors_are_judged_by_likelihood_and_quality():
    """The cluster's must be best."""

    def made(chance):
        return Forecasts(np.full(4, chance), np.ones(4, np.bool_), np.zeros(4, np.int64))

    best = {"none": made(0.5), "host": made(0.6), "cluster": made(0.7)}
    poor = best | {"host": made(0.8)}
    quality = {"none": 0.9, "host": 0.91, "cluster": 0.9095}
    assert [claim.holds for claim in worth_clusters.claims_of({1: best, 5: poor}, quality)] == [True, False, True]
    assert not worth_clusters.claims_of({1: best}, quality | {"none": 0.92})[-1].holds


def test_recovery_is_counted_from_the_event():
    """Until quality is as it would have been, for some units on average."""
    calm = np.full(12, 0.9)
    hit = np.array([0.9] * 4 + [0.7, 0.8] + [0.9] * 6)
    after = worth_robustness.After("a burst", 4, {WORTH: hit, "slow": hit - 0.1}, {WORTH: calm, "slow": calm}, {})
    assert after.recovery(WORTH) == 2
    assert after.recovery("slow") is None


def test_after_an_event_nobody_is_clearly_better():
    """Round-robin among them."""
    leads = {ROUND_ROBIN: led(0.1), "LambdaCrawl, views": led(-0.005)}
    calm, worse = (
        worth_robustness.After("a burst", 0, {}, {}, each) for each in (leads, {**leads, ROUND_ROBIN: led(-0.02)})
    )
    assert [claim.holds for claim in worth_robustness.claims_of([calm, worse])] == [True, False]


def test_what_a_run_loses_of_the_surrogate():
    """A version counts from the unit of its first fetch, if it was still in force then."""
    world = world_of({"a": [(0, "one"), (2, "two")], "b": [(0, "one"), (1, "two")]}, ["two"], 4)
    judge = judge_for(world, Setting(split="none"))
    run = run_cell(Cell("tiny", "", RoundRobin(), 1, Setting(split="none")), judge).run
    every = np.arange(len(world.versions))
    born = np.searchsorted(run.moments, world.versions.time)
    jobs = Jobs(every, born, np.full(len(every), len(run.moments)), np.where(born > 0, 1.0, 0.0))
    first = {v: int(run.log.unit[run.log.version == v].min(initial=len(run.moments))) for v in every.tolist()}
    earned = sum(len(run.moments) - first[v] for v in every.tolist() if born[v] > 0)
    assert bounds.loss_share(jobs, run) == pytest.approx(1.0 - earned / jobs.possible)
    assert 0.0 < bounds.loss_share(jobs, run) < 1.0


# ---- what happens to worlds


def test_drift_leaves_the_first_half_alone():
    """As often as before is asked, for other things; and what came later is left out."""
    world = world_of({"a": [(0, "one two three four")]}, [], 8)
    names, times = ["one", "two", "three", "four", "one", "five"], [0, 0, 0, 0, 2, 6]
    tallies = WorldDemand(names, np.array([8.0, 4.0, 2.0, 1.0, 16.0, 9.0]), START + UNIT * np.array(times, np.float64))
    moved = drifted(world.with_tallies(tallies)).tallies
    before = moved.since < half_way(world)
    assert [moved.query[i] for i in np.flatnonzero(before)] == names[:5]
    assert sorted(moved.count[~before]) == [1.0, 2.0, 4.0, 16.0]
    assert [moved.query[i] for i in np.flatnonzero(~before)] == ["four", "one", "three", "two"]
    assert moved.count[~before].tolist() != [1.0, 16.0, 2.0, 4.0]
    assert set(moved.since[~before]) == {half_way(world)}


def test_a_burst_brings_all_changes_at_once():
    """Of several versions of a page the last; before and after that time the world is as it was."""
    history = {"a": [(0, "one"), (5, "two"), (6, "three")], "b": [(1, "one"), (13, "two")], "c": [(7, "new")]}
    world = world_of(history, ["one"], 14)  # half-way is 7, and 7 + 8 is beyond the end
    quick = burst(world)
    when = (quick.versions.time - START) / UNIT
    assert [(int(p), w) for p, w in zip(quick.versions.page, when, strict=True)] == [
        *((0, 0), (0, 5), (0, 6)),
        *((1, 1), (1, 7)),
        (2, 7),
    ]
    changes = [(0, "one"), (7, "at half-way"), (8, "two"), (9, "three")]
    world = world_of({"a": changes, "b": [(0, "one"), (10, None)]}, ["one"], 14)
    quick = burst(world)
    assert ((quick.versions.time - START) / UNIT).tolist() == [0, 7, 0, 7]
    now, later = quick.live(half_way(world)), world.live(world.end)
    assert [quick.versions.content[v] for v in now] == [world.versions.content[v] for v in later]
    assert (quick.live(half_way(world) - 1.0) == [0, 2]).all()


def fetched(setting, budget=6):
    world = world_of({f"{i}": [(0, f"word{i}")] for i in range(30)}, ["word1"], 8)
    done = run_cell(Cell("tiny", "", RoundRobin(), budget, setting), judge_for(world, setting))
    return np.bincount(done.run.log.unit, minlength=len(done.run.moments)).tolist()


def test_a_budget_is_halved_from_a_unit_on():
    """And not before."""
    assert fetched(Setting()) == [6] * 8
    assert fetched(Setting(halved=3)) == [6, 6, 6, 3, 3, 3, 3, 3]


def test_a_host_can_be_asked_only_so_often():
    """Half a day lies between two requests, of which every second is for robots.txt: seven pages a week."""
    found = fetched(Setting(delay=43_200.0), 20)
    assert max(found) <= 8
    assert min(found) >= 6
    assert fetched(Setting(delay=600.0)) == [6] * 8


@pytest.mark.parametrize("wrong", [{"halved": -1}, {"delay": -1.0}, {"delay": 86_400.0}])
def test_settings_are_checked(wrong):
    """The message names what is wrong."""
    with pytest.raises(BadInput, match=next(iter(wrong))):
        Setting(**wrong)


def test_worth_is_the_default_of_its_parts():
    """What is compared everywhere is Worth as it is."""
    assert ENDS[WORTH].policy == Worth()
    assert worth_exploration.WAYS[worth_exploration.OURS] == Worth()
