"""Worlds with an event half-way: other demand, or a burst of changes; and a world of many hosts."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from sought.lab.replay.setting import with_versions
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK, World, WorldDemand

BURST = 8  # units whose changes all come at once
MANY_HOSTS = WebShape(hosts=12, pages=600, weeks=26, rate=0.2, queries=800, traps=0.0, sitemaps=0.0)
FEW_HOSTS = WebShape(
    hosts=3, pages=40, weeks=4, words=40.0, vocabulary=400, topics=5, queries=80, traps=0.0, sitemaps=0.0
)

Event = Callable[[World], World]


def half_way(world: World) -> float:
    return world.start + world.unit * (world.units // 2)


def drifted(world: World) -> World:
    """From half-way on each query is asked as often as another was, drawn at random; nothing changes after that."""
    tallies, when = world.tallies, half_way(world)
    counts: dict[str, float] = {}
    for at in np.argsort(tallies.since, kind="stable").tolist():
        if tallies.since[at] <= when:
            counts[tallies.query[at]] = float(tallies.count[at])
    queries = sorted(counts)
    others = np.random.default_rng(9).permutation(len(queries))
    kept = np.flatnonzero(tallies.since < when)
    return world.with_tallies(
        WorldDemand(
            [*(tallies.query[at] for at in kept.tolist()), *queries],
            np.concatenate([tallies.count[kept], [counts[queries[at]] for at in others.tolist()]]),
            np.concatenate([tallies.since[kept], np.full(len(queries), when)]),
        ),
        event="demand drifts",
    )


def burst(world: World) -> World:
    """What happens in the weeks after half-way happens half-way, all of it; then the Web stands still for as long."""
    when, v = half_way(world), world.versions
    inside = (v.time >= when) & (v.time <= when + BURST * world.unit)
    goes_on = np.append(inside[1:] & (v.page[1:] == v.page[:-1]), False)
    kept = np.flatnonzero(~(inside & goes_on))  # of several versions the last
    short = with_versions(world, kept)
    times = np.where(inside[kept], when, short.versions.time)
    notes = world.notes | {"event": "a burst of changes"}
    return replace(short, versions=replace(short.versions, time=times), notes=notes)


def saved(world: World, folder: Path) -> Path:
    """For replays, which do not read texts."""
    save_world(world, folder, [""] * len(world.versions))
    return folder


def many_hosts(folder: Path, *, quick: bool) -> Path:
    shape, recorder = FEW_HOSTS if quick else MANY_HOSTS, WorldRecorder()
    made = generate(recorder, shape)
    return saved(recorder.finish("many-hosts", made.seeds, made.start, made.end, WEEK), folder)
