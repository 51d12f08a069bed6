"""A study: a question, statements that are judged on every world, and verdicts that follow from numbers.

    Study.judge(folder, context) → WorldResult    what one world shows: claims, numbers, tables, figures
    Study.across(data, context)  → WorldResult    what only all worlds together can show
    Study.run(context)           → Finding        a verdict for each statement, and from these one for the whole

A statement holds if it holds on every world that can judge it, and at least one can.  A study holds if every statement
that can be judged does, and at least one can.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from sought.lab.studies.experiment import CORES, Report
from sought.lab.studies.marks import world_mark
from sought.lab.worlds.files import read_name

Verdict = Literal["holds", "does not hold", "cannot be judged on this data"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "does not hold"
UNJUDGED: Verdict = "cannot be judged on this data"
VERDICTS: tuple[Verdict, ...] = (HOLDS, FAILS, UNJUDGED)
ALL_WORLDS = "all worlds"
DRAWS, QUICK_DRAWS = 1000, 200  # of paired bootstraps

Value = float | int | str | None
Item = TypeVar("Item")


@dataclass(frozen=True)
class Statement:
    """One thing that a study claims; `paper` is what the paper printed, empty where it has only a figure."""

    text: str
    paper: str = ""


class Claim(NamedTuple):
    """A statement judged on one world; `holds` is None if it cannot be judged, and `detail` says why.

    `at` distinguishes several claims of one statement on one world: by budget, by start, by topic.
    """

    statement: Statement
    holds: bool | None
    detail: str
    at: str = ""

    def __str__(self) -> str:
        return f"{self.at}: {self.statement.text}" if self.at else self.statement.text


@dataclass(frozen=True)
class ResultTable:
    """Rows have a value for each column; None where there is none.  `note` says what a reader must know.

    `date` is the day, if known.
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
class WorldResult:
    """The results of one world.  `lack` says why no statement can be judged on it, if so.

    `world` is its name, if it is not that of the folder; `data` is what the study's `across` needs of it.
    """

    claims: Sequence[Claim] = ()
    numbers: Mapping[str, Value] = field(default_factory=dict)
    tables: Sequence[ResultTable] = ()
    figures: Sequence[Figure] = ()
    lack: str = ""
    world: str = ""
    data: Any = None

    @property
    def holds(self) -> bool | None:
        """Whether every claim that can be judged here holds; None if none can."""
        judged = [claim.holds for claim in self.claims if claim.holds is not None]
        return all(judged) if judged else None

    @property
    def because(self) -> str:
        """The claims that fail, or else those that hold, or else why none can be judged."""
        if self.holds is None:
            return self.lack or "; ".join(dict.fromkeys(claim.detail for claim in self.claims))
        prefix = "" if self.holds else "not so: "
        return "; ".join(f"{prefix}{claim} ({claim.detail})" for claim in self.claims if claim.holds is self.holds)


@dataclass(frozen=True)
class JudgedStatement:
    """A statement with its verdict over all worlds; `found` has the details of each world."""

    text: str
    paper: str
    verdict: Verdict
    found: dict[str, str]


