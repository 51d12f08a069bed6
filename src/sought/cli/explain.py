"""A page, explained as a person would: why it was fetched, which searches that helped, and when it is next."""

import time
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from sought.cli.explain_details import show_details
from sought.cli.options import console
from sought.cli.wording import amount, counted, duration, every, is_time, since, until

_FETCHES = 5
_HELPED = 3
_STATES = {
    "new": "It is known, and was never fetched.",
    "gone": "The server says that there is no such page.",
    "failed": "It could not be fetched so far.",
    "denied": "robots.txt forbids it.",
    "dead": "It was given up.",
    "dropped": "It was fetched, and dropped for more important pages ([crawl] keep).",
}
_HIDDEN = {
    "canonical": "it names another page as its canonical address",
    "noindex": "it asks not to be",
    "empty": "it has no words",
    "type": "it is not a kind of content that is kept",
    "refused": "its HTML is beyond the bounds",
}
_OTHER = {
    "redirect": "redirects to",
    "duplicate": "has the same text as",
    "near-duplicate": "has nearly the same text as",
}
_KINDS = {
    "new": "a page, seen for the first time",
    "changed": "the page had changed",
    "unchanged": "the page was as before",
    "not-modified": "the page was as before",
    "same-text": "the page had the same words as before",
    "back": "the page was back",
    "redirect": "it leads elsewhere",
    "status-404": "there is no such page",
    "status-410": "the page has gone for good",
}
_PURPOSES = {
    "new": "it had never been fetched",
    "stale": "its text may have changed",
    "hub": "its links may lead to something new",
}


def show_page(found: dict[str, Any], *, verbose: bool = False, now: float | None = None) -> None:
    """Print it; with `verbose` also every value behind it."""
    for line in lines(found, time.time() if now is None else now):
        console.print(Text(line))
    if verbose:
        console.print()
        show_details(found)


def lines(found: dict[str, Any], now: float) -> Iterator[str]:
    page = found["page"]
    yield f"{page['url']}" + (f"  {page['title']!r}" if page["title"] else "")
    yield _standing(page)
    yield _origin(page, now)
    yield ""
    yield "Why it was fetched" if found["history"] else "It was never fetched."
    yield from _history(found["history"], now)
    if found["history"]:
        yield from ("", "How it changes", f"  {_changes(found['change'])}")
    if found["answers"]:
        yield from ("", "Searches that it answers")
        yield from (f"  {_answer(each)}" for each in found["answers"])
    yield from ("", "When it is fetched next", f"  {_next(found, now)}", f"  {_worth(found)}")


def _standing(page: dict[str, Any]) -> str:
    if page["state"] == "live" and page["reason"] in ("none", ""):
        return "It can be found by searching."
    if page["state"] == "live":
        return f"It was fetched, and cannot be found by searching: {_HIDDEN.get(page['reason'], page['reason'])}."
    if page["state"] == "alias":
        says = _OTHER.get(page["reason"], "stands for")
        return f"It {says} {page['alias'] or 'another page'}, which is searched in its place."
    return _STATES.get(page["state"], f"Its state is {page['state']!r}.")


def _origin(page: dict[str, Any], now: float) -> str:
    """How it became known."""
    where = {
        "seed": "It is a seed",
        "sitemap": "It was found in a sitemap",
        "load": "Somebody named it",
    }.get(page["source"], f"It was found on {page['found_on'] or 'a page'}")
    deep = f", {counted(page['depth'], 'link')} away from the seeds" if page["depth"] else ""
    linked = f"; {counted(page['inlinks'], 'known page links', 'known pages link')} to it" if page["inlinks"] else ""
    when = f" ({since(page['found'], now)})" if is_time(page["found"]) else ""
    return f"{where}{when}{deep}{linked}."


def _history(history: list[dict[str, Any]], now: float) -> Iterator[str]:
    for fetch in history[::-1][:_FETCHES]:
        yield f"  {since(fetch['time'], now)}: {_chosen(fetch)}."
        yield f"    {_result(fetch)}"
        yield from (f"      {_helped(each)}" for each in fetch["helped"][:_HELPED])
        if (more := fetch["affected"] - len(fetch["helped"][:_HELPED])) > 0:
            yield f"      and {counted(more, 'other query', 'other queries')}"
    if len(history) > _FETCHES:
        yield f"  and {counted(len(history) - _FETCHES, 'fetch', 'fetches')} before (--json has all)"


