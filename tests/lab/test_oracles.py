"""Oracles know what is true; brute force knows better than all of them."""

from typing import Any

import numpy as np
import pytest

from sought.lab.replay.oracles import (
    ORACLES,
    Ceiling,
    ClairvoyantFuture,
    ClairvoyantNow,
    ClairvoyantRate,
    FutureWorth,
    IdealRanking,
    NowGain,
    RateWorth,
    TrueImpact,
    Truth,
    change_rates,
    next_changes,
)
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING
from sought.web.message import Response
from sought.web.pages import NEVER, Pages
from tests.testing.brute_force import MOST_PAGES, best, quality_of
from tests.testing.tiny_worlds import HEADERS, START, UNIT, additive, judged, moments_of, nothing_of, world_of

HISTORY = {
    "a": [(0, "boat lake city"), (2, "boat boat boat lake")],
    "b": [(0, "boat city river and many other words"), (1, "river river boat"), (3, "lake")],
    "c": [(0, "lake lake city"), (2, None)],
    "d": [(1, "boat lake lake river")],
    "e": [(2, "city river"), (3, "city boat lake river")],
    "f": [(0, "river city city")],
}
QUERIES = ["boat", "lake", "city", "river", "boat lake"]


@pytest.fixture(params=["hash", "mean"])
def judge(request):
    return judged(world_of(HISTORY, QUERIES, units=4), request.param)


def pages_of(truth, beliefs):
    """The columns of a table that has every page of the world."""
    keys = truth.judge.world.keys
    columns: dict[str, Any] = {name: np.zeros(len(keys)) for name in Pages.column_names()}
    columns["last_fetch"] = np.where(truth.copies == NOTHING, NEVER, truth.now)
    return Pages(**columns, beliefs={belief: truth.column(belief, keys, truth.now) for belief in beliefs})


def crawl(judge, policy, budget, copies):
    """Mean quality after the fetches; choices are made one by one, each knowing those before."""
    truth, found = Truth(judge, copies), []
    for time in moments_of(judge.world).tolist():
        truth.at(time)
        for _ in range(budget):
            value = policy(pages_of(truth, policy.beliefs), time)
            page = int(np.argmax(value))
            if value[page] > 0 and truth.live[page] != NOTHING:
                truth.observe(page, int(truth.live[page]))
        found.append(quality_of(judge, time, tuple(truth.copies.tolist())))
    return float(np.mean(found))


def at_random(judge, budget, copies, rng):
    held, found = copies.copy(), []
    for time in moments_of(judge.world).tolist():
        live = judge.world.at(time)
        chosen = rng.permutation(np.flatnonzero(live != NOTHING))[:budget]
        held[chosen] = live[chosen]
        found.append(quality_of(judge, time, tuple(held.tolist())))
    return float(np.mean(found))


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 2])
@pytest.mark.parametrize("warm", [True, False])
def test_nothing_beats_brute_force(judge, budget, warm):
    """No oracle, and no chance; its own choices are worth what it says."""
    copies = judge.world.at(START) if warm else nothing_of(judge.world)
    moments = moments_of(judge.world)
    most, choices = best(judge, moments, budget, copies, len(moments))
    for oracle in ORACLES.values():
        assert crawl(judge, oracle(), budget, copies) <= most + 1e-12
    rng = np.random.default_rng(1)
    assert max(at_random(judge, budget, copies, rng) for _ in range(30)) <= most + 1e-12
    held, found = copies.copy(), []
    for time, chosen in zip(moments.tolist(), choices, strict=True):
        assert len(chosen) <= budget
        held[chosen] = judge.world.at(time)[chosen]
        found.append(quality_of(judge, time, tuple(held.tolist())))
    assert np.mean(found) == pytest.approx(most, rel=1e-12)


def test_oracles_are_near_the_best(judge):
    """They beat a mean random choice by far: a crawl that looks at the truth upside down would not."""
    copies, moments = nothing_of(judge.world), moments_of(judge.world)
    rng = np.random.default_rng(2)
    chance = np.mean([at_random(judge, 1, copies, rng) for _ in range(30)])
    most, _ = best(judge, moments, 1, copies, len(moments))
    for oracle in (ClairvoyantNow, ClairvoyantRate, ClairvoyantFuture, Ceiling):
        assert crawl(judge, oracle(), 1, copies) > (chance + most) / 2


def test_the_best_single_fetch_is_the_one_with_the_largest_gain(judge):
    """One fetch in one unit: clairvoyant-now cannot be beaten."""
    for unit, time in enumerate(moments_of(judge.world).tolist()):
        for copies in (nothing_of(judge.world), judge.world.at(START)):
            truth = Truth(judge, copies)
            truth.at(time)
            gains = truth.column(NowGain(), judge.world.keys, time)
            most, _ = best(judge, moments_of(judge.world)[unit:], 1, copies, 1)
            page = int(np.argmax(gains))
            held = np.where((np.arange(len(copies)) == page) & (gains[page] > 0), truth.live, copies)
            assert quality_of(judge, time, tuple(held.tolist())) == pytest.approx(most, rel=1e-9)


def test_with_additive_demand_the_largest_gains_are_the_best_step():
    """Nothing shares a query, so any number of fetches is chosen one by one."""
    worth = {("a", 0): 5, ("b", 0): 3, ("c", 0): 2, ("d", 0): 4}
    judge, _ = additive({page: [0] for page in "abcd"}, worth, units=0)
    truth = Truth(judge, nothing_of(judge.world))
    gains = truth.column(NowGain(), judge.world.keys, START)
    for budget in (1, 2, 3):
        _, ((*chosen,),) = best(judge, moments_of(judge.world), budget, nothing_of(judge.world), 1)
        assert sorted(chosen) == sorted(np.argsort(-gains)[:budget].tolist())


