"""Queries, explained as a person would: how well each is answered, and what may improve that."""

import time
from collections.abc import Iterator
from typing import Any

from rich.table import Table
from rich.text import Text

from sought.cli.options import console
from sought.cli.show import print_table, show_tree
from sought.cli.wording import amount, counted, since

_POOR = "A page made for it would make about {} searches a week better."


def show_needy(rows: list[dict[str, Any]]) -> None:
    """A table, and a line that says what its columns mean."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, justify in (("query", "left"), ("a week", "right"), ("to gain", "right"), ("why", "left")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # one of rich's words for it
    for row in rows:
        gain = row["to_gain_searches_a_week"]
        cells = (row["query"], amount(row["a_week"]), "–" if gain is None else amount(gain), row["why"])
        table.add_row(*map(Text, cells))
    print_table(table)
    console.print("\na week: how often it is asked; to gain: searches a week that a page made for it would make better")


def show_query(found: dict[str, Any], *, verbose: bool = False, now: float | None = None) -> None:
    """Print it; with `verbose` also every value behind it."""
    for line in lines(found, time.time() if now is None else now):
        console.print(Text(line))
    if verbose:
        console.print()
        show_tree(found)


def lines(found: dict[str, Any], now: float) -> Iterator[str]:
    gain = found["to_gain_searches_a_week"]
    yield f"{found['query']!r} is asked {amount(found['a_week'])} times a week."
    yield f"It has {counted(found['results'], 'result')}: {found['why']}."
    yield _POOR.format(amount(gain)) if gain is not None else "No query has a result yet, so gains cannot be compared."
    if found["shown"]:
        yield from ("", "What people are shown, best first")
        yield from (f"  {_shown(number, each, now)}" for number, each in enumerate(found["shown"], 1))
    yield from ("", "Pages without a copy that may answer it, by their names and links")
    yield from (f"  {_helper(each)}" for each in found["would_help"])
    if not found["would_help"]:
        yield "  none is known"


def _shown(number: int, each: dict[str, Any], now: float) -> str:
    gain = each["expected_gain_searches_a_week"]
    worth = "" if gain is None else f"; to fetch it now makes {amount(gain)} searches a week better"
    return f"{number}. {each['title'] or each['url']}  {each['url']}  (fetched {since(each['fetched'], now)}{worth})"


def _helper(each: dict[str, Any]) -> str:
    gain = each["prospect_searches_a_week"]
    worth = "" if gain is None else f", {amount(gain)} searches a week better"
    return f"{each['url']}  ({_STATES.get(each['state'], each['state'])}{worth})"


_STATES = {
    "new": "never fetched",
    "gone": "gone when it was last fetched",
    "failed": "could not be fetched so far",
    "denied": "robots.txt forbids it",
    "alias": "stands for another page",
    "dropped": "dropped for more important pages",
}
