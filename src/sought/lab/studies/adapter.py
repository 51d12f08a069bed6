"""TEMPORARY: studies that are not ported to `study.py` yet.  Goes with the last import of it.

They import from here what they imported from study.py before: claims are told apart by their text only, each study
has its own loop over worlds, and a finding has one verdict for the whole.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sought.lab.studies import study as ported
from sought.lab.studies.papers import NUMBERS
from sought.lab.studies.study import (
    ALL_WORLDS,
    FAILS,
    HOLDS,
    UNJUDGED,
    Figure,
    Finding,
    ResultTable,
    Statement,
    StudyContext,
    Value,
    plain,
)

__all__ = [
    "ALL_WORLDS", "Claim", "Figure", "Finding", "ResultTable", "Study", "StudyContext", "Value", "WorldResult",
    "claimed", "finding", "plain", "verdict",
]  # fmt: skip


@dataclass(frozen=True)
class WorldResult:
    """What one world says: whether what must hold does (None: it cannot be judged there), and why."""

    world: str
    holds: bool | None
    because: str
    numbers: Mapping[str, Value] = field(default_factory=dict)
    tables: Sequence[ResultTable] = ()
    figures: Sequence[Figure] = ()


@dataclass(frozen=True)
class _Unported(ported.Study):
    """A study with a loop over worlds of its own."""

    own_run: Callable[[StudyContext], Finding] | None = None
    needs_no_world: bool = False

    @property
    def worldless(self) -> bool:
        return self.needs_no_world

    def run(self, context: StudyContext) -> Finding:
        assert self.own_run
        return self.own_run(context)


def Study(  # noqa: N802  the name by which the class was imported
    name: str,
    seed: str,
    title: str,
    question: str,
    expects: str,
    needs: str,
    run: Callable[[StudyContext], Finding],
    also: tuple[str, ...] = (),
    worldless: bool = False,
) -> ported.Study:
    """As the class was called before."""
    paper = NUMBERS.get(seed, "")
    statements = (Statement(expects),)
    return _Unported(
        *(name, paper, title, question, needs, statements), aliases=also, own_run=run, needs_no_world=worldless
    )


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
        {"worlds": {folder.name: ported.about(folder) for folder in bench.worlds}, "quick": bench.quick, **settings},
    )


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
