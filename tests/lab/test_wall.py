"""The wall between what a crawler can know and what the laboratory knows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from sought.lab.judge.judge import judge_of
from sought.lab.replay.oracles import ORACLES, NowGain
from sought.lab.replay.replay import replay
from sought.lab.replay.setting import Setting
from sought.lab.replay.signals import Signals
from sought.lab.replay.wall import first_leak, scrambled
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.world import World
from sought.policy import BreadthFirst, DemandFirst, RoundRobin, Split, UserCentric
from sought.web.pages import Pages
from tests.testing.every_policy import EVERY_POLICY
from tests.testing.wall_world import made, middle

EVERY = [policy for policy in EVERY_POLICY if not isinstance(policy, Split)] + [
    Split(new=BreadthFirst(), known=RoundRobin(), share=0.5),
    Split(new=DemandFirst(), known=UserCentric(), share=0.3),
    RoundRobin(new=True),
    UserCentric(half_life=86400.0 * 14),
]


@pytest.mark.slow
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


def _of_version(read):
    """What a policy would read of the version that is live now."""
    return lambda world, page, at: read(world, int(at[page])) if at[page] >= 0 else 0.0


PEEPS = {
    "size": _of_version(lambda world, version: world.versions.size[version]),
    "links": _of_version(lambda world, version: len(world.link_lists[version])),
    "terms": _of_version(lambda world, version: world.vectors[version].sum() % 997),
    "content": _of_version(lambda world, version: world.versions.content[version]),
    "changed": _of_version(lambda world, version: world.versions.time[version]),
    "next change": _of_version(lambda world, version: -min(world.until[version], 1e12)),
    "changes in all": lambda world, page, at: np.count_nonzero(world.versions.page == page),
}


@dataclass(frozen=True)
class Peeping:
    """A back door: reads one thing straight from the world."""

    what: str
    world: ClassVar[World]

    def __call__(self, pages: Pages, now: float):
        world = Peeping.world
        page = dict(zip(world.keys.tolist(), range(len(world.urls)), strict=True))
        at = world.at(now)
        found = [PEEPS[self.what](world, page[key], at) if key in page else 0.0 for key in pages.key.tolist()]
        return np.array(found, np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["warm", "cold"])
@pytest.mark.parametrize("what", PEEPS)
def test_a_policy_with_a_back_door_is_caught(monkeypatch, what, start):
    """Not only beliefs are watched: what reaches a policy by another way shows, times and numbers too."""

    def told(world, *rest, **options):
        Peeping.world = world
        return replay(world, *rest, **options)

    monkeypatch.setattr("sought.lab.replay.wall.replay", told)
    assert first_leak(Peeping(what), made(), 0.05, Setting(start=start, rounds=3), middle())


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
    after = world.versions.time > middle()
    assert np.any(world.versions.status[after] != noisy.versions.status[after])
    assert np.array_equal(world.versions.status[~after], noisy.versions.status[~after])
    assert any(file.time > middle() for file in world.files)
    assert not any(file.time > middle() for file in noisy.files)
    later = world.tallies.since > middle()
    assert later.any()
    assert [a == b for a, b in zip(world.tallies.query, noisy.tallies.query, strict=True)] == (~later).tolist()
