"""One crawl of the whole hostile toy web, and what it must not have fallen for."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sought
from sought.archive import Archive
from sought.operate.check import check
from sought.operate.view import View
from sought.record.recovery import open_directory
from sought.record.table import Reason, State
from sought.toyweb import Served, ServedRequest, ToyWeb, serve_in_thread
from sought.web.message import RequestPurpose

# HTTP libraries send a GET again, at once, if a kept connection dies before the answer (RFC 9112 §9.3.1).
SENT_AGAIN = "/reset"
# Hosts that only a time limit ends.  They are crawled by themselves, with a short one: the crawl of all others has a
# limit that never strikes, so that what ends an answer there is the bound it is about, on a slow machine, too.
SILENT = ("hang", "slow", "slow-drip", "robots-hang")
NEVER = 600.0
SOON = 3.0
MAX_DELAY = 1.0
CAP = 100
CONFIG = f"""
[agent]
contact = "test@example.org"
[scope]
domains = ["toy.test"]
exclude = ['^http://({"|".join(SILENT)})[.]toy[.]test']
[crawl]
policy = "BreadthFirst()"
revisit_after = "1d"
[politeness]
delay = 0.0
max_delay = {MAX_DELAY}
latency_factor = 0.0
[traps]
pages_per_host = {CAP}
dates_per_path = 12
queries_per_path = 20
"""


@dataclass
class Crawled:
    """The crawl and what it left: every known URL by its name without the port, and every request served."""

    path: Path
    served: Served
    result: dict[str, Any]
    visits: list[ServedRequest]
    status: dict[str, Any] = field(default_factory=dict)
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    hosts: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    searchable: set[str] = field(default_factory=set)
    sitemaps: Counter[str] = field(default_factory=Counter)

    def url(self, name: str) -> str:
        host, slash, rest = name.partition("/")
        return f"http://{host}.toy.test:{self.served.port}{slash}{rest}"

    def name(self, url: str | None) -> str:
        return (url or "").removeprefix("http://").replace(f".toy.test:{self.served.port}", "")

    def asked(self, host: str) -> list[str]:
        """Paths requested of a host, in order, without robots.txt."""
        return [v.path for v in self.visits if v.host == f"{host}.toy.test" and v.path != "/robots.txt"]

    def is_state(self, name: str, state: str, reason: str = "none") -> bool:
        page = self.pages[name]
        return (page["state"], page["reason"]) == (state, reason)

    def look(self) -> "Crawled":
        with View(self.path) as view:
            self.status = view.status().to_json()
            described = [view.describe(row).to_json() for row in range(len(view.table))]
            self.hosts = {self.name(h.origin): {"refused": h.refused, "outcomes": h.outcomes} for h in view.hosts.list}
        for page in described:
            page["alias"] = self.name(page["alias"])
        self.pages = {self.name(page["url"]): page for page in described}
        directory = open_directory(self.path)
        try:
            self.searchable = {self.name(directory.store.url(int(row))) for row in directory.index.rows()}
        finally:
            directory.close()
        archive = Archive.open(self.path / "archive", software="test", writable=False)
        answers = [record.response for record in archive.records() if record.response]
        self.sitemaps = Counter(self.name(r.url) for r in answers if r.purpose is RequestPurpose.SITEMAP)
        archive.close()
        return self


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    path = tmp_path_factory.mktemp("hostile")
    with serve_in_thread(ToyWeb(sites=4, pages=10, slow=NEVER, patience=NEVER)) as served:
        for coding in ("gzip", "brotli", "zstd"):  # made once, now: meanwhile the server would answer nobody
            served.toy.answer(f"{coding}-bomb.toy.test", f"/{coding}-bomb", {}, 0.0)
        toy = served.toml().replace("[fetch]", f"[fetch]\ntimeout = {NEVER}\nmax_body = 3000000", 1)
        (path / "sought.toml").write_text(toy + CONFIG)
        result = sought.open(path).crawl(fetches=3000)
        yield Crawled(path, served, result.to_json(), list(served.requests)).look()


@pytest.fixture(scope="module")
def silent(crawled: Crawled, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """A crawl of the hosts that only a time limit ends."""
    path = tmp_path_factory.mktemp("silent")
    served, before = crawled.served, len(crawled.served.requests)
    seeds = [f"http://{name}.toy.test:{served.port}/{page}" for name in SILENT for page in ("", name)]
    toy = served.toml().replace("[fetch]", f"[fetch]\ntimeout = {SOON}", 1)
    planted = f"seeds = {json.dumps(seeds)}\n" + toy.partition("\n")[2]
    scope = 'domains = ["toy.test"]\n', f"hosts = {json.dumps([f'{name}.toy.test' for name in SILENT])}\n"
    (path / "sought.toml").write_text(re.sub("exclude = .*", "", planted + CONFIG.replace(*scope)))
    result = sought.open(path).crawl(fetches=100)
    return Crawled(path, served, result.to_json(), list(served.requests)[before:]).look()


def test_it_ends_by_itself_and_everything_agrees(crawled: Crawled) -> None:
    """No trap keeps the crawl going, every request but robots.txt was charged, and `check` finds nothing."""
    assert crawled.result["ended"] == "nothing left to fetch"
    charged = [v for v in crawled.visits if v.path not in ("/robots.txt", "/rules.txt", SENT_AGAIN)]
    assert crawled.result["fetched"] == len(charged) + 1
    directory = open_directory(crawled.path)
    try:
        assert check(directory, lambda _: None) == []
    finally:
        directory.close()


def test_nothing_is_asked_twice(crawled: Crawled) -> None:
    """No page is fetched more than once in a run, and no sitemap; a sitemap that is also linked counts as both."""
    assert max(page["fetches"] for page in crawled.pages.values()) == 1
    assert set(crawled.sitemaps.values()) == {1}
    asked = Counter((v.host, v.path) for v in crawled.visits if v.path != "/robots.txt")
    twice = {f"{host.removesuffix('.toy.test')}{path}" for (host, path), n in asked.items() if n > 1}
    assert twice - {f"reset{SENT_AGAIN}"} <= set(crawled.sitemaps)


def test_hosts_are_asked_one_request_at_a_time(crawled: Crawled) -> None:
    """One request on a host and on its address; where we hung up, the server may notice it later than we go on."""
    visits = [v for v in crawled.visits if v.host.removesuffix(".toy.test") not in OUTCOMES]
    assert len(visits) > 300
    assert max(v.host_busy for v in visits) == 1
    assert max(v.address_busy for v in visits) == 1


# ---- robots.txt (RFC 9309)

ALLOWING = ("allow", "groups", "404", "403", "redirect-loop", "html", "binary", "wildcards")
CLOSED = ("disallow-all", "500", "503", "hang", "cut")
KEEPING_PRIVATE = ("crawl-delay", "redirect", "huge", "bom", "sitemaps")


@pytest.mark.parametrize("kind", ALLOWING)
def test_robots_that_allow(crawled: Crawled, kind: str) -> None:
    """Rules for others, 4xx, redirects without end and garbage allow everything, /private/ too."""
    assert "/private/page" in crawled.asked(f"robots-{kind}")
    assert crawled.is_state(f"robots-{kind}/private/page", "live")


@pytest.mark.parametrize("kind", CLOSED)
def test_robots_that_close_a_host(crawled: Crawled, silent: Crawled, kind: str) -> None:
    """After `Disallow: /`, 5xx, silence or a cut connection, nothing of the host is asked for."""
    of = silent if kind == "hang" else crawled
    assert of.asked(f"robots-{kind}") == []
    assert of.pages[f"robots-{kind}/"]["state"] in ("denied", "new")  # new: the host is still cooling down


@pytest.mark.parametrize("kind", KEEPING_PRIVATE)
def test_robots_that_close_a_part(crawled: Crawled, kind: str) -> None:
    """A rule behind a redirect, a byte order mark or before a megabyte of comments holds; the rest is fetched."""
    asked = crawled.asked(f"robots-{kind}")
    assert {"/", "/page/1", "/page/2", "/page/3"} <= set(asked)
    assert "/private/page" not in asked
    assert crawled.is_state(f"robots-{kind}/private/page", "denied", "robots")


def test_private_pages_are_asked_for_only_where_robots_allow_it(crawled: Crawled) -> None:
    """Every request below /private/ went to a host that allows it."""
    hosts = {v.host for v in crawled.visits if v.path.startswith("/private/")}
    assert hosts == {f"robots-{kind}.toy.test" for kind in ALLOWING}


def test_robots_wildcards(crawled: Crawled) -> None:
    """`*` and `$` match as RFC 9309 says, and the longest rule wins."""
    asked = crawled.asked("robots-wildcards")
    assert {"/a/secret/open", "/report.pdf.html"} <= set(asked)
    assert not {"/a/secret/closed", "/report.pdf"} & set(asked)


def test_crawl_delay_is_honoured_up_to_the_bound(crawled: Crawled) -> None:
    """A host that asks for three seconds gets [politeness] max_delay between answers and requests, not nothing."""
    host = "robots-crawl-delay.toy.test"
    times = [v.time for v in crawled.visits if v.host == host]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) >= 4
    assert min(gaps) >= MAX_DELAY - 0.02
    with View(crawled.path) as view:
        left = view.hosts.manners[host]
    assert left.next_at - left.last_ended == pytest.approx(MAX_DELAY)


def test_what_robots_say_can_be_asked(crawled: Crawled, silent: Crawled) -> None:
    """`urltest` tells rules, their absence and their failure apart."""
    said: dict[str, str] = {}
    for each in (crawled, silent):
        with View(each.path) as view:
            said |= {name: view.judge(each.url(f"{name}/private/page")).robots for name in each.hosts}
    assert said["robots-bom"] == "disallowed by robots.txt"
    assert said["robots-groups"] == "allowed by robots.txt"
    assert said["robots-404"] == "allowed: there is no robots.txt"
    assert said["robots-hang"] == "disallowed: robots.txt could not be had"


# ---- what pages and headers ask for


@pytest.mark.parametrize("name", ["noindex", "none", "header-noindex"])
def test_noindex_pages_are_not_searchable(crawled: Crawled, name: str) -> None:
    """Meta robots and X-Robots-Tag keep a page out of the index; it is fetched and kept all the same."""
    assert crawled.is_state(f"meta/{name}", "live", "noindex")
    assert f"meta/{name}" not in crawled.searchable


def test_noindex_for_another_robot_means_nothing(crawled: Crawled) -> None:
    assert "meta/header-otherbot" in crawled.searchable


def links_of(crawled: Crawled, name: str) -> set[str]:
    with View(crawled.path) as view:
        rows = view.store.links(view.row(crawled.url(name)))
        return {crawled.name(view.store.url(int(row))) for row in rows}


@pytest.mark.parametrize("name", ["noindex", "header-otherbot"])
def test_links_of_noindex_pages_are_followed(crawled: Crawled, name: str) -> None:
    assert "meta/hidden" in links_of(crawled, f"meta/{name}")
    assert crawled.is_state("meta/hidden", "live")


@pytest.mark.parametrize("name", ["nofollow", "none", "header-noindex"])
def test_nofollow_pages_have_no_links(crawled: Crawled, name: str) -> None:
    """Meta robots nofollow, none and X-Robots-Tag nofollow: not one link counts."""
    assert links_of(crawled, f"meta/{name}") == set()


def test_rel_nofollow_takes_out_the_one_link(crawled: Crawled) -> None:
    assert links_of(crawled, "meta/rel-nofollow") == {"meta/"}


@pytest.mark.parametrize("name", ["canonical", "canonical-header"])
def test_canonical_links_make_aliases(crawled: Crawled, name: str) -> None:
    """A page that names another as canonical stands for it; the other is fetched and searchable."""
    assert crawled.is_state(f"duplicates/{name}?from=home", "alias", "canonical")
    assert crawled.pages[f"duplicates/{name}?from=home"]["alias"] == f"duplicates/{name}"
    assert f"duplicates/{name}?from=home" not in crawled.searchable
    assert f"duplicates/{name}" in crawled.searchable


# ---- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_aliases(crawled: Crawled, status: int) -> None:
    """Every kind of redirect is recorded as an alias of its target, and is not searchable."""
    page = crawled.pages[f"redirects/{status}"]
    assert (page["state"], page["reason"], page["status"]) == ("alias", "redirect", status)
    assert page["alias"] == "redirects/page/1"
    assert f"redirects/{status}" not in crawled.searchable


def test_each_hop_of_a_chain_is_a_fetch_of_its_own(crawled: Crawled) -> None:
    """A chain of three is three charged requests and three aliases."""
    names = [f"redirects/chain/{n}" for n in (3, 2, 1)]
    assert [crawled.pages[n]["alias"] for n in names] == [*names[1:], "redirects/page/2"]
    assert [crawled.pages[n]["fetches"] for n in names] == [1, 1, 1]
    assert crawled.pages["redirects/chain/2"]["source"] == "redirect"


def test_endless_chains_are_cut(crawled: Crawled) -> None:
    """After five redirects the next is not followed, and that is counted for the crawl and the host."""
    asked = [path for path in crawled.asked("redirects") if path.startswith("/endless/")]
    assert asked == [f"/endless/{n}" for n in range(1, 7)]
    assert crawled.is_state("redirects/endless/6", "gone", "redirect-limit")
    assert crawled.status["refused"]["redirect-limit"] == 1
    assert crawled.hosts["redirects"]["refused"] == {"redirect-limit": 1}


def test_redirect_loops_end(crawled: Crawled) -> None:
    """Two pages that redirect to each other are each asked once; one that redirects to itself is gone."""
    assert {crawled.pages[f"redirects/loop/{x}"]["fetches"] for x in "ab"} == {1}
    assert crawled.is_state("redirects/self", "gone", "redirect-bad")


@pytest.mark.parametrize("name", ["private-address", "metadata-address", "other-scheme", "bad-location", "no-location"])
def test_redirects_to_nowhere(crawled: Crawled, name: str) -> None:
    """Targets out of scope, of another scheme, malformed or missing are not made known."""
    assert crawled.is_state(f"redirects/{name}", "gone", "redirect-bad")
    assert not [page for page in crawled.pages if not page.partition("/")[0].isascii() or page[:1].isdigit()]
    assert crawled.status["refused"]["scope"] == 2


# ---- duplicates


def test_a_mirror_is_searchable_once(crawled: Crawled) -> None:
    """Of each page of a site and its exact copy, one is searchable and the other its alias."""
    mirrored = [name for name in crawled.pages if name.startswith("mirror/") and name != "mirror/private/members"]
    assert len(mirrored) >= 10
    for copy in mirrored:
        pair = {copy, copy.replace("mirror", "astronomy")}
        [found] = pair & crawled.searchable
        [other] = pair - {found}
        assert crawled.is_state(other, "alias", "duplicate")
        assert crawled.pages[other]["alias"] == found


def test_the_same_text_under_other_names(crawled: Crawled) -> None:
    assert len({"duplicates/same/1", "duplicates/same-too"} & crawled.searchable) == 1


def test_a_print_view_is_a_near_duplicate(crawled: Crawled) -> None:
    """The same text with a line more and without links is an alias, and the reason says that it is nearly so."""
    views = ("duplicates/print/1", "duplicates/print/1?view=print")
    assert len(set(views) & crawled.searchable) == 1
    assert sorted((crawled.pages[v]["state"], crawled.pages[v]["reason"]) for v in views) == [
        ("alias", "near-duplicate"),
        ("live", "none"),
    ]


# ---- traps


@pytest.mark.parametrize("kind", ["path", "query"])
def test_session_ids_are_folded(crawled: Crawled, kind: str) -> None:
    """Three pages that get a new session at every view are three fetches."""
    asked = [path for path in crawled.asked("sessions") if path.startswith(f"/{kind}-")]
    assert sorted(asked) == [f"/{kind}-{n}" for n in (1, 2, 3)]


TRAPS = {
    "calendar": ("calendar", "calendar/calendar/2099/01", "[traps] dates_per_path"),
    "repeat": ("repeating-path", "repeat/a/b/a/b/a/b/", "repeats itself"),
    "facets": ("query-explosion", "facets/shop?colour=pink", "[traps] queries_per_path"),
    "sessions": ("query-explosion", "sessions/unknown-1?visit=x", "[traps] queries_per_path"),
    "link-bomb": ("host-cap", "link-bomb/never-seen", "[traps] pages_per_host"),
}


@pytest.mark.parametrize("host", TRAPS)
def test_traps_are_left_with_a_reason(crawled: Crawled, host: str) -> None:
    """What a host makes without end is refused, counted for the crawl and the host, and explained by `urltest`."""
    why, example, words = TRAPS[host]
    assert crawled.hosts[host]["refused"][why] > 0
    refused = sum(h["refused"].get(why, 0) for h in crawled.hosts.values())
    assert crawled.status["refused"][why] == refused
    with View(crawled.path) as view:
        said = view.judge(crawled.url(example))
    assert not said.admitted
    assert said.why.startswith(f"{why}: ")
    assert words in said.why
    assert said.refused_on_host[why] > 0


LIMITS: dict[str, tuple[Callable[[str], bool], int]] = {
    "calendar": (lambda name: name.startswith("calendar/calendar/"), 12),
    "repeat": (lambda name: name.startswith("repeat/") and name.count("/a") >= 4, 0),
    "facets": (lambda name: name.startswith("facets/shop?colour=") and name.count("size=") + name.count("sort=") == 0,
               20),
    "link-bomb": (lambda name: name.startswith("link-bomb/"), CAP),
}  # fmt: skip


@pytest.mark.parametrize("host", LIMITS)
def test_no_more_of_a_kind_than_the_limit(crawled: Crawled, host: str) -> None:
    """[traps] dates_per_path, queries_per_path and pages_per_host are bounds on what becomes known."""
    is_kind, limit = LIMITS[host]
    count = sum(map(is_kind, crawled.pages))
    assert count <= limit
    assert host == "repeat" or count >= limit // 2  # the bound was reached, or the trap would prove nothing


def test_soft_404(crawled: Crawled) -> None:
    """A page that says "not found" with status 200 is gone, and the reason says how it was told; others stay."""
    assert crawled.is_state("soft-404/no-such-page", "gone", "soft-404")
    assert "soft-404/no-such-page" not in crawled.searchable
    assert "soft-404/real" in crawled.searchable


def test_missing_pages_are_gone(crawled: Crawled) -> None:
    """A 404 is a page that is gone, not one that failed, and is looked at again in a week."""
    missing = [p for name, p in crawled.pages.items() if name.startswith("link-bomb/") and p["status"] == 404]
    assert missing
    assert {(p["state"], p["reason"]) for p in missing} == {("gone", "not-found")}
    assert all(p["not_before"] > p["last_fetch"] + 6 * 86400 for p in missing)


# ---- sitemaps


def test_sitemaps_are_read_and_believed(crawled: Crawled) -> None:
    """Index, plain and compressed sitemaps: pages named only there are fetched, and lastmod becomes the signal."""
    assert {f"robots-sitemaps/{n}" for n in ("index.xml", "pages.xml", "pages.xml.gz")} <= set(crawled.sitemaps)
    for number in (4, 5):
        page = crawled.pages[f"robots-sitemaps/page/{number}"]
        assert (page["source"], page["state"]) == ("sitemap", "live")
        assert page["signal"] == 1704067200 + number * 86400
    assert crawled.pages["robots-sitemaps/page/1"]["signal"] == 1704067200 + 86400


def test_sitemaps_of_sitemaps_are_read_to_the_end(crawled: Crawled) -> None:
    """What an index names is fetched even if the host has no page left to fetch."""
    assert crawled.sitemaps["sitemap-loop/missing.xml"] == 1
    assert crawled.hosts["sitemap-loop"]["outcomes"]["sitemap-failed"] == 1


def test_bad_sitemaps_do_no_harm(crawled: Crawled) -> None:
    """Broken, lying and looping sitemaps are counted as what they are; their hosts are crawled all the same."""
    assert crawled.hosts["sitemap-broken"]["outcomes"]["sitemap-damaged"] == 1
    assert crawled.hosts["sitemap-broken"]["outcomes"]["feed-damaged"] == 1
    assert crawled.pages["sitemap-broken/page/1"]["signal"] == 1704067200 + 86400
    assert crawled.hosts["sitemap-lies"]["outcomes"]["feed"] == 1
    assert crawled.pages["sitemap-lies/nowhere"]["status"] == 404
    assert "sitemap-lies/nowhere" not in crawled.searchable
    assert crawled.hosts["sitemap-loop"]["outcomes"]["sitemap"] == 1
    for kind in ("lies", "broken", "loop"):
        assert {f"sitemap-{kind}/page/{n}" for n in (1, 2, 3)} <= crawled.searchable


# ---- bytes


def test_all_codings_are_decoded(crawled: Crawled) -> None:
    """gzip, br, zstd, deflate with and without wrapper, gzip twice: pages are searchable."""
    codings = {site.coding: site.host for site in crawled.served.toy.atlas.sites}
    assert set(codings) == {"gzip", "identity", "br", "zstd"}
    for host in codings.values():
        name = host.removesuffix(".toy.test")
        assert {f"{name}/", "mirror/"} & crawled.searchable, name
    assert {"raw-deflate/raw-deflate", "gzip-twice/gzip-twice"} <= crawled.searchable


OUTCOMES = {
    "closed-early": "failed-connect",
    "length-too-long": "failed-connect",
    "length-negative": "failed-headers",
    "bad-chunks": "failed-headers",
    "huge-chunk": "failed-connect",
    "cut-chunks": "failed-connect",
    "endless-body": "failed-too-large",
    "endless-headers": "failed-headers",
    "huge-header": "failed-headers",
    "slow-drip": "failed-timeout",
    "hang": "failed-timeout",
    "slow": "failed-timeout",
    "reset": "failed-connect",
    "not-http": "failed-headers",
    "gzip-bomb": "failed-expansion",
    "brotli-bomb": "failed-expansion",
    "zstd-bomb": "failed-expansion",
    "unknown-coding": "failed-coding",
    "damaged-gzip": "failed-coding",
    "plain-called-gzip": "failed-coding",
    "image": "failed-type",
    "pdf": "failed-type",
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_hostile_answers_are_failures_with_a_name(crawled: Crawled, silent: Crawled, name: str) -> None:
    """Each hostile answer ends as one counted failure with a history line; the page is not searchable."""
    outcome, of = OUTCOMES[name], silent if name in SILENT else crawled
    assert of.hosts[name]["outcomes"].get(outcome) == 1, of.hosts[name]
    assert of.status["outcomes"][outcome] >= 1
    with View(of.path) as view:
        [line] = view.history(view.row(of.url(f"{name}/{name}")))
    assert line.kind == outcome
    assert of.pages[f"{name}/{name}"]["state"] in ("failed", "dead")
    assert f"{name}/{name}" not in of.searchable


@pytest.mark.parametrize("name", ["nesting-bomb", "attribute-bomb"])
def test_html_bombs_are_read(crawled: Crawled, name: str) -> None:
    """They cost what is too deep, not the page; the nested one has no text that could be found."""
    assert crawled.is_state(f"{name}/{name}", "live", "empty" if name == "nesting-bomb" else "none")


@pytest.mark.parametrize("name", ["nul-bytes", "bad-utf8", "wrong-charset", "unknown-charset", "no-content-type"])
def test_odd_encodings_are_read(crawled: Crawled, name: str) -> None:
    assert f"{name}/{name}" in crawled.searchable


def test_troubled_hosts_are_not_hammered(crawled: Crawled, silent: Crawled) -> None:
    """429 and 503 end the visits to a host for this run; a timeout and a cut connection do, too."""
    for host in ("error-429", "error-503", "slow", "hang", "reset", "slow-drip"):
        asked = (silent if host in SILENT else crawled).asked(host)
        status = {"error-429": "/429", "error-503": "/503"}.get(host, f"/{host}")
        assert asked[-1].startswith(status), host
        assert len(asked) <= 5


# ---- again, with everything known


@pytest.fixture(scope="module")
def again(crawled: Crawled) -> Crawled:
    """The same web unchanged, all of it looked at again.  Uses the first crawl's directory: must come last."""
    config = crawled.path / "sought.toml"
    config.write_text(config.read_text().replace('revisit_after = "1d"', 'revisit_after = "0s"'))
    before = len(crawled.served.requests)
    result = sought.open(crawled.path).crawl(fetches=150, policy="RoundRobin()")
    return Crawled(crawled.path, crawled.served, result.to_json(), list(crawled.served.requests)[before:]).look()


def test_unchanged_pages_cost_no_body(again: Crawled) -> None:
    """Servers with validators answer 304; pages that are word for word the same are no change."""
    assert again.status["outcomes"]["not-modified"] > 0
    assert sum(v.status == 304 for v in again.visits) == again.status["outcomes"]["not-modified"]
    assert again.status["outcomes"]["unchanged"] > 0
    assert "changed" not in again.status["outcomes"]
    with View(again.path) as view:
        assert not np.count_nonzero(view.table["changes"])
        assert not np.count_nonzero((view.table["state"] == State.LIVE) & (view.table["reason"] == Reason.NETWORK))


def test_robots_and_sitemaps_are_kept_for_a_day(again: Crawled) -> None:
    """A second run the same day asks for neither again, but where robots.txt could not be had or the first ended."""
    assert set(again.sitemaps.values()) == {1}
    assert not [v for v in again.visits if v.path == "/robots.txt"]


def test_what_was_searchable_still_is(crawled: Crawled, again: Crawled) -> None:
    assert again.searchable == crawled.searchable
