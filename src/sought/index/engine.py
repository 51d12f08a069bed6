"""How are pages indexed and searched?

One process writes, any number read.  Committed pages are durable and visible; uncommitted ones are lost with the
process.  The index is derived data and can be built again.
"""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import FieldType, Occur, Order, Query

from sought.index.analysis import stemming
from sought.index.entry import Answer, Entry, Hit
from sought.index.fields import WORDED, StoredPage, document, number, record, schema
from sought.index.number_set import NumberSet
from sought.index.query import ParsedQuery, build, parse, read
from sought.index.snippet import SnippetTerms, snippet
from sought.index.vectors import Counter
from sought.web.errors import BadInput, CrawlBusy, CrawlDamaged, SoughtError, StorageFull
from sought.web.readonly_cache import ShadowFolder

MAX_LIMIT = 1_000
MAX_OFFSET = 10_000
_MIN_HEAP_MB = 16  # tantivy refuses less
_ROWS_AT_ONCE = 1 << 18
_TERMS_AT_ONCE = 1 << 12
_PANIC = "PanicException"  # raised by pyo3; it cannot be imported
_FULL = re.compile(r"os error (27|28|122)\b")  # EFBIG, ENOSPC, EDQUOT


class Index:
    """A folder of searchable pages.

    States of a page: *updated*, *committed*, *replaced* or *deleted*.  Invariant: searches see exactly the committed
    pages, one for each row.  A failed write rolls the index back to its last commit.
    """

    def __init__(
        self, folder: Path, index: tantivy.Index, writer: tantivy.IndexWriter | None, shadow: ShadowFolder | None = None
    ) -> None:
        self._folder = folder
        self._shadow = shadow
        self._index = index
        self._writer = writer
        self._seen = (0, 0)
        self._languages: tuple[str, ...] = ()
        self.reload()

    @classmethod
    def open(cls, folder: Path, writable: bool, heap_mb: int = 64) -> "Index":
        if writable:
            folder.mkdir(parents=True, exist_ok=True)
        elif not (folder.is_dir() and tantivy.Index.exists(str(folder))):
            raise BadInput(f"there is no search index in {folder}")
        with _errors(folder):
            shadow = None if writable else ShadowFolder(folder, (".tantivy-meta.lock", ".tantivy-writer.lock"))
            index = tantivy.Index(schema(), str(shadow.path if shadow else folder))
            index.config_reader("manual")
            heap = max(heap_mb, _MIN_HEAP_MB) * 1_000_000
            return cls(folder, index, index.writer(heap, num_threads=1) if writable else None, shadow)

    def update(self, entries: Sequence[Entry], counter: Counter | None = None) -> None:
        """Add pages, replacing those of the same rows; all entries are checked before the first is added.

        `counter` counts the terms of each entry while it is analysed; of entries with the same row only the last
        counts.
        """
        latest = {number(entry): entry for entry in entries}
        with self._writing() as writer:
            self._remove(writer, latest)
            self._held.add(latest)
            if counter is None:
                for entry in latest.values():
                    writer.add_document(document(entry))
            else:
                for entry in latest.values():
                    writer.add_document(document(entry, counter.read))
                    counter.end_page(stemming(entry.language))

    def delete(self, rows: Iterable[int]) -> None:
        with self._writing() as writer:
            self._remove(writer, map(int, rows))

    def _remove(self, writer: tantivy.IndexWriter, rows: Iterable[int]) -> None:
        # Each deletion is looked up in every segment at every commit, so only existing rows are deleted.
        held = [row for row in rows if row in self._held]
        if held:
            # Not delete_documents_by_term: it treats a Python integer as signed and does not match an unsigned field.
            writer.delete_documents_by_query(Query.term_set_query(self._index.schema, "row", held))

    @cached_property
    def _held(self) -> NumberSet:
        return NumberSet(self.rows())

    def commit(self) -> None:
        """Make all updates durable and visible to all readers."""
        with self._writing() as writer:
            writer.commit()
        self.reload()

    def search(self, query: str, limit: int = 10, offset: int = 0) -> Answer:
        """The pages that match all of the query, best first; if there are none, those that match some of it."""
        with _errors(self._folder):
            return self._search(query, limit, offset)

    def _search(self, query: str, limit: int, offset: int) -> Answer:
        began = time.perf_counter()
        self._refresh()
        limit, offset = min(max(limit, 1), MAX_LIMIT), min(max(offset, 0), MAX_OFFSET)
        parsed, searcher = parse(query), self._index.searcher()
        for relaxed in (False, True):
            wanted = build(parsed, self._languages, self._index.schema, relaxed=relaxed)
            # Any: tantivy's stub lacks `count`.
            result: Any = searcher.search(wanted, limit=limit, offset=offset) if wanted else None
            if result and result.count:
                hits = tuple(_hits(searcher, result, parsed))
                return Answer(hits, result.count, relaxed, time.perf_counter() - began)
        return Answer(elapsed=time.perf_counter() - began)

    def ranking(self, query: str, limit: int) -> list[int]:
        """The rows of the pages that match all of the query, best first."""
        return [kept.row for _, kept in self._ranked(query, limit)]

    def scores(self, query: str, limit: int) -> dict[str, float]:
        """The addresses and scores of the pages that match all of the query, best first."""
        return {kept.url: score for score, kept in self._ranked(query, limit)}

    def _ranked(self, query: str, limit: int) -> Iterator[tuple[float, StoredPage]]:
        self._refresh()
        with _errors(self._folder):
            searcher = self._index.searcher()
            wanted = build(parse(query), self._languages, self._index.schema)
            hits = searcher.search(wanted, limit=limit, count=False).hits if wanted else []
            for score, address in hits:
                yield score, record(searcher.doc(address))

    def rows(self) -> NDArray[np.uint64]:
        """The rows of all committed pages, sorted."""
        return self._rows(Query.all_query())

    def holding(self, terms: Sequence[str]) -> NDArray[np.uint64]:
        """The rows of committed pages that have any of these terms, sorted."""
        rows = [np.zeros(0, np.uint64)]
        for at in range(0, len(terms), _TERMS_AT_ONCE):
            some = list(terms[at : at + _TERMS_AT_ONCE])
            fields = [(Occur.Should, Query.term_set_query(self._index.schema, name, some)) for name in WORDED]
            rows.append(self._rows(Query.boolean_query(fields)))
        return np.unique(np.concatenate(rows))

    def _rows(self, query: Query) -> NDArray[np.uint64]:
        with _errors(self._folder):
            return self._rows_unchecked(query)

    def _rows_unchecked(self, query: Query) -> NDArray[np.uint64]:
        searcher, parts, wanted = self._index.searcher(), [np.zeros(0, np.uint64)], query
        while hits := searcher.search(wanted, _ROWS_AT_ONCE, count=False, order_by_field="row", order=Order.Asc).hits:
            parts.append(np.fromiter((row for row, _ in hits), np.uint64, len(hits)))
            last = hits[-1][0]
            behind = Query.range_query(self._index.schema, "row", FieldType.Unsigned, last, include_lower=False)
            wanted = Query.boolean_query([(Occur.Must, query), (Occur.Must, behind)])
        return np.concatenate(parts)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the committed pages."""
        return self._languages

    def __len__(self) -> int:
        return self._index.searcher().num_docs

    def reload(self) -> None:
        """See all commits, of this process or another."""
        with _errors(self._folder):
            if self._shadow:
                self._shadow.refresh()
            self._seen = self._stamp()  # first, so that the next search notices a commit during the reload
            self._index.reload()
            self._languages = tuple(term for term, _ in self._index.searcher().terms_with_prefix("language", ""))

    def close(self) -> None:
        """Drop uncommitted pages, finish merging, and release the writer's lock."""
        if self._writer:
            self._writer.rollback()
            self._writer.wait_merging_threads()
            self._writer = None
        if self._shadow:
            self._shadow.close()

    def _refresh(self) -> None:
        with _errors(self._folder):
            changed = self._stamp() != self._seen
        if changed:
            self.reload()

    def _stamp(self) -> tuple[int, int]:
        status = (self._folder / "meta.json").stat()
        return status.st_mtime_ns, status.st_ino

    @contextmanager
    def _writing(self) -> Iterator[tantivy.IndexWriter]:
        if self._writer is None:
            raise BadInput(f"the search index in {self._folder} is open for reading only")
        with _errors(self._folder):
            try:
                yield self._writer
            except ValueError as error:
                cause = self._cause(error)
                # tantivy would go on without the lost pages: roll back, so that the caller knows what is missing.
                self._writer.rollback()
                raise cause from error

    def _cause(self, error: ValueError) -> ValueError:
        """The error of a worker thread that died appears only at the next commit."""
        if self._writer and "killed" in str(error):
            try:
                self._writer.commit()
            except ValueError as cause:
                return cause
        return error


def _hits(searcher: tantivy.Searcher, result: Any, parsed: ParsedQuery) -> Iterator[Hit]:
    @cache
    def wanted(language: str) -> SnippetTerms:
        return SnippetTerms(read(parsed, language).all_terms)

    for score, address in result.hits:
        kept = record(searcher.doc(address))
        text, highlights = snippet(kept.body, wanted(kept.language), kept.language)
        yield Hit(kept.row, kept.url, kept.title, text, highlights, score, kept.time)


@contextmanager
def _errors(folder: Path) -> Iterator[None]:
    """Map errors of tantivy: it raises ValueError for everything, and panics on some damaged files."""
    try:
        yield
    except SoughtError:
        raise
    except BaseException as error:
        if not isinstance(error, (ValueError, OSError)) and type(error).__name__ != _PANIC:
            raise
        text = str(error)
        if _FULL.search(text):
            raise StorageFull(f"no space for the search index in {folder}: {text}") from error
        if "LockBusy" in text:
            raise CrawlBusy(f"another process writes to the search index in {folder}") from error
        raise CrawlDamaged(
            f"the search index in {folder} cannot be used ({text}): "
            f"build it again with 'sought check {folder.parent} --repair'"
        ) from error
