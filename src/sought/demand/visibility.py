"""How far down the results do people look?  The exponent of the visibility curve I(r) = c·r^-e, fitted to views.

pandey-olston-2005 takes e = 1.5.  Here the views of rank r are Poisson with mean N_r·a·r^-e, where N_r is the number of
searches that showed at least r results.  For a given e the best a is known, and the remaining likelihood is concave in
e: its slope is Σ V_r·(E[ln r] - ln r), the mean taken with weights N_r·r^-e, and the best e is where the slope is 0.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.demand.log import QueryLog
from sought.demand.rows import MAX_SHOWN

DEFAULT = 1.5
ENOUGH_VIEWS = 1000
ENOUGH_RANKS = 5
_LOWEST, _HIGHEST = 1.05, 4.0
_HALVINGS = 50

Counts = NDArray[np.int64]


def visibility_exponent(log: QueryLog, now: float) -> tuple[float, int]:
    """The exponent and the number of views behind it; 1.5 if they are fewer than 1,000 or on fewer than 5 ranks."""
    shown, views = views_by_rank(log, now)
    return fit_exponent(shown, views) if enough_views(views) else DEFAULT, int(views.sum())


def enough_views(views: Counts) -> bool:
    return bool(views.sum() >= ENOUGH_VIEWS and np.count_nonzero(views) >= ENOUGH_RANKS)


def fit_exponent(shown: Counts, views: Counts) -> float:
    """The maximum-likelihood exponent, from searches and views by rank."""
    log_rank = np.log(np.arange(1, len(shown) + 1))
    low, high = _LOWEST, _HIGHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        weights = shown * np.exp(-middle * log_rank)
        slope = (weights @ log_rank) / weights.sum() - (views @ log_rank) / views.sum()
        low, high = (middle, high) if slope > 0 else (low, middle)
    return float(low)


def views_by_rank(log: QueryLog, now: float) -> tuple[Counts, Counts]:
    """For each rank from 1: searches that showed so many results, and views of the rank.

    A click is a view.  Views of results that were not shown do not count.
    """
    searches = log.searches("id", "shown", "time").filter(pl.col("time") <= now)
    lengths = searches.select("id", pl.col("shown").list.len().alias("length"))
    seen = with_ranks(log.events().filter(pl.col("time") <= now), log).select("id", "rank").unique()
    valid = seen.join(lengths, on="id").filter((pl.col("rank") >= 1) & (pl.col("rank") <= pl.col("length")))
    by_length = np.bincount(lengths["length"].to_numpy(), minlength=MAX_SHOWN + 1)
    shown = by_length[::-1].cumsum()[::-1][1:]
    views = np.bincount(valid["rank"].to_numpy(), minlength=MAX_SHOWN + 1)[1:]
    return shown.astype(np.int64), views.astype(np.int64)


def with_ranks(events: pl.DataFrame, log: QueryLog) -> pl.DataFrame:
    """Events with ranks; an event without rank gets that at which its result was shown, if it was."""
    unknown = events.filter(pl.col("rank") == 0)
    if unknown.is_empty():
        return events
    lists = log.searches("id", "shown").join(unknown.select("id").unique(), on="id", how="semi")
    places = lists.with_columns(pl.int_ranges(1, pl.col("shown").list.len() + 1, dtype=pl.UInt32).alias("place"))
    first = places.explode("shown", "place").drop_nulls().unique(["id", "shown"], keep="first", maintain_order=True)
    joined = events.join(first, left_on=["id", "url"], right_on=["id", "shown"], how="left", maintain_order="left")
    rank = pl.when(pl.col("rank") == 0).then(pl.col("place").fill_null(0)).otherwise(pl.col("rank"))
    return joined.with_columns(rank.alias("rank")).drop("place")
