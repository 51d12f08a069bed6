"""`sought queries`: import, export and inspect the query log."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Dir, Json, Limit, Verbose, console, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.api import Crawl

app = typer.Typer(help="Query log: import, export, statistics.", no_args_is_help=True)
_FORMATS = "ubi, tsv, csv, parquet"
_LATER = "The running crawl will pick this up by itself ([demand] refresh in sought.toml sets how soon)."


@app.command("import")
def import_(
    directory: Dir,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to read, optionally .gz; for UBI also a folder.")
    ],
    format_: Annotated[
        str | None,
        typer.Option("--format", help=f"One of {_FORMATS}, search-console, or my_format:MINE; default: guessed."),
    ] = None,
    json: Json = False,
) -> None:
    """Add a file to the query log; exit code 2 if nothing in it could be used."""
    from sought.api import Crawl
    from sought.cli.live import CountDisplay

    crawl = Crawl(directory)
    with CountDisplay("rows read", quiet=json) as report:
        done = crawl.import_queries(file, format_, report, take_in=False)
    measured = _take_in(crawl, json) if done.kept else 0
    if json:
        print_json(done.to_json() | {"measured_by": measured})
    else:
        notes = {"older than the log keeps": done.expired, "ignored": done.other, "invalid": done.bad}
        kept = f"{done.searches:,} searches, {done.events:,} views and clicks, {done.tallies:,} tallies"
        more = "".join(f", {count:,} {note}" for note, count in notes.items() if count)
        console.print(f"{done.rows:,} rows of {done.format}: {kept}{more}")
        for name, line, what in done.first_bad:
            console.print(f"  {name}:{line}: {what}", markup=False)
        if measured is None:
            console.print(_LATER, markup=False)
        elif measured:
            console.print(f"Fetches are now measured by {measured:,} queries.")
        if done.kept:
            console.print(f"Next: {_after_import(directory, measured)}", markup=False)
    if not done.kept:
        raise BadInput(f"nothing in {file} could be used as {done.format}: fix the file, or give its --format")


def _after_import(directory: Path, measured: int | None) -> str:
    if measured:
        return f"sought queries needy {directory} lists unanswered queries, sought crawl {directory} fetches for them"
    return f"sought queries stats {directory}" if measured is None else f"sought crawl {directory}"


def _take_in(crawl: "Crawl", quiet: bool) -> int | None:
    """Measure fetches by the new queries from now on; None if a running crawl will do it."""
    from sought.cli.live import CountDisplay

    if not (crawl.path / "store").exists():
        return 0  # the first crawl will do it
    with CountDisplay("pages to read again for new words", quiet=quiet) as report:
        return crawl.take_in_queries(report)


@app.command()
def export(
    directory: Dir,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; for UBI a folder.")],
    format_: Annotated[
        str | None, typer.Option("--format", help=f"One of {_FORMATS}; default: by the file name.")
    ] = None,
    json: Json = False,
) -> None:
    """Write the query log.  UBI lacks tallies, TSV and CSV hold tallies only, Parquet holds everything."""
    from sought.api import Crawl

    done = Crawl(directory).export_queries(file, format_)
    if json:
        print_json(done.to_json())
        return
    console.print(
        f"{done.searches:,} searches, {done.events:,} views and clicks, {done.tallies:,} tallies in {file}",
        markup=False,
    )
    if done.left_out:
        console.print(f"{done.left_out:,} rows were left out because the format cannot hold them; Parquet can")


@app.command()
def stats(directory: Dir, limit: Limit = 10, verbose: Verbose = False, json: Json = False) -> None:
    """Show what is in the query log, the most frequent queries, and how well they are answered."""
    from sought.api import Crawl
    from sought.cli.live import status_line
    from sought.cli.show import answers_in_words, show_tree

    with status_line("measuring the answers", quiet=json):
        report = Crawl(directory).query_stats(limit).to_json()
    if json:
        print_json(report)
        return
    if "answers" in report:
        report["answers"] = answers_in_words(report["answers"], verbose=verbose)
    show_tree(report)


@app.command()
def needy(
    directory: Dir,
    limit: Limit = 20,
    unanswered: Annotated[
        bool, typer.Option("--unanswered", help="Only the queries that no page answers.", show_default=False)
    ] = False,
    json: Json = False,
) -> None:
    """List the queries that need pages: first unanswered, then poorly answered ones, then the others."""
    from sought.api import Crawl
    from sought.cli.explain_query import show_needy
    from sought.cli.live import status_line

    crawl = Crawl(directory)
    with status_line("scoring all pages for all queries", quiet=json):
        rows = crawl.needy(limit, unanswered=unanswered)
        has_queries = bool(rows or crawl.needy(1))
    if json:
        print_json({"queries": rows.to_json()})
    elif rows:
        show_needy(rows.to_json())
    elif has_queries:
        console.print("Every query has a result.")
    else:
        remedy = f"import some with 'sought queries import {directory} FILE', or see [demand] in sought.toml"
        console.print(f"There are no queries yet: {remedy}", markup=False)


@app.command()
def explain(
    directory: Dir,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A query from the query log.")],
    limit: Limit = 10,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Show the results of a query, how old they are, and which fetches may improve them."""
    from sought.api import Crawl
    from sought.cli.explain_query import show_query
    from sought.cli.live import status_line

    with status_line("scoring all pages for all queries", quiet=json):
        report = Crawl(directory).explain_query(query, limit).to_json()
    if json:
        print_json(report)
    else:
        show_query(report, verbose=verbose)


@app.command()
def forget(
    directory: Dir,
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help="The query; case does not matter.")],
    json: Json = False,
) -> None:
    """Delete a query from the log for good, and stop measuring by it."""
    from sought.api import Crawl

    done = Crawl(directory).forget_query(" ".join(query))
    if json:
        print_json(done.to_json())
    else:
        console.print(f"rows removed: {done.removed:,}")
        if done.measured_by is None:
            console.print(_LATER, markup=False)
