"""The parameters of a made-up web, with bounds and help."""

from dataclasses import dataclass, field, fields
from typing import Any

from sought.web.errors import BadInput

MONDAY = 1704067200.0  # 2024-01-01, 00:00 UTC: when made-up webs begin


def _knob(default: float, meaning: str, least: float = 0.0, most: float = 1.0) -> Any:
    return field(default=default, metadata={"help": meaning, "min": least, "max": most})


@dataclass(frozen=True)
class WebShape:
    """A synthetic web that evolves.  Shares are of all pages unless the help says otherwise."""

    seed: int = _knob(0, "Another number gives another web of the same shape.", 0, 2**32)
    hosts: int = _knob(20, "Hosts.", 1, 100_000)
    pages: int = _knob(
        2000, "Pages at the start, with the front pages and hubs of hosts, without those of traps.", 3, 10_000_000
    )
    weeks: int = _knob(52, "Weeks from the start to the end.", 1, 5200)

    out_links: float = _knob(8.0, "Links in the text of a page, on average.", 0.0, 1000.0)
    copying: float = _knob(0.5, "Share of links that are copied from another page of the host (the copy model).")
    local: float = _knob(0.5, "Share of the links that are not copied that stay on the host.")
    hubs: int = _knob(2, "Pages of each host that list its other pages.", 1, 1000)

    topics: int = _knob(40, "Subjects that pages are about.", 1, 100_000)
    vocabulary: int = _knob(8000, "Different words.", 50, 1_000_000)
    words: float = _knob(150.0, "Words on a page, on average.", 20.0, 20_000.0)

    churn: float = _knob(0.2, "Share of a page's words that every change replaces.")
    scroll: float = _knob(
        0.2, "Share of a page's words that is a list: every change adds an item and drops the oldest."
    )
    rate: float = _knob(0.1, "Changes of a page a week, on average (log-normal, at most 14).", 0.0, 14.0)
    rate_sigma: float = _knob(1.2, "How much pages differ in that: sigma of the logarithm.", 0.0, 5.0)
    by_host: float = _knob(0.0, "Share of that which is alike on a host: of the variance of the logarithm.")
    by_topic: float = _knob(0.0, "Share of it which is alike for pages of the same subject.")
    periodic: float = _knob(0.1, "Share of pages that change like clockwork, not as a Poisson process.")
    adverts: float = _knob(0.2, "Share of pages with a part that changes and has no word that anybody asks for.")
    advert_rate: float = _knob(0.3, "Changes of such a part a week.", 0.0, 14.0)

    births: float = _knob(0.004, "New pages a week, as a share of `pages`.")
    deletes: float = _knob(0.002, "Pages that go a week, as a share of `pages`.")
    moves: float = _knob(0.7, "Share of those that go on elsewhere, with a redirect.")
    ephemeral: float = _knob(0.03, "Share of pages that live shortly; another comes when one goes.")
    lifetime: float = _knob(3.0, "How many weeks such a page lives, on average.", 0.05, 1000.0)

    duplicates: float = _knob(0.04, "Share of pages that are nearly the same as another.")
    spam: float = _knob(0.03, "Share of pages that are stuffed with what people ask for and link to each other.")
    traps: float = _knob(0.1, "Share of hosts with a calendar that goes on and on.")
    trap_pages: int = _knob(50, "Pages of such a calendar.", 1, 100_000)

    sitemaps: float = _knob(0.5, "Share of hosts with a sitemap.")
    sitemap_recall: float = _knob(0.9, "Share of a host's pages in its sitemap; each host has its own, around this.")
    sitemap_noise: float = _knob(
        0.05, "Share of the dates in it that are made up, week by week; each host has its own."
    )
    sitemap_lag: float = _knob(
        0.5, "Weeks until it says what happened, on average; each host has its own.", 0.0, 1000.0
    )
    liars: float = _knob(0.1, "Share of hosts with a sitemap by which every page has changed just now.")

    queries: int = _knob(2000, "Different queries (fewer where the words do not suffice).", 0, 10_000_000)
    zipf: float = _knob(0.9, "How unequally often queries are asked: count = 1/rank to this power.", 0.0, 5.0)
    drift: float = _knob(0.15, "Share of queries that nobody asks at the start.")
    skew: float = _knob(0.7, "How much queries are about the same few subjects and pages; 0: all alike.", 0.0, 10.0)

    def __post_init__(self) -> None:
        for each in fields(self):
            value, least, most = getattr(self, each.name), each.metadata["min"], each.metadata["max"]
            if not least <= value <= most:
                raise BadInput(f"{each.name} = {value}: it must be from {least} to {most}")
        if self.churn + self.scroll > 1:
            raise BadInput(f"churn + scroll = {self.churn + self.scroll}: together they are at most the whole page")
        if self.by_host + self.by_topic > 1:
            raise BadInput(f"by_host + by_topic = {self.by_host + self.by_topic}: together they are at most all of it")
        if self.ephemeral + self.duplicates + self.spam > 1:
            raise BadInput("ephemeral + duplicates + spam: together they are at most all pages")
        if self.pages < self.hosts * (self.hubs + 2):
            raise BadInput(f"pages = {self.pages}: {self.hosts} hosts need at least {self.hosts * (self.hubs + 2)}")
