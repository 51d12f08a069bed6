"""One policy replayed on one world, in memory: a `Run` that every measure can be taken from."""

from pathlib import Path

from sought.lab.replay.replay import replay
from sought.lab.replay.run import Run
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import judge_for
from sought.lab.worlds.files import open_world
from sought.lab.worlds.world import World
from sought.web.policy import Policy


def replay_policy(
    policy: Policy,
    world: World | Path,
    budget: float,
    setting: Setting = Setting(),  # noqa: B008  a frozen value
) -> Run:
    """Replay a policy; a budget from 1 on is fetches a unit, below 1 a share of the pages at the start.

    >>> run = replay_policy(Worth(), open_world(Path("small.world")), budget=0.02)      # doctest: +SKIP
    >>> MEASURES["quality"](run)                                                        # doctest: +SKIP
    array([0.97, 0.96, 0.96])
    """
    judge = judge_for(open_world(world) if isinstance(world, Path) else world, setting)
    done = replay(judge.world, judge.demand, policy, budget, setting, judge)
    return Run(judge, done.log, done.moments, done.copies, done.dropped)
