"""A page explained in sentences: why it was fetched, which searches that improved, and when it is fetched next."""

import time
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from sought.cli.explain_details import place, show_details
from sought.cli.options import console
from sought.cli.wording import amount, duration, every, is_time, since, until
from sought.console.wording import count

_FETCHES = 5
_HELPED = 3
_STATES = {
    "new": "It is known but was never fetched.",
    "gone": "The server says that the page does not exist.",
    "failed": "Fetching it has failed so far.",
    "denied": "robots.txt forbids it.",
    "dead": "The crawler has given it up.",
    "dropped": "It was fetched and then dropped for more important pages ([crawl] keep).",
}
_HIDDEN = {
    "canonical": "it names another URL as canonical",
    "noindex": "it asks not to be indexed (noindex)",
    "empty": "it has no words",
    "type": "its content type is not kept",
    "refused": "its HTML exceeds the limits",
}
_OTHER = {
    "redirect": "redirects to",
    "duplicate": "has the same text as",
    "near-duplicate": "has nearly the same text as",
}
_KINDS = {
    "new": "the page was fetched for the first time",
    "changed": "the page had changed",
    "unchanged": "the page was as before",
    "not-modified": "the page was as before",
    "same-text": "the page had the same words as before",
    "back": "the page was back",
    "redirect": "the page redirects",
    "status-404": "the page does not exist",
    "status-410": "the page was removed for good",
}
_PURPOSES = {
    "new": "it had never been fetched",
    "stale": "its text may have changed",
    "hub": "its links may lead to something new",
}


def show_page(report: dict[str, Any], *, verbose: bool = False, now: float | None = None) -> None:
    """Print the explanation; with `verbose` also all underlying values."""
    for line in lines(report, time.time() if now is None else now):
        console.print(Text(line))
    if verbose:
        console.print()
        show_details(report)


def lines(report: dict[str, Any], now: float) -> Iterator[str]:
    page = report["page"]
    yield f"{page['url']}" + (f"  {page['title']!r}" if page["title"] else "")
    yield _state(page)
    yield _discovery(page, now)
    yield ""
    yield "Why it was fetched" if report["history"] else "It was never fetched."
    yield from _history(report["history"], now)
    if report["history"]:
        yield from ("", "How it changes", f"  {_changes(report['change'])}")
    if report["answers"]:
        yield from ("", "Queries that it answers")
        yield from (f"  {_answer(each)}" for each in report["answers"])
    yield from ("", "When it is fetched next", f"  {_next(report, now)}", f"  {_worth(report)}")


def _state(page: dict[str, Any]) -> str:
    if page["state"] == "live" and page["reason"] in ("none", ""):
        return "Searches can find it."
    if page["state"] == "live":
        return f"It was fetched, but searches cannot find it: {_HIDDEN.get(page['reason'], page['reason'])}."
    if page["state"] == "alias":
        relation = _OTHER.get(page["reason"], "is an alias of")
        return f"It {relation} {page['alias'] or 'another page'}, which searches find instead."
    return _STATES.get(page["state"], f"Its state is {page['state']!r}.")


def _discovery(page: dict[str, Any], now: float) -> str:
    """How the crawl discovered the page."""
    where = {
        "seed": "It is a seed",
        "sitemap": "It was found in a sitemap",
        "load": "Somebody named it",
    }.get(page["source"], f"It was found on {page['found_on'] or 'a page'}")
    deep = f", {count(page['depth'], 'link')} away from the seeds" if page["depth"] else ""
    linked = f"; {count(page['inlinks'], 'known page links', 'known pages link')} to it" if page["inlinks"] else ""
    when = f" ({since(page['found'], now)})" if is_time(page["found"]) else ""
    return f"{where}{when}{deep}{linked}."


def _history(history: list[dict[str, Any]], now: float) -> Iterator[str]:
    for fetch in history[::-1][:_FETCHES]:
        yield f"  {since(fetch['time'], now)}: {_chosen(fetch)}."
        yield f"    {_result(fetch)}"
        yield from (f"      {_helped(each)}" for each in fetch["helped"][:_HELPED])
        if (more := fetch["affected"] - len(fetch["helped"][:_HELPED])) > 0:
            yield f"      and {count(more, 'other query', 'other queries')}"
    if len(history) > _FETCHES:
        yield f"  and {count(len(history) - _FETCHES, 'fetch', 'fetches')} before (--json has all)"


def _chosen(fetch: dict[str, Any]) -> str:
    if not fetch["chosen_by"]:
        return "the reason is not on record"
    if not fetch["rank"]:
        return "somebody asked for it"
    policy = fetch["chosen_by"].partition("(")[0]
    why = f", because {_PURPOSES[fetch['purpose']]}" if fetch["purpose"] in _PURPOSES else ""
    return f"{policy} chose it as number {fetch['rank']:,} of its plan{why}"


def _result(fetch: dict[str, Any]) -> str:
    """The outcome of a fetch and its gain."""
    kind = fetch["kind"]
    what = _KINDS.get(kind) or kind.replace("failed-", "no answer: ").replace("status-", "the server answered ")
    return f"{what[0].upper()}{what[1:]}; {_gain(fetch)}."


def _gain(fetch: dict[str, Any]) -> str:
    gain, expected = fetch["gain_searches_a_week"], fetch["expected_searches_a_week"]
    if fetch["gain"] is None:
        return "its gain was not measured because there were no queries"
    if not fetch["gain"]:
        text = "it changed no answer"
    elif gain is None:
        text = "its gain cannot be given in searches because no query has a result now"
    else:
        text = _better(gain)
    return f"{text} (expected: {amount(expected)})" if expected is not None else text


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
    places = (place(each["rank_before"], each["score_before"]), place(each["rank_after"], each["score_after"]))
    return f"{each['query']!r}: {' → '.join(places)}{worth}"


def _changes(change: dict[str, Any]) -> str:
    rate = change["rate"]
    if not rate or not rate.get("fetches"):
        return "Nothing is known yet: this needs a second fetch."
    seen = f"It was found changed at {rate['changes']:,} of {count(rate['fetches'], 'later fetch', 'later fetches')}"
    return f"{seen}; the estimate is a change {every(rate['rate_a_day'])}."


def _answer(each: dict[str, Any]) -> str:
    return f"{each['query']!r} ({amount(each['a_week'])} a week): rank {each['rank']:,} of {each['of']:,}"


def _next(report: dict[str, Any], now: float) -> str:
    """`about` is an estimate, `not_before` a fact."""
    plan = report["next_fetch"]
    why = plan["why"]
    if plan["about"] is not None:
        return f"{_roughly(plan['about'], now, plan['running'])}: {why}."
    if plan["not_before"] is not None:
        return f"Not before {_date(plan['not_before'])} ({until(plan['not_before'], now)}): {why}."
    return f"Not planned: {why}."


def _roughly(about: float, now: float, running: bool) -> str:
    if about - now < 60:
        return "Within about a minute" if running else "About a minute after the next crawl starts, or sooner"
    if running:
        return f"About {_date(about)} ({until(about, now)})"
    return f"About {duration(about - now)} after the next crawl starts"


def _date(then: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(then))


def _worth(report: dict[str, Any]) -> str:
    gain = report["now"]["expected_searches_a_week"]
    if gain is None:
        return "The gain of a fetch now is unknown: there are no queries, or none has a result."
    if gain <= 0.0:
        return "A fetch now is expected to improve no search."
    return f"A fetch now is expected to improve {amount(gain)} searches a week."
