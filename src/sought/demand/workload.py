"""Which queries should the crawl serve, and with which weights?  The workload drawn from the log.

The weight of a query is its searches per week.  A search in a sliding window counts 1/window; or every search counts by
its age, 2^(-age/h)·ln 2/h, which sums to the rate of a steady stream.  Tallies in force are rates already.  Spellings
with the same normal form are one query.  Nothing later than `now` is used.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sought.demand.frames import tallies_in_force
from sought.demand.log import QueryLog
from sought.demand.rows import DAY, WEEK
from sought.demand.values import today
from sought.web.errors import BadInput

_BATCH = 65536
_EPSILON = 1e-12  # shares are sums of many small numbers

Normal = Callable[[Sequence[str]], list[str]]
Keys = NDArray[np.uint64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Selection:
    """How a workload is drawn.  Times are in seconds, everything else but `max_queries` is a share of demand.

    `half_life`, if given, takes the place of `window`.  `head` and `tail` leave out the heaviest queries that together
    make up that share, and the lightest.  `held_out` is the share of *queries* kept for evaluation.
    """

    window: float = 28 * DAY
    half_life: float = 0.0
    held_out: float = 0.0
    head: float = 0.0
    tail: float = 0.0
    max_queries: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Workload:
    """Distinct queries in order of their keys.

    `texts` has the most frequent spelling of each.  A key is a 64-bit hash of the normal form; it never changes and
    decides whether the query is held out.  `weights` are those of the training part and sum to 1.
    """

    texts: tuple[str, ...]
    keys: Keys
    weights: Floats
    held_out: NDArray[np.bool_]
    rate: Floats
    left_out: dict[str, int]

    def weights_of(self, *, held_out: bool) -> Floats:
        """Weights of one part, summing to 1; 0 for queries of the other."""
        return _normalised(np.where(self.held_out == held_out, self.rate, 0.0))


def workload(log: QueryLog, now: float, normal: Normal, selection: Selection = Selection()) -> Workload:
    """Draw the workload; `normal` gives the normal form of each text, "" for one that cannot be answered."""
    if selection.window <= 0 and selection.half_life <= 0:
        raise BadInput("a workload needs a window or a half-life")
    texts, rates = _spellings(log, now, selection)
    forms = [form for start in range(0, len(texts), _BATCH) for form in normal(texts[start : start + _BATCH])]
    keys = np.array([query_key(form) for form in forms], np.uint64)
    readable = np.array([form != "" for form in forms], np.bool_)
    names, keys, rates = _merged(np.array(texts, object)[readable], keys[readable], rates[readable])
    kept, left_out = _pruned(rates, selection)
    keys, rates = keys[kept], rates[kept]
    held_out = is_held_out(keys, selection.held_out)
    weights = _normalised(np.where(held_out, 0.0, rates))
    unreadable = int((~readable).sum())
    return Workload(tuple(names[kept]), keys, weights, held_out, rates, {"unreadable": unreadable, **left_out})


def query_key(normal_form: str) -> int:
    """The key of a query, which never changes."""
    return int.from_bytes(hashlib.blake2b(normal_form.encode(), digest_size=8).digest(), "little")


def is_held_out(keys: Keys, share: float) -> NDArray[np.bool_]:
    """Whether key / 2**64 < share: no seed, no state, and a larger share contains a smaller one."""
    bound = math.ceil(share * 2**64)
    return np.full(len(keys), True) if bound >= 2**64 else keys < np.uint64(max(bound, 0))


def _spellings(log: QueryLog, now: float, selection: Selection) -> tuple[list[str], Floats]:
    """Every text with its searches per week, sorted.

    Summed in NumPy and in order of time, not by a parallel group-by: the same log gives the same bits.
    """
    searches = log.searches("query", "time").filter(pl.col("time") <= now)
    if not selection.half_life:
        searches = searches.filter(pl.col("time") > now - selection.window)
    tallies = tallies_in_force(log.tallies(), today(now))
    texts = pl.concat([searches["query"], tallies["query"]]).unique().sort()
    codes = pl.DataFrame({"query": texts, "code": np.arange(len(texts))})

    def coded(frame: pl.DataFrame) -> NDArray[np.int64]:
        return frame.join(codes, on="query", maintain_order="left")["code"].to_numpy()

    counts = weekly_rate(now - searches["time"].to_numpy(), selection)
    rates: Floats = np.bincount(coded(searches), counts, len(texts)).astype(np.float64)
    rates += np.bincount(coded(tallies), tallies["count"].to_numpy(), len(texts))
    positive = rates > 0
    return texts.filter(pl.Series(positive)).to_list(), rates[positive]


def weekly_rate(age: Floats, selection: Selection) -> Floats:
    """The weekly rate that a search of this age (seconds) counts for."""
    if not selection.half_life:
        return np.full(len(age), WEEK / selection.window)
    half_life = selection.half_life / WEEK
    return np.exp2(-age / selection.half_life) * (math.log(2) / half_life)


def _merged(texts: NDArray[np.object_], keys: Keys, rates: Floats) -> tuple[NDArray[np.object_], Keys, Floats]:
    """One row for each key, in order of keys.  Of equally frequent spellings the alphabetically first is kept."""
    order = np.lexsort((-rates, keys))  # stable, and the texts are sorted
    texts, keys, rates = texts[order], keys[order], rates[order]
    first = np.flatnonzero(np.diff(keys, prepend=~keys[:1]) != 0)
    return texts[first], keys[first], np.add.reduceat(rates, first) if len(first) else rates


def _pruned(rates: Floats, selection: Selection) -> tuple[NDArray[np.int64], dict[str, int]]:
    """The rows that are kept, in order, and how many others were dropped for which reason."""
    heaviest = np.argsort(-rates, kind="stable")
    shares = np.cumsum(rates[heaviest]) / max(rates.sum(), 1e-300)
    behind = np.cumsum(rates[heaviest][::-1])[::-1] / max(rates.sum(), 1e-300)
    head = shares <= selection.head + _EPSILON if selection.head else np.zeros(len(rates), np.bool_)
    tail = behind <= selection.tail + _EPSILON if selection.tail else np.zeros(len(rates), np.bool_)
    tail &= ~head
    stay = heaviest[~head & ~tail]
    kept = np.sort(stay[: selection.max_queries])
    return kept, {"head": int(head.sum()), "tail": int(tail.sum()), "too-many": len(stay) - len(kept)}


def _normalised(rates: Floats) -> Floats:
    total = rates.sum()
    return rates / total if total > 0 else rates
