"""Estimators that learn from what no crawler knows: what they believe, and that a half is no more than a half."""

from dataclasses import replace

import numpy as np
import pytest

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief
from sought.beliefs.clusters.clustering import Cluster
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.significant_rate import SignificantRate, SignificantShare
from sought.lab.measures import Quality
from sought.lab.replay.fixed_weeks import Weeks
from sought.lab.replay.hindsight import (
    differences,
    full_fetch_times,
    hindsight_columns,
    learned_columns,
    pages_after,
    watched,
)
from sought.lab.replay.oracles import Truth
from sought.lab.replay.replay import replay
from sought.lab.replay.setting import Setting, moments_of, seen_in
from sought.lab.replay.wall import scrambled
from sought.lab.studies.cells import Cell, judge_for, run_cell
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import NOTHING, WEEK
from sought.policy import RoundRobin, UserCentric
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.staleness_based import StalenessBased
from sought.web.errors import BadInput
from sought.web.sketch import similarity
from tests.testing.tiny_worlds import judged, world_of
from tests.testing.tiny_worlds import moments_of as all_moments

LONG = " ".join(f"word{i}" for i in range(60))
POLICIES = (UserCentric(), StalenessBased(0.2), EmbarrassmentBased(0.2))


@pytest.fixture(scope="module")
def web():
    recorder = WorldRecorder()
    knobs = {"traps": 0.0, "sitemaps": 0.0, "births": 0.02, "deletes": 0.01}
    span = generate(recorder, WebShape(pages=60, weeks=10, hosts=2, queries=60, rate=0.4, **knobs))  # type: ignore[arg-type]  # shares
    return recorder.finish("web", span.seeds, span.start, span.end, WEEK)


@pytest.fixture(scope="module")
def still_web():
    """No page comes or goes."""
    recorder = WorldRecorder()
    knobs = {"traps": 0.0, "sitemaps": 0.0, "births": 0.0, "deletes": 0.0, "ephemeral": 0.0}
    span = generate(recorder, WebShape(pages=60, weeks=10, hosts=2, queries=60, rate=0.4, **knobs))  # type: ignore[arg-type]  # shares
    return recorder.finish("still", span.seeds, span.start, span.end, WEEK)


def tiny():
    """Three pages over eight weeks: one changes every second week, one never, one goes in the fourth."""
    news = [(unit, f"amber {LONG} edition{unit}x" if unit % 4 else f"birch edition{unit}x") for unit in range(0, 9, 2)]
    return world_of({"news": news, "still": [(0, "cedar")], "gone": [(0, "delta"), (4, None)]}, ["amber", "birch"], 8)


# ---- the log


def test_what_is_watched_is_everything():
    """One fetch a page and time; a change is one, of the size that sketches say; the first fetch has no gap."""
    world = tiny()
    log = watched(judged(world), all_moments(world))
    assert [len(each) for each in log] == [3] * 9
    assert np.isinf(log[0].gap).all()
    assert np.isnan(log[0].gain).all()
    changed = np.array([each.changed for each in log[1:]])
    assert changed[:, world.pages["http://site.test/news"]].tolist() == [False, True] * 4
    assert not changed[:, world.pages["http://site.test/still"]].any()
    assert changed[:, world.pages["http://site.test/gone"]].tolist() == [False] * 3 + [True] + [False] * 4
    assert log[4].difference[world.pages["http://site.test/gone"]] == 1.0
    assert all((each.gap == world.unit).all() for each in log[1:])
    assert all((each.difference[~each.changed] == 0).all() for each in log)


def test_differences_are_those_of_sketches(web):
    """Pair by pair."""
    dice = np.random.default_rng(1)
    old, new = dice.integers(0, len(web.versions), (2, 200))
    one_by_one = [1 - similarity(web.sketches[a], web.sketches[b]) for a, b in zip(old, new, strict=True)]
    assert differences(web, old, new).tolist() == pytest.approx(one_by_one)


