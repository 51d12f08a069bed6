"""Arguments and options that several commands share, and how results leave the program."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

Dir = Annotated[Path, typer.Argument(metavar="DIR", help="The crawl's directory.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="How many to show.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Show every value behind it, too.")]

console = Console(highlight=False, soft_wrap=True)
errors = Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:
    sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
