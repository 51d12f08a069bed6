"""`sought demo`: the default policy and a round-robin crawler side by side, on the toy web, with simulated people."""

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
    headless: Annotated[bool, typer.Option("--headless", help="Without a page, for 60 seconds.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=1, max=86400, help="For so many seconds of the contest's clock.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Where the page is; 0: any that is free.", show_default=str(_PORT)),
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep both crawls in this new directory.")] = None,
    json: Json = False,
) -> None:
    """Show what the default policy does for people, beside a round-robin crawler with the same budget."""
    from sought.cli.demo_screen import Screen, picture
    from sought.demo.page import open_page
    from sought.demo.state import DemoState, outcome

    since = time.monotonic() - _age_of_process()
    if keep and keep.exists():
        raise BadInput(f"{keep} is there already: --keep takes a new directory")
    if headless and port is not None:
        raise BadInput("--port is where the page is, and --headless has none: leave one of them out")
    if keep:
        make_folder(keep, "--keep")
    folder = keep or Path(tempfile.mkdtemp(prefix="sought-demo-"))

    def leave(*_: object) -> None:
        """While modules are loaded, which may swallow an exception; nothing but the page has been started."""
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(130)

    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, leave)
    latest = [DemoState("Loading.")]

    def told(standing: DemoState) -> None:
        latest[0] = standing
        screen.show(standing)

    page = nullcontext("") if headless else open_page(lambda: latest[0], _PORT if port is None else port)
    try:
        with Screen(quiet=json) as screen, page as where:
            if where:
                (errors if json else console).print(f"The demo is at {where} (Ctrl-C ends it).")
                sys.stdout.flush()
            from sought.demo.conditions import Conditions  # takes seconds: the page is there meanwhile
            from sought.demo.contest import Contest, signals_raise

            signals_raise()  # what is started from now on ends with us
            contest = Contest(folder, Conditions(), since, told)
            final = contest.run(seconds or (_HEADLESS if headless else None))
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if json:
        print_json(outcome(final))
    else:
        console.print(picture(final))


def _age_of_process() -> float:
    """Seconds since this command was started, as the system knows them; 0 if it does not say."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        up = float(Path("/proc/uptime").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0.0
    return max(0.0, up - ticks / os.sysconf("SC_CLK_TCK"))
