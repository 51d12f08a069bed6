"""`sought queries`: import, export and inspect the query log."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Dir, Json, Limit, Verbose, console, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for polars
    from sought.demand import Format, QueryLog

app = typer.Typer(help="Query log: import, export, statistics.", no_args_is_help=True)
_FORMATS = "ubi, tsv, csv, parquet"
_LATER = "The running crawl will pick this up by itself ([demand] refresh in sought.toml sets how soon)."


def open_log(directory: Path) -> "QueryLog":
    """The query log of a crawl directory, which may not have been crawled yet."""
    from sought.record.config import FILE, load_config
    from sought.record.workload import query_log

    return query_log(directory, load_config(directory / FILE))


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
    from sought.cli.live import CountDisplay
    from sought.demand import import_file

    log = open_log(directory)
    with CountDisplay("rows read", quiet=json) as report:
        done = import_file(log, file, format_, report=report)
    measured = _take_in(directory, json) if done.kept else 0
    if json:
        print_json({**asdict(done), "measured_by": measured})
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


def _take_in(directory: Path, quiet: bool) -> int | None:
    """Measure fetches by the new queries from now on; None if a running crawl will do it."""
    from sought.api import open as open_crawl
    from sought.cli.live import CountDisplay

    if not (directory / "store").exists():
        return 0  # the first crawl will do it
    with CountDisplay("pages to read again for new words", quiet=quiet) as report:
        return open_crawl(directory).take_in_queries(report)


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
    from sought.demand import export_file
    from sought.demand.formats import written

    done = export_file(open_log(directory), file, _format(format_) or written(file))
    if json:
        print_json({**done, "file": str(file)})
        return
    console.print(
        f"{done['searches']:,} searches, {done['events']:,} views and clicks, {done['tallies']:,} tallies in {file}",
        markup=False,
    )
    if done["left_out"]:
        console.print(f"{done['left_out']:,} rows were left out because the format cannot hold them; Parquet can")


@app.command()
def stats(directory: Dir, limit: Limit = 10, verbose: Verbose = False, json: Json = False) -> None:
    """Show what is in the query log, the most frequent queries, and how well they are answered."""
    from sought.cli.live import status_line
    from sought.cli.show import answers_in_words, show_tree
    from sought.demand import stats as figures
    from sought.index import normal
    from sought.operate.explain import answers_to_all
    from sought.operate.view import View
    from sought.record.config import FILE, load_config
    from sought.record.workload import selection

    report = figures(open_log(directory), time.time(), normal, selection(load_config(directory / FILE)), limit)
    if (directory / "store").exists():
        with status_line("measuring the answers", quiet=json), View(directory) as view:
            report["answers"] = answers_to_all(view)
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
    from sought.cli.explain_query import show_needy
    from sought.cli.live import status_line
    from sought.operate.explain import needy as look
    from sought.operate.view import View

    with status_line("scoring all pages for all queries", quiet=json), View(directory) as view:
        report = look(view, limit, unanswered=unanswered)
        has_queries = bool(view.measuring.asked.rate.any())
    if json:
        print_json({"queries": report})
    elif report:
        show_needy(report)
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
    from sought.cli.explain_query import show_query
    from sought.cli.live import status_line
    from sought.operate.explain_query import explain_query
    from sought.operate.view import View

    with status_line("scoring all pages for all queries", quiet=json), View(directory) as view:
        report = explain_query(view, query, view.config.policy, time.time(), limit)
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
    count = open_log(directory).remove(" ".join(query))
    measured = _take_in(directory, json) if count else 0
    if json:
        print_json({"removed": count})
    else:
        console.print(f"rows removed: {count:,}")
        if measured is None:
            console.print(_LATER, markup=False)


def _format(name: str | None) -> "Format | None":
    from sought.demand import Format

    try:
        return None if name is None else Format(name)
    except ValueError:
        raise BadInput(f"unknown format {name!r}: use one of {', '.join(Format)}") from None