@dataclass(frozen=True)
class Finding:
    """The results of a study: `numbers` by world, and in `settings` all that is needed to repeat them.

    `claims` has a verdict for each statement (empty in findings of earlier versions).  `written` is the time, in
    ISO format to the second, if known.
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
    claims: list[JudgedStatement] = field(default_factory=list)

    @property
    def date(self) -> str:
        return self.written[:10]

    @property
    def worlds(self) -> list[str]:
        """Names of the folders of its worlds."""
        return sorted(self.settings.get("worlds", {}))

    @property
    def quick(self) -> bool:
        return bool(self.settings.get("quick"))

    @property
    def scope(self) -> str:
        """For people: worlds, whether it was quick, and the day."""
        return ", ".join([*self.worlds, *["quick"] * self.quick, *filter(None, [self.date])])


def _silent(what: str, done: float, total: int) -> None:
    pass


@dataclass(frozen=True)
class StudyContext:
    """What a study works with.  `report` is called with what is being done, how much of it is done, and the total."""

    worlds: Sequence[Path]
    results: Path
    cores: int = CORES
    report: Callable[[str, float, int], None] = _silent
    quick: bool = False

    @property
    def draws(self) -> int:
        """Number of draws of a paired bootstrap."""
        return QUICK_DRAWS if self.quick else DRAWS

    def progress(self, what: str) -> Report:
        """Reports the progress of one piece of work."""
        return lambda done, total: self.report(what, done, total)

    def each(self, what: str, items: Sequence[Item]) -> Iterator[Item]:
        """One after the other; progress is reported before each."""
        for done, item in enumerate(items):
            self.report(what, done, len(items))
            yield item
        self.report(what, len(items), len(items))


@dataclass(frozen=True)
class Study:
    """`paper` is the key of the paper it repeats ("tan-mitra-2010"), empty if it is ours.

    `needs` says what a world must have.  `settings` are recorded with every finding; in quick runs those of
    `quick_settings` replace them.  `aliases` are other names for it.  A study without `judge` needs no world: all its
    results come from `across`.
    """

    name: str
    paper: str
    title: str
    question: str
    needs: str
    statements: tuple[Statement, ...]
    judge: Callable[[Path, StudyContext], WorldResult] | None = None
    across: Callable[[Mapping[str, Any], StudyContext], WorldResult] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    quick_settings: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    @property
    def expects(self) -> str:
        """What must hold, for people."""
        return "; ".join(statement.text for statement in self.statements)

    @property
    def worldless(self) -> bool:
        return self.judge is None

    def run(self, context: StudyContext) -> Finding:
        """Judge every world, then all together."""
        results = []
        for folder in context.worlds if self.judge else ():
            assert self.judge
            result = self.judge(folder, context)
            results.append(replace(result, world=result.world or read_name(folder)))
        return self.finding(self.with_all_worlds(results, context), context)

    def with_all_worlds(self, results: Sequence[WorldResult], context: StudyContext) -> list[WorldResult]:
        """The results, and that of all worlds together, if one lacks nothing."""
        if self.across is None or (self.judge and all(result.lack for result in results)):
            return list(results)
        joint = self.across({result.world: result.data for result in results if not result.lack}, context)
        return [*results, replace(joint, world=joint.world or ALL_WORLDS)]

    def finding(self, results: Sequence[WorldResult], context: StudyContext) -> Finding:
        """The finding from these results; each claim must be of a listed statement, or it would be lost."""
        self._check(results)
        claims = [_judged(statement, results) for statement in self.statements]
        verdict = _whole([claim.verdict for claim in claims])
        judged = [result for result in results if result.holds is not None]
        failed = [result for result in judged if not result.holds]
        silent = [result for result in results if result.holds is None and result.because]
        because = "; ".join(f"{result.world}: {result.because}" for result in [*(failed or judged), *silent])
        return Finding(
            self.name,
            verdict,
            because or "there is no world",
            {result.world: {name: plain(value) for name, value in result.numbers.items()} for result in results},
            [*_what_must_hold(self.name, claims), *(table for result in results for table in result.tables)],
            [figure for result in results for figure in result.figures],
            {
                "worlds": {folder.name: about(folder) for folder in (context.worlds if self.judge else ())},
                "quick": context.quick,
                **self.settings,
                **(self.quick_settings if context.quick else {}),
            },
            claims=claims,
        )

    def _check(self, results: Sequence[WorldResult]) -> None:
        for result in results:
            for claim in result.claims:
                if claim.statement not in self.statements:
                    raise ValueError(f"{self.name}: a claim on {result.world} is of no listed statement: {claim}")


def _judged(statement: Statement, results: Sequence[WorldResult]) -> JudgedStatement:
    """On one world a statement holds if no claim of it fails and at least one holds."""
    by_world, verdicts = {}, []
    for result in results:
        mine = [claim for claim in result.claims if claim.statement == statement]
        verdicts += [UNJUDGED if claim.holds is None else HOLDS if claim.holds else FAILS for claim in mine]
        failed = [claim for claim in mine if claim.holds is False]
        if texts := [f"{claim.at}: {claim.detail}" if claim.at else claim.detail for claim in failed or mine]:
            by_world[result.world] = f"{'not so: ' * bool(failed)}{'; '.join(texts)}"
        elif result.lack:
            by_world[result.world] = result.lack
    return JudgedStatement(statement.text, statement.paper, _whole(verdicts), by_world)


def _whole(verdicts: Sequence[Verdict]) -> Verdict:
    """Holds if all that can be judged do, and at least one can."""
    return FAILS if FAILS in verdicts else HOLDS if HOLDS in verdicts else UNJUDGED


def _what_must_hold(study: str, claims: Sequence[JudgedStatement]) -> list[ResultTable]:
    worlds = list(dict.fromkeys(world for claim in claims for world in claim.found))
    rows: list[list[Value]] = [
        [claim.text, claim.paper or None, *(claim.found.get(world) for world in worlds), claim.verdict]
        for claim in claims
    ]
    columns = ["statement", "paper", *worlds, "verdict"]
    return [ResultTable(f"{study}: what must hold", columns, rows)] if worlds else []


def plain(value: Any) -> Value:
    """A value as JSON can have it: NaN and infinity become None."""
    if value is None or isinstance(value, (str, int)):
        return value
    number = float(value)
    return number if isfinite(number) else None


def about(folder: Path) -> dict[str, str]:
    """The name and mark of a world's folder, without its place."""
    return {"name": read_name(folder), "mark": world_mark(folder)}
