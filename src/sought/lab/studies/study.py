"""A named experiment: a question, what must hold, and a verdict that follows from numbers.

A study judges each world by itself, as a `WorldResult`; `finding` makes one verdict of these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sought.lab.studies.experiment import CORES, Report
from sought.lab.studies.marks import world_mark
from sought.lab.worlds.files import read_name

Verdict = Literal["holds", "does not hold", "cannot be judged on this data"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "does not hold"
UNJUDGED: Verdict = "cannot be judged on this data"
VERDICTS: tuple[Verdict, ...] = (HOLDS, FAILS, UNJUDGED)

Value = float | int | str | None


@dataclass(frozen=True)
class ResultTable:
    """Rows have a value for each column; None where there is none.  `note` says what a reader must know.

    `date` is the day, if it is told.
    """

    title: str
    columns: list[str]
    rows: list[list[Value]]
    note: str = ""
    date: str = ""


@dataclass(frozen=True)
class Figure:
    title: str
    svg: str


@dataclass(frozen=True)
class Finding:
    """What came of a study: `numbers` by world, and in `settings` all that is needed to find them again.

    `written` is the time, in ISO format to the second, if it is told.
    """

    study: str
    verdict: Verdict
    because: str
    numbers: dict[str, dict[str, Value]] = field(default_factory=dict)
    tables: list[ResultTable] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    code: str = ""
    written: str = ""

    @property
    def date(self) -> str:
        return self.written[:10]

    @property
    def worlds(self) -> list[str]:
        """Names of the folders of worlds it is of."""
        return sorted(self.settings.get("worlds", {}))

    @property
    def quick(self) -> bool:
        return bool(self.settings.get("quick"))

    @property
    def of_what(self) -> str:
        """For people: worlds, whether it was quick, and the day."""
        return ", ".join([*self.worlds, *["quick"] * self.quick, *filter(None, [self.date])])


@dataclass(frozen=True)
class WorldResult:
    """What one world says: whether what must hold does (None: it cannot be judged there), and why."""

    world: str
    holds: bool | None
    because: str
    numbers: Mapping[str, Value] = field(default_factory=dict)
    tables: Sequence[ResultTable] = ()
    figures: Sequence[Figure] = ()


def _silent(what: str, done: float, total: int) -> None:
    pass


@dataclass(frozen=True)
class StudyContext:
    """What a study works with.  `report` is told what is being done, how much of it is done, of how much."""

    worlds: Sequence[Path]
    results: Path
    cores: int = CORES
    report: Callable[[str, float, int], None] = _silent
    quick: bool = False

    def progress(self, what: str) -> Report:
        """Tells how far one piece of work is."""
        return lambda done, total: self.report(what, done, total)


@dataclass(frozen=True)
class Study:
    """`seed` is the paper it is of ("000" to "004"), or "beyond"; `needs` says what a world must have.

    `also` are other names by which it can be asked for: those of further figures that it reproduces.  A study that is
    `worldless` needs no world.
    """

    name: str
    seed: str
    title: str
    question: str
    expects: str
    needs: str
    run: Callable[[StudyContext], Finding]
    also: tuple[str, ...] = ()
    worldless: bool = False


def finding(study: str, bench: StudyContext, parts: Sequence[WorldResult], **settings: Any) -> Finding:
    """It holds if it holds on every world that can judge it, and one can."""
    judged = [part for part in parts if part.holds is not None]
    failed = [part for part in judged if not part.holds]
    verdict = FAILS if failed else HOLDS if judged else UNJUDGED
    told = [*(failed or judged), *(part for part in parts if part.holds is None)]
    because = "; ".join(f"{part.world}: {part.because}" for part in told) or "there is no world"
    return Finding(
        study,
        verdict,
        because,
        {part.world: {name: plain(value) for name, value in part.numbers.items()} for part in parts},
        [table for part in parts for table in part.tables],
        [figure for part in parts for figure in part.figures],
        {"worlds": {folder.name: _about(folder) for folder in bench.worlds}, "quick": bench.quick, **settings},
    )


def plain(value: Any) -> Value:
    """A value as it can be written down: a number that is none is None."""
    if value is None or isinstance(value, (str, int)):
        return value
    number = float(value)
    return number if isfinite(number) else None


def _about(folder: Path) -> dict[str, str]:
    """Folders are named without where they lie."""
    return {"name": read_name(folder), "mark": world_mark(folder)}


# ---- What does a study claim of a world, and is it so?


class Claim(NamedTuple):
    """`found` are the numbers that it follows from."""

    what: str
    holds: bool
    found: str


def verdict(claims: Sequence[Claim]) -> tuple[bool, str]:
    """Whether all hold; and those that do not, or all."""
    failed = [claim for claim in claims if not claim.holds]
    told = [f"not so: {claim.what} ({claim.found})" for claim in failed]
    return not failed, "; ".join(told or [f"{claim.what} ({claim.found})" for claim in claims])


def claimed(world: str, claims: Sequence[Claim]) -> ResultTable:
    rows = [[claim.what, claim.found, "yes" if claim.holds else "no"] for claim in claims]
    return ResultTable(f"{world}: what must hold", ["claim", "found", "holds"], [list(row) for row in rows])
