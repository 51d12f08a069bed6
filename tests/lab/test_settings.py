"""A world as a setting has it: fixed pages, longer units, servers that tell dates."""

import asyncio
from email.utils import parsedate_to_datetime

import numpy as np
import pytest

from sought.lab.replay.clock import VirtualClock
from sought.lab.replay.recorded import RecordedWeb
from sought.lab.replay.setting import Setting, fixed, seen_in
from sought.lab.replay.signals import Signals
from sought.lab.studies.cells import Cell, judge_for, run_cell
from sought.policy import RoundRobin
from sought.web.errors import BadInput
from sought.web.message import Request
from tests.testing.tiny_worlds import START, UNIT, world_of

STAYS, BORN, GOES, BACK = "stays", "born", "goes", "back"


def world():
    words = "heron jetty boat"
    return world_of(
        {
            STAYS: [(0, words), (2, f"{words} rope")],
            BORN: [(1, words)],
            GOES: [(0, words), (3, None)],
            BACK: [(0, words), (1, None), (2, words)],
        },
        ["heron"],
        5,
    )


def names(world, versions):
    return {world.urls[page].rsplit("/", 1)[1] for page in world.versions.page[versions[versions >= 0]].tolist()}


def test_fixed_pages_are_there_in_every_unit():
    """One that is born, goes, or is away for a while is not."""
    kept = fixed(world())
    assert {names(kept, kept.live(START + unit * UNIT)) == {STAYS} for unit in range(6)} == {True}


def test_crawler_and_judge_see_the_same_world():
    """Pages that come and go are there for neither, and two weeks are one unit for both."""
    setting = Setting(pages="fixed", every=2)
    judge = judge_for(world(), setting)
    run = run_cell(Cell("tiny", "", RoundRobin(), 1, setting), judge).run
    assert judge.world.units == 2
    assert run.moments.tolist() == [START + 2 * UNIT, START + 4 * UNIT]
    assert {url.rsplit("/", 1)[1] for url in run.log.url} == {STAYS}


def test_longer_units_end_where_a_whole_one_does():
    seen = seen_in(world(), Setting(every=2))
    assert (seen.unit, seen.end) == (2 * UNIT, START + 4 * UNIT)
    assert seen_in(world(), Setting()).versions is not None


@pytest.mark.parametrize("wrong", [{"pages": "some"}, {"every": 0}])
def test_settings_are_checked(wrong):
    with pytest.raises(BadInput, match=next(iter(wrong))):
        Setting(**wrong)


@pytest.mark.parametrize(("signals", "told"), [(Signals(dates=True), True), (Signals(), False)])
def test_dates_are_those_of_the_last_change(signals, told):
    """A server that tells them tells the time at which the version in force began."""
    seen, clock = world(), VirtualClock(START)
    web = RecordedWeb(seen, clock, signals)
    for unit, changed in ((0, 0), (1, 0), (2, 2), (4, 2)):
        clock.advance(START + unit * UNIT + 1.0)
        header = asyncio.run(web.get(Request(f"http://site.test/{STAYS}"))).header("last-modified")
        assert bool(header) is told
        if told:
            assert parsedate_to_datetime(header).timestamp() == START + changed * UNIT


def test_hosts_that_lie_give_the_present_as_date():
    seen, clock = world(), VirtualClock(START)
    web = RecordedWeb(seen, clock, Signals(dates=True, liars=1.0))
    clock.advance(START + 3 * UNIT)
    header = asyncio.run(web.get(Request(f"http://site.test/{STAYS}"))).header("last-modified")
    assert np.isclose(parsedate_to_datetime(header).timestamp(), START + 3 * UNIT)
