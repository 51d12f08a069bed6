"""`sought demo`: the default policy beside a round-robin crawler, on the toy web, with simulated searchers."""

import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from sought.cli.options import Json, console, errors, make_folder, print_json
from sought.web.errors import BadInput

_HEADLESS = 60.0  # seconds
_PORT = 8090


def demo(
    headless: Annotated[bool, typer.Option("--headless", help="Run without the web page, for 60 seconds.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=1, max=86400, help="How long to run, by the contest's clock.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="The port of the web page; 0: any free one.", show_default=str(_PORT)),
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep both crawls in this new directory.")] = None,
    json: Json = False,
) -> None:
    """Compare the default policy with a round-robin crawler on the same budget, live."""
    from sought.cli.demo_screen import Screen, demo_table
    from sought.demo.page import open_page
    from sought.demo.state import DemoState, outcome

    since = time.monotonic() - _age_of_process()
    if keep and keep.exists():
        raise BadInput(f"{keep} already exists: --keep needs a new directory")
    if headless and port is not None:
        raise BadInput("--port and --headless exclude each other: without a page there is no port")
    if keep:
        make_folder(keep, "--keep")
    folder = keep or Path(tempfile.mkdtemp(prefix="sought-demo-"))

    def abort(*_: object) -> None:
        """End while modules load, where an exception may be swallowed; only the page has been started."""
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(130)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, abort)
    latest = [DemoState("Loading.")]

    def show(state: DemoState) -> None:
        latest[0] = state
        screen.show(state)

    page = nullcontext("") if headless else open_page(lambda: latest[0], _PORT if port is None else port)
    try:
        with Screen(quiet=json) as screen, page as where:
            if where:
                (errors if json else console).print(f"The demo is at {where} (Ctrl-C stops it).")
                sys.stdout.flush()
            from sought.demo.conditions import Conditions  # takes seconds; the page is already served
            from sought.demo.contest import Contest, signals_raise

            signals_raise()  # processes started from now on end with this one
            contest = Contest(folder, Conditions(), since, show)
            final = contest.run(seconds or (_HEADLESS if headless else None))
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if json:
        print_json(outcome(final))
    else:
        console.print(demo_table(final))


def _age_of_process() -> float:
    """Seconds since this process started; 0 if the system does not report it."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        up = float(Path("/proc/uptime").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0.0
    return max(0.0, up - ticks / os.sysconf("SC_CLK_TCK"))
