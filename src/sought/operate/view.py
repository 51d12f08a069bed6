"""A crawl directory, read without writing to it, also while a crawl is running."""

import fcntl
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Belief
from sought.beliefs.columns import Beliefs, SettledBeliefs
from sought.beliefs.holdings import Holdings
from sought.crawl.plan import Limits, choose
from sought.index import Answer, Index
from sought.index.exact import Exact
from sought.operate.calibration import expectation_reports
from sought.operate.known import (
    AnswerReport,
    CrawlStatus,
    ExpectationReport,
    FrontierStats,
    JudgedPage,
    KnownPage,
    UrlVerdict,
)
from sought.record.admission import REASONS, Admission
from sought.record.config import FILE, pace
from sought.record.damage import seen_damage
from sought.record.files import folder_bytes
from sought.record.gains import gains_since
from sought.record.history import page_history
from sought.record.hosts import Host, Hosts
from sought.record.measuring import Measuring
from sought.record.outcome import Outcome
from sought.record.settings import FILE as SETTINGS
from sought.record.settings import crawl_config, load_settings
from sought.record.store import Store
from sought.record.swap import part_for_reading
from sought.record.table import Reason, Source, State
from sought.web.errors import BadInput
from sought.web.pages import Pages
from sought.web.policy import Policy, beliefs_of, expected_by, reads_links
from sought.web.url import fingerprint, hostname, origin

# Hosts from which no page is fetched, by what is known of their robots.txt.
KEPT_OUT = {
    "guarded": "in a private network that [fetch] allow_networks does not list",
    "deny": "without a robots.txt that can be read",
}


def running_process(path: Path) -> int | None:
    """The process that crawls into the directory now, if any."""
    lock = path / "lock"
    if not lock.exists():
        return None
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            text = file.read(32).strip()
            return int(text) if text.isdigit() else 0
    return None


class Ranking(NamedTuple):
    """The values a policy gives to all rows at one time, and the gains it expects; None if it expects none."""

    policy: Policy
    now: float
    values: NDArray[np.float64]
    gains: NDArray[np.float64] | None


