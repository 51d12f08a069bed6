"""Check a crawl directory: everything can be read, and archive, table, links, index and measured gains agree."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sought.archive import CdxjCheck, Position
from sought.archive.files import warc_name
from sought.index.checksums import damaged_files
from sought.operate.typed_report import TypedReport
from sought.record.directory import Directory
from sought.record.future_times import MOMENTS
from sought.record.history import finished_fetches
from sought.record.table import State
from sought.record.workload import FOLDER
from sought.web.errors import CrawlDamaged
from sought.web.message import RequestPurpose
from sought.web.url import fingerprint

CheckProgress = Callable[[int], None]
_SHOWN = 20


@dataclass(frozen=True)
class CheckReport(TypedReport):
    """Whether all parts of a crawl directory agree, and what does not, one line each."""

    ok: bool
    problems: tuple[str, ...]


class Examined(NamedTuple):
    """Problems by the damaged part, and the numbers of archive files whose CDXJ is wrong."""

    problems: dict[str, list[str]]
    misfits: list[int]

    @property
    def lines(self) -> list[str]:
        return [problem for some in self.problems.values() for problem in some]


@dataclass(slots=True)
class Look:
    """One pass over a directory; the records are read once, which also finds the CDXJ files that are wrong."""

    directory: Directory
    report: CheckProgress
    misfits: list[int] = field(default_factory=list)


def check(directory: Directory, report: CheckProgress) -> list[str]:
    """Problems, one line each, the first few of a kind; empty if all is well."""
    return examined(directory, report).lines


def examined(directory: Directory, report: CheckProgress) -> Examined:
    """The same by the part that is in trouble."""
    look = Look(directory, report)
    return Examined({name: list(_first(part(look))) for name, part in _PARTS.items()}, look.misfits)


def _first(problems: Iterator[str]) -> Iterator[str]:
    try:
        for number, problem in enumerate(problems):
            if number == _SHOWN:
                yield "… and more of the same kind"
                return
            yield problem
    except CrawlDamaged as error:  # the other parts may be well
        yield str(error)


def _store(look: Look) -> Iterator[str]:
    """Every block of the store can be read."""
    directory = look.directory
    for _ in directory.store.scan(b""):
        pass
    yield from ()


def _spellings(look: Look) -> Iterator[str]:
    """Every row has a URL, and the URL leads back to the row."""
    directory = look.directory
    table, count = directory.repository.table, 0
    for first, urls in directory.store.urls():
        keys = np.fromiter(map(fingerprint, urls), np.uint64, len(urls))
        stored = table.find(keys)
        for i in np.flatnonzero(stored != np.arange(first, first + len(urls))):
            yield f"row {first + i} ({urls[i]}) is not found by its key"
        count += len(urls)
    if count != len(table):
        yield f"{count} URLs for {len(table)} rows"


def _records(look: Look) -> Iterator[str]:
    """Every fetch on record is in the table, and nothing is in the table that is not on record."""
    directory = look.directory
    repository = directory.repository
    table, fetches = repository.table, np.zeros(len(repository.table), np.int64)
    last = np.full(len(table), -np.inf)
    status = np.zeros(len(table), np.int64)
    misfits = CdxjCheck(directory.path / "archive")
    for number, record in enumerate(directory.archive.records(Position(0, 0))):
        if number % 1000 == 0:
            look.report(number)
        misfits.add(record)
        if record.response is None or record.response.purpose is not RequestPurpose.PAGE:
            continue
        row = repository.discovery.row(record.response.url)
        if row < 0:
            yield f"{record.response.url} is on record and not in the table"
            continue
        fetches[row] += 1
        last[row], status[row] = record.response.time, record.response.status
    recorded = {"fetches": np.minimum(fetches, 65535), "last_fetch": last, "status": status}
    for name, column in recorded.items():
        other = table[name] != column
        if name == "last_fetch":  # a clock was ahead when it was recorded
            other &= ~((column > table[name]) & np.isin(table[name], directory.store.meta(MOMENTS, [])))
        for at in np.flatnonzero(other):
            yield f"{directory.store.url(int(at))}: {name} is {table[name][at]}, on record {column[at]}"
    look.misfits = misfits.finish(directory.archive.end)


def _damage(look: Look) -> Iterator[str]:
    """All of the archive can be read, but for what a repair has listed."""
    for each in look.directory.damage.unlisted:
        yield f"archive/{each}"


def _catalogues(look: Look) -> Iterator[str]:
    """CDXJ files agree with the archive."""
    for number in look.misfits:
        yield f"the CDXJ of archive/{warc_name(number)} says something else than that file"


def _links(look: Look) -> Iterator[str]:
    """Links lead to rows, every page that was digested has its links, and in-links are their count."""
    directory = look.directory
    table = directory.repository.table
    counts, has = np.zeros(len(table), np.int64), np.zeros(len(table), bool)
    for key, value in directory.store.scan(b"l"):
        row, targets = int.from_bytes(key[1:], "big"), np.frombuffer(value, np.uint32)
        if row >= len(table) or (len(targets) and targets.max() >= len(table)):
            yield f"links of row {row} lead to rows that do not exist"
            continue
        has[row] = True
        counts[targets] += 1
    for at in np.flatnonzero(counts != table["inlinks"]):
        yield f"{directory.store.url(int(at))}: {table['inlinks'][at]} in-links, counted {counts[at]}"
    for at in np.flatnonzero((table["state"] == State.LIVE) & ~has):
        yield f"{directory.store.url(int(at))}: a page without a list of links"


def _index(look: Look) -> Iterator[str]:
    """Exactly the searchable pages can be found, and its files are as they were written."""
    directory = look.directory
    yield from damaged_files(directory.path / "index")
    wanted = directory.repository.table.searchable()
    indexed = directory.index.rows().astype(np.int64)
    if len(np.unique(indexed)) != len(indexed):
        yield "a page is in the search index twice"
    for row in np.setdiff1d(wanted, indexed):
        yield f"{directory.store.url(int(row))} is missing from the search index"
    for row in np.setdiff1d(indexed, wanted):
        yield f"row {row} is in the search index and should not be"


def _vectors(look: Look) -> Iterator[str]:
    """While there is a workload exactly the searchable pages have a vector; without a vocabulary nothing has."""
    directory = look.directory
    measuring = directory.measuring
    counted, wanted = measuring.rows(), directory.repository.table.searchable()
    if measuring.asked.texts:
        for row in np.setdiff1d(wanted, counted):
            yield f"{directory.store.url(int(row))} is searchable and has no vector"
    for row in np.setdiff1d(counted, wanted) if measuring.counter else counted:
        yield f"row {row} has a vector and should not"


def _sums(look: Look) -> Iterator[str]:
    """The gains of all fetches that were measured add up to what is kept of them."""
    directory = look.directory
    fetches, first, later = 0, 0.0, 0.0
    for some in finished_fetches(directory.store, directory.measuring.since):
        for each in some:
            gain = each.outcome.gain
            if gain is not None:
                fetches += 1
                first, later = (first + gain, later) if math.isinf(each.gap) else (first, later + gain)
    kept = directory.measuring.sums
    if kept.fetches != fetches:
        yield f"{kept.fetches} fetches are said to be measured, and {fetches} are"
    for name, one, other in (("first", kept.first, first), ("later", kept.later, later)):
        if not math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9):
            yield f"the gains of {name} fetches are said to add up to {one:g}, and add up to {other:g}"


def _queries(look: Look) -> Iterator[str]:
    """The query log can be read."""
    directory = look.directory
    if (directory.path / FOLDER).exists():
        from sought.demand.repair import damaged_parts

        yield from damaged_parts(directory.path / FOLDER)


_PARTS: dict[str, Callable[[Look], Iterator[str]]] = {
    "store": _store,
    "table": _spellings,
    "records": _records,
    "damage": _damage,
    "catalogues": _catalogues,
    "links": _links,
    "index": _index,
    "vectors": _vectors,
    "gains": _sums,
    "queries": _queries,
}
