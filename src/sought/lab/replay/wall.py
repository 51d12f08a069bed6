"""The wall between a policy and what a crawler cannot know.

A replay is run twice: as it was recorded, and with everything that the first run had not seen by some time replaced by
noise: pages that were never fetched, versions that were never seen, all later changes, all later demand, and (where
no signal announces changes) when and how often a page changed between two fetches.  Up to that time both
must make the same fetches.  A difference shows that a decision used something the crawler could not have seen.
"""

import hashlib
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.index.vectors import EACH, HEAD, Vector, joined
from sought.lab.judge.judge import Judge
from sought.lab.replay.replay import Replayed, replay
from sought.lab.replay.run import FetchLog
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start, seen_in, with_versions
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.world import Numbers, Ragged, Versions, World, WorldDemand
from sought.web.policy import Policy

Judging = Callable[[World], Judge]


def first_leak(
    policy: Policy, world: World, budget: float, setting: Setting, until: float, judging: Judging | None = None
) -> str:
    """The first fetch up to a time that depends on what could not be known; nothing if there is none.

    `judging` is for policies that need a judge.
    """
    world = seen_in(world, setting)
    budget = fetches_of(budget, pages_at_start(world))
    honest = _replayed(policy, world, budget, setting, judging)
    seen = np.union1d(honest.copies, honest.log.version[honest.log.time <= until])
    seen = seen[seen >= 0]
    noisy = scrambled(world, until, seen, setting.seed)
    if not (setting.signals.sitemap or setting.signals.etag or setting.signals.dates):
        times = _other_times(world, honest, until, setting.seed)
        noisy = _thinned(replace(noisy, versions=replace(noisy.versions, time=times)), seen, setting.seed)
    other = _replayed(policy, noisy, budget, setting, judging)
    return _difference(_until(honest.log, until), _until(other.log, until))


def scrambled(world: World, until: float, seen: Numbers, seed: int = 0) -> World:
    """Noise in place of the versions that are not `seen`, and of everything later."""
    dice = np.random.default_rng([seed, 0xCA05])
    later = world.versions.time > until
    unseen = np.ones(len(world.versions), np.bool_)
    unseen[seen] = False
    changed = np.flatnonzero(later | unseen)
    return replace(
        world,
        versions=_other_columns(world.versions, changed, later, dice),
        vectors=joined(_other_lists(world.vectors, changed, lambda old: _other_vector(old, len(world.terms), dice))),
        link_lists=_ragged(
            _other_lists(
                world.link_lists, changed, lambda old: dice.integers(0, len(world.links), len(old) + 1, np.uint32)
            )
        ),
        sketches=_ragged(_other_lists(world.sketches, changed, lambda old: dice.permutation(old) ^ np.uint32(0x5EED))),
        tallies=_other_tallies(world.tallies, until, dice),
        files=[file for file in world.files if file.time <= until],
    )


def _replayed(policy: Policy, world: World, budget: float, setting: Setting, judging: Judging | None) -> Replayed:
    demand = demand_of(world.tallies, setting.split, world.unit, setting.seed, setting.searches, world.start)
    return replay(world, demand, policy, budget, setting, judging(world) if judging else None)


def _until(log: FetchLog, until: float) -> list[tuple[bytes, str]]:
    """Fetches up to a time, by the bytes of their times."""
    return [(np.float64(time).tobytes(), url) for time, url in zip(log.time, log.url, strict=True) if time <= until]


def _difference(honest: list[tuple[bytes, str]], other: list[tuple[bytes, str]]) -> str:
    for number, (a, b) in enumerate(zip(honest, other, strict=False), 1):
        if a != b:
            return f"fetch {number} is {a[1]}, and {b[1]} if what cannot be known is noise"
    if len(honest) != len(other):
        return f"there are {len(honest)} fetches, and {len(other)} if what cannot be known is noise"
    return ""


# ---- noise


