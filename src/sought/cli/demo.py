"""`sought demo`: the default policy and a round-robin crawler side by side, on the toy web, before simulated people."""

import shutil
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from sought.cli.options import Json, console, errors, print_json
from sought.web.errors import BadInput

_HEADLESS = 60.0  # seconds


def demo(
    headless: Annotated[bool, typer.Option("--headless", help="Without a page, for 60 seconds.")] = False,
    seconds: Annotated[
        float | None, typer.Option(min=1, max=86400, help="For so many seconds in which both crawl.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where the page is; 0: any that is free.")] = 8090,
    keep: Annotated[Path | None, typer.Option(help="Keep both crawls in this new directory.")] = None,
    json: Json = False,
) -> None:
    """Show what the default policy does for people, beside a round-robin crawler with the same budget."""
    from sought.cli.demo_screen import Screen, picture
    from sought.demo.conditions import Conditions
    from sought.demo.contest import Contest, signals_raise
    from sought.demo.page import open_page
    from sought.demo.standing import outcome

    if keep and keep.exists():
        raise BadInput(f"{keep} is there already: --keep takes a new directory")
    signals_raise()  # what we started ends with us
    folder = keep or Path(tempfile.mkdtemp(prefix="sought-demo-"))
    try:
        with Screen(quiet=json) as screen:
            contest = Contest(folder, Conditions(), screen.show)
            with nullcontext("") if headless else open_page(lambda: contest.standing, port) as address:
                if address:
                    (errors if json else console).print(f"The demo is at {address} (Ctrl-C ends it).")
                final = contest.run(seconds or (_HEADLESS if headless else None))
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if json:
        print_json(outcome(final))
    else:
        console.print(picture(final))
