"""`sought serve --control`: an option, and what becomes of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sought.console.control import Control

WithControl = Annotated[
    bool,
    typer.Option(
        "--control",
        help="Let the console give the crawl orders, for who has the token that is printed once.",
    ),
]


def control_of(directory: Path, wanted: bool) -> tuple["Control | None", str]:
    """For `make_app`, and the token to print; neither if it is not wanted."""
    from sought.console.control import Control, new_token

    if not wanted:
        return None, ""
    token = new_token()
    return Control(directory, token), token
