"""Which sites does the web have, and which pages are live in which version at a time?

This covers the healthy sites only.  Listings (home pages and section hubs) are pages, too; their version counts the
births, deaths and moves that they show.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sought.toyweb.laws import LAST_DAY
from sought.toyweb.sites import DOMAIN, ToyPage, ToySite

PORTAL = f"portal.{DOMAIN}"


class SiteEvent(NamedTuple):
    """A URL was `born`, `changed`, `moved` (to `target`) or `died`."""

    time: float
    kind: str
    url: str
    target: str = ""


def clamp(t: float) -> float:
    """A toy time limited to the web's lifetime."""
    return min(max(t, 0.0), LAST_DAY)


@dataclass(frozen=True)
class Atlas:
    """All healthy sites of a web and their addresses."""

    seed: int
    count: int
    slots: int
    port: int

    @cached_property
    def sites(self) -> tuple[ToySite, ...]:
        return tuple(ToySite(self.seed, number, self.slots) for number in range(self.count))

    @cached_property
    def by_host(self) -> dict[str, ToySite]:
        return {site.host: site for site in self.sites}

    @cached_property
    def same_subject(self) -> dict[str, tuple[ToySite, ...]]:
        """Sites by subject."""
        subjects = {site.subject.name for site in self.sites}
        return {name: tuple(s for s in self.sites if s.subject.name == name) for name in subjects}

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}{'' if self.port == 80 else f':{self.port}'}{path}"

    def live(self, t: float) -> list[str]:
        """Every URL that answers 200 at `t` and that the healthy part links to."""
        t = clamp(t)
        urls = [self.url(PORTAL)]
        for site in self.sites:
            paths = ["/", "/about", *(f"/{section}/" for section in site.sections)]
            urls += [self.url(site.host, path) for path in paths + [p.path(t) for p in site.live(t)]]
        return urls

    def version(self, url: str, t: float) -> int | None:
        """How often the text at `url` has changed until `t`; None if the page is not live."""
        t = clamp(t)
        host, path = self._split(url)
        if host == PORTAL and path == "/":
            return 0
        site = self.by_host.get(host)
        if site is None:
            return None
        if path == "/about":
            return 0
        if path == "/":
            return len(site.listing_changed(t, with_moves=False))
        if path[1:-1] in site.sections and path.endswith("/"):
            return len(site.listing_changed(t, path[1:-1]))
        page = site.find(path, t)
        return len(page.changed(t)) if page and page.lives(t) and page.path(t) == path else None

    def _split(self, url: str) -> tuple[str, str]:
        prefix, port = "http://", "" if self.port == 80 else f":{self.port}"
        host, slash, path = url.removeprefix(prefix).partition("/")
        return (host.removesuffix(port), slash + path) if url.startswith(prefix) and host.endswith(port) else ("", "")

    def events(self, t0: float, t1: float) -> list[SiteEvent]:
        """The events of articles after `t0` and until `t1`, in order."""
        t0, t1 = clamp(t0), clamp(t1)
        events = [e for site in self.sites for page in site.pages(t1) for e in self._life(site, page, t1)]
        return sorted(e for e in events if t0 < e.time <= t1)

    def _life(self, site: ToySite, page: ToyPage, t: float) -> Iterator[SiteEvent]:
        first, later = self.url(site.host, page.first_path), self.url(site.host, page.later_path)
        yield SiteEvent(page.born, "born", first)
        yield SiteEvent(page.moves, "moved", first, later)
        yield SiteEvent(page.dies, "died", self.url(site.host, page.path(page.dies)))
        for at in page.changed(t):
            yield SiteEvent(at, "changed", self.url(site.host, page.path(at)))
