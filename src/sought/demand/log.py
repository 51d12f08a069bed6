"""What did people ask, see and click?  The query log of a crawl, with a retention time."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

import polars as pl

from sought.demand import live
from sought.demand.frames import IDENTITY, RowKind, latest_tallies, replaced_tallies
from sought.demand.manifest import Segment, read_manifest
from sought.demand.rows import DAY, Event, Search, checked_event, checked_search, query_text
from sought.demand.staging import Staging
from sought.demand.store import LogStore


class QueryLog:
    """Searches, events and tallies in a folder, which is created by the first write.

    Any number of processes may write and read.  What a method has written survives `kill -9`.  `keep` is the time in
    seconds after which `forget` deletes searches and events; a tally stays while it is in force, and `keep` longer.
    """

    def __init__(self, folder: Path, keep: float = 90 * DAY) -> None:
        self.folder = folder
        self.keep = keep
        self._store = LogStore(folder)

    def record(self, search: Search) -> int:
        """Store a search; returns its id, to which views and clicks refer."""
        search = checked_search(search)
        self._store.append([search])
        return search.id

    def event(self, event: Event) -> None:
        """Store a view or click of a result of a recorded search."""
        self._store.append([checked_event(event)])

    def take(self, rows: Iterable[Search | Event]) -> None:
        """Store several rows: all, or none if any is bad."""
        self._store.append([checked_search(row) if isinstance(row, Search) else checked_event(row) for row in rows])

    def stamp(self) -> object:
        """A value that changes when the log changes."""
        manifest = read_manifest(self.folder)
        return manifest.revision, live.size(self.folder / manifest.live)

    def searches(self, *columns: str) -> pl.DataFrame:
        """id, query, time, shown; each search once, in order of time."""
        wanted = list(columns) or None
        rows = pl.concat(self._store.read(RowKind.SEARCHES, wanted and [*{*wanted, "id", "time"}]))
        once = rows.unique(IDENTITY[RowKind.SEARCHES], keep="first", maintain_order=True).sort("time", "id")
        return once.select(wanted) if wanted else once

    def events(self) -> pl.DataFrame:
        """id (of the search), action, url, rank, time; each event once, in order of time."""
        rows = pl.concat(self._store.read(RowKind.EVENTS))
        once = rows.unique(IDENTITY[RowKind.EVENTS], keep="first", maintain_order=True)
        return once.sort("time", *IDENTITY[RowKind.EVENTS])

    def tallies(self) -> pl.DataFrame:
        """query, day, count, url, clicks; sorted.  One row a query and day, or one for each URL clicked."""
        return latest_tallies(self._store.read(RowKind.TALLIES))

    @contextmanager
    def writing(self, since: float = -inf) -> Iterator[Staging]:
        """Add many rows: they become visible together when the block ends, or not at all if it raises.

        Tallies that were replaced before `since` are left out.
        """
        with self._store.staging() as staging:
            yield staging
            staging.finish(self._known(), since)
            if staging.parts:
                self._store.commit(staging)

    def _known(self) -> dict[RowKind, pl.DataFrame]:
        dated = {kind: pl.concat(self._store.read(kind, what)) for kind, what in IDENTITY.items()}
        return {**dated, RowKind.TALLIES: self.tallies()}

    def forget(self, now: float) -> int:
        """Delete what is older than the retention time; returns how many rows.

        These are searches and events, and tallies that were replaced so long ago.  Searches and events in the future
        are deleted, too, as they would never expire.
        """
        oldest, newest = now - self.keep, self._store.clock(now) + DAY
        if any(row is None or not oldest <= row.time <= newest for row in self._store.live_lines()):
            self._store.roll()
        replaced = replaced_tallies(self.tallies(), oldest)

        def is_due(segment: Segment) -> bool:
            if segment.oldest is None:
                return not replaced.is_empty()
            return segment.oldest < oldest or segment.newest is None or segment.newest > newest

        def kept(kind: RowKind, rows: pl.DataFrame) -> pl.DataFrame:
            if kind is RowKind.TALLIES:
                return rows.join(replaced, on=replaced.columns, how="anti", maintain_order="left")
            return rows.filter(pl.col("time").is_between(oldest, newest))

        return self._store.rewrite(is_due, kept)

    def remove(self, query: str) -> int:
        """Delete every row of a query, ignoring case; returns how many."""
        is_wanted = pl.col("query").str.to_lowercase() == pl.lit(query_text(query)).str.to_lowercase()
        if not self.folder.exists():
            return 0
        self._store.roll()
        ids = pl.concat(self._store.read(RowKind.SEARCHES, ["id", "query"])).filter(is_wanted)["id"]

        def others(kind: RowKind, rows: pl.DataFrame) -> pl.DataFrame:
            return rows.filter(~pl.col("id").is_in(ids.implode()) if kind is RowKind.EVENTS else ~is_wanted)

        return self._store.rewrite(lambda _: True, others)
