"""Which rule is better, and why?  Recorded webs on a clock, the crawl's own loop, honest measures.

The names below are what an experimenter needs (docs/reference/library.md); each is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sought.lab.judge.judge import Judge
    from sought.lab.measures import MEASURES, Measure, parse_measure
    from sought.lab.replay.belief_conformance import BELIEF_PROMISES, check_belief
    from sought.lab.replay.conformance import PROMISES, check_policy
    from sought.lab.replay.oracles import ORACLES, Ceiling
    from sought.lab.replay.run import Run
    from sought.lab.replay.setting import Setting
    from sought.lab.replay.signals import Signals
    from sought.lab.replay.wall import first_leak
    from sought.lab.studies.compare import differences, gaps, parse_any_policy
    from sought.lab.studies.experiment import experiment, grid, run_all
    from sought.lab.studies.one_replay import replay_policy
    from sought.lab.studies.registry import EXPERIMENTS
    from sought.lab.worlds.derived_queries import derive
    from sought.lab.worlds.files import open_world, save_world
    from sought.lab.worlds.imports.git import import_git
    from sought.lab.worlds.imports.graph import import_graph
    from sought.lab.worlds.imports.queries import import_queries
    from sought.lab.worlds.imports.warc import import_warc
    from sought.lab.worlds.imports.wiki import import_wiki
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.lab.worlds.synthetic.web import WebShape, generate
    from sought.lab.worlds.world import World

__all__ = [
    "BELIEF_PROMISES",
    "EXPERIMENTS",
    "MEASURES",
    "ORACLES",
    "PROMISES",
    "Ceiling",
    "Judge",
    "Measure",
    "Run",
    "Setting",
    "Signals",
    "WebShape",
    "World",
    "WorldRecorder",
    "check_belief",
    "check_policy",
    "derive",
    "differences",
    "experiment",
    "first_leak",
    "gaps",
    "generate",
    "grid",
    "import_git",
    "import_graph",
    "import_queries",
    "import_warc",
    "import_wiki",
    "open_world",
    "parse_any_policy",
    "parse_measure",
    "replay_policy",
    "run_all",
    "save_world",
]

_HOMES = {
    "sought.lab.judge.judge": ("Judge",),
    "sought.lab.measures": (
        "MEASURES",
        "Measure",
        "parse_measure",
    ),
    "sought.lab.replay.belief_conformance": (
        "BELIEF_PROMISES",
        "check_belief",
    ),
    "sought.lab.replay.conformance": (
        "PROMISES",
        "check_policy",
    ),
    "sought.lab.replay.oracles": (
        "ORACLES",
        "Ceiling",
    ),
    "sought.lab.replay.run": ("Run",),
    "sought.lab.replay.setting": ("Setting",),
    "sought.lab.replay.signals": ("Signals",),
    "sought.lab.replay.wall": ("first_leak",),
    "sought.lab.studies.compare": (
        "differences",
        "gaps",
        "parse_any_policy",
    ),
    "sought.lab.studies.experiment": (
        "experiment",
        "grid",
        "run_all",
    ),
    "sought.lab.studies.one_replay": ("replay_policy",),
    "sought.lab.studies.registry": ("EXPERIMENTS",),
    "sought.lab.worlds.derived_queries": ("derive",),
    "sought.lab.worlds.files": (
        "open_world",
        "save_world",
    ),
    "sought.lab.worlds.imports.git": ("import_git",),
    "sought.lab.worlds.imports.graph": ("import_graph",),
    "sought.lab.worlds.imports.queries": ("import_queries",),
    "sought.lab.worlds.imports.warc": ("import_warc",),
    "sought.lab.worlds.imports.wiki": ("import_wiki",),
    "sought.lab.worlds.recorder": ("WorldRecorder",),
    "sought.lab.worlds.synthetic.web": (
        "WebShape",
        "generate",
    ),
    "sought.lab.worlds.world": ("World",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'sought.lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
