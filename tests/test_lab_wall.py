"""The wall between what a crawler can know and what the laboratory knows."""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

import numpy as np
import pytest

from sought.lab.demand import demand_of
from sought.lab.judge import judge_of
from sought.lab.oracles import ORACLES, NowGain
from sought.lab.recorder import Recorder
from sought.lab.replay import replay
from sought.lab.setting import Setting
from sought.lab.signals import Signals
from sought.lab.synthetic.web import Shape, generate
from sought.lab.wall import first_leak, scrambled
from sought.lab.world import World
from sought.policy import POLICIES, BreadthFirst, DemandFirst, Pages, RoundRobin, Split, UserCentric

SHAPE = Shape(pages=120, hosts=4, weeks=8, rate=0.6, births=0.03, deletes=0.02, words=60.0, queries=150, drift=0.4)
EVERY = [POLICIES[name]() for name in POLICIES if name != "Split"] + [
    Split(new=BreadthFirst(), known=RoundRobin(), share=0.5),
    Split(new=DemandFirst(), known=UserCentric(), share=0.3),
    RoundRobin(new=True),
    UserCentric(half_life=86400.0 * 14),
]


@cache
def made():
    recorder = Recorder()
    taken = generate(recorder, SHAPE)
    return recorder.finish("made", taken.seeds, taken.start, taken.end, 7 * 86400.0)


def middle():
    return made().start + 5.5 * made().unit


@pytest.mark.parametrize("policy", EVERY, ids=repr)
@pytest.mark.parametrize("start", ["warm", "cold"])
def test_no_policy_sees_what_a_crawler_cannot(policy, start):
    """With the future, the unfetched and later demand replaced by noise, every decision up to then is the same."""
    assert first_leak(policy, made(), 0.05, Setting(start=start, rounds=3), middle()) == ""


def test_signals_are_no_leak():
    """What sitemaps and ETags say is seen; it does not depend on what nobody has seen."""
    setting = Setting(rounds=3, signals=Signals(sitemap=True, etag=True, recall=0.7, noise=0.1, liars=0.3))
    assert first_leak(EVERY[-3], made(), 0.05, setting, middle()) == ""


@dataclass(frozen=True)
class Cheat:
    """An oracle that says it is none."""

    @property
    def beliefs(self):
        return (NowGain(),)

    def __call__(self, pages: Pages, now: float):
        return pages.belief(NowGain())


def judging(world):
    return judge_of(world, demand_of(world.tallies, "thinning", world.unit))


def test_a_policy_that_cheats_is_caught():
    """A policy that looks at the live Web decides otherwise when that is noise."""
    assert "if what cannot be known is noise" in first_leak(Cheat(), made(), 0.05, Setting(rounds=3), middle(), judging)


@dataclass(frozen=True)
class Peeping:
    """Reads the unfetched: the size of pages, straight from the world."""

    world: ClassVar[World]

    def __call__(self, pages: Pages, now: float):
        world = Peeping.world
        page = dict(zip(world.keys.tolist(), range(len(world.urls)), strict=True))
        at = world.at(now)
        sizes = [world.versions.size[at[page[key]]] if key in page else 0 for key in pages.key.tolist()]
        return np.array(sizes, np.float64)


def test_a_policy_with_a_back_door_is_caught(monkeypatch):
    """Not only beliefs are watched: whatever reaches a policy from the world, by any way, shows."""

    def told(world, *rest, **options):
        Peeping.world = world
        return replay(world, *rest, **options)

    monkeypatch.setattr("sought.lab.wall.replay", told)
    assert first_leak(Peeping(), made(), 0.05, Setting(rounds=3), middle())


@dataclass(frozen=True)
class Timely(Peeping):
    """Reads no content, only when things happen: what has changed since it was fetched, and what changes next."""

    def __call__(self, pages: Pages, now: float):
        world = Peeping.world
        page = dict(zip(world.keys.tolist(), range(len(world.urls)), strict=True))
        at = world.at(now)
        found = [world.versions.time[at[page[key]]] if key in page else 0.0 for key in pages.key.tolist()]
        return np.maximum(np.array(found) - pages.last_fetch, 0.0) if len(found) else np.zeros(0)


@dataclass(frozen=True)
class Foreseeing(Peeping):
    """Fetches first what will change first."""

    def __call__(self, pages: Pages, now: float):
        world = Peeping.world
        page = dict(zip(world.keys.tolist(), range(len(world.urls)), strict=True))
        at = world.at(now)
        ends = [world.until[at[page[key]]] if key in page else np.inf for key in pages.key.tolist()]
        return -np.minimum(np.array(ends, np.float64), 1e12)


@pytest.mark.parametrize("policy", [Timely(), Foreseeing()], ids=repr)
def test_who_knows_when_things_change_is_caught(monkeypatch, policy):
    """Times of changes that nobody has seen are as secret as what changed."""

    def told(world, *rest, **options):
        Peeping.world = world
        return replay(world, *rest, **options)

    monkeypatch.setattr("sought.lab.wall.replay", told)
    assert first_leak(policy, made(), 0.05, Setting(rounds=3), middle())


@pytest.mark.parametrize("name", ORACLES)
def test_oracles_are_marked(name):
    """Whoever knows more than a crawler says so, and so does each of its beliefs."""
    oracle = ORACLES[name]()
    assert oracle.is_oracle
    assert all(belief.is_oracle for belief in oracle.beliefs)


def test_noise_is_noise():
    """What is replaced differs from what was there, in every column a crawl reads; what was seen does not."""
    world = made()
    seen = np.flatnonzero(world.versions.time <= world.start)
    noisy = scrambled(world, middle(), seen)
    unseen = np.setdiff1d(np.arange(len(world.versions)), seen)
    assert len(unseen) > 100
    assert not np.any(world.versions.content[unseen] == noisy.versions.content[unseen])
    assert np.array_equal(world.versions.content[seen], noisy.versions.content[seen])
    for lists, others in ((world.link_lists, noisy.link_lists), (world.vectors, noisy.vectors)):
        assert all(np.array_equal(lists[i], others[i]) for i in seen.tolist())
        assert np.mean([not np.array_equal(lists[i], others[i]) for i in unseen.tolist()]) > 0.9
    later = world.tallies.since > middle()
    assert later.any()
    assert [a == b for a, b in zip(world.tallies.query, noisy.tallies.query, strict=True)] == (~later).tolist()
