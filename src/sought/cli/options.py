"""Arguments and options that commands share, and safe output: no control characters reach the terminal."""

import errno
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from sought.cli.completion import crawls
from sought.web.errors import BadInput

Dir = Annotated[
    Path,
    typer.Argument(metavar="DIR", help="The crawl's directory.", show_default=False, autocompletion=crawls),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
EndWithStdin = Annotated[
    bool,
    typer.Option("--end-with-stdin", help="Exit when standard input closes, with the parent process."),
]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to show.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show all underlying values, too.")]

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # except tab and newline


class SafeConsole(Console):
    """Removes control characters from text: a page's title could otherwise control the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=without_controls(segment.text))


console = SafeConsole(highlight=False, soft_wrap=True)
errors = SafeConsole(stderr=True, highlight=False)


def without_controls(text: str) -> str:
    """
    >>> without_controls("red \\x1b[31m")
    'red [31m'
    """
    return _CONTROL.sub("", text)


def make_folder(folder: Path, option: str) -> None:
    """Create a folder for output.  Raises BadInput if it is not writable, before the long work starts."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        reason = "it is a file" if folder.is_file() else error.strerror or str(error)
        raise BadInput(f"cannot write in {folder}: {reason}; name another folder with {option}") from None


def print_json(data: Any) -> None:
    text = json.dumps(data, ensure_ascii=False)
    sys.stdout.write(_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")
