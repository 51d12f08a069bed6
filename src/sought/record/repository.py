"""What the crawl knows, and how one more answer changes it.

`apply` is the only way in for answers.  A live fetch, the replay of the archive's tail after a crash and a rebuild from
the first record all go through it, so they end in the same tables.  What robots.txt denied without a fetch (`deny`) is
on no record: after a rebuild a URL never fetched is NEW again, and is denied when its turn comes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from sought.archive import Stored
from sought.fetch.directives import header_directives
from sought.index import Entry
from sought.record.admission import Admission
from sought.record.aliases import Aliases
from sought.record.commit import Commit
from sought.record.config import Config
from sought.record.discovery import REFUSED, Discovery
from sought.record.duplicates import Duplicates
from sought.record.history import put_outcome
from sought.record.host_files import HostFiles
from sought.record.hosts import Hosts
from sought.record.links import LinkLists, SitemapLists, Targets
from sought.record.observations import Observations, compared, describe
from sought.record.outcome import AGAIN, DAY, Finished, Outcome, outcome_name, trouble
from sought.record.reasons import Reasons
from sought.record.store import Details, Store, row_key
from sought.record.table import NO_ROW, Reason, Source, State, Table
from sought.record.traps import is_soft_404
from sought.web.digest import digest
from sought.web.document import Document, Link
from sought.web.message import RequestPurpose, Response
from sought.web.sketch import similarity

HOUR = 3600.0
Digest = Callable[[Response, str], Document]
_ANCHORS = 64
_LIVE = int(State.LIVE)  # a plain number: looking a member up takes longer than all else here


@dataclass(slots=True)
class FetchedAnswer:
    """An answer on its way into the tables: digested, archived, not yet applied."""

    row: int
    response: Response
    stored: Stored
    document: Document | None = None


@dataclass(slots=True)
class Changes:
    """What a batch means for the search index."""

    entries: dict[int, Entry] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    renewed: set[int] = field(default_factory=set)  # to be read again from the archive


class Repository:
    """Table, hosts, links and history.  Changes gather in the store's batch until `commit`."""

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
        self.changes = Changes()
        self.finished: list[Finished] = []  # fetches applied since the last commit
        self.reasons = Reasons(store)
        self.fetches_by_hour: dict[int, int] = dict(store.meta("fetches_by_hour", ()))

    # ---- ways in

    def add_urls(self, urls: Sequence[str], source: Source, now: float) -> list[int]:
        """URLs a person named."""
        rows = self.discovery.admit(urls, NO_ROW, 0, source, now)
        self.discovery.flush()
        return rows

    def prepared(self, row: int, response: Response, stored: Stored) -> FetchedAnswer:
        """Digest what needs digesting: a page that is not word for word the one we have."""
        brings_page = response.purpose is RequestPurpose.PAGE and 200 <= response.status < 300 and not response.failure
        return FetchedAnswer(
            row, response, stored, self.digested(response) if brings_page and not stored.revisit else None
        )

    def digested(self, response: Response) -> Document:
        """A page must never stop the crawl: should digesting fail, it fails alone, now and at every replay."""
        try:
            return self.digest(response, self.agent)
        except Exception:  # noqa: BLE001  whatever it was, it is this page's fault only
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
        """Count a fetch towards the budget of its hour; a week and a day are remembered."""
        hour = int(time // HOUR)
        self.fetches_by_hour[hour] = self.fetches_by_hour.get(hour, 0) + 1
        if len(self.fetches_by_hour) > 200:
            del self.fetches_by_hour[min(self.fetches_by_hour)]

    def spent_since(self, start: float) -> int:
        """Fetches since the beginning of an hour."""
        return sum(n for hour, n in self.fetches_by_hour.items() if hour >= start // HOUR)

    def known_row(self, url: str, now: float) -> int:
        """The row of a URL that was fetched, made if today's rules would not admit it: nothing on record is lost."""
        row = self.discovery.row(url)
        if row < 0:
            row = self.discovery.force(url, now)
        if row >= len(self.table):
            self.discovery.flush()
        return row

    def deny(self, row: int, until: float, *, forbidden: bool) -> None:
        """Nothing was fetched: robots.txt forbids the row, or (not `forbidden`) could not be had; then a copy stays."""
        columns = self.table.columns
        columns["not_before"][row] = until
        if forbidden or not self.holds_copy(row):
            if self.searchable(row):
                self._withdraw(row)
            columns["state"][row], columns["reason"][row] = State.DENIED, Reason.ROBOTS
        self._details(row)
        self._count("denied", row)

    def drop(self, row: int, until: float) -> None:
        """Give a searchable page away; nothing was fetched, so after a rebuild it is there again."""
        self._withdraw(row)
        self.table.columns["state"][row], self.table.columns["not_before"][row] = State.DROPPED, until
        self._details(row)
        self._count("dropped", row)

    def commit(self, finished: Sequence[Finished]) -> Commit:
        """Everything since the last commit, in one atomic write; `finished` are its fetches, as they are measured."""
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
        """Whether the row stands for the copy in the archive: only then does "as before" (304, same bytes) mean it."""
        columns = self.table.columns
        state = columns["state"][row]
        return bool(state == _LIVE or (state == State.ALIAS and columns["reason"][row] != Reason.REDIRECT))

    def trusts_copy(self, row: int) -> bool:
        """Whether "as before" would leave nothing to decide, so that a conditional request will do.

        Not so for a page that asked not to be searchable (a header may say otherwise now), nor for one that stood for
        another which has gone.
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
        kind = trouble(response)
        if kind:
            outcome = self._no_page(row, response, kind)
        elif response.is_redirect:
            outcome = self._redirect(row, response)
        elif fetched.document is None:
            outcome = self._unchanged(row, fetched)
        else:
            outcome = self._page(row, fetched, fetched.document, was_live)
        if was_live and not self.searchable(row):
            self._withdraw(row)
        if response.why:
            self.reasons.note(outcome, response.why)
        outcome.found = self._known_urls() - known
        self.finished.append(self.observations.finished(row, outcome, before))
        self._count(outcome.kind, row)

    def _no_page(self, row: int, response: Response, kind: str) -> Outcome:
        columns, again = self.table.columns, AGAIN[kind]
        failures = min(int(columns["failures"][row]) + 1, 255)
        columns["failures"][row] = failures
        columns["not_before"][row] = response.time + again.wait(failures)
        kept = columns["state"][row] in (State.LIVE, State.ALIAS) and again.state is not State.GONE
        if failures >= again.tries:
            columns["state"][row], columns["reason"][row] = State.DEAD, again.reason
        elif not kept:
            columns["state"][row], columns["reason"][row] = again.state, again.reason
        return self._outcome(outcome_name(response), response, detail=response.detail)

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
        if not self.holds_copy(row):  # a 304 that nobody asked for
            return self._no_page(row, response, "odd-status")
        columns["failures"][row] = 0
        is_orphan = columns["state"][row] == State.ALIAS and not self.trusts_copy(row)  # nobody asked for a 304
        columns["not_before"][row] = response.time + 7 * DAY if is_orphan else -np.inf
        if self.searchable(row) and header_directives(response, self.agent)[0]:
            columns["reason"][row] = Reason.NOINDEX
        elif row in self.discovery.gained and self.searchable(row):
            self.changes.renewed.add(row)
        self._see_links(row, self.links.of(row), response.time)
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
        if self.searchable(row) and (changed or not was_live or row in self.discovery.gained):
            self._index(row, response, document)
        if columns["state"][row] == State.FAILED:
            columns["failures"][row] = 1
            columns["not_before"][row] = response.time + AGAIN["refused"].first
        kind = "new" if first else "changed" if changed else "same-text"
        return compared(self._outcome(kind, response, difference=difference), details)

    def _place(self, row: int, response: Response, document: Document) -> bool:
        """Decide what the page stands for: itself, another page, or nothing.  Returns whether to ignore its links."""
        columns = self.table.columns
        noindex, nofollow = header_directives(response, self.agent)
        noindex, nofollow = noindex or document.noindex, nofollow or document.nofollow
        state, reason, alias = State.LIVE, Reason.NONE, NO_ROW
        if document.refused:
            state, reason = State.FAILED, Reason.REFUSED
        elif is_soft_404(document.title, document.headings, document.counts.words):
            state, reason = State.GONE, Reason.SOFT_404
            columns["not_before"][row] = response.time + AGAIN["gone"].first
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
        if row in self.fresh_links:  # fetched twice in a batch: links of the first time may not be in the table yet
            self.discovery.flush()
        self._see_links(row, self.links.put(row, targets), now)

    def _see_links(self, row: int, old: Targets, now: float) -> None:
        """Let them tell of where they lead; rows they no longer tell of are stored with what is known."""
        for target in self.links.seen(row, self._details(row), old, now).tolist():
            self._details(target)

    def _index(self, row: int, response: Response, document: Document) -> None:
        self.changes.removed.discard(row)
        self.changes.entries[row] = self.entry(row, response, document)

    def entry(self, row: int, response: Response, document: Document) -> Entry:
        """What the search index gets of a page."""
        body = document.main or document.text
        title = document.title or (document.headings[0] if document.headings else "")
        return Entry(row, response.url, title, body, self.anchors(row), document.language, response.time)

    def anchors(self, row: int) -> str:
        """Words of links to a row, each wording once, at most so many: those of lowest hash, whatever came first."""
        key = row_key(b"a", row)
        found = {k[len(key) :]: text for k, text in islice(self.store.scan(key), _ANCHORS)}
        found.update((mark.to_bytes(4, "big"), text) for mark, text in self.discovery.fresh_anchors.get(row, ()))
        self.discovery.gained.discard(row)
        return "\n".join(text.decode() for _, text in sorted(found.items())[:_ANCHORS])

    # ---- small things

    def _withdraw(self, row: int) -> None:
        """Out of the search index."""
        self.changes.entries.pop(row, None)
        self.changes.removed.add(row)

    def store_again(self, rows: list[int]) -> None:
        """Write what is known of these rows with the next commit."""
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
