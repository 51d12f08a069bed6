"""Queries explained in sentences: how well each is answered, and what may improve the answer."""

import time
from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from sought.cli.options import console
from sought.cli.show import print_table, show_tree
from sought.cli.wording import amount, since
from sought.console.wording import count

_POOR = "A page made for it would improve about {} searches a week."


def show_needy(rows: list[dict[str, Any]]) -> None:
    """Print a table and the meaning of its columns."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in (("query", "left"), ("a week", "right"), ("to gain", "right"), ("why", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # rich has a Literal for it
    for row in rows:
        gain = row["to_gain_searches_a_week"]
        cells = (row["query"], amount(row["a_week"]), "–" if gain is None else amount(gain), row["why"])
        table.add_row(*map(Text, cells))
    print_table(table)
    console.print("\na week: how often it is asked; to gain: searches a week that a page made for it would improve")


def show_query(report: dict[str, Any], *, verbose: bool = False, now: float | None = None) -> None:
    """Print the explanation; with `verbose` also all underlying values."""
    for line in lines(report, time.time() if now is None else now):
        console.print(Text(line))
    if verbose:
        console.print()
        show_tree(report)


def lines(report: dict[str, Any], now: float) -> Iterator[str]:
    gain = report["to_gain_searches_a_week"]
    yield f"{report['query']!r} is asked {amount(report['a_week'])} times a week."
    yield f"It has {count(report['results'], 'result')}: {report['why']}."
    yield _POOR.format(amount(gain)) if gain is not None else "No query has a result yet, so gains cannot be compared."
    if report["shown"]:
        yield from ("", "Current results, best first")
        yield from (f"  {_shown(number, each, now)}" for number, each in enumerate(report["shown"], 1))
    yield from ("", "Pages without a copy that may answer it, judged by their URLs and links")
    yield from (f"  {_candidate(each)}" for each in report["would_help"])
    if not report["would_help"]:
        yield "  none known"


def _shown(number: int, each: dict[str, Any], now: float) -> str:
    gain = each["expected_gain_searches_a_week"]
    worth = "" if gain is None else f"; fetching it now would improve {amount(gain)} searches a week"
    return f"{number}. {each['title'] or each['url']}  {each['url']}  (fetched {since(each['fetched'], now)}{worth})"


def _candidate(each: dict[str, Any]) -> str:
    gain = each["prospect_searches_a_week"]
    worth = "" if gain is None else f", would improve {amount(gain)} searches a week"
    return f"{each['url']}  ({_STATES.get(each['state'], each['state'])}{worth})"


_STATES = {
    "new": "never fetched",
    "gone": "gone at the last fetch",
    "failed": "failed so far",
    "denied": "robots.txt forbids it",
    "alias": "alias of another page",
    "dropped": "dropped for more important pages",
}
