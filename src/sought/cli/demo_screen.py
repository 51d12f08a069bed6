"""The demo on the screen."""

from types import TracebackType
from typing import Self

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from sought.cli.options import errors
from sought.demo.state import NAMES, DemoState

_LINE_EVERY = 10.0  # seconds


class Screen:
    """A picture that changes; where there is no terminal, what is going on, and a line now and then."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = Live(console=errors, refresh_per_second=2, transient=True) if errors.is_terminal else None
        self._quiet = quiet
        self._told: tuple[str, ...] = ()
        self._next_line = 0.0
        self._told_where = False

    def __enter__(self) -> Self:
        if self._live and not self._quiet:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def show(self, standing: DemoState) -> None:
        if self._quiet:
            return
        if not self._told_where and all(side.address for side in standing.sides.values()):
            self._told_where = True
            for name, side in standing.sides.items():
                errors.print(
                    f"{NAMES[name]}: search page {side.address}, console {side.address}console", soft_wrap=True
                )
        if self._live:
            self._live.update(picture(standing))
        else:
            self._line(standing)

    def _line(self, standing: DemoState) -> None:
        done = [f"{step.name}: {step.words}" for step in standing.steps if step.share == 1.0]
        started = standing.seconds_to_start
        after = f" After {started:.1f} seconds." if started is not None else ""
        for line in (*done, standing.phase + after):
            if line not in self._told:
                self._told += (line,)
                errors.print(line, soft_wrap=True)
        if standing.seconds >= self._next_line > 0.0:
            told = [
                f"{NAMES[name]} {share(side.lately)}, {side.fetches:,} fetches" for name, side in standing.sides.items()
            ]
            errors.print(f"after {standing.seconds:.0f} s: {'; '.join(told)}", soft_wrap=True)
            if standing.busy:
                errors.print(standing.busy, soft_wrap=True)
        if standing.seconds >= self._next_line:
            self._next_line += _LINE_EVERY


def picture(standing: DemoState) -> Group | Table:
    """How far the preparation is; then how good the answers of both are, and what that took."""
    if standing.seconds_to_start is None:
        return _steps(standing)
    table = Table(
        title=f"{standing.phase} ({standing.seconds:.0f} s; the start took {standing.seconds_to_start:.1f} s)",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for label in ("", "quality, lately", "on the whole", "fetches", "searchable pages"):
        table.add_column(label, justify="right" if label else "left")
    for name, side in standing.sides.items():
        table.add_row(NAMES[name], share(side.lately), share(side.overall), f"{side.fetches:,}", f"{side.searchable:,}")
    return Group(table, standing.busy) if standing.busy else table


def _steps(standing: DemoState) -> Table:
    table = Table(title=standing.phase, title_justify="left", box=None, pad_edge=False, show_header=False)
    for step in standing.steps:
        table.add_row(step.name, ProgressBar(total=1.0, completed=step.share or 0.0, width=24), step.words)
    return table


def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
