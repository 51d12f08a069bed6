"""What is in the log?  Statistics for people."""

from typing import Any

import numpy as np
import polars as pl

from sought.demand.log import QueryLog
from sought.demand.rows import DAY, Action
from sought.demand.visibility import (
    DEFAULT,
    ENOUGH_RANKS,
    ENOUGH_VIEWS,
    enough_views,
    fit_exponent,
    views_by_rank,
    with_ranks,
)
from sought.demand.workload import Normal, Selection, Workload, workload

_TOP = (10, 100, 1000)
_RANKS = 20


def stats(
    log: QueryLog,
    now: float,
    normal: Normal,
    selection: Selection = Selection(),  # noqa: B008  # a frozen value
    limit: int = 10,
) -> dict[str, Any]:
    """Counts, current demand, clicks by rank, and how far down people look."""
    searches, events, tallies = log.searches("id", "query", "time"), log.events(), log.tallies()
    queries = pl.concat([searches["query"], tallies["query"]])
    actions = {action: events.filter(pl.col("action") == action) for action in Action}
    sample = workload(log, now, normal, selection)
    return {
        "searches": len(searches),
        "tallies": tallies.select("query", "day").n_unique(),
        "distinct_queries": queries.n_unique(),
        "views": len(actions[Action.VIEW]),
        "clicks": len(actions[Action.CLICK]),
        "clicks_of_tallies": float(tallies["clicks"].sum()),
        "first_time": searches["time"].min(),
        "last_time": searches["time"].max(),
        "keep_days": log.keep / DAY,
        "demand": _demand(sample, limit),
        "clicks_by_rank": _by_rank(with_ranks(actions[Action.CLICK], log)),
        "visibility": _visibility(log, now),
    }


def _demand(sample: Workload, limit: int) -> dict[str, Any]:
    heaviest = np.argsort(-sample.rate, kind="stable")
    shares = np.cumsum(sample.rate[heaviest]) / max(sample.rate.sum(), 1e-300)
    return {
        "queries": len(sample.texts),
        "searches_a_week": float(sample.rate.sum()),
        "left_out": {reason: count for reason, count in sample.left_out.items() if count},
        "share_of_top": {str(top): float(shares[min(top, len(shares)) - 1]) for top in _TOP if len(shares)},
        "top": [{"query": sample.texts[row], "a_week": float(sample.rate[row])} for row in heaviest[:limit]],
    }


def _by_rank(clicks: pl.DataFrame) -> dict[str, int]:
    known = clicks.filter(pl.col("rank").is_between(1, _RANKS)).group_by("rank").len().sort("rank")
    return {str(rank): count for rank, count in known.iter_rows()}


def _visibility(log: QueryLog, now: float) -> dict[str, Any]:
    shown, views = views_by_rank(log, now)
    if enough_views(views):
        return {"exponent": fit_exponent(shown, views), "views": int(views.sum()), "from": "the log"}
    reason = f"fewer than {ENOUGH_VIEWS:,} views, or on fewer than {ENOUGH_RANKS} ranks"
    return {"exponent": DEFAULT, "views": int(views.sum()), "from": f"the default: {reason}"}
