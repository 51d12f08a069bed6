"""What does it cost to measure the gain of every refresh, by batch size?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, Figure 2: time to index a batch of refreshed pages with and
without measuring, 7 to 8 % more in the paper.  Pages are made up, each there already and changed since; indexing is all
from their HTML to a committed index.  Costs are CPU time of all threads, the least of a few runs taken in turns: they
are of the machine, and not the same twice.  `python -m benchmarks gain` does it with real pages,
by the number of queries.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.index import Entry, Index
from sought.index.fields import texts
from sought.index.measure import GainMeasure
from sought.index.statistics import Census
from sought.index.vectors import Counter, Vectors
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2005 import PAPER
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.web.digest import digest
from sought.web.document import Document
from sought.web.message import RequestPurpose, Response

NAME = f"{PAPER}-figure-2"
BATCHES, QUICK = (250, 500, 1000, 2000, 4000), (50, 100)
RUNS, QUICK_RUNS = 5, 2
SMALL, CONSTANT = 0.10, 0.05  # overhead at most, and by how much it may differ between batches
PRINTED = "0.07 to 0.08"
CHEAP = Statement(f"measuring adds at most {SMALL:.0%} of CPU time to every size of batch", "7 to 8 %")
CONSTANT_COST = Statement(f"from one size to another that differs by at most {CONSTANT:.0%}", "7 to 8 %")
QUERIES = 10_000
_KNOBS = {"traps": 0.0, "sitemaps": 0.0, "births": 0.0, "deletes": 0.0, "ephemeral": 0.0, "words": 300.0}
_READ = 256  # pages counted together, as in a crawl

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class Cost:
    """CPU seconds to index a batch of so many pages, plain and with measuring.

    `noise`: by what part the median of the plain runs is above the least of them.
    """

    pages: int
    plain: float
    measured: float
    noise: float = 0.0

    @property
    def overhead(self) -> float:
        return self.measured / self.plain - 1.0


class _FirstAndLast(WorldRecorder):
    """Keeps the first and the last content of pages."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, Response] = {}
        self.last: dict[str, Response] = {}

    def answer(self, response: Response, document: Document | None = None) -> bool:
        if response.purpose is RequestPurpose.PAGE and response.status == 200:
            self.first.setdefault(response.url, response)
            self.last[response.url] = response
        return True


