"""How fast is the laboratory?  A year of a real world under one policy, with exact quality every week.

The peer of the quality that is kept up to date is the plain one, worked out anew from all pages.
"""

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sought.index.quality import quality
from sought.lab.replay.replay import replay
from sought.lab.replay.run import Moment, Run
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import judge_for
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.imports.git import import_git
from sought.lab.worlds.imports.queries import import_queries
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import Numbers
from sought.web.errors import BadInput
from sought.web.policy import Policy

BUDGET = 0.02
_BASE = "https://world.example"
_PLAIN = 3  # weeks for which quality is worked out anew

Report = Callable[[int, int], None]


def run(world: Path, policy: Policy, report: Report) -> dict[str, object]:
    """`import_s` is for reading the history; `replay_s` for everything after: opening, judging, replaying, quality."""
    if not (world / "site.bundle").exists():
        raise BadInput(f"no world at {world}: it has no site.bundle")
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as spare:
        folder = Path(spare) / "world"
        import_s = _import(world, folder, report)
        began = time.perf_counter()
        found = open_world(folder)
        open_s = time.perf_counter() - began
        setting = Setting()
        judge = judge_for(found, setting)
        judged = time.perf_counter()
        done = replay(found, judge.demand, policy, BUDGET, setting, judge, report)
        replayed = time.perf_counter()
        run = Run(judge, done.log, done.moments, done.copies)
        answers, weights = run.answers, run.weights("judged")
        ended = time.perf_counter()
    after = (weights * answers.after).sum(axis=1) / (weights * answers.ideal).sum(axis=1)
    plain_s, plain = _plain(run)
    return {
        "world": world.name,
        "pages": len(found.urls),
        "versions": len(found.versions),
        "queries": len(judge.demand),
        "policy": repr(policy),
        "fetches": len(done.log),
        "quality": float(after.mean()),
        "import_s": import_s,
        "replay_s": ended - began,
        "open_s": open_s,
        "judge_s": judged - began - open_s,
        "cycle_s": replayed - judged,
        "quality_s": ended - replayed,
        "plain_quality_s": plain_s,
        "quality_times_faster": plain_s / (ended - replayed),
        "quality_differs_by": float(np.abs(after[: len(plain)] - plain).max()),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _import(world: Path, folder: Path, report: Report) -> float:
    began = time.perf_counter()
    recorder = WorldRecorder()
    moves = world / "moves.tsv"
    span = import_git(
        recorder, world / "site.bundle", _BASE, 7 * 86400.0, moves if moves.exists() else None, report=report
    )
    made = recorder.finish(world.name, span.seeds, span.start, span.end, 7 * 86400.0)
    made = made.with_tallies(import_queries(world / "queries.tsv", span.start))
    save_world(made, folder, recorder.texts)
    return time.perf_counter() - began


def _plain(run: Run) -> tuple[float, list[float]]:
    """Seconds for all weeks, before and after their fetches, as the first few take; and quality after these."""
    moments = [moment for moment, _ in zip(run.walk(), range(_PLAIN), strict=False)]
    began = time.perf_counter()
    found = [_of(run, moment, moment.after) for moment in moments]
    return (time.perf_counter() - began) / len(moments) * 2 * len(run.moments), found


def _of(run: Run, moment: Moment, copies: Numbers) -> float:
    pages, judge = np.arange(len(run.world.urls)), run.judge
    held, live = (judge.matches(pages, run.searchable(state)) for state in (copies, moment.live))
    return quality(held, live, judge.demand.weights("judged", moment.time), judge.ties).value
