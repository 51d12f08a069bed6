"""A page and a query, explained to people."""

from typing import Any

from rich.table import Table
from rich.text import Text

from sought.cli.options import console
from sought.cli.show import moment, show_tree


def show_page(found: dict[str, Any]) -> None:
    show_tree({"page": found["page"]})
    console.print("\nfetches" if found["history"] else "\nnever fetched")
    for fetch in found["history"]:
        console.print(Text(f"  {_fetch(fetch, found['worth_of_answers'])}"))
        for each in fetch["helped"]:
            console.print(Text(f"    {_number(each['gain'])}  {each['query']}: {_move(each)}"))
    if found["answers"]:
        console.print("\nthe queries it matters most to")
        show_queries(found["answers"])
    console.print()
    show_tree({"a fetch now": found["now"]})


def _fetch(fetch: dict[str, Any], worth_of_answers: float | None) -> str:
    if fetch["gain"] is None:
        worth = "not measured: there were no queries"
    else:
        share = f" ({fetch['gain'] / worth_of_answers:.2%} of all answers)" if worth_of_answers else ""
        queries = "1 query" if fetch["affected"] == 1 else f"{fetch['affected']:,} queries"
        worth = f"gain {_number(fetch['gain'])}{share}, {queries} affected"
    why = f", chosen by {fetch['chosen_by']} as number {fetch['rank']:,} of its plan" if fetch["chosen_by"] else ""
    return f"{moment(fetch['time'])}  {fetch['kind']}  {worth}{why}"


def _move(each: dict[str, Any]) -> str:
    before, after = _place(each["rank_before"], each["score_before"]), _place(each["rank_after"], each["score_after"])
    return f"{before} → {after} (score {each['score_before']:.3g} → {each['score_after']:.3g})"


def _place(rank: int | None, score: float) -> str:
    """A rank as it was measured; curves look at the first results only."""
    return f"rank {rank:,}" if rank else "far down" if score else "not found"


def show_queries(rows: list[dict[str, Any]]) -> None:
    """Dictionaries with the same keys as a table."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in rows[0].items():
        table.add_column(name.replace("_", " "), justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(Text(value if isinstance(value, str) else _number(value)) for value in row.values()))
    console.print(table)


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
