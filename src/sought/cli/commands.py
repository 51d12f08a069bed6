"""The commands.  What they do is elsewhere; here is what they are called and what they print."""

import sys
import time
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from sought.cli import demo, frontier, init, lab, order, queries, serve
from sought.cli.completion import crawls, policies
from sought.cli.options import Dir, EndWithStdin, Json, Limit, Verbose, console, print_json
from sought.web.errors import BadInput

app = typer.Typer(
    name="sought",
    help="A web crawler and search engine that spends every download where it does most for what people search for.",
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


LOST = 3  # exit code: all is well again, but part of the record was lost


class LogFormat(StrEnum):
    """How a crawl says what happens."""

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
        int | None, typer.Option(min=1, help="Stop after this many; default: the rate of sought.toml, for ever.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="What to fetch first; default: the policy of sought.toml.", autocompletion=policies),
    ] = None,
    topic: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="New pages about this, or near such pages, come first, in the order of the policy; needs no queries.",
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Keep so many pages searchable, those about the topic and else the most important by the policy; "
            "0: all; default: as sought.toml says.",
        ),
    ] = None,
    log: Annotated[
        LogFormat, typer.Option(help="What is said on standard error: text for people, or one JSON object an event.")
    ] = LogFormat.TEXT,
    allowance_stdin: Annotated[
        bool,
        typer.Option(
            "--allowance-stdin",
            help="Fetch only as many as the lines of standard input allow, each a number; end when it ends.",
        ),
    ] = False,
    end_with_stdin: EndWithStdin = False,
    json: Json = False,
) -> None:
    """Crawl, archive and index.  Ctrl-C stops cleanly; the same command goes on."""
    from sought.cli.standard_input import FetchAllowance, StandardInput

    allowance = FetchAllowance() if allowance_stdin else None
    if allowance or end_with_stdin:
        (allowance or StandardInput()).start()  # before all that takes long
    from sought.api import open as open_crawl
    from sought.cli.live import ProgressDisplay, in_words
    from sought.operate.log import JsonLog
    from sought.policy import parse_policy
    from sought.policy.demand import goes_by_demand
    from sought.record.settings import crawl_config

    told = JsonLog(sys.stderr) if log is LogFormat.JSON else in_words
    with ProgressDisplay(quiet=json or log is LogFormat.JSON) as watch:
        chosen = parse_policy(policy, directory) if policy is not None else crawl_config(directory).policy
        started = allowance.giving(watch.started) if allowance else watch.started
        result = open_crawl(directory).crawl(fetches, chosen, started, topic=topic, keep=keep, log=told)
    if json:
        print_json(result)
        return
    status = open_crawl(directory).status()
    watch.summary(result, status["demand"])
    if result["hot"] is not None:
        console.print(f"pages about the topic: {result['hot']:,}")
    if goes_by_demand(chosen) and result["fetched"] and not result["measured"]:
        remedy = f"sought queries import {directory} FILE"
        console.print(f"The policy goes by demand, and there are no queries yet: {remedy}", markup=False)
    console.print(f"Next: {_after_crawl(directory, result, status)}", markup=False)


def _after_crawl(directory: Path, result: dict[str, Any], status: dict[str, Any]) -> str:
    if not status["searchable"]:
        where = "its answers say why nothing can be searched" if result["troubles"] else "nothing can be searched yet"
        return f"sought status {directory} ({where})"
    return f"sought search {directory} WORDS, or sought serve {directory} for a search page"


@app.command()
def search(
    directory: Dir,
    query: Annotated[list[str], typer.Argument(metavar="QUERY...", help='What to look for; "quotes" make a phrase.')],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many to show.")] = 10,
    offset: Annotated[int, typer.Option(min=0, max=10_000, help="Skip this many.")] = 0,
    json: Json = False,
) -> None:
    """Search what was crawled, also while a crawl is running."""
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
    """How a crawl stands: what is known, fetched, refused and why."""
    from sought.api import open as open_crawl
    from sought.cli.show import show_status

    found = open_crawl(directory).status()
    if json:
        print_json(found)
    else:
        show_status(found, verbose=verbose)


@app.command()
def urltest(
    url: Annotated[str, typer.Argument(help="Any URL.")],
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="[DIR]", help="The crawl to ask; default: the current directory.", autocompletion=crawls
        ),
    ] = Path(),
    json: Json = False,
) -> None:
    """What robots, scope and traps say of a URL, and what is known of it."""
    from sought.cli.show import show_tree
    from sought.operate.view import View
    from sought.web.url import canonical

    if "://" not in url and ":/" in str(directory):  # every other command names the directory first
        url, directory = str(directory).replace(":/", "://", 1), Path(url)
    with View(directory) as view:
        found = view.judge(canonical(url))
    if json:
        print_json(found)
    else:
        show_tree(found)


