"""How are rows laid out in columns?"""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import Any

import polars as pl

from sought.demand.rows import Event, Row, Search


class Kind(StrEnum):
    """What the rows of one file are."""

    SEARCHES = "searches"
    EVENTS = "events"
    TALLIES = "tallies"


SCHEMAS: dict[Kind, dict[str, pl.DataType]] = {
    Kind.SEARCHES: {"id": pl.UInt64(), "query": pl.String(), "time": pl.Float64(), "shown": pl.List(pl.String())},
    Kind.EVENTS: {
        "id": pl.UInt64(),
        "action": pl.String(),
        "url": pl.String(),
        "rank": pl.UInt32(),
        "time": pl.Float64(),
    },
    Kind.TALLIES: {
        "query": pl.String(),
        "day": pl.Date(),
        "count": pl.Float64(),
        "url": pl.String(),
        "clicks": pl.Float64(),
    },
}
IDENTITY = {Kind.SEARCHES: ["id"], Kind.EVENTS: ["id", "action", "url", "rank"]}  # equal in these: one and the same
_FIELDS = {
    Kind.SEARCHES: ("id", "query", "time", "shown"),
    Kind.EVENTS: ("search", "action", "url", "rank", "time"),
    Kind.TALLIES: ("query", "day", "count", "url", "clicks"),
}


def kind_of(row: Row) -> Kind:
    if isinstance(row, Search):
        return Kind.SEARCHES
    return Kind.EVENTS if isinstance(row, Event) else Kind.TALLIES


def frame(kind: Kind, rows: Sequence[Row]) -> pl.DataFrame:
    """Rows of one kind as columns."""
    names = zip(SCHEMAS[kind].items(), _FIELDS[kind], strict=True)
    return pl.DataFrame([_column(name, of, [getattr(row, field) for row in rows]) for (name, of), field in names])


def _column(name: str, of: pl.DataType, values: list[Any]) -> pl.Series:
    if name == "action":
        return pl.Series(name, [str(action) for action in values], of)
    if name != "shown":
        return pl.Series(name, values, of)
    # Made from lists of Python this column took twice as long as all the rest; no result has a line break in it.
    joined = pl.DataFrame(
        {name: ["\n".join(hits) for hits in values], "length": [len(hits) for hits in values]},
        {name: pl.String, "length": pl.UInt32},
    )
    return joined.select(pl.col(name).str.split("\n").list.head(pl.col("length"))).to_series()


def folded(lines: pl.LazyFrame) -> pl.DataFrame:
    """The tallies that the lines of one file mean, sorted; every row of one query and day has the query's count.

    Lines without a URL are added up.  Lines with a URL repeat the query's count, so the largest counts, and add up
    their clicks.
    """
    what = ["query", "day"]
    plain = lines.filter(pl.col("url") == "").group_by(what).agg(pl.col("count").sum())
    linked = (
        lines.filter(pl.col("url") != "").group_by([*what, "url"]).agg(pl.col("count").max(), pl.col("clicks").sum())
    )
    totals = pl.concat([plain, linked.select([*what, "count"])]).group_by(what).agg(pl.col("count").max())
    rows = totals.join(linked.drop("count"), on=what, how="left")
    filled = rows.with_columns(pl.col("url").fill_null(""), pl.col("clicks").fill_null(0.0))
    return filled.select(list(SCHEMAS[Kind.TALLIES])).sort([*what, "url"]).collect()


def latest(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Of tallies imported one after the other, what holds: for each query and day the last word on it."""
    numbered = [part.with_columns(pl.lit(number).alias("part")) for number, part in enumerate(parts)]
    if not numbered:
        return pl.DataFrame(schema=SCHEMAS[Kind.TALLIES])
    rows = pl.concat(numbered)
    is_last = pl.col("part") == pl.col("part").max().over("query", "day")
    return rows.filter(is_last).drop("part").sort("query", "day", "url")


def says_nothing_new(tallies: pl.DataFrame, known: pl.DataFrame) -> bool:
    """Whether all that is said of these queries and days is already known, clicks and all."""
    of_these = known.join(tallies, on=["query", "day"], how="semi")
    return len(of_these) == len(tallies) and tallies.join(of_these, on=tallies.columns, how="anti").is_empty()


def in_force(tallies: pl.DataFrame, today: date) -> pl.DataFrame:
    """What is asked on a day: of each query the newest tally that has begun."""
    begun = tallies.filter(pl.col("day") <= today).select("query", "day", "count")
    return begun.sort("query", "day").unique("query", keep="last", maintain_order=True).select("query", "count")