def test_gains_are_those_of_a_page_alone(web):
    """All else is as it was in the unit before; the demand is the one that is known."""
    judge = judge_for(web, Setting())
    times = full_fetch_times(judge.world, Setting(history="all"))
    log = watched(judge, times)
    some = 0
    for at in (3, 7):
        truth = Truth(judge, judge.world.live(float(times[at - 1])))
        truth.at(float(times[at]))
        evaluator = truth.evaluator
        evaluator.set_weights(judge.demand.weights("known", float(times[at])))
        again = ~np.isnan(log[at].gain)
        expected = evaluator.gains(log[at].row[again].astype(np.uint32))
        assert np.allclose(log[at].gain[again], expected, atol=1e-12)
        some += int(np.count_nonzero(expected))
    assert some


def test_profiles_begin_anew():
    """After five comparisons, or when little is left of the base."""
    world = tiny()
    log = watched(judged(world), all_moments(world))
    still, news = (world.pages[f"http://site.test/{name}"] for name in ("still", "news"))
    gaps = np.array([each.base_gap for each in log]) / world.unit
    assert np.isnan(gaps[[0, 6], still]).all()
    assert gaps[1:6, still].tolist() == [1, 2, 3, 4, 5]
    assert gaps[[1, 2], news].tolist() == [1, 2]
    assert np.isnan(gaps[3, news])  # all of it was other in the second week


# ---- beliefs


def test_rates_are_those_of_a_full_observation():
    """λ of a page that changed in X of n units, by the formula."""
    world = tiny()
    log = watched(judged(world), all_moments(world))
    rate = learned_columns([RegularRate()], world, log)[RegularRate()] * world.unit
    for name, changes in (("news", 4), ("still", 0), ("gone", 1)):
        assert rate[world.pages[f"http://site.test/{name}"]] == pytest.approx(-np.log((8 - changes + 0.5) / 8.5))


def test_hindsight_columns_go_by_key(web):
    """In whatever order a crawl knows pages; 0 for what the world does not have."""
    judge, setting = judge_for(web, Setting(history="all")), Setting(history="all")
    truth = Truth(judge, np.full(len(web.urls), NOTHING))
    column = hindsight_columns(UserCentric(), judge, setting, truth.rows)[GainRate()]
    whole = learned_columns([GainRate()], web, watched(judge, full_fetch_times(web, setting)))[GainRate()]
    order = np.random.default_rng(2).permutation(len(web.urls))
    assert np.array_equal(column(web.keys[order]), whole[order])
    assert column(np.array([1, 2], np.uint64)).tolist() == [0.0, 0.0]
    assert whole.any()


def test_supplied_beliefs_stay_the_crawls_own(web):
    """Only learned beliefs are filled; an estimator that needs what a crawl supplies cannot be."""
    judge, setting = judge_for(web, Setting(history="all")), Setting(history="all")
    truth = Truth(judge, np.full(len(web.urls), NOTHING))
    assert set(hindsight_columns(EmbarrassmentBased(), judge, setting, truth.rows)) == {
        RegularRate(),
        SignificantShare(),
    }
    assert hindsight_columns(RoundRobin(), judge, setting, truth.rows) == {}
    with pytest.raises(BadInput, match="cannot be estimated in hindsight: it reads Cluster"):
        learned_columns([BayesRate(prior="cluster")], web, [])
    assert Cluster() in BayesRate(prior="cluster").beliefs


def hindsight_of(world, history):
    judge = judge_for(world, Setting(history=history, split="none"))
    log = watched(judge, full_fetch_times(world, Setting(history=history)))
    beliefs: list[Belief] = [GainRate(), RegularRate(), SignificantRate(0.2), SignificantShare(0.2)]
    return np.array(list(learned_columns(beliefs, world, log).values()))


