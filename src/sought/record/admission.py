"""Does this URL belong to the crawl?  Scope, then traps, then caps; every refusal has a name and is counted."""

import re
from dataclasses import dataclass

from sought.record.config import Config
from sought.record.hosts import Host
from sought.record.store import Store, hash_key
from sought.record.traps import UrlShape, looks_endless, shape
from sought.web.url import URL, hostname, registered_domain

REASONS = {
    "scope": "the host is outside [scope] in sought.toml",
    "exclude": "it matches a pattern of [scope] exclude",
    "depth": "it is more links away from the seeds than [scope] max_depth",
    "path-depth": "its path has more segments than [traps] path_depth",
    "repeating-path": "its path repeats itself",
    "parameters": "it has more parameters than [traps] parameters",
    "calendar": "too many addresses that differ only in a date ([traps] dates_per_path)",
    "query-explosion": "too many combinations of the same parameters ([traps] queries_per_path)",
    "host-cap": "its host has reached [traps] pages_per_host",
    "redirect-limit": "it is at the end of more than five redirects",
}


@dataclass(frozen=True, slots=True)
class Scope:
    """Which hosts belong to the crawl.  Registered domains include their subdomains, hosts are exact."""

    domains: frozenset[str]
    hosts: frozenset[str]
    everywhere: bool
    exclude: re.Pattern[str] | None

    @classmethod
    def of(cls, config: Config) -> "Scope":
        scope = config.scope
        domains, hosts = set(scope.domains), set(scope.hosts)
        if not domains and not hosts:
            domains = {registered_domain(hostname(s)) for s in config.seeds}
        patterns = "|".join(f"(?:{p})" for p in scope.exclude)
        everywhere = scope.everywhere
        return cls(frozenset(domains), frozenset(hosts), everywhere, re.compile(patterns) if patterns else None)

    def covers(self, host: str) -> bool:
        if self.everywhere or host in self.hosts or host in self.domains:
            return True
        parent = host
        while parent := parent.partition(".")[2]:
            if parent in self.domains:
                return True
        return False


class Admission:
    """Judges newly found URLs and keeps the counts by shape.

    The counts belong to the table: they change only with admitted URLs and are stored in the same commit.
    """

    def __init__(self, config: Config, store: Store | None) -> None:
        """Without a store, for a crawl that has not begun, only `look` may be used."""
        self.scope = Scope.of(config)
        self.max_depth = config.scope.max_depth
        self.traps = config.traps
        self.store = store
        self.covered: dict[str, bool] = {}
        self.shapes: dict[int, int] = {}
        self.refused: dict[str, int] = store.meta("refused", {}) if store else {}

    def committed(self) -> None:
        """Counts are in the store now and need not all stay in memory."""
        if len(self.shapes) > 200_000:
            self.shapes.clear()

    def covers(self, origin: str) -> bool:
        covered = self.covered.get(origin)
        if covered is None:
            if len(self.covered) > 100_000:
                self.covered.clear()
            covered = self.covered[origin] = self.scope.covers(hostname(origin + "/"))
        return covered

    def judge(self, url: str, origin: str, host: Host | None, depth: int) -> str:
        """Empty if the URL is admitted (and then counted), else the name of the reason."""
        verdict, kind = self.look(url, origin, host, depth)
        if not verdict and kind and self.store:
            count = self.shapes[kind.key] + 1
            self.shapes[kind.key] = count
            self.store.put(hash_key(b"t", kind.key), count.to_bytes(4, "big"))
        return verdict

    def look(self, url: str, origin: str, host: Host | None, depth: int) -> tuple[str, UrlShape | None]:
        """The verdict without counting."""
        if not self.covers(origin):
            return "scope", None
        if self.scope.exclude and self.scope.exclude.search(url):
            return "exclude", None
        if depth > self.max_depth:
            return "depth", None
        traps = self.traps
        parsed = URL(url)
        path, query = parsed.path, parsed.query
        if why := looks_endless(path, query, traps.path_depth, traps.parameters):
            return why, None
        if host and host.known >= traps.pages_per_host:
            return "host-cap", None
        kind = shape(origin, path, query, traps.queries_per_path, traps.dates_per_path)
        if kind and self._count(kind) >= kind.limit:
            return kind.why, None
        return "", kind

    def _count(self, kind: UrlShape) -> int:
        count = self.shapes.get(kind.key)
        if count is None:
            stored = self.store.get(hash_key(b"t", kind.key)) if self.store else None
            count = self.shapes[kind.key] = int.from_bytes(stored or b"", "big")
        return count
