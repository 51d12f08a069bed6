"""How often a week is each page seen or clicked in search results?

The search impact of a page, I_V and I_C of Tran, Turk, Cambazoglu & Nejdl (A Random Walk Model for Optimization of
Search Impact in Web Frontier Ranking, SIGIR 2015, §3): it is seen when it is among the first ten results of a search.
Searches and clicks are weighted as in the workload, by window or half-life.  Held-out queries do not count.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.demand.log import QueryLog
from sought.demand.rows import Action
from sought.demand.values import today
from sought.demand.workload import Normal, Selection, is_held_out, query_key, weekly_rate

FIRST = 10  # results that are seen

Floats = NDArray[np.float64]


def impact(
    log: QueryLog,
    action: Action,
    now: float,
    normal: Normal,
    selection: Selection = Selection(),  # noqa: B008  a frozen value
) -> tuple[list[str], Floats]:
    """Results, sorted, and how often a week each was seen or clicked; empty if the log has no such events.

    Tallies have clicks, but no views.
    """
    events = _clicks(log) if action is Action.CLICK else _shown(log)
    events = events.filter((pl.col("time") <= now) & (pl.col("url") != ""))
    if not selection.half_life:
        events = events.filter(pl.col("time") > now - selection.window)
    tallies = _tallied(log, now)
    if action is not Action.CLICK:
        tallies = tallies.clear()
    events, tallies = (_steering(each, normal, selection.held_out) for each in (events, tallies))
    results = pl.concat([events.select("url"), tallies.select("url")])
    urls = results.unique().sort("url")
    code = results.join(urls.with_row_index("code"), on="url", maintain_order="left")["code"].to_numpy()
    counted = np.concatenate([weekly_rate(now - events["time"].to_numpy(), selection), tallies["clicks"].to_numpy()])
    return urls["url"].to_list(), np.bincount(code, counted, len(urls)).astype(np.float64)


def _shown(log: QueryLog) -> pl.DataFrame:
    searches = log.searches("query", "time", "shown")
    return (
        searches.with_columns(pl.col("shown").list.head(FIRST)).explode("shown").drop_nulls().rename({"shown": "url"})
    )


def _clicks(log: QueryLog) -> pl.DataFrame:
    """Clicks of recorded searches; a click with only a rank is on the result shown there."""
    clicks = log.events().filter(pl.col("action") == str(Action.CLICK))
    searches = log.searches("id", "query", "shown")
    joined = clicks.join(searches, on="id", maintain_order="left")
    place = pl.col("rank").cast(pl.Int64) - 1
    there = pl.when(place >= 0).then(pl.col("shown").list.get(pl.max_horizontal(place, 0), null_on_oob=True))
    url = pl.when(pl.col("url") == "").then(there.fill_null("")).otherwise(pl.col("url"))
    return joined.with_columns(url.alias("url")).unique(["id", "url"], keep="first", maintain_order=True)


def _tallied(log: QueryLog, now: float) -> pl.DataFrame:
    """The newest tally of each query that has begun, if it has clicks."""
    begun = log.tallies().filter(pl.col("day") <= today(now))
    newest = begun.filter(pl.col("day") == pl.col("day").max().over("query"))
    return newest.filter((pl.col("url") != "") & (pl.col("clicks") > 0)).select("query", "url", "clicks")


def _steering(rows: pl.DataFrame, normal: Normal, held_out: float) -> pl.DataFrame:
    """Without rows of held-out queries."""
    if not held_out:
        return rows
    texts: Sequence[str] = rows["query"].unique().sort().to_list()
    keys = np.array([query_key(form) for form in normal(texts)], np.uint64)
    steer = [text for text, held in zip(texts, is_held_out(keys, held_out).tolist(), strict=True) if not held]
    return rows.filter(pl.col("query").is_in(steer))
