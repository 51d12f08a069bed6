"""All values behind the explanation of a page."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from sought.cli.options import console
from sought.cli.show import moment, number, show_table, show_tree

_PURPOSES = {"new": "being new", "stale": "a change or removal of its text", "hub": "its links and anchors"}


def show_details(report: dict[str, Any]) -> None:
    show_tree({"page": report["page"]})
    console.print("\nfetches" if report["history"] else "\nnever fetched")
    for fetch in report["history"]:
        console.print(Text(f"  {_fetch(fetch, report['worth_of_answers'])}"))
        for each in fetch["helped"]:
            console.print(Text(f"    {number(each['gain'])}  {each['query']}: {_move(each)}"))
    if report["history"]:
        console.print("\nchanges")
        for line in _changes(report["change"]):
            console.print(Text(f"  {line}"))
    if report["answers"]:
        console.print("\nqueries that it matters most to")
        show_table(report["answers"])
    console.print()
    show_tree({"a fetch now": report["now"]}, times=())  # a belief may be called "time" or "found"
    show_tree({"next fetch": report["next_fetch"]})


def _fetch(fetch: dict[str, Any], worth_of_answers: float | None) -> str:
    if fetch["gain"] is None:
        worth = "not measured: there were no queries"
    else:
        share = f" ({fetch['gain'] / worth_of_answers:.2%} of all answers)" if worth_of_answers else ""
        queries = "1 query" if fetch["affected"] == 1 else f"{fetch['affected']:,} queries"
        worth = f"gain {number(fetch['gain'])}{share}, {queries} affected"
    if fetch["expected"] is not None:
        worth += f", expected {number(fetch['expected'])}"
    return f"{moment(fetch['time'])}  {fetch['kind']}  {worth}{_why(fetch)}"


def _why(fetch: dict[str, Any]) -> str:
    """Who chose the page, and for what purpose."""
    if not fetch["chosen_by"]:
        return ""
    purpose = f" for {_PURPOSES[fetch['purpose']]}" if fetch["purpose"] in _PURPOSES else ""
    if not fetch["rank"]:
        return f", {fetch['chosen_by']}"
    return f", chosen by {fetch['chosen_by']} as number {fetch['rank']:,} of its plan{purpose}"


def _changes(change: dict[str, Any]) -> Iterator[str]:
    """The observed changes of a page, its change rate, and its clusters."""
    for each in change["observed"]:
        yield f"{moment(each['time'])}  {each['kind']}, {each['difference']:.0%} of the text is different"
    if not change["observed"]:
        yield "none observed yet"
    if rate := change["rate"]:
        low, high = map(number, rate["interval_a_day"])
        seen = f"{rate['changes']:,} observed at {rate['fetches']:,} later fetches"
        others = f"{rate['prior_of']}: {number(rate['prior_a_day'])}"
        yield f"{number(rate['rate_a_day'])} a day, 80 % interval {low} to {high} ({seen}; {others})"
    for belief, each in change["clusters"].items():
        closeness = f"closeness {each['closeness']:.3f}"
        yield f"in cluster {each['cluster']} of {each['of']}, {closeness}, by {belief}"


def _move(each: dict[str, Any]) -> str:
    before, after = place(each["rank_before"], each["score_before"]), place(each["rank_after"], each["score_after"])
    return f"{before} → {after} (score {each['score_before']:.3g} → {each['score_after']:.3g})"


def place(rank: int | None, score: float) -> str:
    """A rank as it was measured; ranks are known for the first results only."""
    return f"rank {rank:,}" if rank else "far down" if score else "not found"
