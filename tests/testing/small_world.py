"""A web of twelve pages on two hosts over five weeks, small enough to follow by hand; and runs over it."""

from collections.abc import Sequence

import numpy as np

from sought.lab.judge.judge import Judge, judge_of
from sought.lab.replay.run import FetchLog, Run
from sought.lab.worlds.demand import Split, demand_of
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING, WEEK, Numbers, World
from sought.web.message import Response

START = 100 * WEEK
UNITS = 6
A, B = "http://a.test", "http://b.test"
HTML = (("Content-Type", "text/html; charset=utf-8"),)


def html(title: str, text: str, links: Sequence[str] = (), robots: str = "all") -> bytes:
    """All links say the same, so that to change a target changes nothing for a reader."""
    anchors = "".join(f'<a href="{link}">more</a> ' for link in links)
    head = f'<html lang="en"><head><title>{title}</title><meta name="robots" content="{robots}"></head>'
    return f"<!DOCTYPE html>{head}<body><main><p>{text}</p>{anchors}</main></body></html>".encode()


def page(url: str, week: int, title: str, text: str, links: Sequence[str] = (), robots: str = "all") -> Response:
    body = html(title, text, links, robots)
    return Response(url, 200, headers=HTML, raw=body, body=body, time=START + week * WEEK)


def gone(url: str, week: int) -> Response:
    return Response(url, 404, headers=HTML, time=START + week * WEEK)


def moved(url: str, week: int, to: str) -> Response:
    return Response(url, 301, headers=(*HTML, ("Location", to)), time=START + week * WEEK)


ANSWERS = [
    page(f"{A}/", 0, "home of fruit", "all fruit is here", [f"{A}/apple", f"{A}/pear", f"{A}/plum", f"{B}/"]),
    page(f"{A}/apple", 0, "apple", "apple apple tree", [f"{A}/", f"{A}/pear"]),
    page(f"{A}/pear", 0, "pear", "pear and apple", [f"{A}/", f"{A}/apple"]),
    page(f"{A}/plum", 0, "plum", "plum plum plum fruit", [f"{A}/", f"{A}/apple"]),
    page(f"{A}/dir/fig", 0, "fig", "fig and plum and pear", [f"{A}/apple"]),
    page(f"{B}/", 0, "home of trees", "tree tree fruit", [f"{B}/oak", f"{B}/dir/elm", f"{A}/"]),
    page(f"{B}/oak", 0, "oak", "oak tree apple", [f"{B}/"]),
    page(f"{B}/dir/elm", 0, "elm", "elm tree and oak tree", [f"{B}/", f"{B}/oak"]),
    page(f"{A}/apple", 1, "apple", "pear pear pear", [f"{A}/", f"{A}/pear"]),  # an edit
    page(f"{A}/quince", 1, "quince", "quince apple pear", [f"{A}/", f"{A}/apple"]),  # a birth
    gone(f"{A}/pear", 2),  # a death
    moved(f"{B}/oak", 2, f"{B}/dir/oak"),
    page(f"{B}/dir/oak", 2, "oak", "oak tree apple", [f"{B}/"]),
    page(f"{A}/apple", 3, "apple", "apple apple tree", [f"{A}/", f"{A}/pear"]),  # as it was at first
    page(f"{A}/plum", 3, "plum", "plum plum plum fruit", [f"{A}/", f"{A}/quince"]),  # nothing new to a reader
    page(f"{A}/apple", 4, "apple", "apple tree fruit fig", [f"{A}/", f"{A}/pear"]),
    page(f"{A}/pear", 4, "pear", "pear again with plum", [f"{A}/"]),  # it is back
    page(f"{B}/dir/elm", 5, "elm", "elm tree and oak tree", [f"{B}/"], "noindex"),  # nobody can find it any more
    page(f"{A}/late", 5, "late", "late apple", [f"{A}/"]),
    gone(f"{B}/soon", 1),  # somebody asked for it before it was there
    page(f"{B}/soon", 3, "soon", "soon a tree", [f"{B}/oak"]),
]
QUERIES = [
    ("apple", 5.0, 0), ("pear", 3.0, 0), ("plum", 2.0, 0), ("tree", 4.0, 0), ("fruit", 1.0, 0), ("apple tree", 2.0, 0),
    ("fig", 1.0, 2), ("oak", 2.0, 1), ("late apple", 3.0, 5), ("zebra", 1.0, 0),
]  # fmt: skip


def small_world() -> World:
    recorder = WorldRecorder()
    for answer in ANSWERS:
        assert recorder.answer(answer)
    for query, count, week in QUERIES:
        recorder.ask(query, count, START + week * WEEK)
    return recorder.finish("small", [f"{A}/", f"{B}/"], START, START + (UNITS - 1) * WEEK, WEEK)


def small_judge(split: Split = "none") -> Judge:
    world = small_world()
    return judge_of(world, demand_of(world.tallies, split, world.unit))


def moments(units: int = UNITS) -> np.ndarray:
    return START + WEEK * np.arange(units)


def synced(world: World, week: int = 0) -> Numbers:
    """The repository that has everything as it is in that week."""
    return world.at(START + week * WEEK)


def empty(world: World) -> Numbers:
    return np.full(len(world.urls), NOTHING)


def run_of(judge: Judge, fetches: Sequence[Sequence[int]], copies: Numbers, times: np.ndarray | None = None) -> Run:
    """A run that fetches these pages in these units; pages beyond the world are addresses that lead nowhere."""
    times = moments(len(fetches)) if times is None else times
    rows = [(unit, times[unit], page) for unit, pages in enumerate(fetches) for page in pages]
    world, urls = judge.world, judge.world.urls
    known = [p < len(urls) for _, _, p in rows]
    log = FetchLog(
        np.array([unit for unit, _, _ in rows], np.int32),
        np.array([time for _, time, _ in rows], np.float64),
        np.array([p if k else NOTHING for (_, _, p), k in zip(rows, known, strict=True)], np.int64),
        np.array([world.version(p, t) if k else NOTHING for (_, t, p), k in zip(rows, known, strict=True)], np.int64),
        [urls[p] if k else f"{A}/nowhere" for (_, _, p), k in zip(rows, known, strict=True)],
    )
    return Run(judge, log, times, copies)
