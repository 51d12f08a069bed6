"""The commands: their names, options and output.  The work is done in other rooms."""

import sys
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sought.cli import demo, frontier, init, lab, order, queries, serve
from sought.cli.completion import crawls, policies
from sought.cli.options import Dir, EndWithStdin, Json, Limit, Verbose, console, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.operate.known import CrawlResult, CrawlStatus

app = typer.Typer(
    name="sought",
    help="A web crawler and search engine that spends every download where it improves search results the most.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(frontier.app, name="frontier")
app.add_typer(queries.app, name="queries")
app.add_typer(lab.app, name="lab")
app.command("init")(init.init)
app.command("demo")(demo.demo)
app.command("serve")(serve.serve)
app.command("order")(order.order)


LOST = 3  # exit code: repaired, but part of the record was lost


class LogFormat(StrEnum):
    """The format of the log on standard error."""

    TEXT = "text"
    JSON = "json"


def _version(wanted: bool) -> None:
    if wanted:
        import sought

        console.print(f"sought {sought.__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def crawl(
    directory: Dir,
    fetches: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after this many; default: never, at the rate of sought.toml."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="What to fetch first; default: the policy of sought.toml.", autocompletion=policies),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Prefer new pages about this topic, or near such pages; the policy orders them; needs no queries.",
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Keep at most this many pages searchable: those about the topic first, then the most important by the "
            "policy; 0: all; default: as in sought.toml.",
        ),
    ] = None,
    log: Annotated[
        LogFormat, typer.Option(help="Log format on standard error: text, or one JSON object per event.")
    ] = LogFormat.TEXT,
    allowance_stdin: Annotated[
        bool,
        typer.Option(
            "--allowance-stdin",
            help="Make only the fetches that standard input allows, one number per line; exit when it closes.",
        ),
    ] = False,
    end_with_stdin: EndWithStdin = False,
    json: Json = False,
) -> None:
    """Crawl, archive and index.  Ctrl-C stops cleanly; the same command resumes."""
    from sought.cli.standard_input import FetchAllowance, StandardInput

    allowance = FetchAllowance() if allowance_stdin else None
    if allowance or end_with_stdin:
        (allowance or StandardInput()).start()  # before the slow imports
    from sought.api import open as open_crawl
    from sought.cli.live import ProgressDisplay, text_log
    from sought.operate.log import JsonLog
    from sought.policy import parse_policy
    from sought.policy.demand import goes_by_demand
    from sought.record.settings import crawl_config

    event_log = JsonLog(sys.stderr) if log is LogFormat.JSON else text_log
    with ProgressDisplay(quiet=json or log is LogFormat.JSON) as display:
        chosen = parse_policy(policy, directory) if policy is not None else crawl_config(directory).policy
        started = allowance.attached_to(display.started) if allowance else display.started
        result = open_crawl(directory).crawl(fetches, chosen, started, topic=topic, keep=keep, log=event_log)
    if json:
        print_json(result.to_json())
        return
    status = open_crawl(directory).status()
    display.summary(result.to_json(), status.demand.to_json())
    if result.hot is not None:
        console.print(f"pages about the topic: {result.hot:,}")
    if goes_by_demand(chosen) and result.fetched and not result.measured:
        remedy = f"sought queries import {directory} FILE"
        console.print(f"The policy uses demand, but there are no queries yet: {remedy}", markup=False)
    console.print(f"Next: {_after_crawl(directory, result, status)}", markup=False)


def _after_crawl(directory: Path, result: "CrawlResult", status: "CrawlStatus") -> str:
    if not status.searchable:
        where = "it says why no page is searchable" if result.troubles else "no page is searchable yet"
        return f"sought status {directory} ({where})"
    return f"sought search {directory} WORDS, or sought serve {directory} for a search page"


@app.command()
def search(
    directory: Dir,
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help='The query; "quotes" make a phrase.')],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many to show.")] = 10,
    offset: Annotated[int, typer.Option(min=0, max=10_000, help="How many to skip.")] = 0,
    json: Json = False,
) -> None:
    """Search the crawled pages, also while a crawl is running."""
    from sought.api import open as open_crawl
    from sought.cli.show import show_answer

    if not any(character.isalnum() for character in "".join(query)):
        raise BadInput("nothing to search for: give at least one word")
    answer = open_crawl(directory).search(" ".join(query), limit, offset)
    if json:
        print_json(asdict(answer))
    else:
        show_answer(answer)


@app.command()
def status(directory: Dir, verbose: Verbose = False, json: Json = False) -> None:
    """Show the state of a crawl: what is known, fetched, refused, and why."""
    from sought.api import open as open_crawl
    from sought.cli.show import show_status

    report = open_crawl(directory).status().to_json()
    if json:
        print_json(report)
    else:
        show_status(report, verbose=verbose)


