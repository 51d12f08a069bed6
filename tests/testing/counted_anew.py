"""Is all that a crawl keeps for measuring what the archive and the query log say?  Counted anew, page by page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sought.demand import QueryLog, import_file
from sought.index.analysis import stemming
from sought.index.exact import ExactLists
from sought.index.fields import texts
from sought.index.measure import GainMeasure
from sought.index.vectors import EACH, HEAD, Counter, Vector
from sought.operate.check import check
from sought.record.directory import Directory
from sought.record.history import finished_fetches
from sought.record.measuring import Measuring
from sought.record.recovery import open_directory
from sought.record.table import Reason, State

Spelled = tuple[list[int], dict[str, tuple[int, ...]]]


@contextmanager
def opened(path: Path) -> Iterator[Directory]:
    """A crawl directory, closed cleanly if all went well."""
    directory = open_directory(path)
    try:
        yield directory
    except BaseException:
        directory.abandon()
        raise
    directory.close()


def ask(path: Path, *queries: str) -> None:
    """Import queries into the log of a crawl, the first with the largest weight."""
    lines = [f"{query}\t{len(queries) - i}\n" for i, query in enumerate(queries)]
    (path / "asked.tsv").write_text("query\tcount\n" + "".join(lines))
    import_file(QueryLog(path / "queries"), path / "asked.tsv")


def is_sound(path: Path, *, measured: bool = True) -> None:
    """Open a crawl, as after whatever happened to it, and look at everything."""
    with opened(path) as directory:
        assert_sound(directory, measured=measured)


def assert_sound(directory: Directory, *, measured: bool = True) -> None:
    assert not (problems := check(directory, lambda _: None)), problems
    rows, right = recounted(directory)
    assert directory.measuring.rows().tolist() == rows.tolist()
    assert {row: spelled(directory.measuring, directory.measuring.vector(row)) for row in rows.tolist()} == right
    assert directory.measuring.measure
    assert lists_of(directory.measuring.measure) == filled(directory.measuring)
    fetches = finished_fetches(directory.store, directory.measuring.since)
    gains = [each.outcome.gain for some in fetches for each in some]
    if measured:
        assert None not in gains
        assert directory.measuring.sums.fetches == len(gains)


def searchable(directory: Directory) -> np.ndarray:
    table = directory.repository.table
    return np.flatnonzero((table["state"] == State.LIVE) & (table["reason"] == Reason.NONE))


def recounted(directory: Directory) -> tuple[np.ndarray, dict[int, Spelled]]:
    """The vectors that all searchable pages should have, read from the archive."""
    rows, counter = searchable(directory), Counter(directory.measuring.vocabulary)
    for row in rows.tolist():
        entry = directory.writer.stored_entry(row)
        assert entry
        for text in texts(entry):
            counter.read(text, stemming(entry.language))
        counter.end_page(stemming(entry.language))
    vectors = counter.take()
    return rows, {row: spelled(directory.measuring, vectors[i]) for i, row in enumerate(rows.tolist())}


def spelled(measuring: Measuring, vector: Vector) -> Spelled:
    """Language and lengths, and how often the page holds which terms, but for those that it may lack."""
    terms, lacking = list(measuring.vocabulary.numbers), set(measuring.lacking)
    counts = {terms[term]: tuple(held) for term, *held in vector[HEAD:].reshape(-1, EACH).tolist()}
    return vector[:HEAD].tolist(), {term: held for term, held in counts.items() if term not in lacking}


def lists_of(measure: GainMeasure) -> dict[str, list[float]]:
    """The scores of every query's results."""
    assert isinstance(measure.lists, ExactLists)
    return {query: measure.lists.scores(i).tolist() for i, query in enumerate(measure.queries)}


def filled(measuring: Measuring) -> dict[str, list[float]]:
    """The same, from the vectors in the store."""
    assert measuring.measure
    again = measuring._opened(measuring.asked)
    again.freeze(measuring.measure.statistics)
    again.fill(measuring._stored())
    return lists_of(again)