def _chosen(fetch: dict[str, Any]) -> str:
    if not fetch["chosen_by"]:
        return "why is not on record"
    if not fetch["rank"]:
        return "somebody asked for it"
    policy = fetch["chosen_by"].partition("(")[0]
    why = f", because {_PURPOSES[fetch['purpose']]}" if fetch["purpose"] in _PURPOSES else ""
    return f"{policy} chose it as number {fetch['rank']:,} of its plan{why}"


def _result(fetch: dict[str, Any]) -> str:
    """What came of a fetch, and what that was worth."""
    kind = fetch["kind"]
    what = _KINDS.get(kind) or kind.replace("failed-", "no answer: ").replace("status-", "the server answered ")
    return f"{what[0].upper()}{what[1:]}; {_gain(fetch)}."


def _gain(fetch: dict[str, Any]) -> str:
    gain, expected = fetch["gain_searches_a_week"], fetch["expected_searches_a_week"]
    if fetch["gain"] is None:
        return "what it was worth was not measured, as there were no queries"
    if not fetch["gain"]:
        said = "it changed no answer"
    elif gain is None:
        said = "what it was worth cannot be said in searches, as no query has an answer now"
    else:
        said = f"{_better(gain)}"
    return f"{said} (expected: {amount(expected)})" if expected is not None else said


def _better(gain: float) -> str:
    """
    >>> _better(1.0), _better(-12.3)
    ('1 search a week is answered better', '12 searches a week are answered worse')
    """
    how = "better" if gain > 0 else "worse"
    size = amount(abs(gain))
    return f"{size} search a week is answered {how}" if size == "1" else f"{size} searches a week are answered {how}"


def _helped(each: dict[str, Any]) -> str:
    gain = each["gain_searches_a_week"]
    worth = f" ({amount(gain)} a week)" if gain is not None else ""
    places = (_place(each["rank_before"], each["score_before"]), _place(each["rank_after"], each["score_after"]))
    return f"{each['query']!r}: {' → '.join(places)}{worth}"


def _place(rank: int | None, score: float) -> str:
    """A rank as it was measured; curves look at the first results only."""
    return f"rank {rank:,}" if rank else "far down" if score else "not found"


def _changes(change: dict[str, Any]) -> str:
    rate = change["rate"]
    if not rate or not rate.get("fetches"):
        return "Nothing is known yet: that takes a second fetch."
    seen = f"It was found changed at {rate['changes']:,} of {counted(rate['fetches'], 'later fetch', 'later fetches')}"
    return f"{seen}; it is believed to change {every(rate['rate_a_day'])}."


def _answer(each: dict[str, Any]) -> str:
    return f"{each['query']!r} ({amount(each['a_week'])} a week): rank {each['rank']:,} of {each['of']:,}"


def _next(found: dict[str, Any], now: float) -> str:
    """`about` is a guess; what is in the way is a fact."""
    told = found["next_fetch"]
    why = told["why"]
    if told["about"] is not None:
        return f"{_roughly(told['about'], now, told['running'])}: {why}."
    if told["not_before"] is not None:
        return f"Not before {_date(told['not_before'])} ({until(told['not_before'], now)}): {why}."
    return f"Not planned: {why}."


def _roughly(about: float, now: float, running: bool) -> str:
    if about - now < 60:
        return "Within about a minute" if running else "About a minute after the next crawl starts, or sooner"
    if running:
        return f"About {_date(about)} ({until(about, now)})"
    return f"About {duration(about - now)} after the next crawl starts"


def _date(then: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(then))


def _worth(found: dict[str, Any]) -> str:
    gain = found["now"]["expected_searches_a_week"]
    if gain is None:
        return "What a fetch now would be worth is not known: there are no queries, or none has an answer."
    if gain <= 0.0:
        return "As far as is known, a fetch now makes no search better."
    return f"As far as is known, a fetch now makes {amount(gain)} searches a week better."
