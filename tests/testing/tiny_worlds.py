"""Worlds of a few pages, made by hand: all of it in one place, so that a reader can check a test in the head."""

import numpy as np

from sought.lab.judge.judge import Judge, judge_of
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING
from sought.web.message import Response

START, UNIT = 1_600_000_000.0, 7 * 86400.0
HEADERS = (("content-type", "text/html"),)


def world_of(history, queries, units):
    """{name: [(unit, text, or None for gone)]}; each query is asked once a week."""
    recorder = WorldRecorder()
    for name, versions in history.items():
        for unit, text in versions:
            body = f"<html lang=en><body><main>{text}</main>".encode() if text else b""
            response = Response(
                f"http://site.test/{name}",
                200 if text else 404,
                headers=HEADERS,
                raw=body,
                body=body,
                time=START + unit * UNIT,
            )
            recorder.answer(response)
    for query in queries:
        recorder.ask(query, 1.0, START)
    return recorder.finish("tiny", (next(iter(recorder.pages)),), START, START + units * UNIT, UNIT)


def moments_of(world):
    return world.start + world.unit * np.arange(world.units + 1)


def nothing_of(world):
    return np.full(len(world.urls), NOTHING)


def judged(world, tie="hash"):
    return judge_of(world, demand_of(world.tallies, "none", world.unit), tie=tie)


def additive(history, worth, units):
    """{name: [units with a new version]}; each version answers one query, its own, as well as `worth` says.

    Returns also what each version is worth.
    """
    words = {(name, unit): f"word{name}{unit}x" for name, births in history.items() for unit in births}
    world = world_of({n: [(u, words[n, u]) for u in births] for n, births in history.items()}, words.values(), units)
    demand = demand_of(world.tallies, "none", world.unit)
    versions = [(n, u) for n in history for u in history[n]]
    scores = np.array([worth[version] for version in versions], np.float32)
    query = np.array([demand.texts.index(words[version]) for version in versions], np.uint32)
    kept = scores > 0
    bounds = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return Judge(world, demand, bounds, query[kept], scores[kept]), scores.astype(np.float64)
