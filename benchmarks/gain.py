"""What does it cost to measure every fetch?  Indexing real pages with and without it.

Indexing is everything from the HTML of a page to a committed index: digesting, analysing, writing.  A page is fetched
for the first time, or it is there already and has changed.  Costs are in CPU time of all threads; each is the least of
a few runs, taken in turns.
"""

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.asked import simulated
from benchmarks.world import World, read_world
from sought.index import Entry, Index
from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.fields import texts
from sought.index.filing import single_words
from sought.index.lists import ListsOf
from sought.index.measure import GainMeasure
from sought.index.statistics import Census
from sought.index.vectors import Counter, Vectors, no_vectors
from sought.web.digest import digest
from sought.web.message import Response

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_BATCH = 256
_RUNS = 5
_JUDGED = 10_000  # queries by which the estimate is compared with the exact gain
_ESTIMATORS: dict[str, ListsOf] = {"first_100": Curves(), "all_results": Curves(depth=0), "exact": Exact()}

Report = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class _Cost:
    """Of plain indexing, in seconds a page, and of measuring, as a part of that."""

    seconds: float
    first: float
    changed: float
    matches: float
    bytes_per_query: float

    @property
    def overhead(self) -> float:
        """Of a first fetch and a changed page, one as often as the other."""
        return (self.first + self.changed) / 2


def run(world: Path, pages: int, sizes: Sequence[int], report: Report) -> dict[str, object]:
    """Overheads by the number of queries, measured by whole queries and by their single words."""
    found = read_world(world, pages)
    known = [_entry(row, response) for row, response in enumerate(found.first)]
    queries = simulated([entry.body for entry in known], found.queries, max(sizes))
    whole, words = {}, {}
    for size in sizes:
        report(size)
        asked = queries[:size]
        whole[str(size)] = _cost(found, known, asked, _weights(asked))
        words[str(size)] = _cost(found, known, *single_words(asked, _weights(asked)))
    last = str(sizes[-1])
    fidelity = _fidelity(found, known, queries[: min(sizes[-1], _JUDGED)])
    return {
        "world": found.name,
        "pages": len(known),
        "queries": len(queries),
        "us_per_page": min(cost.seconds for cost in whole.values()) * 1e6,
        "overhead": {size: cost.overhead for size, cost in whole.items()},
        "overhead_first": {size: cost.first for size, cost in whole.items()},
        "overhead_changed": {size: cost.changed for size, cost in whole.items()},
        "overhead_single_words": {size: cost.overhead for size, cost in words.items()},
        "matches_per_page": {size: cost.matches for size, cost in whole.items()},
        "estimated_over_exact": fidelity[0],
        "correlation_with_exact": fidelity[1],
        "bytes_per_query": whole[last].bytes_per_query,
        "bytes_per_query_single_words": words[last].bytes_per_query,
    }


def _entry(row: int, response: Response) -> Entry:
    document = digest(response)
    return Entry(row, response.url, document.title, document.main or document.text, "", document.language)


def _index(responses: Sequence[Response], measured: Callable[[Index, list[Entry]], None]) -> float:
    """CPU seconds from HTML to a committed index."""
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
        index = Index.open(Path(folder), writable=True)
        start = time.process_time()
        for at in range(0, len(responses), _BATCH):
            some = responses[at : at + _BATCH]
            measured(index, [_entry(at + i, response) for i, response in enumerate(some)])
        index.commit()
        spent = time.process_time() - start
        index.close()
    return spent


def _weights(queries: Sequence[str]) -> NDArray[np.float64]:
    weights = np.reciprocal(np.arange(len(queries), dtype=np.float64) + 10.0)
    return np.asarray(weights / weights.sum(), np.float64)


def _fidelity(world: World, known: list[Entry], queries: list[str]) -> tuple[dict[str, float], float]:
    """Gains of the changed pages by curves, over the exact ones; and how those of the default correlate with them."""
    ties = _ties(len(known))
    rows, gains = np.arange(len(known)), {}
    for name, estimator in _ESTIMATORS.items():
        measure = GainMeasure(queries, _weights(queries), estimator=estimator)
        counter, old = _opened(measure, known)
        new = _vectors([_entry(row, response) for row, response in enumerate(world.last)], counter)
        measure.fill([(rows, ties, old)])
        gains[name] = measure.shift(rows, ties, old, new).gain
    exact = gains.pop("exact")
    ratios = {name: float(gain.sum() / exact.sum()) for name, gain in gains.items()}
    return ratios, float(np.corrcoef(gains["first_100"], exact)[0, 1])


def _opened(measure: GainMeasure, known: list[Entry]) -> tuple[Counter, Vectors]:
    """A counter and the vectors of the known pages, by whose statistics scores are frozen."""
    counter = Counter(measure.vocabulary, measure.filing.read)
    old = _vectors(known, counter)
    census = Census(len(measure.vocabulary))
    census.add(old)
    measure.freeze(census.statistics())
    return counter, old


def _ties(count: int) -> NDArray[np.uint32]:
    return np.random.default_rng(1).integers(0, 1 << 32, count, np.uint32)


def _cost(world: World, known: list[Entry], queries: list[str], weights: NDArray[np.float64]) -> _Cost:
    measure = GainMeasure(queries, weights)
    counter, old = _opened(measure, known)
    rows, ties = np.arange(len(known)), _ties(len(known))
    spent: dict[str, list[float]] = {"plain": [], "first": [], "changed": []}
    matches = 0
    for _ in range(_RUNS):
        spent["plain"].append(_index(world.last, lambda index, entries: index.update(entries)))
        for kind, before in (("first", no_vectors(len(known))), ("changed", old)):
            matches = measure.fill([(rows, ties, old)])

            def measured(index: Index, entries: list[Entry], before: Vectors = before) -> None:
                index.update(entries, counter)
                at, stop = entries[0].row, entries[-1].row + 1
                measure.shift(rows[at:stop], ties[at:stop], before.some(at, stop), counter.take())

            spent[kind].append(_index(world.last, measured))
    plain, first, changed = (min(times) for times in spent.values())
    held = measure.nbytes / len(queries)
    return _Cost(plain / len(known), first / plain - 1.0, changed / plain - 1.0, matches / len(known), held)


def _vectors(entries: Sequence[Entry], counter: Counter) -> Vectors:
    for entry in entries:
        for text in texts(entry):
            counter.read(text, entry.language)
        counter.end_page(entry.language)
    return counter.take()
