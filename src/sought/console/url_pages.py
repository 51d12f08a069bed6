"""Which pages does the crawl know, and what is known of one?"""

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.answers import Unit
from sought.console.context import ConsoleContext
from sought.console.lookup import About, route
from sought.console.paging import ROWS, ListPage, choice, page_asked, rows_of, text_asked
from sought.console.wording import count, exactly, number, searches
from sought.operate.explain import PageExplanation, explain
from sought.operate.known import KnownPage, UrlVerdict
from sought.operate.view import View
from sought.record.table import Reason, State
from sought.web.errors import BadInput
from sought.web.url import canonical, origin

LOOKED_AT = 20_000  # addresses that are read for a text, at most
STATES = {
    "all": "All pages",
    "new": "Never fetched",
    "live": "Live",
    "not-searchable": "Live, but not searchable",
    "alias": "Alias of another page",
    "gone": "Gone",
    "failed": "Failed, will be retried",
    "denied": "Denied by robots.txt",
    "dead": "Given up",
    "dropped": "Dropped for more important pages",
}


class PageList(NamedTuple):
    """Rows of one page, of how many; `partly`: more addresses have not been looked at."""

    rows: list[KnownPage]
    total: int
    partly: bool


def routes(context: ConsoleContext) -> list[BaseRoute]:
    async def pages(request: Request) -> HTMLResponse:
        state, text, at = choice(request, "state", list(STATES)), text_asked(request), page_asked(request)
        tables = await context.tables(("pages", state, text, at), lambda view: _page_of_list(view, state, text, at))
        found = tables.found or PageList([], 0, partly=False)
        asked = {"state": state if state != "all" else "", "text": text}
        part = ListPage(found.rows, at, found.total, "/console/pages", asked)
        values = {"part": part, "states": STATES, "state": state, "text": text, "partly": found.partly}
        values |= {"now": time.time(), "most": LOOKED_AT}
        return context.with_tables(request, "console_pages.html", tables, **values)

    return [Route("/console/pages", pages), route(context, About("url", "URL", canonical, _one_url))]


def _page_of_list(view: View, state: str, text: str, at: int) -> PageList:
    """The latest fetched first, then those never fetched, the latest found first."""
    rows = _in_state(view, state)
    wanted, partly = rows, False
    if text:
        wanted, partly = _with_text(view, rows, text.casefold(), at * ROWS)
    return PageList([view.describe(int(row)) for row in wanted[rows_of(at)]], len(wanted), partly)


def _in_state(view: View, state: str) -> NDArray[np.int64]:
    table = view.table
    if state == "all":
        chosen = np.ones(len(table), np.bool_)
    elif state == "not-searchable":
        chosen = (table["state"] == State.LIVE) & (table["reason"] != Reason.NONE)
    else:
        chosen = table["state"] == State[state.upper()]
    rows = np.flatnonzero(chosen)
    order = np.lexsort((-table["found"][rows].astype(np.float64), -table["last_fetch"][rows].astype(np.float64)))
    return rows[order]


def _with_text(view: View, rows: NDArray[np.int64], text: str, enough: int) -> tuple[NDArray[np.int64], bool]:
    """Those whose host has the text are found without reading their addresses; of the others some are read."""
    hosts = np.array([text in view.hosts[number].origin.casefold() for number in range(len(view.hosts))], np.bool_)
    by_host = hosts[view.table["host"][rows]] if len(hosts) else np.zeros(len(rows), np.bool_)
    found = rows[by_host]
    if len(found) >= enough:
        return found, bool((~by_host).any())
    others = rows[~by_host]
    read = others[:LOOKED_AT]
    has_text = np.fromiter((text in view.store.url(int(row)).casefold() for row in read), np.bool_, len(read))
    return np.concatenate([found, read[has_text]]), len(others) > len(read)


def _one_url(view: View, url: str, now: float) -> dict[str, Any]:
    row, judged = view.row(url), view.judge(url)
    if row < 0:
        raise BadInput(f"This crawl does not know {url}. It {judged.verdict}: {judged.why}, {_robots(judged)}")
    found = explain(view, url, view.config.policy, now)
    gains, report = view.ranking(view.config.policy, now).gains, view.measuring.report()
    has_price = gains is not None and bool(np.isfinite(gains).any())  # then values are gains times how long they last
    value = found.now.value
    words = f"{searches(Unit.by(report).in_all(value))} searches" if has_price and report else number(value)
    shown = found.to_json()
    shown["history"].reverse()
    more = {"title": found.page.title, "robots": judged.robots, "next": _next(found, now, words)}
    return {"origin": origin(url), **shown, **more, "report": report, "has_price": has_price}


def _robots(judged: UrlVerdict) -> str:
    return "robots.txt has not been read yet" if judged.robots == "not read yet" else judged.robots


def _next(found: PageExplanation, now: float, value: str) -> str:
    """When it is fetched next, in a sentence."""
    page, worth = found.page, found.now
    if page.state == "dead":
        return "Never again: it has been gone too long."
    if page.not_before and page.not_before > now:
        return f"Not before {exactly(page.not_before)}."
    if not worth.may_be_fetched:
        return "Not now: it was fetched too recently, or a rule excludes it."
    if worth.rank is None:
        return "Unknown: the policy gives it no value."
    before = worth.rank - 1
    if not before:
        return "Now: it is first in the plan."
    return f"After {count(before, 'page')} with a higher value; its own is {value}."