class View:
    """A crawl as of its last commit.  Beliefs, the measuring and the last ranking are computed once and kept."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened = time.time()
        self.config, self.settings = crawl_config(path), load_settings(path)
        store = part_for_reading(path, "store")
        if not store.exists():
            raise BadInput(_nothing_yet(path, "has not been crawled yet"))
        self.store = Store(store, writable=False)
        try:
            self.table = self.store.load()
            self.hosts = Hosts(self.config.agent.name)
            self.hosts.load(self.store)
        except BaseException:
            self.store.close()
            raise
        self._beliefs: dict[tuple[tuple[Belief, ...], bool], SettledBeliefs] = {}
        self._ranking: Ranking | None = None

    def close(self) -> None:
        """Close the store and free what was computed: its parts refer to each other, so memory would stay in use."""
        self.store.close()
        self._beliefs.clear()
        self._ranking = None
        for name in ("_holdings", "measuring"):
            if part := vars(self).pop(name, None):
                vars(part).clear()

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def row(self, url: str) -> int:
        return int(self.table.find(np.array([fingerprint(url)], np.uint64))[0])

    def status(self) -> CrawlStatus:
        """The state of the crawl."""
        states = np.bincount(self.table["state"], minlength=len(State))
        reasons = np.bincount(self.table["reason"], minlength=len(Reason))
        return CrawlStatus(
            directory=str(self.path),
            running=running_process(self.path),
            budget=self.config.crawl.budget,
            budget_from=SETTINGS if self.settings.budget else FILE,
            paused=self.settings.paused,
            blocked=tuple(self.settings.blocked),
            asked_for=tuple(self.settings.wanted),
            known=len(self.table),
            fetched=int(np.count_nonzero(self.table["fetches"])),
            states={s.name.lower(): int(states[s]) for s in State if states[s]},
            reasons={_spell(r): int(reasons[r]) for r in Reason if r and reasons[r]},
            outcomes=self.store.meta("outcomes", {}),
            refused=self.store.meta("refused", {}),
            hosts=len(self.hosts),
            hosts_not_fetched=self._kept_out() or None,
            last_fetch=_time(self.table["last_fetch"].max(initial=-np.inf)),
            searchable=searchable_pages(self.path),
            demand=AnswerReport.read(self.store.meta("demand", {})),
            expected_against_measured=self._expectations() or None,
            damage=tuple(seen_damage(self.store)),
            bytes={part: folder_bytes(self.path / part) for part in ("archive", "store", "index")},
        )

    def _expectations(self) -> dict[str, ExpectationReport]:
        """Empty if the policy expected nothing."""
        return expectation_reports(self.store, gains_since(self.config.demand.scorer, self.store, self.table))

    def _kept_out(self) -> dict[str, int]:
        """How many hosts no page is fetched from, by why."""
        kinds = Counter(host.robots_kind for host in self.hosts.list)
        return {why: kinds[kind] for kind, why in KEPT_OUT.items() if kinds[kind]}

    def ranked(self, policy: Policy, now: float, count: int) -> list[KnownPage]:
        """What would be fetched next, in order."""
        limits = Limits(count, len(self.table) + 1, self.config.revisit_after)
        rows, _ = choose(policy, self.table, self.pages(policy), now, limits, np.zeros(0, np.int64))
        return [self.describe(int(row)) for row in rows]

    @cached_property
    def measuring(self) -> Measuring:
        """The queries and how well they are answered; computed exactly, because no crawl waits for it."""
        return Measuring(self.config, self.store, self.table, Exact())

    def pages(self, policy: Policy) -> Pages:
        """The table as a policy sees it."""
        return self.beliefs(beliefs_of(policy), links=reads_links(policy)).pages()

    def ranking(self, policy: Policy, now: float) -> Ranking:
        """What a policy makes of all rows; the last one is kept, because it takes as long as a plan."""
        if self._ranking is None or self._ranking[:2] != (policy, now):
            pages = self.pages(policy)
            expected = expected_by(policy, pages, now)
            values = policy(pages, now) if expected is None else expected.value
            self._ranking = Ranking(policy, now, values, expected.gain if expected else None)
        return self._ranking

    def believed(self, belief: Belief) -> NDArray[np.float64]:
        """The column of one belief."""
        wanted = tuple(dict.fromkeys([belief, *beliefs_of(belief)]))  # and the beliefs it reads
        return self.beliefs(wanted).pages().belief(belief)

    def beliefs(self, wanted: Sequence[Belief], *, links: bool = False) -> Beliefs:
        """Columns of beliefs and their explanations; with `links` also who links to whom."""
        key = tuple(wanted), links
        if key not in self._beliefs:
            since = gains_since(self.config.demand.scorer, self.store, self.table)
            self._beliefs[key] = SettledBeliefs(wanted, self._holdings, since, pace=pace(self.config), links=links)
        return self._beliefs[key]

    @cached_property
    def _holdings(self) -> Holdings:
        return Holdings(self.store, self.table, lambda: self.measuring)

    def describe(self, row: int) -> KnownPage:
        """What the table says of a row."""
        return KnownPage(**self.columns(row))

    def columns(self, row: int) -> dict[str, Any]:
        """The fields of a `KnownPage`."""
        c = {name: column[row] for name, column in self.table.columns.items()}
        return {
            "url": self.store.url(row),
            "state": State(c["state"]).name.lower(),
            "reason": _spell(Reason(c["reason"])),
            "depth": int(c["depth"]),
            "source": Source(c["source"]).name.lower(),
            "found": float(c["found"]),
            "fetches": int(c["fetches"]),
            "changes": int(c["changes"]),
            "inlinks": int(c["inlinks"]),
            "status": int(c["status"]),
            "last_fetch": _time(c["last_fetch"]),
            "not_before": _time(c["not_before"]),
            "signal": _time(c["signal"]),
            "alias": self.store.url(int(c["alias"])) if c["alias"] < len(self.table) else None,
        }

    def history(self, row: int) -> Iterator[Outcome]:
        return page_history(self.store, row)

    def frontier_stats(self, now: float) -> FrontierStats:
        """Counts of the URLs that wait."""
        new = self.table["state"] == State.NEW
        hosts = np.bincount(self.table["host"][new], minlength=len(self.hosts))
        top = np.argsort(-hosts, kind="stable")[:10]
        depths = np.bincount(self.table["depth"][new])
        sources = np.bincount(self.table["source"], minlength=len(Source))
        return FrontierStats(
            new=int(new.sum()),
            waiting=int(np.count_nonzero(self.table["not_before"] > now)),
            hosts={self.hosts[int(h)].origin: int(hosts[h]) for h in top if hosts[h]},
            depths={str(d): int(n) for d, n in enumerate(depths) if n},
            sources={s.name.lower(): int(sources[s]) for s in Source if sources[s]},
        )

    def judge(self, url: str) -> UrlVerdict:
        """Whether robots.txt, scope and traps admit a URL, and what is known of it."""
        where = origin(url)
        host = self.hosts.by_origin.get(where)
        why, _ = Admission(self.config, self.store).look(url, where, host, 0)
        row, robots = self.row(url), _robots_verdict(host, url)
        blocked = hostname(url) in self.settings.blocked
        admitted = not why and not robots.startswith("dis") and not blocked
        return UrlVerdict(
            url=url,
            verdict="would be fetched" if admitted else "would not be fetched",
            host=f"{hostname(url)} (blocked)" if blocked else hostname(url),
            admitted=not why,
            why=f"{why}: {REASONS[why]}" if why else "in scope, and no trap",
            robots=robots,
            known=JudgedPage(**self.columns(row), history=tuple(map(_fields, self.history(row)))) if row >= 0 else None,
            refused_on_host=host.refused if host else {},
        )


def _robots_verdict(host: Host | None, url: str) -> str:
    if host is None or host.robots is None:
        return "not read yet"
    verdict = "allowed" if host.robots.allows(url) else "disallowed"
    return {
        "guarded": "disallowed: its address is in a network that is not listed in [fetch] allow_networks",
        "deny": "disallowed: robots.txt could not be had",
        "allow": "allowed: there is no robots.txt",
    }.get(host.robots_kind, f"{verdict} by robots.txt")


def _fields(outcome: Outcome) -> dict[str, Any]:
    return {name: getattr(outcome, name) for name in outcome.__struct_fields__ if name != "helped"}


def _spell(reason: Reason) -> str:
    return reason.name.lower().replace("_", "-")


def _time(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _nothing_yet(path: Path, state: str) -> str:
    """Why there is nothing to read: the crawl is new, or has lost what can be made again."""
    if any(path.glob("archive/*.warc.gz")):
        return f"the tables or the index of {path} are missing: run 'sought rebuild {path}'"
    return f"{path} {state}: run 'sought crawl {path}'"


def searchable_pages(path: Path) -> int:
    folder = part_for_reading(path, "index")
    if not folder.exists():
        return 0
    index = Index.open(folder, writable=False)
    try:
        return len(index)
    finally:
        index.close()


def search(path: Path, query: str, limit: int = 10, offset: int = 0) -> Answer:
    """Answer a query from a crawl directory, also while it is being crawled."""
    crawl_config(path)
    folder = part_for_reading(path, "index")
    if not folder.exists():
        raise BadInput(_nothing_yet(path, "has nothing to search yet"))
    index = Index.open(folder, writable=False)
    try:
        return index.search(query, limit, offset)
    finally:
        index.close()