@app.command()
def urltest(
    url: Annotated[str, typer.Argument(metavar="URL", help="Any URL.")],
    directory: Annotated[
        Path,
        typer.Argument(metavar="[DIR]", help="The crawl's directory; default: the current one.", autocompletion=crawls),
    ] = Path(),
    json: Json = False,
) -> None:
    """Show whether robots.txt, scope and trap rules admit a URL, and what is known of it."""
    from sought.api import Crawl
    from sought.cli.show import show_tree

    if "://" not in url and ":/" in str(directory):  # every other command names the directory first
        url, directory = str(directory).replace(":/", "://", 1), Path(url)
    report = Crawl(directory).urltest(url).to_json()
    if json:
        print_json(report)
    else:
        show_tree(report)


@app.command()
def hosts(
    directory: Dir,
    origin: Annotated[str | None, typer.Argument(metavar="[ORIGIN]", help="One host: https://docs.example.org")] = None,
    limit: Limit = 20,
    json: Json = False,
) -> None:
    """List the hosts of a crawl, those with the most URLs first; or show all about one host."""
    from sought.api import Crawl
    from sought.cli.show import show_table, show_tree

    crawl = Crawl(directory)
    report = crawl.host(origin).to_json() if origin else {"hosts": crawl.hosts(limit).to_json()}
    if json:
        print_json(report)
    elif origin:
        show_tree(report)
    elif report["hosts"]:
        show_table([_host_row(each) for each in report["hosts"]])


def _host_row(host: dict[str, Any]) -> dict[str, Any]:
    """The columns that fit on a terminal."""
    from sought.cli.show import moment

    then = host["next_request_at"]
    row = {name: host[name] for name in ("origin", "known", "searchable", "fetched", "delay")}
    return row | {"troubles": host["troubles_in_a_row"], "next": moment(then) if (then or 0) > time.time() else "now"}


@app.command()
def explain(
    directory: Dir,
    url: Annotated[str, typer.Argument(metavar="URL", help="A URL that the crawl knows.")],
    policy: Annotated[
        str | None,
        typer.Option(help="The policy to explain by; default: the policy of sought.toml.", autocompletion=policies),
    ] = None,
    limit: Limit = 10,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Explain why a page was fetched, which searches that improved, and when it is fetched next."""
    from sought.api import Crawl
    from sought.cli.explain import show_page
    from sought.cli.live import status_line

    with status_line("scoring all pages for all queries", quiet=json):
        report = Crawl(directory).explain(url, policy, limit).to_json()
    if json:
        print_json(report)
    else:
        show_page(report, verbose=verbose)


@app.command()
def budget(directory: Dir, json: Json = False) -> None:
    """Estimate the fetches a day for 90, 95 and 99 % of the attainable quality, and the quality at today's budget."""
    from sought.api import Crawl
    from sought.cli.budget import show_budget
    from sought.cli.live import status_line

    with status_line("estimating the quality at each budget", quiet=json):
        report = Crawl(directory).budget().to_json()
    if json:
        print_json(report)
    else:
        show_budget(report)


@app.command()
def check(
    directory: Dir,
    repair: Annotated[bool, typer.Option("--repair", help="Repair what is damaged, and report what was lost.")] = False,
    json: Json = False,
) -> None:
    """Check that archive, table, links and search index agree; exit code 1 if they do not.

    With --repair, exit code 3 means that they agree again but part of the record was lost.
    """
    from sought.api import Crawl
    from sought.cli.live import CountDisplay

    if repair:
        _repair(directory, json)
    with CountDisplay("records checked", quiet=json) as report:
        done = Crawl(directory).check(report)
    if json:
        print_json(done.to_json())
    else:
        remedy = "" if done.ok else f"\nsought check {directory} --repair repairs what can be repaired"
        console.print("\n".join(done.problems) or "archive, table, links and index agree", remedy, sep="", markup=False)
    raise typer.Exit(0 if done.ok else 1)


def _repair(directory: Path, json: bool) -> None:
    from sought.api import Crawl
    from sought.cli.live import CountDisplay

    with CountDisplay("records checked", quiet=json) as report:
        done = Crawl(directory).repair(report)
    if json:
        print_json(done.to_json())
    else:
        wrong = (f"still wrong: {each}" for each in done.problems)
        messages = [*done.repaired, *(f"lost: {each}" for each in done.lost), *wrong]
        console.print("\n".join(messages) or "archive, table, links and index agree", markup=False)
    raise typer.Exit(1 if done.problems else LOST if done.lost else 0)


@app.command()
def rebuild(directory: Dir, json: Json = False) -> None:
    """Rebuild table, links and search index from the archive; exit code 3 if part of it cannot be read."""
    from sought.api import Crawl
    from sought.cli.live import CountDisplay

    with CountDisplay("records applied", quiet=json) as report:
        done = Crawl(directory).rebuild(report)
    if json:
        print_json(done.to_json())
    else:
        for each in done.lost:
            console.print(f"lost: {each}", markup=False)
        measured = "gains were measured again, by today's queries"
        console.print(f"{done.records:,} records applied in {done.seconds:.1f} s; {measured}")
        console.print(f"Next: sought check {directory}, or resume with sought crawl {directory}", markup=False)
    raise typer.Exit(LOST if done.lost else 0)
