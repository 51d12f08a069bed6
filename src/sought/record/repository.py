"""What does the crawl know, and how does one more answer change it?

All answers go through `apply`: those of live fetches, those replayed from the end of the archive after a crash, and
those of a rebuild from the first record.  So all of these end in the same tables.  A denial by robots.txt (`deny`) is
no fetch and leaves no record: after a rebuild a URL that was never fetched is NEW again, and is denied when it is next
chosen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sought.archive import Stored
from sought.fetch.directives import header_directives
from sought.record.admission import Admission
from sought.record.aliases import Aliases
from sought.record.commit import Commit
from sought.record.config import Config
from sought.record.discovery import REFUSED, Discovery
from sought.record.duplicates import Duplicates
from sought.record.history import ChoiceLog, put_outcome
from sought.record.host_files import HostFiles
from sought.record.hosts import Hosts
from sought.record.index_changes import IndexChanges
from sought.record.links import LinkLists, SitemapLists, Targets
from sought.record.observations import Observations, compared, describe
from sought.record.outcome import Finished, Outcome, failure_name
from sought.record.retries import DAY, RETRIES, retry_kind
from sought.record.store import Details, Store
from sought.record.table import NO_ROW, Reason, Source, State, Table
from sought.record.traps import is_soft_404
from sought.web.digest import digest
from sought.web.document import Document, Link
from sought.web.message import RequestPurpose, Response
from sought.web.sketch import similarity

HOUR = 3600.0
Digest = Callable[[Response, str], Document]
_LIVE = int(State.LIVE)  # a plain number: attribute access on an enum would dominate `searchable`


@dataclass(slots=True)
class FetchedAnswer:
    """An answer on its way into the tables: digested, archived, not yet applied."""

    row: int
    response: Response
    stored: Stored
    document: Document | None = None


class Repository:
    """Table, hosts, links and history.  Changes collect in the store's batch until `commit`.

    `changes` is what the index still has to take in, `finished` are the fetches applied since the last commit.
    """

    def __init__(self, config: Config, store: Store, agent: str, digest: Digest = digest) -> None:
        self.store = store
        self.agent = agent
        self.digest = digest
        self.table: Table = store.load()
        self.hosts = Hosts(agent)
        self.hosts.load(store)
        self.admission = Admission(config, store)
        self.discovery = Discovery(self.table, store, self.hosts, self.admission)
        self.aliases = Aliases(self.table, self.discovery)
        self.sitemap_lists = SitemapLists(self.table, store)
        self.host_files = HostFiles(self.hosts, self.discovery, self.table, self.sitemap_lists)
        self.duplicates = Duplicates(store)
        self.observations = Observations(self.table, store)
        self.details: dict[int, Details] = {}
        self.links = LinkLists(self.table, store)
        self.fresh_links = self.links.fresh
        self.outcomes: dict[str, int] = store.meta("outcomes", {})
        self.changes = IndexChanges(store, self.discovery)
        self.finished: list[Finished] = []
        self.choices = ChoiceLog(store)
        self.fetches_by_hour: dict[int, int] = dict(store.meta("fetches_by_hour", ()))

    # ---- input

    def add_urls(self, urls: Sequence[str], source: Source, now: float) -> list[int]:
        """Enter seeds, or URLs of a list that was loaded."""
        rows = self.discovery.admit(urls, NO_ROW, 0, source, now)
        self.discovery.flush()
        return rows

    def prepared(self, row: int, response: Response, stored: Stored) -> FetchedAnswer:
        """Digest the answer if it brings a page that differs from the copy in the archive."""
        brings_page = response.purpose is RequestPurpose.PAGE and 200 <= response.status < 300 and not response.failure
        return FetchedAnswer(
            row, response, stored, self.digested(response) if brings_page and not stored.revisit else None
        )

    def digested(self, response: Response) -> Document:
        """The digest; a page that cannot be digested is refused, and does not stop the crawl or a replay."""
        try:
            return self.digest(response, self.agent)
        except Exception:  # noqa: BLE001  whatever it was, only this page is affected
            return Document(refused="digest-failed", size=len(response.body))

    @property
    def has_changes(self) -> bool:
        return bool(self.details or self.discovery.new_urls or self.hosts.changed)

    def apply(self, batch: Sequence[FetchedAnswer]) -> None:
        for fetched in batch:
            if fetched.response.purpose is RequestPurpose.ROBOTS:
                self.host_files.robots(fetched.response)
                continue
            self.spend(fetched.response.time)
            if fetched.response.purpose is RequestPurpose.SITEMAP:
                self._apply_sitemap(fetched.response)
            else:
                self._apply_page(fetched)

    def spend(self, time: float) -> None:
        """Count a fetch towards the budget of its hour; the last 200 hours are kept."""
        hour = int(time // HOUR)
        self.fetches_by_hour[hour] = self.fetches_by_hour.get(hour, 0) + 1
        if len(self.fetches_by_hour) > 200:
            del self.fetches_by_hour[min(self.fetches_by_hour)]

    def spent_since(self, start: float) -> int:
        """Fetches since the beginning of an hour."""
        return sum(n for hour, n in self.fetches_by_hour.items() if hour >= start // HOUR)

    def known_row(self, url: str, now: float) -> int:
        """The row of a URL that was fetched; made even if the rules of today do not admit it, so that none is lost."""
        row = self.discovery.row(url)
        if row < 0:
            row = self.discovery.force(url, now)
        if row >= len(self.table):
            self.discovery.flush()
        return row

    def deny(self, row: int, until: float, *, forbidden: bool) -> None:
        """Nothing was fetched: robots.txt forbids the row, or (not `forbidden`) is unreadable; then a copy stays."""
        columns = self.table.columns
        columns["not_before"][row] = until
        if forbidden or not self.holds_copy(row):
            if self.searchable(row):
                self.changes.remove(row)
            columns["state"][row], columns["reason"][row] = State.DENIED, Reason.ROBOTS
        self._details(row)
        self._count("denied", row)

    def drop(self, row: int, until: float) -> None:
        """Take a page out of the search results to make room; after a rebuild it is there again."""
        self.changes.remove(row)
        self.table.columns["state"][row], self.table.columns["not_before"][row] = State.DROPPED, until
        self._details(row)
        self._count("dropped", row)

    def commit(self, finished: Sequence[Finished]) -> Commit:
        """Write everything since the last commit, atomically; `finished` are its fetches with their gains."""
        self.discovery.flush()
        self.links.settle()
        self.links.count()
        for row, outcome, _ in finished:
            put_outcome(self.store, row, outcome)
        rows_changed = np.fromiter(self.details, np.int64, len(self.details))
        for row, life in zip(self.details, self.table.life(rows_changed), strict=True):
            self.store.put_page(row, life.tobytes(), self.details[row])
        self.hosts.save(self.store)
        self.store.put_meta("outcomes", self.outcomes)
        self.store.put_meta("refused", self.admission.refused)
        self.store.put_meta("fetches_by_hour", list(self.fetches_by_hour.items()))
        self.store.commit()
        committed = Commit(finished, dict(self.fresh_links), list(self.discovery.fresh_anchors))
        self.finished.clear()
        self.details.clear()
        self.fresh_links.clear()
        self.sitemap_lists.committed()
        self.discovery.committed()
        self.duplicates.committed()
        self.admission.committed()
        return committed

    def searchable(self, row: int) -> bool:
        columns = self.table.columns
        return bool(columns["state"][row] == _LIVE and columns["reason"][row] == 0)

    def holds_copy(self, row: int) -> bool:
        """Whether an answer "unchanged" (304, or the same bytes) would refer to the copy in the archive."""
        columns = self.table.columns
        state = columns["state"][row]
        return bool(state == _LIVE or (state == State.ALIAS and columns["reason"][row] != Reason.REDIRECT))

    def trusts_copy(self, row: int) -> bool:
        """Whether a conditional request is enough: an answer "unchanged" would leave nothing to decide.

        False for a page that asked not to be indexed, whose headers may say otherwise now, and for an alias of a page
        that is gone.
        """
        columns = self.table.columns
        if not self.holds_copy(row) or columns["reason"][row] == Reason.NOINDEX:
            return False
        return bool(columns["state"][row] == _LIVE or columns["state"][int(columns["alias"][row])] == _LIVE)

    # ---- one answer

    def _apply_sitemap(self, response: Response) -> None:
        kind, changed = self.host_files.sitemap(response)
        self.outcomes[kind] = self.outcomes.get(kind, 0) + 1
        for row in changed:
            self._details(row)

    def _apply_page(self, fetched: FetchedAnswer) -> None:
        row, response = fetched.row, fetched.response
        columns = self.table.columns
        was_live = self.searchable(row)
        self._details(row)  # loaded, and so stored again with the next commit
        self.links.settle()
        before, known = self.observations.before(row), self._known_urls()
        columns["status"][row] = response.status
        columns["fetches"][row] = min(int(columns["fetches"][row]) + 1, 65535)
        columns["last_fetch"][row] = response.time
        host = self.hosts[int(columns["host"][row])]
        host.fetched += 1
        self.hosts.changed.add(host.number)
        kind = retry_kind(response)
        if kind:
            outcome = self._no_page(row, response, kind)
        elif response.is_redirect:
            outcome = self._redirect(row, response)
        elif fetched.document is None:
            outcome = self._unchanged(row, fetched)
        else:
            outcome = self._page(row, fetched, fetched.document, was_live)
        if was_live and not self.searchable(row):
            self.changes.remove(row)
        if response.why:
            self.choices.note(outcome, response.why)
        outcome.found = self._known_urls() - known
        self.finished.append(self.observations.finished(row, outcome, before))
        self._count(outcome.kind, row)

    def _no_page(self, row: int, response: Response, kind: str) -> Outcome:
        columns, retry = self.table.columns, RETRIES[kind]
        failures = min(int(columns["failures"][row]) + 1, 255)
        columns["failures"][row] = failures
        columns["not_before"][row] = response.time + retry.wait(failures)
        keeps_copy = columns["state"][row] in (State.LIVE, State.ALIAS) and retry.state is not State.GONE
        if failures >= retry.tries:
            columns["state"][row], columns["reason"][row] = State.DEAD, retry.reason
        elif not keeps_copy:
            columns["state"][row], columns["reason"][row] = retry.state, retry.reason
        return self._outcome(failure_name(response), response, detail=response.detail)

    def _redirect(self, row: int, response: Response) -> Outcome:
        columns = self.table.columns
        target, reason = self.aliases.redirect(row, response)
        columns["failures"][row] = 0
        columns["not_before"][row] = -np.inf
        if target == REFUSED:
            columns["state"][row], columns["reason"][row] = State.GONE, reason
            columns["not_before"][row] = response.time + 7 * DAY
        else:
            columns["state"][row], columns["reason"][row], columns["alias"][row] = State.ALIAS, Reason.REDIRECT, target
        return self._outcome("redirect", response, detail=response.header("location")[:200])

    def _unchanged(self, row: int, fetched: FetchedAnswer) -> Outcome:
        columns, response = self.table.columns, fetched.response
        if not self.holds_copy(row):  # a 304 although the request was not conditional
            return self._no_page(row, response, "odd-status")
        columns["failures"][row] = 0
        is_orphan = columns["state"][row] == State.ALIAS and not self.trusts_copy(row)  # an unconditional request
        columns["not_before"][row] = response.time + 7 * DAY if is_orphan else -np.inf
        if self.searchable(row) and header_directives(response, self.agent)[0]:
            columns["reason"][row] = Reason.NOINDEX
        elif row in self.discovery.reanchored and self.searchable(row):
            self.changes.renew([row])
        self._see_links(row, self.links.targets(row), response.time)
        kind = "not-modified" if response.status == 304 else "unchanged"
        return compared(self._outcome(kind, response), self._details(row))

    def _page(self, row: int, fetched: FetchedAnswer, document: Document, was_live: bool) -> Outcome:
        columns, response, details = self.table.columns, fetched.response, self._details(row)
        first = details.place == (0, 0, 0)
        changed = first or details.content != document.content
        difference = 0.0
        if changed and not first:
            old = np.frombuffer(details.sketch, document.sketch.dtype)
            difference = 1.0 - similarity(old, document.sketch)
        columns["failures"][row] = 0
        columns["not_before"][row] = -np.inf
        columns["size"][row] = document.size
        describe(details, response, fetched.stored, document)
        nofollow = self._place(row, response, document)
        self._link(row, [] if nofollow else [link for link in document.links if not link.nofollow], response.time)
        if document.feeds and not nofollow:
            self.host_files.announced(self.hosts[int(columns["host"][row])], document.feeds, response.time)
        if self.searchable(row) and (changed or not was_live or row in self.discovery.reanchored):
            self.changes.put(row, response, document)
        if columns["state"][row] == State.FAILED:
            columns["failures"][row] = 1
            columns["not_before"][row] = response.time + RETRIES["refused"].first
        kind = "new" if first else "changed" if changed else "same-text"
        return compared(self._outcome(kind, response, difference=difference), details)

    def _place(self, row: int, response: Response, document: Document) -> bool:
        """Decide the state of the row: a page of its own, an alias, or none.  Returns whether to ignore its links."""
        columns = self.table.columns
        noindex, nofollow = header_directives(response, self.agent)
        noindex, nofollow = noindex or document.noindex, nofollow or document.nofollow
        state, reason, alias = State.LIVE, Reason.NONE, NO_ROW
        if document.refused:
            state, reason = State.FAILED, Reason.REFUSED
        elif is_soft_404(document.title, document.headings, document.counts.words):
            state, reason = State.GONE, Reason.SOFT_404
            columns["not_before"][row] = response.time + RETRIES["gone"].first
        elif noindex:
            reason = Reason.NOINDEX
        elif not document.text:
            reason = Reason.EMPTY
        elif (other := self.aliases.canonical(row, response, document)) != REFUSED:
            state, reason, alias = State.ALIAS, Reason.CANONICAL, other
        else:
            other, exact = self.duplicates.find(row, document, self.table, self.details)
            if other != REFUSED:
                state, alias = State.ALIAS, other
                reason = Reason.DUPLICATE if exact else Reason.NEAR_DUPLICATE
        columns["state"][row], columns["reason"][row], columns["alias"][row] = state, reason, alias
        return nofollow

    def _link(self, row: int, links: Sequence[Link], now: float) -> None:
        rows = self.discovery.follow(links, row, now)
        distinct = dict.fromkeys(rows)
        distinct.pop(REFUSED, None)
        distinct.pop(row, None)
        targets = np.fromiter(distinct, np.uint32, len(distinct))
        if row in self.fresh_links:  # fetched twice in a batch: the links found first may not be in the table yet
            self.discovery.flush()
        self._see_links(row, self.links.put(row, targets), now)

    def _see_links(self, row: int, old: Targets, now: float) -> None:
        """Note when the targets were last linked to; rows that lost a link are stored again."""
        for target in self.links.seen(row, self._details(row), old, now).tolist():
            self._details(target)

    # ---- small things

    def store_again(self, rows: list[int]) -> None:
        """Write these rows with the next commit."""
        for row in rows:
            self._details(row)

    def _details(self, row: int) -> Details:
        details = self.details.get(row)
        if details is None:
            columns = self.table.columns
            untouched = columns["last_fetch"][row] == columns["signal"][row] == -np.inf  # nothing is stored of it yet
            details = self.details[row] = Details() if untouched else self.store.details(row)
        return details

    def _outcome(self, kind: str, response: Response, difference: float = 0.0, detail: str = "") -> Outcome:
        size = len(response.raw)
        return Outcome(response.time, kind, response.status, response.elapsed, size, difference, detail[:200])

    def _known_urls(self) -> int:
        return len(self.table) + len(self.discovery.new_urls)

    def _count(self, what: str, row: int) -> None:
        self.outcomes[what] = self.outcomes.get(what, 0) + 1
        self.hosts.count(self.hosts[int(self.table.columns["host"][row])], what)
