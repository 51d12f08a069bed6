"""Which queries need pages most, and why?  As the crawl ranks them (operate/explain.py), with a reason for each."""

import inspect
from typing import Any

from sought.operate.explain import needy
from sought.operate.view import View
from sought.record.workload import POOR

MOST = 1000  # queries that are looked through
_CAN_FILTER = "unanswered" in inspect.signature(needy).parameters


def needy_rows(view: View, limit: int, *, only_unanswered: bool) -> list[dict[str, Any]]:
    """The first of them, each with a `why`."""
    told = needy(view, MOST, **({"unanswered": only_unanswered} if _CAN_FILTER else {}))
    rows = [each for each in told if not only_unanswered or not each["results"]]
    return [each | {"why": why(each)} for each in rows[:limit]]


def why(row: dict[str, Any]) -> str:
    """
    >>> why({"results": 0}), why({"results": 1}), why({"results": 30}), why({"results": 30, "why": "pages are old"})
    ('no page answers it', '1 result', 'its best page could fit better', 'pages are old')
    """
    if told := row.get("why"):
        return str(told)
    results = row["results"]
    if not results:
        return "no page answers it"
    if results < POOR:
        return "1 result" if results == 1 else f"{results} results"
    return "its best page could fit better"