def _other_times(world: World, done: Replayed, until: float, seed: int) -> NDArray[np.float64]:
    """Every version begins at another time, in the same order and between the same fetches of its page."""
    dice = np.random.default_rng([seed, 0x71ED])
    known = done.log.time <= until
    fetches = {page: [] for page in range(len(world.urls))}  # type: dict[int, list[float]]
    for page in np.flatnonzero(done.copies >= 0).tolist():
        fetches[page].append(world.start)
    for page, time in zip(done.log.page[known].tolist(), done.log.time[known].tolist(), strict=True):
        if page >= 0:
            fetches[page].append(time)
    times = world.versions.time.copy()
    for page, asked in fetches.items():
        part = slice(int(world.first[page]), int(world.first[page + 1]))
        times[part] = _moved(times[part], [*asked, until], world.end + world.unit, dice)
    return times


def _thinned(world: World, seen: Numbers, seed: int) -> World:
    """Without some unseen versions: few of some pages, nearly all of others."""
    dice = np.random.default_rng([seed, 0xD20])
    dropped = dice.random(len(world.urls))
    kept = dice.random(len(world.versions)) > dropped[world.versions.page]
    kept[seen] = True
    return with_versions(world, np.flatnonzero(kept))


def _moved(
    times: NDArray[np.float64], asked: list[float], end: float, dice: np.random.Generator
) -> NDArray[np.float64]:
    """Other times, as many as before between each two fetches."""
    looks = np.unique([-np.inf, *asked, np.inf])
    gap = np.searchsorted(looks, times, "left")  # a version that begins at a look is seen by it
    moved = times.copy()
    for each in np.unique(gap).tolist():
        inside = np.flatnonzero(gap == each)
        low, high = looks[each - 1], min(looks[each], end)
        if np.isfinite(low) and high > low:
            shares = np.sort(dice.random(len(inside)))
            moved[inside] = low + (high - low) * (0.001 + 0.998 * shares)
    return moved if np.all(np.diff(moved) > 0) else times


def _other_columns(
    versions: Versions, changed: Numbers, later: NDArray[np.bool_], dice: np.random.Generator
) -> Versions:
    columns: dict[str, Any] = {}
    for each in fields(Versions):
        column = getattr(versions, each.name)
        columns[each.name] = column.copy()
    marks = dice.integers(1, 2**63, len(changed), np.uint64)
    columns["content"][changed] = marks
    columns["size"][changed] = dice.integers(1, 1 << 20, len(changed), np.uint32)
    columns["counts"][changed] = dice.integers(0, 1000, (len(changed), 5), np.int32)
    for at, mark in zip(changed.tolist(), marks.tolist(), strict=True):
        columns["digest"][at] = columns["title"][at] = hashlib.blake2b(str(mark).encode(), digest_size=8).hexdigest()
        columns["headings"][at], columns["canonical"][at] = [], ""
    gone = later & (dice.random(len(later)) < 0.3)
    columns["status"][gone] = 404
    return Versions(**columns)


def _other_lists(
    lists: Any, changed: Numbers, other: Callable[[NDArray[np.uint32]], NDArray[np.uint32]]
) -> list[NDArray[np.uint32]]:
    others = [lists[i] for i in range(len(lists.bounds) - 1)]
    for at in changed.tolist():
        others[at] = other(others[at])
    return others


def _other_vector(old: Vector, terms: int, dice: np.random.Generator) -> Vector:
    """A page of the same language and length in other words."""
    fresh = old.copy()
    words = len(range(HEAD, len(old), EACH))
    fresh[HEAD::EACH] = dice.choice(terms, words, replace=False)
    return fresh


def _other_tallies(tallies: WorldDemand, until: float, dice: np.random.Generator) -> WorldDemand:
    """Queries of later are other queries, asked more or less often.

    Their words are those of queries, too: pages were not searched for any others, so that a replay would have to catch
    up on words that nobody has asked for yet.
    """
    later = tallies.since > until
    words = sorted({word for text in tallies.query for word in text.split()})
    texts = [
        " ".join(dice.choice(words, len(text.split()))) if off else text
        for text, off in zip(tallies.query, later.tolist(), strict=True)
    ]
    return WorldDemand(
        texts, np.where(later, tallies.count * dice.uniform(0.5, 2.0, len(later)), tallies.count), tallies.since
    )


def _ragged(lists: list[NDArray[np.uint32]]) -> Ragged:
    whole = joined(lists)
    return Ragged(whole.data, whole.bounds)
