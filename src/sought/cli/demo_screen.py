"""The demo on the terminal."""

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
    """A live table on a terminal; elsewhere phases, and a line every ten seconds."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = Live(console=errors, refresh_per_second=2, transient=True) if errors.is_terminal else None
        self._quiet = quiet
        self._printed: tuple[str, ...] = ()
        self._next_line = 0.0
        self._printed_addresses = False

    def __enter__(self) -> Self:
        if self._live and not self._quiet:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def show(self, state: DemoState) -> None:
        if self._quiet:
            return
        if not self._printed_addresses and all(side.address for side in state.sides.values()):
            self._printed_addresses = True
            for name, side in state.sides.items():
                errors.print(
                    f"{NAMES[name]}: search page {side.address}, console {side.address}console", soft_wrap=True
                )
        if self._live:
            self._live.update(demo_table(state))
        else:
            self._line(state)

    def _line(self, state: DemoState) -> None:
        done = [f"{step.name}: {step.words}" for step in state.steps if step.share == 1.0]
        started = state.seconds_to_start
        after = f" After {started:.1f} seconds." if started is not None else ""
        for line in (*done, state.phase + after):
            if line not in self._printed:
                self._printed += (line,)
                errors.print(line, soft_wrap=True)
        if state.seconds >= self._next_line > 0.0:
            figures = [
                f"{NAMES[name]} {share(side.lately)}, {side.fetches:,} fetches" for name, side in state.sides.items()
            ]
            errors.print(f"after {state.seconds:.0f} s: {'; '.join(figures)}", soft_wrap=True)
            if state.busy:
                errors.print(state.busy, soft_wrap=True)
        if state.seconds >= self._next_line:
            self._next_line += _LINE_EVERY


def demo_table(state: DemoState) -> Group | Table:
    """Progress of the preparation; then quality, fetches and pages of both sides."""
    if state.seconds_to_start is None:
        return _steps(state)
    table = Table(
        title=f"{state.phase} ({state.seconds:.0f} s; the start took {state.seconds_to_start:.1f} s)",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for label in ("", "quality, last 10 s", "overall", "fetches", "searchable pages"):
        table.add_column(label, justify="right" if label else "left")
    for name, side in state.sides.items():
        table.add_row(NAMES[name], share(side.lately), share(side.overall), f"{side.fetches:,}", f"{side.searchable:,}")
    return Group(table, state.busy) if state.busy else table


def _steps(state: DemoState) -> Table:
    table = Table(title=state.phase, title_justify="left", box=None, pad_edge=False, show_header=False)
    for step in state.steps:
        table.add_row(step.name, ProgressBar(total=1.0, completed=step.share or 0.0, width=24), step.words)
    return table


def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"