@app.command()
def hosts(
    directory: Dir,
    origin: Annotated[str | None, typer.Argument(metavar="[ORIGIN]", help="One host: https://docs.example.org")] = None,
    limit: Limit = 20,
    json: Json = False,
) -> None:
    """The hosts of a crawl, those with most URLs first; or all that is known of one."""
    from sought.cli.show import show_table, show_tree
    from sought.operate.explain_host import all_hosts, explain_host
    from sought.operate.view import View

    with View(directory) as view:
        found = explain_host(view, origin) if origin else {"hosts": all_hosts(view, limit)}
    if json:
        print_json(found)
    elif origin:
        show_tree(found)
    elif found["hosts"]:
        show_table([_host_row(each) for each in found["hosts"]])


def _host_row(host: dict[str, Any]) -> dict[str, Any]:
    """As much as fits on a screen."""
    from sought.cli.show import moment

    then = host["next_request_at"]
    told = {name: host[name] for name in ("origin", "known", "searchable", "fetched", "delay")}
    return told | {"troubles": host["troubles_in_a_row"], "next": moment(then) if (then or 0) > time.time() else "now"}


@app.command()
def explain(
    directory: Dir,
    url: Annotated[str, typer.Argument(help="A URL that the crawl knows.")],
    policy: Annotated[
        str | None,
        typer.Option(help="Whose view of it; default: the policy of sought.toml.", autocompletion=policies),
    ] = None,
    limit: Limit = 10,
    verbose: Verbose = False,
    json: Json = False,
) -> None:
    """Why a page was fetched, which searches that helped, and when it is fetched next."""
    from sought.cli.explain import show_page
    from sought.cli.live import working
    from sought.operate.explain import explain as look
    from sought.operate.view import View
    from sought.policy import parse_policy
    from sought.web.url import canonical

    with working("scoring all pages for all queries", quiet=json), View(directory) as view:
        chosen = parse_policy(policy, directory) if policy is not None else view.config.policy
        found = look(view, canonical(url), chosen, time.time(), limit)
    if json:
        print_json(found)
    else:
        show_page(found, verbose=verbose)


@app.command()
def budget(directory: Dir, json: Json = False) -> None:
    """How many fetches a day are enough for 90, 95 and 99 % of the attainable quality, and what the budget brings."""
    from sought.cli.budget import show_budget
    from sought.cli.live import working
    from sought.operate.dial import budget as look
    from sought.operate.view import View

    with working("asking what budgets bring", quiet=json), View(directory) as view:
        found = look(view, time.time())
    if json:
        print_json(found)
    else:
        show_budget(found)


@app.command()
def check(
    directory: Dir,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended, and say what was lost.")] = False,
    json: Json = False,
) -> None:
    """Make sure that archive, table, links and search index agree; exit code 1 if they do not.

    With --repair exit code 3 says that all agrees again, but part of the record was lost.
    """
    from sought.cli.live import Counting

    if repair:
        _repair(directory, json)
    from sought.operate.check import check as look
    from sought.record.recovery import open_directory

    with Counting("records checked", quiet=json) as report:
        opened = open_directory(directory)
        try:
            problems = look(opened, report)
        finally:
            opened.close()
    if json:
        print_json({"ok": not problems, "problems": problems})
    else:
        remedy = f"\nsought check {directory} --repair mends what can be mended" if problems else ""
        console.print("\n".join(problems) or "archive, table, links and index agree", remedy, sep="", markup=False)
    raise typer.Exit(1 if problems else 0)


def _repair(directory: Path, json: bool) -> None:
    from sought.cli.live import Counting
    from sought.operate.repair import repair

    with Counting("records looked at", quiet=json) as report:
        done, lost, problems = repair(directory, report)
    if json:
        print_json({"ok": not problems, "problems": problems, "repaired": done, "lost": lost})
    else:
        said = [*done, *(f"lost: {each}" for each in lost), *(f"still wrong: {each}" for each in problems)]
        console.print("\n".join(said) or "archive, table, links and index agree", markup=False)
    raise typer.Exit(1 if problems else LOST if lost else 0)


@app.command()
def rebuild(directory: Dir, json: Json = False) -> None:
    """Make table, links and search index again from the archive; exit code 3 if some of it cannot be read."""
    from sought.cli.live import Counting
    from sought.operate.rebuild import rebuild as make_again

    start = time.monotonic()
    with Counting("records applied", quiet=json) as report:
        lost: list[str] = []
        count = make_again(directory, report, lambda damage: lost.append(f"archive/{damage}"))
    seconds = time.monotonic() - start
    if json:
        print_json({"records": count, "seconds": seconds, "lost": lost})
    else:
        for each in lost:
            console.print(f"lost: {each}", markup=False)
        console.print(f"{count:,} records applied in {seconds:.1f} s; gains are measured anew, by what is asked today")
        console.print(f"Next: sought check {directory}, or go on with sought crawl {directory}", markup=False)
    raise typer.Exit(LOST if lost else 0)
