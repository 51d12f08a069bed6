"""Demand of a world: the part that the crawler may know, and the part that judges.

    time      judged by the searches of the next unit, new queries included
    thinning  each search is either known or judges: two samples of the same demand
    string    each query is either known or judges (by its hash); a stress test, because it hides all demand for
              some pages
    none      judged by the known searches

The crawler never knows a query before it is first asked.
"""

import hashlib
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtrik

from sought.demand.workload import is_held_out, query_key
from sought.index import normal
from sought.lab.worlds.world import WorldDemand
from sought.web.errors import BadInput

Split = Literal["time", "thinning", "string", "none"]
Part = Literal["known", "judged"]
SPLITS: tuple[Split, ...] = get_args(Split)
SEARCHES = 100_000.0  # a week, of which thinning makes two samples

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Demand:
    """Distinct queries in order of their keys, and each change of their rates.

    A change has a `query`, a time (`since`), and by how much the known rate and the judged rate grow.
    """

    texts: list[str]
    keys: NDArray[np.uint64]
    query: NDArray[np.int64]
    since: Floats
    known: Floats
    judged: Floats
    ahead: float = 0.0  # seconds by which judging looks ahead

    def __len__(self) -> int:
        return len(self.texts)

    def weights(self, part: Part, time: float) -> Floats:
        """f_q of every query at a time; they sum to 1, if anything is asked."""
        rates = self.rates(part, time)
        return rates / rates.sum() if rates.any() else rates

    def rates(self, part: Part, time: float) -> Floats:
        """How often each query is asked in a week."""
        counts, until = (self.known, time) if part == "known" else (self.judged, time + self.ahead)
        begun = self.since <= until
        rates = np.bincount(self.query[begun], counts[begun], len(self.texts)).astype(np.float64)
        return np.maximum(rates, 0.0)  # rounding


def demand_of(
    tallies: WorldDemand,
    split: Split,
    unit: float,
    seed: int = 0,
    searches: float = SEARCHES,
    start: float = -np.inf,
) -> Demand:
    """Spellings with the same normal form are one query; queries without a normal form are left out.

    `searches` a week is what is asked at `start`, or when the first query is, if that is later.
    """
    if split not in SPLITS:
        raise BadInput(f"demand is split by {', '.join(SPLITS)}, not {split!r}")
    texts = list(dict.fromkeys(tallies.query))
    numbers = {text: number for number, text in enumerate(texts)}
    keys = {text: query_key(form) for text, form in zip(texts, normal(texts), strict=True) if form}
    spelled: dict[int, str] = {}
    for text, key in keys.items():
        spelled.setdefault(key, text)
    ordered = np.array(sorted(spelled), np.uint64)
    rows = np.array([i for i, text in enumerate(tallies.query) if text in keys], np.int64)
    query = np.searchsorted(ordered, np.array([keys[tallies.query[i]] for i in rows.tolist()], np.uint64))
    count = tallies.count[rows]
    since = tallies.since[rows]
    spelling = np.array([numbers[tallies.query[i]] for i in rows.tolist()], np.int64)
    known = judged = count
    if split == "thinning":
        scale = searches / 2 / _at_first(count, spelling, since, start)
        known, judged = (_sample(count * scale, since, ordered[query], (seed, half)) for half in (0, 1))
    elif split == "string":
        apart = is_held_out(ordered, 0.5)[query]
        known, judged = np.where(apart, 0.0, count), np.where(apart, count, 0.0)
    ahead = unit if split == "time" else 0.0
    known, judged = (_increments(part, spelling, since) for part in (known, judged))
    return Demand([spelled[int(key)] for key in ordered], ordered, query, since, known, judged, ahead)


def _increments(count: Floats, spelling: NDArray[np.int64], since: Floats) -> Floats:
    """How much more each line is than the one before it of the same spelling."""
    order = np.lexsort((since, spelling))
    counts, spellings = count[order], spelling[order]
    before = np.where(np.diff(spellings, prepend=-1) == 0, np.roll(counts, 1), 0.0)
    more = np.empty(len(count))
    more[order] = counts - before
    return more


def _at_first(count: Floats, spelling: NDArray[np.int64], since: Floats, start: float) -> float:
    """The rate of all searches at the start, or when the first query begins; 1 if there is none."""
    more = _increments(count, spelling, since)
    for time in np.unique(np.maximum(since, start)).tolist():
        if (rate := float(more[since <= time].sum())) > 0:
            return rate
    return 1.0


def _sample(mean: Floats, since: Floats, keys: NDArray[np.uint64], seed: tuple[int, int]) -> Floats:
    """Poisson numbers of searches.

    Each row is drawn independently of the others, so that later demand cannot influence present demand.
    """
    if not len(mean):
        return mean
    columns = np.stack([keys, since.view(np.uint64), *(np.full(len(keys), each, np.uint64) for each in seed)], axis=1)
    rows = np.ascontiguousarray(columns)
    hashes = [hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in rows]
    chance = (np.frombuffer(b"".join(hashes), np.uint64).astype(np.float64) + 0.5) / 2.0**64
    drawn: Floats = np.ceil(pdtrik(chance, np.maximum(mean, 1e-12)))  # the inverse of the distribution
    return np.maximum(drawn, 0.0)
