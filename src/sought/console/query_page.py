"""The page of a query: how well is it answered, and what would improve that?"""

from typing import Any

from starlette.routing import BaseRoute

from sought.console.context import ConsoleContext
from sought.console.lookup import About, route
from sought.demand.rows import query_text
from sought.operate.explain_query import explain_query
from sought.operate.view import View


def routes(office: ConsoleContext) -> list[BaseRoute]:
    return [route(office, About("query", "Query", query_text, _looked_up))]


def _looked_up(view: View, query: str, now: float) -> dict[str, Any]:
    found = explain_query(view, query, view.config.policy, now)
    return found.to_json() | {"report": view.measuring.report()}
