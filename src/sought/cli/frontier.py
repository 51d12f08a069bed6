"""`sought frontier`: known URLs, what is fetched next, import and export."""

from pathlib import Path
from typing import Annotated

import typer

from sought.cli.completion import policies
from sought.cli.options import Dir, Json, Limit, console, print_json

app = typer.Typer(help="Known URLs and what is fetched next; import and export.", no_args_is_help=True)


@app.command()
def stats(directory: Dir, json: Json = False) -> None:
    """Count the URLs that wait, by host, depth and source."""
    from sought.api import Crawl
    from sought.cli.show import show_tree

    report = Crawl(directory).frontier_stats().to_json()
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
    from sought.api import Crawl

    pages = Crawl(directory).frontier(limit, policy)
    if json:
        print_json(pages.to_json())
    else:
        for page in pages:
            console.print(f"{page.state:<7} depth {page.depth:<3} {page.url}", markup=False)


@app.command()
def dump(
    directory: Dir,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The Parquet file to write.")],
    json: Json = False,
) -> None:
    """Write all known URLs with their columns as Parquet."""
    from sought.api import Crawl

    count = Crawl(directory).dump(file)
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
    from sought.api import Crawl

    done = Crawl(directory).load(file)
    if json:
        print_json(done.to_json())
        raise typer.Exit(0 if done.added or done.known else 2)
    outside = f"{done.refused:,} out of scope or traps, {done.bad:,} invalid"
    console.print(f"{done.added:,} added, {done.known:,} known already, {outside}")
    for line in done.first_bad:
        console.print(f"  {line}", markup=False)
    if done.added:
        console.print(f"Next: sought crawl {directory}", markup=False)
    raise typer.Exit(0 if done.added or done.known else 2)
