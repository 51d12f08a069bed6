"""What the laboratory's commands share: options, progress bars, tables."""

import math
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from sought.cli.options import console, errors

if TYPE_CHECKING:  # --help must not wait for polars
    import polars as pl

    from sought.lab.studies.study import Finding

World = Annotated[Path, typer.Argument(metavar="WORLD", help="The world's folder.", show_default=False)]
Results = Annotated[Path, typer.Option(metavar="DIR", help="Folder of results; nothing is run twice.")]
Cores = Annotated[int, typer.Option(min=0, max=1024, help="Worker processes; 0: none, run in this process.")]


class Bars:
    """Progress bars with the time left, one for each piece of work; none without a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self.tasks: dict[str, Any] = {}
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
        off = quiet or not errors.is_terminal
        left = TimeRemainingColumn(elapsed_when_finished=True)
        self.bars = Progress(*columns, left, console=errors, transient=True, disable=off)

    def __enter__(self) -> Self:
        self.bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bars.stop()

    def report(self, what: str, done: float, total: int) -> None:
        if what not in self.tasks:
            self.tasks[what] = self.bars.add_task(what, total=None)
        self.bars.update(self.tasks[what], completed=done, total=total or None)

    def progress(self, what: str) -> Callable[[float, int], None]:
        """Shows the progress of one piece of work."""
        return lambda done, total: self.report(what, done, total)

    def say(self, what: str) -> None:
        """Shows work whose progress is not known."""
        self.report(what, 0, 0)


def plain_rows(frame: "pl.DataFrame") -> list[dict[str, Any]]:
    """Rows as JSON can have them: NaN and infinity become null."""
    from sought.lab.studies.study import plain

    return [{name: plain(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]


def cell_of(value: Any) -> str:
    """One value of a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}" if abs(value) < 100 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))


def duration(seconds: float) -> str:
    """In the largest unit of which it is a whole number: 5 s, 90 min, 3 h, 7 days."""
    for name, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            number = int(seconds // length)
            return f"{number:,} {'day' if name == 'days' and number == 1 else name}"
    return f"{seconds:.10g} s"


def show_finding(finding: "Finding", title: str) -> None:
    """The verdict, that of each statement or else why, and the numbers; tables and figures are for the report."""
    from rich.text import Text

    console.print(Text(title, "bold"))
    if of := finding.scope:
        console.print(Text(f"  {of}", "dim"))
    console.print(Text("  ").append(finding.verdict, "bold").append(f": {finding.because}"))
    for claim in finding.claims:
        console.print(Text("    ").append(claim.verdict, "bold").append(f": {claim.text}"))
        if claim.paper:
            console.print(Text(f"      paper: {claim.paper}", "dim"))
    for world, numbers in finding.numbers.items():
        if numbers:
            console.print(Text(f"  {world}"))
            width = max(map(len, numbers)) + 2
            for name, value in numbers.items():
                console.print(Text(f"    {name:<{width}}{cell_of(value)}"))


def show_rows(rows: list[dict[str, Any]]) -> None:
    """Dictionaries with the same keys as a table.  What is long comes last, and is never cut."""
    from rich.text import Text

    lines = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)] if rows else []
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    numeric = [all(_is_number(line[at]) for line in lines[1:]) for at in range(len(widths))]
    for line in lines:
        cells = [
            each.rjust(width) if number else each.ljust(width)
            for each, width, number in zip(line, widths, numeric, strict=True)
        ]
        console.print(Text("  ".join(cells).rstrip()))


def _is_number(text: str) -> bool:
    return text == "never" or text[:1] in "+-–≤" or text[:1].isdigit()
