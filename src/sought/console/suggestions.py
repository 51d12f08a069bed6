"""Which queries are suggested?  Frequent ones of others, without revealing anybody.

A query is suggested only if at least three searches asked it, or an imported tally names it: what one person typed once
is shown to nobody.  The log knows no persons: three searches of one person look like those of three.
"""

import asyncio
import time
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from math import inf

import polars as pl

from sought.demand import QueryLog

ENOUGH = 3  # searches
MOST = 8
_MAX_QUERIES = 50_000
_MAX_LENGTH = 100
_EVERY = 10.0  # seconds
_PATIENCE = 50  # times what it took to read the log


def folded(text: str) -> str:
    """How queries are compared: without case or white space; but a space at the end says that a word has ended."""
    return " ".join(text.casefold().split()) + (" " if text[-1:].isspace() and text.strip() else "")


@dataclass(frozen=True)
class QueryTable:
    """Queries in the order of their folded texts, and how often each was asked."""

    keys: Sequence[str] = ()
    texts: Sequence[str] = ()
    counts: Sequence[float] = ()

    def starting(self, prefix: str) -> list[str]:
        """Those asked most of all that start so."""
        first, last = bisect_left(self.keys, prefix), bisect_left(self.keys, prefix + "\U0010ffff")
        best = nsmallest(MOST, range(first, last), key=lambda at: (-self.counts[at], at))
        return [self.texts[at] for at in best]


class Suggestions:
    """Read from the log again when it has changed, at most every ten seconds."""

    def __init__(self, log: QueryLog) -> None:
        self._log = log
        self._best = QueryTable().starting
        self._stamp: object = None
        self._due = -inf
        self._reading = asyncio.Lock()

    async def starting(self, text: str) -> list[str]:
        prefix = folded(text)
        if not prefix or len(prefix) > _MAX_LENGTH:
            return []
        async with self._reading:  # who comes meanwhile waits: what was deleted must not be shown
            if time.monotonic() >= self._due:
                await asyncio.to_thread(self._read)
        return self._best(prefix)

    def _read(self) -> None:
        began, stamp = time.monotonic(), self._log.stamp()
        if stamp != self._stamp:
            self._best, self._stamp = lru_cache(4096)(asked_often(self._log).starting), stamp
        ended = time.monotonic()
        self._due = ended + max(_EVERY, _PATIENCE * (ended - began))


def asked_often(log: QueryLog) -> QueryTable:
    """All queries that may be shown to others."""
    searches = log.searches("query").with_columns(count=pl.lit(1.0), tally=pl.lit(value=False))
    tallies = log.tallies().select("query", "count", tally=pl.lit(value=True))
    spellings = pl.concat([searches, tallies]).group_by("query").agg(pl.col("count").sum(), pl.col("tally").any())
    keys = pl.Series("key", [folded(text) for text in spellings["query"]], pl.String())
    queries = (
        spellings.with_columns(keys)
        .sort("key", -pl.col("count"), "query")
        .group_by("key", maintain_order=True)
        .agg(pl.col("query").first(), pl.col("count").sum(), pl.col("tally").any())
        .filter((pl.col("count") >= ENOUGH) | pl.col("tally"))
        .filter(pl.col("key").str.len_chars() <= _MAX_LENGTH)
    )
    kept = queries.top_k(_MAX_QUERIES, by="count").sort("key")
    return QueryTable(kept["key"].to_list(), kept["query"].to_list(), kept["count"].to_list())
