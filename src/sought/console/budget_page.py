"""The page of the budget: how many fetches a day are enough, how sure is that, and what does today's budget bring?"""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.folders import without_folder
from sought.console.view_cache import Pending
from sought.console.wording import NOTHING, number
from sought.operate.dial import budget
from sought.operate.view import View
from sought.web.errors import CrawlDamaged

_TITLE = "Budget"
_ROWS = 24  # of the curve as a table

Estimate = dict[str, float | None]


def routes(context: ConsoleContext) -> list[BaseRoute]:
    async def show(request: Request) -> HTMLResponse:
        if not (context.path / "store").exists():
            return context.sorry(request, _TITLE, "Nothing has been crawled yet", 404)
        try:
            found = await context.views.ask("budget", _looked_up)
        except Pending as why:
            return context.wait(request, _TITLE, why)
        except CrawlDamaged as why:  # of another version, say: it says what to do
            return context.sorry(request, _TITLE, without_folder(context.path, str(why)), 409)
        return context.page(request, "console_budget.html", **found.found, read=found.time, between=between)

    return [Route("/console/budget", show)]


def _looked_up(view: View) -> dict[str, Any]:
    """All that the page shows.  What has no place on a logarithmic axis is a sentence."""
    found = budget(view, view.opened)
    curve = [each.to_json() for each in found.curve if each.fetches_a_day > 0.0]
    marks = [{"level": float(level), **each.to_json()} for level, each in (found.levels or {}).items()]
    chart = {"curve": curve, "marks": marks, "today": found.budget.to_json() if curve and found.budget else None}
    return {
        "dial": found.to_json(),
        "chart": chart,
        "rows": curve[:: -(-len(curve) // _ROWS) or 1],
        "pace": view.config.crawl.budget,
    }


def between(each: Estimate) -> str:
    """The 80 % interval of a number of fetches; no upper end if the quality may be out of reach.

    >>> between({"value": 3.0, "low": 1.0, "high": None}), between({"value": None, "low": None, "high": None})
    ('1 or more', '–')
    """
    low, high = each["low"], each["high"]
    if low is None:
        return NOTHING
    return f"{number(low)} or more" if high is None else f"{number(low)} to {number(high)}"
