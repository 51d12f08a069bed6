"""A page with every value behind its explanation, as they are."""

from collections.abc import Iterator
from typing import Any

from rich.text import Text

from sought.cli.options import console
from sought.cli.show import moment, number, show_table, show_tree

_PURPOSES = {"new": "being new", "stale": "its own text or death", "hub": "what its links tell or lead to"}


def show_details(found: dict[str, Any]) -> None:
    show_tree({"page": found["page"]})
    console.print("\nfetches" if found["history"] else "\nnever fetched")
    for fetch in found["history"]:
        console.print(Text(f"  {_fetch(fetch, found['worth_of_answers'])}"))
        for each in fetch["helped"]:
            console.print(Text(f"    {number(each['gain'])}  {each['query']}: {_move(each)}"))
    if found["history"]:
        console.print("\nchanges")
        for line in _changes(found["change"]):
            console.print(Text(f"  {line}"))
    if found["answers"]:
        console.print("\nthe queries it matters most to")
        show_table(found["answers"])
    console.print()
    show_tree({"a fetch now": found["now"]}, times=())  # beliefs have names of their own
    show_tree({"next fetch": found["next_fetch"]})


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
    """Who chose the page, and what for."""
    if not fetch["chosen_by"]:
        return ""
    purpose = f" for {_PURPOSES[fetch['purpose']]}" if fetch["purpose"] in _PURPOSES else ""
    if not fetch["rank"]:
        return f", {fetch['chosen_by']}"
    return f", chosen by {fetch['chosen_by']} as number {fetch['rank']:,} of its plan{purpose}"


def _changes(change: dict[str, Any]) -> Iterator[str]:
    """What was seen of a page's changes, how often it changes, and who is like it."""
    for each in change["observed"]:
        yield f"{moment(each['time'])}  {each['kind']}, {each['difference']:.0%} is other than before"
    if not change["observed"]:
        yield "none was seen yet"
    if rate := change["rate"]:
        low, high = map(number, rate["interval_a_day"])
        seen = f"{rate['changes']:,} seen at {rate['fetches']:,} later fetches"
        others = f"{rate['prior_of']}: {number(rate['prior_a_day'])}"
        yield f"{number(rate['rate_a_day'])} a day, with 80 % certainty from {low} to {high} ({seen}; {others})"
    for belief, each in change["clusters"].items():
        closeness = f"closeness {each['closeness']:.3f}"
        yield f"in cluster {each['cluster']} of {each['of']}, {closeness}, by {belief}"


def _move(each: dict[str, Any]) -> str:
    before, after = _place(each["rank_before"], each["score_before"]), _place(each["rank_after"], each["score_after"])
    return f"{before} → {after} (score {each['score_before']:.3g} → {each['score_after']:.3g})"


def _place(rank: int | None, score: float) -> str:
    """A rank as it was measured; curves look at the first results only."""
    return f"rank {rank:,}" if rank else "far down" if score else "not found"
