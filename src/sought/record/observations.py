"""What does a fetch show about a page?  Whether and how much it has changed, and what is kept to compare it with."""

from typing import NamedTuple

import numpy as np

from sought.archive import Stored
from sought.fetch.dates import modified_at
from sought.record.fetches import GONE, MOVED
from sought.record.history import page_history
from sought.record.outcome import GONE_KINDS, Finished, Outcome
from sought.record.store import Details, Store
from sought.record.table import Reason, State, Table
from sought.web.document import Document
from sought.web.message import Response
from sought.web.sketch import similarity

PROFILE = 5  # versions that are compared with one base
DRIFTED = 0.95  # a version that shares so little with the base that the profile ends
_NOTHING = -1  # the target of a page that is gone


class Before(NamedTuple):
    """What was known about a page before a fetch.

    `observed` is the time of its last observation, -inf if there was none; `seen` is that or the last time a page that
    links to it was fetched, whichever is later.
    """

    observed: float
    stood_for: int | None
    signalled: bool
    seen: float
    doubted: bool


class Observations:
    """Compares rows before and after an answer: call `before`, change the table, call `finished`."""

    def __init__(self, table: Table, store: Store) -> None:
        self.table = table
        self.store = store

    def before(self, row: int) -> Before:
        observed, columns = self._observed_at(row), self.table.columns
        signalled = bool(columns["signal"][row] > observed)
        seen = max(observed, float(columns["linked"][row]))
        return Before(observed, self._stands_for(row), signalled, seen, bool(columns["unlinked"][row] > seen))

    def finished(self, row: int, outcome: Outcome, before: Before) -> Finished:
        """The fetch as estimators learn from it."""
        outcome.signalled, outcome.doubted = before.signalled, before.doubted
        if before.observed > -np.inf:
            outcome.seen_gap = max(0.0, outcome.time - before.seen)  # the linking page may have been requested later
        _note_fate(outcome, before.stood_for, self._stands_for(row))
        finished = Finished(row, outcome, max(0.0, outcome.time - before.observed))  # a clock may have been set back
        self._mark_change(finished)
        return finished

    def _observed_at(self, row: int) -> float:
        """The time of the last observation; a failed fetch is none."""
        columns = self.table.columns
        if not columns["failures"][row]:
            return float(columns["last_fetch"][row])
        seen = (each.time for each in page_history(self.store, row) if each.is_observation)
        return max(seen, default=-np.inf)

    def _stands_for(self, row: int) -> int | None:
        """_NOTHING if the page is gone, the target if it redirects, None otherwise."""
        columns = self.table.columns
        if columns["state"][row] == State.GONE:
            return _NOTHING
        is_redirect = columns["state"][row] == State.ALIAS and columns["reason"][row] == Reason.REDIRECT
        return int(columns["alias"][row]) if is_redirect else None

    def _mark_change(self, finished: Finished) -> None:
        """Count a change as estimators do; a first observation is no change."""
        if finished.is_observation and finished.changed and np.isfinite(finished.gap):
            columns, row = self.table.columns, finished.row
            columns["changes"][row] = min(int(columns["changes"][row]) + 1, 65535)
            columns["last_change"][row] = finished.outcome.time


def _note_fate(outcome: Outcome, stood_for: int | None, stands_for: int | None) -> None:
    """Going and coming back are changes; to be still gone, or to redirect to the same page again, is none."""
    if stands_for == _NOTHING or outcome.kind in GONE_KINDS:
        outcome.fate = GONE
    elif stands_for is not None:
        outcome.fate = MOVED
    outcome.again = stands_for is not None and stands_for == stood_for
    if stood_for is not None and stands_for is None and outcome.kind == "same-text":
        outcome.kind = "back"


def compared(outcome: Outcome, details: Details) -> Outcome:
    """Add when the page was last modified, and how far it has drifted from its base."""
    outcome.modified = modified_at(details.last_modified, outcome.time)
    if not details.base or details.points >= PROFILE:
        details.base, details.base_time, details.points = details.sketch, outcome.time, 0
    else:
        base, sketch = (np.frombuffer(each, np.uint32) for each in (details.base, details.sketch))
        outcome.base_gap, outcome.drift = outcome.time - details.base_time, 1.0 - similarity(base, sketch)
        details.points = details.points + 1 if outcome.drift < DRIFTED else PROFILE
    return outcome


def describe(details: Details, response: Response, stored: Stored, document: Document) -> None:
    """Keep what the next fetch is compared with, and what the search page shows."""
    counts = document.counts
    details.etag = response.header("etag")[:256]
    details.last_modified = response.header("last-modified")[:64]
    details.digest = stored.digest
    details.place = (stored.place.file, stored.place.offset, stored.place.length)
    details.body_time = response.time
    details.content = document.content
    details.sketch = document.sketch.tobytes()
    details.language = document.language
    details.title = document.title[:200]
    details.counts = (counts.images, counts.tables, counts.words, counts.text_bytes, counts.emails)
    details.kind = content_kind(response)


# ---- Is a page HTML, plain text, or something else?  A small number that the store keeps.


UNKNOWN, HTML, TEXT, OTHER = range(4)  # unknown: fetched by a version that did not keep it
_TYPES = {"text/html": HTML, "application/xhtml+xml": HTML, "text/plain": TEXT}


def content_kind(response: Response) -> int:
    """By the media type, and without one by the first character, as digesting does."""
    if response.media_type:
        return _TYPES.get(response.media_type, OTHER)
    start = response.body[:512]
    if b"\0" in start:
        return OTHER
    return HTML if start.lstrip()[:1] == b"<" else TEXT
