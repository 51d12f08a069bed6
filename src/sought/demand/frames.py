"""How are rows laid out in columns?"""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import Any

import polars as pl

from sought.demand.rows import DAY, Event, Row, Search, Tally


class RowKind(StrEnum):
    """What the rows of one file are."""

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
}  # equal in these: one and the same
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


def tally_lines(rows: Sequence[Row]) -> pl.DataFrame:
    """Lines of a file, still to be folded; unlike tallies of the log they know whether they were dated."""
    undated = [isinstance(row, Tally) and row.undated for row in rows]
    return frame(RowKind.TALLIES, rows).with_columns(pl.Series("undated", undated, pl.Boolean))


def fold_tallies(lines: pl.LazyFrame) -> pl.DataFrame:
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
    undated = lines.group_by(what).agg(pl.col("undated").all())
    rows = totals.join(undated, on=what).join(linked.drop("count"), on=what, how="left")
    filled = rows.with_columns(pl.col("url").fill_null(""), pl.col("clicks").fill_null(0.0))
    return filled.select([*SCHEMAS[RowKind.TALLIES], "undated"]).sort([*what, "url"]).collect()


def latest_tallies(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Of tallies imported one after the other, what holds: for each query and day the last word on it."""
    numbered = [part.with_columns(pl.lit(number).alias("part")) for number, part in enumerate(parts)]
    if not numbered:
        return pl.DataFrame(schema=SCHEMAS[RowKind.TALLIES])
    rows = pl.concat(numbered)
    is_last = pl.col("part") == pl.col("part").max().over("query", "day")
    return rows.filter(is_last).drop("part").sort("query", "day", "url")


def new_tallies(tallies: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Of folded tallies those that say something new, each with all its URLs.

    A dated one repeats what is known of its query and day.  An undated one repeats what is in force on its day, be it
    by other lines of its file: a table without dates that is imported every day says the same only once.
    """
    dated = tallies.filter(~pl.col("undated")).drop("undated")
    undated = tallies.filter(pl.col("undated")).drop("undated").sort("day")
    by_then = latest_tallies([known, dated])
    days = by_then.select("query", "day", pl.col("day").alias("since")).unique().sort("day")
    begun = undated.join_asof(days, on="day", by="query", check_sortedness=False)  # both are sorted
    same_day = dated.with_columns(pl.col("day").alias("since"))
    return pl.concat([_differing(same_day, known), _differing(begun, by_then)]).sort("query", "day", "url")


def _differing(tallies: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Those of which something else, or something more or less, is known `since` the day they are compared with."""
    what, said = ["query", "day"], list(SCHEMAS[RowKind.TALLIES])
    compared = tallies.select(*what, "since").unique()
    before = known.rename({"day": "since"}).join(compared, on=["query", "since"]).select(said)
    now = tallies.select(said)
    changed = pl.concat([now.join(before, on=said, how="anti"), before.join(now, on=said, how="anti")])
    return now.join(changed, on=what, how="semi")


def replaced_tallies(tallies: pl.DataFrame, moment: float) -> pl.DataFrame:
    """Query and day of the tallies that at a moment were no longer in force."""
    begun = tallies.select("query", "day").unique().filter(pl.col("day").cast(pl.Int32) * DAY <= moment)
    return begun.filter(pl.col("day") < pl.col("day").max().over("query"))


def tallies_in_force(tallies: pl.DataFrame, today: date) -> pl.DataFrame:
    """What is asked on a day: of each query the newest tally that has begun."""
    begun = tallies.filter(pl.col("day") <= today).select("query", "day", "count")
    return begun.sort("query", "day").unique("query", keep="last", maintain_order=True).select("query", "count")
