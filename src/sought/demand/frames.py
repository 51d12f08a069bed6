"""How are rows laid out in columns?"""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import Any

import polars as pl

from sought.demand.rows import DAY, Event, Row, Search, Tally


class RowKind(StrEnum):
    """The kind of rows in a file."""

    SEARCHES = "searches"
    EVENTS = "events"
    TALLIES = "tallies"


SCHEMAS: dict[RowKind, dict[str, pl.DataType]] = {
    RowKind.SEARCHES: {"id": pl.UInt64(), "query": pl.String(), "time": pl.Float64(), "shown": pl.List(pl.String())},
    RowKind.EVENTS: {
        "id": pl.UInt64(),
        "action": pl.String(),
        "url": pl.String(),
        "rank": pl.UInt32(),
        "time": pl.Float64(),
    },
    RowKind.TALLIES: {
        "query": pl.String(),
        "day": pl.Date(),
        "count": pl.Float64(),
        "url": pl.String(),
        "clicks": pl.Float64(),
    },
}
IDENTITY = {
    RowKind.SEARCHES: ["id"],
    RowKind.EVENTS: ["id", "action", "url", "rank"],
}  # rows that are equal in these are the same
_FIELDS = {
    RowKind.SEARCHES: ("id", "query", "time", "shown"),
    RowKind.EVENTS: ("search", "action", "url", "rank", "time"),
    RowKind.TALLIES: ("query", "day", "count", "url", "clicks"),
}


def kind_of(row: Row) -> RowKind:
    if isinstance(row, Search):
        return RowKind.SEARCHES
    return RowKind.EVENTS if isinstance(row, Event) else RowKind.TALLIES


def frame(kind: RowKind, rows: Sequence[Row]) -> pl.DataFrame:
    """Rows of one kind as a data frame."""
    names = zip(SCHEMAS[kind].items(), _FIELDS[kind], strict=True)
    return pl.DataFrame([_column(name, dtype, [getattr(row, field) for row in rows]) for (name, dtype), field in names])


def _column(name: str, dtype: pl.DataType, values: list[Any]) -> pl.Series:
    if name == "action":
        return pl.Series(name, [str(action) for action in values], dtype)
    if name != "shown":
        return pl.Series(name, values, dtype)
    # Building this column from Python lists took twice as long as all the rest; results have no line breaks.
    joined = pl.DataFrame(
        {name: ["\n".join(hits) for hits in values], "length": [len(hits) for hits in values]},
        {name: pl.String, "length": pl.UInt32},
    )
    return joined.select(pl.col(name).str.split("\n").list.head(pl.col("length"))).to_series()


def tally_lines(rows: Sequence[Row]) -> pl.DataFrame:
    """Lines of a file, before folding; unlike tallies of the log, they have a column `undated`."""
    undated = [isinstance(row, Tally) and row.undated for row in rows]
    return frame(RowKind.TALLIES, rows).with_columns(pl.Series("undated", undated, pl.Boolean))


def fold_tallies(lines: pl.LazyFrame) -> pl.DataFrame:
    """The tallies of the lines of one file, sorted; all rows of one query and day have the query's count.

    Lines without a URL are summed.  Lines with a URL repeat the query's count, so the largest is taken; their clicks
    are summed.
    """
    key = ["query", "day"]
    plain = lines.filter(pl.col("url") == "").group_by(key).agg(pl.col("count").sum())
    linked = (
        lines.filter(pl.col("url") != "").group_by([*key, "url"]).agg(pl.col("count").max(), pl.col("clicks").sum())
    )
    totals = pl.concat([plain, linked.select([*key, "count"])]).group_by(key).agg(pl.col("count").max())
    undated = lines.group_by(key).agg(pl.col("undated").all())
    rows = totals.join(undated, on=key).join(linked.drop("count"), on=key, how="left")
    filled = rows.with_columns(pl.col("url").fill_null(""), pl.col("clicks").fill_null(0.0))
    return filled.select([*SCHEMAS[RowKind.TALLIES], "undated"]).sort([*key, "url"]).collect()


def latest_tallies(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The valid tallies of successive imports: for each query and day the last one."""
    numbered = [each.with_columns(pl.lit(number).alias("part")) for number, each in enumerate(frames)]
    if not numbered:
        return pl.DataFrame(schema=SCHEMAS[RowKind.TALLIES])
    rows = pl.concat(numbered)
    is_last = pl.col("part") == pl.col("part").max().over("query", "day")
    return rows.filter(is_last).drop("part").sort("query", "day", "url")


def new_tallies(tallies: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The folded tallies that differ from known ones, each with all its URLs.

    A dated tally is compared with the known one of its query and day, an undated one with the one in force on its day,
    perhaps from the same file: so a table without dates that is imported every day is stored once.
    """
    dated = tallies.filter(~pl.col("undated")).drop("undated")
    undated = tallies.filter(pl.col("undated")).drop("undated").sort("day")
    by_then = latest_tallies([known, dated])
    days = by_then.select("query", "day", pl.col("day").alias("since")).unique().sort("day")
    compared = undated.join_asof(days, on="day", by="query", check_sortedness=False)  # both are sorted
    same_day = dated.with_columns(pl.col("day").alias("since"))
    return pl.concat([_differing(same_day, known), _differing(compared, by_then)]).sort("query", "day", "url")


def _differing(tallies: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """The tallies that differ from the known ones of the day `since`."""
    key, columns = ["query", "day"], list(SCHEMAS[RowKind.TALLIES])
    compared = tallies.select(*key, "since").unique()
    before = known.rename({"day": "since"}).join(compared, on=["query", "since"]).select(columns)
    now = tallies.select(columns)
    changed = pl.concat([now.join(before, on=columns, how="anti"), before.join(now, on=columns, how="anti")])
    return now.join(changed, on=key, how="semi")


def replaced_tallies(tallies: pl.DataFrame, moment: float) -> pl.DataFrame:
    """Query and day of the tallies that were no longer in force at a moment."""
    begun = tallies.select("query", "day").unique().filter(pl.col("day").cast(pl.Int32) * DAY <= moment)
    return begun.filter(pl.col("day") < pl.col("day").max().over("query"))


def tallies_in_force(tallies: pl.DataFrame, today: date) -> pl.DataFrame:
    """The newest tally of each query that has begun on a day."""
    begun = tallies.filter(pl.col("day") <= today).select("query", "day", "count")
    return begun.sort("query", "day").unique("query", keep="last", maintain_order=True).select("query", "count")