def made_up(pages: int, queries: int) -> tuple[list[Response], list[Response], list[str], Weights]:
    """So many pages, before and after a change, and what is asked."""
    answers = _FirstAndLast()
    hosts = max(1, min(50, pages // 20))
    generate(answers, WebShape(pages=2 * pages, hosts=hosts, weeks=8, rate=0.5, queries=queries, **_KNOBS))  # type: ignore[arg-type]  # floats
    changed = [url for url, first in answers.first.items() if answers.last[url].body != first.body][:pages]
    counts: dict[str, float] = {}
    for text, count, _ in answers.queries:
        counts[text] = counts.get(text, 0.0) + count
    weights = np.array(list(counts.values()))
    first, last = ([kept[url] for url in changed] for kept in (answers.first, answers.last))
    return first, last, list(counts), weights / weights.sum()


def costs(batches: Sequence[int], queries: int, runs: int, context: StudyContext) -> list[Cost]:
    first, last, asked, weights = made_up(max(batches), queries)
    known = [_entry(row, response) for row, response in enumerate(first)]
    measure = GainMeasure(asked, weights)
    counter = Counter(measure.vocabulary, measure.filing.read)
    old = _vectors(known, counter)
    census = Census(len(measure.vocabulary))
    census.add(old)
    measure.freeze(census.statistics())
    rows = np.arange(len(known))
    ties = np.random.default_rng(0xE02).integers(0, 1 << 32, len(known), np.uint32)
    report, costs = context.progress("indexing batches"), []
    for done, size in enumerate(batches):
        report(done, len(batches))
        batch = last[:size]
        spent = np.zeros((2, runs))
        for each in range(runs):
            spent[0, each] = _seconds(known, batch)
            measure.fill([(rows, ties, old)])
            spent[1, each] = _seconds(known, batch, (measure, counter, old, ties))
        least = spent.min(axis=1).tolist()
        costs.append(Cost(len(batch), least[0], least[1], float(np.median(spent[0]) / least[0] - 1.0)))
    report(len(batches), len(batches))
    return costs


Measuring = tuple[GainMeasure, Counter, Vectors, NDArray[np.uint32]]


def _seconds(known: list[Entry], batch: Sequence[Response], by: Measuring | None = None) -> float:
    """From HTML to an index that is committed; the known pages are in it already."""
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as folder:
        index = Index.open(Path(folder), writable=True)
        index.update(known)
        index.commit()
        began = time.process_time()
        for at in range(0, len(batch), _READ):
            entries = [_entry(at + i, response) for i, response in enumerate(batch[at : at + _READ])]
            if by is None:
                index.update(entries)
                continue
            measure, counter, old, ties = by
            index.update(entries, counter)
            stop = at + len(entries)
            measure.shift(np.arange(at, stop), ties[at:stop], old.some(at, stop), counter.take())
        index.commit()
        spent = time.process_time() - began
        index.close()
    return spent


def _entry(row: int, response: Response) -> Entry:
    document = digest(response)
    return Entry(row, response.url, document.title, document.main or document.text, "", document.language)


def _vectors(entries: Sequence[Entry], counter: Counter) -> Vectors:
    for entry in entries:
        for text in texts(entry):
            counter.read(text, entry.language)
        counter.end_page(entry.language)
    return counter.take()


def across(worlds: Mapping[str, Any], context: StudyContext) -> WorldResult:
    batches, runs = (QUICK, QUICK_RUNS) if context.quick else (BATCHES, RUNS)
    return judged(costs(batches, 200 if context.quick else QUERIES, runs, context))


def judged(costs: Sequence[Cost]) -> WorldResult:
    overheads = [cost.overhead for cost in costs]
    spread, text = max(overheads) - min(overheads), f"{min(overheads):.1%} to {max(overheads):.1%}"
    claims = [Claim(CHEAP, each.overhead <= SMALL, f"{each.overhead:.1%}", f"{each.pages:,} pages") for each in costs]
    claims.append(Claim(CONSTANT_COST, spread <= CONSTANT, text))
    numbers: dict[str, Value] = {f"overhead, batch of {cost.pages:,}": cost.overhead for cost in costs}
    rows: list[list[Value]] = [
        [cost.pages, cost.plain, cost.measured, cost.overhead, cost.noise, PRINTED] for cost in costs
    ]
    columns = ["pages in the batch", "seconds", "seconds with measuring", "overhead", "noise", "paper"]
    table = ResultTable("CPU time to index a batch of changed pages", columns, rows)
    noise = max(cost.noise for cost in costs)
    lack = ""
    if noise > CONSTANT:
        why = f"runs without it differ by {noise:.1%} themselves: the machine is too busy"
        claims, lack = [], f"measuring adds {text}, but {why}"
    return WorldResult(claims, numbers, [table], [_figure(costs)], lack, "made up")


def _figure(costs: Sequence[Cost]) -> Figure:
    title = "Time to index a batch"
    across = [float(cost.pages) for cost in costs]
    series = {"plain": (across, [c.plain for c in costs]), "with measuring": (across, [c.measured for c in costs])}
    return line_figure(NAME, title, series, "pages in the batch", "CPU seconds")


INDEX_TIME = Study(
    NAME,
    PAPER,
    "Index time with and without measuring (Figure 2)",
    "What does it cost to measure what every refresh brings?",
    "nothing: pages are made up",
    (CHEAP, CONSTANT_COST),
    across=across,
    settings={"batches": list(BATCHES), "runs": RUNS},
    quick_settings={"batches": list(QUICK), "runs": QUICK_RUNS},
    aliases=("E000-2",),
)
