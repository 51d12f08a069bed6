"""The page of a URL: why was it fetched, what did that help, and when is it fetched next?"""

from typing import Any

import numpy as np
from starlette.routing import BaseRoute

from sought.console.answers import Unit
from sought.console.context import ConsoleContext
from sought.console.lookup import About, route
from sought.console.wording import count, exactly, number, searches
from sought.operate.explain import PageExplanation, explain
from sought.operate.known import UrlVerdict
from sought.operate.view import View
from sought.web.errors import BadInput
from sought.web.url import canonical, origin


def routes(office: ConsoleContext) -> list[BaseRoute]:
    return [route(office, About("url", "URL", canonical, _looked_up))]


def _looked_up(view: View, url: str, now: float) -> dict[str, Any]:
    row, judged = view.row(url), view.judge(url)
    if row < 0:
        raise BadInput(f"This crawl has not heard of {url}. It {judged.verdict}: {judged.why}, {_robots(judged)}")
    found = explain(view, url, view.config.policy, now)
    gains, report = view.ranking(view.config.policy, now).gains, view.measuring.report()
    has_price = gains is not None and bool(np.isfinite(gains).any())  # then values are gains times how long they last
    value = found.now.value
    said = f"{searches(Unit.by(report).in_all(value))} searches" if has_price and report else number(value)
    shown = found.to_json()
    shown["history"].reverse()
    more = {"title": found.page.title, "robots": judged.robots, "next": _next(found, now, said)}
    return {"origin": origin(url), **shown, **more, "report": report, "has_price": has_price}


def _robots(judged: UrlVerdict) -> str:
    return "robots.txt was not read yet" if judged.robots == "not read yet" else judged.robots


def _next(found: PageExplanation, now: float, value: str) -> str:
    """When it is fetched next, in a sentence."""
    page, worth = found.page, found.now
    if page.state == "dead":
        return "It is not fetched again: it has been gone for long."
    if page.not_before and page.not_before > now:
        return f"Not before {exactly(page.not_before)}."
    if not worth.may_be_fetched:
        return "Not now: it was fetched too recently, or the crawl's rules keep it out."
    if worth.rank is None:
        return "Nobody knows: the policy gives it no value."
    before = worth.rank - 1
    if not before:
        return "It is the first of all that would be fetched now."
    return f"{count(before, 'page is', 'pages are')} worth more now, by the policy's value of {value}."
