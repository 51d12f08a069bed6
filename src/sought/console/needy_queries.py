"""The queries that need pages most, as the crawl ranks them (operate/explain_query.py)."""

from typing import Any

from sought.operate.explain_query import needy
from sought.operate.view import View

MOST = 1000  # queries that are looked through


def needy_rows(view: View, limit: int, *, only_unanswered: bool) -> list[dict[str, Any]]:
    """The first of them, for a template."""
    return [each.to_json() for each in needy(view, MOST, unanswered=only_unanswered)[:limit]]