def with_another_second_half(world):
    """Noise in place of all that happens later; the same is asked, so that sums are of the same numbers."""
    middle = world.start + world.unit * (world.units // 2)
    noisy = scrambled(world, middle, np.flatnonzero(world.versions.time <= middle))
    return replace(noisy, tallies=world.tallies)


def test_the_second_half_is_not_seen(still_web):
    """Noise in its place: the columns of the first half are the same to the last bit, those of all units are not."""
    noisy = with_another_second_half(still_web)
    assert hindsight_of(still_web, "half").tobytes() == hindsight_of(noisy, "half").tobytes()
    assert not np.array_equal(hindsight_of(still_web, "all"), hindsight_of(noisy, "all"))


def test_the_second_half_is_not_seen_where_pages_are_born(web):
    """The same on a web that grows."""
    assert hindsight_of(web, "half").tobytes() == hindsight_of(with_another_second_half(web), "half").tobytes()


def test_history_ends_with_the_replay(web):
    """`all` is all of the replay: one that ends early has a shorter history."""
    assert len(full_fetch_times(web, Setting(history="all", units=3))) == 4
    assert full_fetch_times(web, Setting(history="half"))[-1] == moments_of(web, Setting(history="half"))[0] - web.unit


# ---- replays


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_replays_with_a_given_history(policy, web):
    """In both ways, for policies with several beliefs; in half of them the clock begins in the middle, in step."""
    for history in ("all", "half"):
        setting = Setting(history=history, rounds=1)
        judge = judge_for(web, setting)
        run = run_cell(Cell(web.name, "", policy, 3, setting), judge).run
        assert len(run.moments) == (web.units if history == "all" else web.units - web.units // 2)
        begin = run.moments[0] - web.unit
        live = judge.world.live(float(begin))
        there = np.where(live == NOTHING, False, judge.world.is_page[live])
        assert np.array_equal(run.copies[there], live[there])
        assert (run.log.time >= run.moments[0]).all()
        assert len(run.log)


def test_what_no_crawler_knows_needs_a_judge(web):
    """Else there is nobody to tell."""
    judge = judge_for(web, Setting())
    with pytest.raises(ValueError, match="needs a judge"):
        replay(web, judge.demand, UserCentric(), 3, Setting(history="all"))


def test_in_sample_is_no_worse_than_round_robin(web):
    """On fixed pages whoever knows all gains does better: the reason why it must be labelled."""
    setting = Setting(history="all", rounds=1, pages="fixed")
    judge = judge_for(web, setting)
    cells = [Cell(web.name, "", policy, 2, setting) for policy in (UserCentric(), RoundRobin())]
    user, floor = (float(Quality()(run_cell(cell, judge).run).mean()) for cell in cells)
    assert user > floor


def test_weeks_without_a_crawl_are_like_a_replay(web):
    """Fixed pages, all gains known: the same fetches except of pages that gain nothing, and so the same quality."""
    setting = Setting(history="all", rounds=1, pages="fixed")
    judge = judge_for(web, setting)
    run = run_cell(Cell(web.name, "", UserCentric(), 4, setting), judge).run
    times = full_fetch_times(judge.world, setting)
    beliefs = learned_columns([GainRate()], judge.world, watched(judge, times))
    weeks = Weeks(judge, times)
    assert weeks.quality(weeks.ranked(UserCentric(), beliefs, 4)) == pytest.approx(Quality()(run).mean(), abs=0.01)
    assert all(len(pages) == 4 for pages in weeks.ranked(UserCentric(), beliefs, 4))
    rate = np.full(len(web.urls), 1 / web.unit)
    planned = list(weeks.planned(rate, np.ones(len(rate)), 4))
    assert [len(np.unique(pages)) for pages in planned] == [4] * len(planned)


def test_fixed_pages_are_always_there(web):
    """Those that come or go are not in it; the others are as before."""
    fixed = seen_in(web, Setting(pages="fixed"))
    kept = np.unique(fixed.versions.page)
    assert 0 < len(kept) < len(np.unique(web.versions.page))
    for unit in range(web.units + 1):
        live = fixed.live(web.start + unit * web.unit)
        assert np.array_equal(np.flatnonzero(live != NOTHING), kept)
        assert fixed.is_page[live[kept]].all()


def test_pages_after_the_log():
    """A table of all pages: when first and last fetched, how often they changed."""
    world = tiny()
    table = pages_after(world, watched(judged(world), all_moments(world)))
    assert table.fetches.tolist() == [9] * 3
    assert table.changes.tolist() == [4, 0, 1]
    assert np.isneginf(table.last_change[1])
    assert (table.last_fetch == world.end).all()


@pytest.mark.parametrize(
    ("wrong", "said"), [({"history": "none"}, "history is own"), ({"history": "all", "start": "cold"}, "warm")]
)
def test_bad_input(wrong, said):
    """Says what is wrong."""
    with pytest.raises(BadInput, match=said):
        Setting(**wrong)
