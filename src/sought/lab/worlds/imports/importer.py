"""How does recorded history become a world?  An importer reads it; each is a value in a module of this package.

Others are found under the entry points `sought.importers`, or named with their module: `my_importer:MINE`.  The command
`sought lab import NAME` is made of the value: its help and its options.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder
from sought.record.config import seconds
from sought.web.errors import BadInput
from sought.web.registry import Registry

Report = Callable[[int, int], None]
Progress = Callable[[str], Report]  # of one piece of work, by what is being done
REQUIRED: Any = ...


@dataclass(frozen=True)
class ImportOption:
    """An option of the command: `--name`, of some type; of a list, as `list[Path]`, it may be given several times."""

    name: str
    type: Any
    help: str
    default: Any = REQUIRED
    least: int | None = None
    metavar: str | None = None


UNIT = ImportOption("unit", str, "Length of a unit in replays.", "7d")


class ImportResult(NamedTuple):
    """What was read: the longest unit of time that tells changes apart, in seconds, and where it is from.

    `logs` are query logs that came with it: they are what is asked, unless others are named.
    """

    span: RecordedSpan
    unit: float
    about: Mapping[str, Any]
    logs: Sequence[Path] = ()


Read = Callable[[WorldRecorder, Progress], ImportResult]


@dataclass(frozen=True)
class Importer:
    """`paths` is what is read, for the command's help; `several` says whether it may be more than one.

    `plan` has the options by their names and refuses those that make no sense, before anything is begun.  What it
    returns reads: it gives all answers to the recorder, those of each URL in order of time.
    """

    name: str
    help: str
    paths: str
    plan: Callable[[Sequence[Path], Mapping[str, Any]], Read]
    options: tuple[ImportOption, ...] = ()
    metavar: str = "FILE"
    several: bool = False


IMPORTERS = Registry(
    "importer", "sought.lab.worlds.imports", "sought.importers", lambda value: isinstance(value, Importer)
)


def importer_named(name: str) -> Importer:
    """By its name, or `module:Name`, also of a file in the current directory; BadInput if there is none."""
    if ":" not in name and name not in IMPORTERS:
        raise BadInput(f"no importer {name!r}; there are {', '.join(IMPORTERS)}, and my_importer:MINE of a file here")
    return IMPORTERS.read(name, Path.cwd())  # type: ignore[no-any-return]  # one of these


def unit_of(text: str) -> float:
    """The value of `--unit` in seconds."""
    unit = seconds(text)
    if not unit:
        raise BadInput("--unit: 0 is no time at all")
    return unit
