"""What does the toy web answer to a request, and what is its true state?"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from sought.toyweb import pages
from sought.toyweb.answer import ToyAnswer, page, plain
from sought.toyweb.atlas import PORTAL, Atlas, SiteEvent, clamp
from sought.toyweb.healthy import healthy_answer
from sought.toyweb.oddities import BY_HOST, odd_answer
from sought.toyweb.oddity import OddRequest
from sought.toyweb.sitemaps import robots_lines
from sought.toyweb.sites import DOMAIN

MIRROR = f"mirror.{DOMAIN}"  # byte for byte the same as the first site


@dataclass(frozen=True)
class ToyWeb:
    """A web of many hosts, a pure function of its fields and of toy time (days, from 0).

    `sites` healthy hosts have about `pages` articles each; `hostile` adds the oddities.  `slow` is how many seconds the
    slow host takes, `patience` how long a hostile answer goes on at most.  `port` stands in the links between hosts.
    """

    seed: int = 1
    sites: int = 24
    pages: int = 100
    hostile: bool = True
    slow: float = 2.0
    patience: float = 60.0
    port: int = 80

    @cached_property
    def atlas(self) -> Atlas:
        return Atlas(self.seed, self.sites, self.pages, self.port)

    @cached_property
    def addresses(self) -> dict[str, str]:
        """Every host and its loopback address: one each, but the last two sites share theirs."""
        found = {PORTAL: "127.1.0.1"}
        for site in self.atlas.sites:
            number = max(0, self.sites - 2) if site.number == self.sites - 1 else site.number
            found[site.host] = f"127.1.{1 + number // 250}.{1 + number % 250}"
        odd = [MIRROR, *BY_HOST] if self.hostile else []
        return found | {host: f"127.2.0.{1 + k}" for k, host in enumerate(odd)}

    @property
    def portal(self) -> str:
        return self.atlas.url(PORTAL)

    def answer(self, host: str, path: str, headers: Mapping[str, str], t: float) -> ToyAnswer:
        """The answer of `host` (with or without port) at toy time `t`; header names are in lower case."""
        t = clamp(t)
        host = host.lower().partition(":")[0]
        if host not in self.addresses:
            return plain(f"No such host in the toy web.\n{self.portal}\n", 421)
        if host == PORTAL:
            return self._portal(path)
        if host in BY_HOST:
            return odd_answer(OddRequest(self.atlas, host, path, headers, t))
        site = self.atlas.sites[0] if host == MIRROR else self.atlas.by_host[host]
        return healthy_answer(self.atlas, site, path, headers, t)

    def _portal(self, path: str) -> ToyAnswer:
        if path == "/robots.txt":
            return plain(robots_lines("Disallow:"))
        if path != "/":
            return plain("There is nothing here.\n", 404)
        odd = [(MIRROR, "an exact copy of the first site"), *((host, rows[0].note) for host, rows in BY_HOST.items())]
        return page(pages.portal(self.atlas, odd if self.hostile else ()))

    def live(self, t: float) -> list[str]:
        """The URLs of all healthy pages at `t`."""
        return self.atlas.live(t)

    def version(self, url: str, t: float) -> int | None:
        """How often the text of a healthy page has changed until `t`; None if it is not live."""
        return self.atlas.version(url, t)

    def events(self, t0: float, t1: float) -> list[SiteEvent]:
        """Births, changes, moves and deaths of healthy pages after `t0` and until `t1`."""
        return self.atlas.events(t0, t1)