def test_gains_are_true(judge):
    """The column is what quality gains times what could be found; keys in any order, strangers worth nothing."""
    world, time = judge.world, START + 2 * UNIT
    copies = world.at(START)
    truth = Truth(judge, copies)
    keys = np.concatenate([world.keys[::-1], np.array([1, 2**64 - 1], np.uint64)])
    found = truth.column(NowGain(), keys, time)
    denominator = truth.evaluator.quality().denominator
    for page, gain in enumerate(found[: len(copies)][::-1].tolist()):
        after = copies.copy()
        after[page] = truth.live[page]
        change = quality_of(judge, time, tuple(after.tolist())) - quality_of(judge, time, tuple(copies.tolist()))
        assert gain == pytest.approx(change * denominator, abs=1e-9)
    assert found[-2:].tolist() == [0.0, 0.0]


def test_a_page_that_was_fetched_gains_nothing_until_it_changes(judge):
    """Truth keeps up with fetches and with the Web."""
    page, times = 4, [START + unit * UNIT for unit in (1, 2, 3, 4)]
    truth, found = Truth(judge, nothing_of(judge.world)), []
    for time in times:
        found.append(truth.column(NowGain(), judge.world.keys, time)[page])
        if time != times[2]:
            truth.observe(page, judge.world.version(page, time))
            found.append(truth.column(NowGain(), judge.world.keys, time)[page])
    # Not there yet; born, fetched; changed, and not fetched; fetched a unit later.
    assert [gain > 0 for gain in found] == [False, False, True, False, True, True, False]
    assert all(gain == 0 for gain in found if gain <= 0)


def test_worth_is_gain_times_how_long_it_lasts():
    """By the page's true rate, or until its true next change, or to the end of the last unit."""
    worth = {("a", 0): 1, ("a", 1): 1, ("a", 3): 1, ("b", 0): 1, ("c", 2): 1}
    judge, _ = additive({"a": [0, 1, 3], "b": [0], "c": [2]}, worth, units=4)
    truth = Truth(judge, nothing_of(judge.world))
    keys, now = judge.world.keys, START + UNIT
    gain = truth.column(NowGain(), keys, now)
    assert gain.tolist() == pytest.approx([gain[0], gain[0], 0.0])
    rates = np.array([2 / 4, 0.5 / 4, 0.5 / 2]) / UNIT
    assert change_rates(judge.world) == pytest.approx(rates)
    assert truth.column(RateWorth(), keys, now) == pytest.approx(gain / rates)
    assert truth.column(FutureWorth(), keys, now) == pytest.approx(gain * np.array([2, 4, 0]) * UNIT)


def test_an_answer_that_says_the_same_is_no_change():
    """Only its ETag is new: a reader sees no difference."""
    recorder = WorldRecorder()
    for unit, etag, text in ((0, "1", "boat"), (1, "2", "boat"), (2, "2", "lake")):
        body = f"<html lang=en><body><main>{text}</main>".encode()
        headers = (*HEADERS, ("etag", etag))
        time = START + unit * UNIT
        recorder.answer(Response("http://site.test/", 200, headers=headers, raw=body, body=body, time=time))
    world = recorder.finish("etag", ("http://site.test/",), START, START + 3 * UNIT, UNIT)
    assert len(world.versions) == 3
    assert next_changes(world).tolist() == [START + 2 * UNIT, START + 2 * UNIT, np.inf]
    assert change_rates(world).tolist() == pytest.approx([1 / (3 * UNIT)])


def test_true_impact_is_of_pages_never_fetched():
    """f·I(rank) among all live pages, of those that the repository lacks."""
    judge, _ = additive({"a": [0], "b": [0]}, {("a", 0): 5, ("b", 0): 3}, units=1)
    truth = Truth(judge, nothing_of(judge.world))
    expected = judge.visibility.scale * np.ones(2) / 2
    assert truth.column(TrueImpact(), judge.world.keys, START) == pytest.approx(expected, rel=1e-6)
    truth.observe(0, 0)
    assert truth.column(TrueImpact(), judge.world.keys, START) == pytest.approx([0.0, expected[1]], rel=1e-6)
    values = IdealRanking()(pages_of(truth, IdealRanking().beliefs), START)
    assert values == pytest.approx([NEVER, expected[1]], rel=1e-6)


@pytest.mark.parametrize("name", ORACLES)
def test_oracles_are_marked_values(name):
    """The causality test exempts what is marked; `repr` is a faithful name; what they return is theirs."""
    oracle = ORACLES[name]()
    assert oracle.is_oracle
    assert all(belief.is_oracle for belief in oracle.beliefs)
    assert eval(repr(oracle), dict(ORACLES)) == oracle
    judge, _ = additive({"a": [0], "b": [0]}, {("a", 0): 5, ("b", 0): 3}, units=1)
    truth = Truth(judge, nothing_of(judge.world))
    truth.at(START)
    pages = pages_of(truth, oracle.beliefs)
    oracle(pages, START)[:] = np.nan
    assert not any(np.isnan(pages.belief(belief)).any() for belief in oracle.beliefs)
    assert getattr(oracle, "knows_all", False) == (name == "Ceiling")


def test_brute_force_is_for_tiny_worlds():
    """Everything cannot be tried where there is more."""
    judge, _ = additive({f"p{i}": [0] for i in range(MOST_PAGES + 1)}, {(f"p{i}", 0): 1 for i in range(13)}, units=1)
    with pytest.raises(ValueError, match="13 pages"):
        best(judge, moments_of(judge.world), 1, nothing_of(judge.world), 1)
