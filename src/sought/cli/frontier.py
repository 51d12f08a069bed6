"""`sought frontier`: known URLs, what is fetched next, import and export."""

import time
from pathlib import Path
from typing import Annotated

import typer

from sought.cli.completion import policies
from sought.cli.options import Dir, Json, Limit, console, print_json

app = typer.Typer(help="Known URLs and what is fetched next; import and export.", no_args_is_help=True)


@app.command()
def stats(directory: Dir, json: Json = False) -> None:
    """Count the URLs that wait, by host, depth and source."""
    from sought.cli.show import show_tree
    from sought.operate.view import View

    with View(directory) as view:
        report = view.frontier_stats(time.time())
    if json:
        print_json(report)
    else:
        show_tree(report)


@app.command("list")
def list_(
    directory: Dir,
    limit: Limit = 20,
    policy: Annotated[
        str | None,
        typer.Option(help="Rank by this policy; default: the policy of sought.toml.", autocompletion=policies),
    ] = None,
    json: Json = False,
) -> None:
    """List what would be fetched next, in order."""
    from sought.operate.view import View
    from sought.policy import parse_policy

    with View(directory) as view:
        rows = view.ranked(
            parse_policy(policy, directory) if policy is not None else view.config.policy, time.time(), limit
        )
    if json:
        print_json(rows)
    else:
        for row in rows:
            console.print(f"{row['state']:<7} depth {row['depth']:<3} {row['url']}", markup=False)


@app.command()
def dump(
    directory: Dir,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The Parquet file to write.")],
    json: Json = False,
) -> None:
    """Write all known URLs with their columns as Parquet."""
    from sought.operate.frontier import dump as write
    from sought.operate.view import View

    with View(directory) as view:
        count = write(view, file)
    if json:
        print_json({"urls": count, "file": str(file)})
    else:
        console.print(f"{count:,} URLs written to {file}", markup=False)


@app.command()
def load(
    directory: Dir,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="One URL a line, or CSV, TSV or Parquet with a column 'url'.")
    ],
    json: Json = False,
) -> None:
    """Add URLs from a file.  URLs out of scope are refused and counted; exit code 2 if none could be used."""
    from sought.operate.frontier import read_urls
    from sought.record.recovery import open_directory
    from sought.record.seeds import LOADED
    from sought.record.table import Source

    urls, bad = read_urls(file)
    opened = open_directory(directory)
    try:
        before = len(opened.repository.table)
        rows = opened.writer.add_urls(urls, LOADED, Source.LOAD).rows if urls else []
        added = len(opened.repository.table) - before
    finally:
        opened.close()
    refused = sum(row < 0 for row in rows)
    known = len(rows) - refused - added
    if json:
        print_json({"added": added, "known": known, "refused": refused, "bad": len(bad), "first_bad": bad[:5]})
        raise typer.Exit(0 if added or known else 2)
    console.print(f"{added:,} added, {known:,} known already, {refused:,} out of scope or traps, {len(bad):,} invalid")
    for line in bad[:5]:
        console.print(f"  {line}", markup=False)
    if added:
        console.print(f"Next: sought crawl {directory}", markup=False)
    raise typer.Exit(0 if added or known else 2)
