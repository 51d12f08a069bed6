"""Columns of the paper on clusters, live and from the store: features, clusters, directories, changes nearby, views."""

import json
import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sought
from sought.beliefs.addresses import domain_hash, domain_of, folder_numbers, read_addresses
from sought.beliefs.clusters.clustering import Closeness, Cluster, Clustering
from sought.beliefs.clusters.collection import collect
from sought.beliefs.clusters.feature_names import GROUPS, KEYWORDS, names_of
from sought.beliefs.clusters.features import Described
from sought.beliefs.clusters.keywords import FIRST, no_pages, rank_features, with_pages
from sought.beliefs.clusters.model import stored_names
from sought.beliefs.clusters.versions import RECORD, PageVersions
from sought.beliefs.clusters.words import address_rows, address_words
from sought.beliefs.columns import Beliefs
from sought.beliefs.folder import Folder
from sought.beliefs.near_changed import NearChanged
from sought.beliefs.site_samples import site_samples
from sought.beliefs.views import Views
from sought.crawl.cycle import beliefs_in
from sought.index.analysis import terms
from sought.index.vectors import EACH, HEAD
from sought.index.visibility import Visibility
from sought.lab.replay.setting import Setting
from sought.lab.replay.wall import first_leak
from sought.operate.check import check
from sought.operate.explain import explain
from sought.operate.view import View
from sought.policy.cluster_sampling import ClusterSampling
from sought.policy.directory_sampling import DirectorySampling
from sought.policy.link_sampling import LinkSampling
from sought.policy.poisson_rates import PoissonRates
from sought.record.directory import Directory
from sought.record.observations import HTML, OTHER, TEXT, content_kind
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.store import Store, row_key
from sought.record.table import LIFE_ROW, State
from sought.record.workload_refresh import Refresh
from sought.web.message import Failure, Response
from sought.web.pages import Pages
from sought.web.policy import Policy
from sought.web.url import canonical, hostname
from tests.testing.changing_site import serving
from tests.testing.counted_anew import ask
from tests.testing.demand_site import QUERIES, WORDS, Fate, answer, crawled, page, write_config
from tests.testing.following import follow, follow_no_more
from tests.testing.linked_site import LinkedSite, column_of, watched
from tests.testing.wall_world import made, middle

HOME = "http://a.example"
CYCLE = 100.0
ALL, ADDRESS = Cluster(4, "all"), Cluster(3, "url")
WANTED = (ALL, Closeness(4, "all"), ADDRESS, Folder(), NearChanged(2, CYCLE))
SIZES = {"content": 17, "address": 17, "links": 4, "dynamic": 10, "ranking": 20}


class Reading:
    """All beliefs at once, as a policy."""

    beliefs = WANTED

    def __call__(self, pages: Pages, now: float) -> np.ndarray:
        return np.zeros(len(pages))


class Written:
    """A crawl whose answers a test writes, watched by all suppliers."""

    def __init__(self, path: Path, *queries: str) -> None:
        self.path = write_config(path)
        if queries:
            ask(self.path, *queries)
        self.time = 1e9
        self.open()
        plant_seeds(self.directory)

    def open(self) -> None:
        self.directory: Directory = open_directory(self.path)
        Refresh(self.directory, Reading()).finish(time.time())
        self.beliefs = beliefs_in(self.directory, Reading())
        follow(self.directory, self.beliefs.take)

    def fetch(self, path: str, body: str, status: int = 200, kind: str = "text/html") -> int:
        self.time += 1.0
        response = answer(f"{HOME}{path}", body, status, time=self.time)
        response = replace(response, headers=(("Content-Type", kind),))
        row = self.directory.repository.known_row(response.url, response.time)
        self.directory.writer.record(row, response)
        self.directory.writer.commit()
        return row

    def described(self, *rows: int) -> list[dict[str, float]]:
        """All features of rows, by name."""
        self.beliefs.pages()
        found = self.clustering.features(np.array(rows, np.int64))
        return [dict(zip(self.clustering.names, each.tolist(), strict=True)) for each in found]

    @property
    def clustering(self) -> Clustering:
        return self.beliefs.holdings.shared(Clustering, ALL.k, ALL.features, 10)


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Written]:
    crawl = Written(tmp_path / "crawl", *QUERIES)
    yield crawl
    crawl.directory.close()


def assert_as_stored(beliefs: Beliefs, path: Path) -> dict[object, np.ndarray]:
    """Whoever looks at the store alone sees the same columns, to the last bit."""
    live: dict[object, np.ndarray] = {belief: column_of(beliefs, belief) for belief in WANTED}
    with View(path) as view:
        stored = view.beliefs(WANTED).pages()
        for belief in WANTED:
            assert stored.belief(belief).tolist() == live[belief].tolist(), belief
    return live


# ---- names and parts


def test_there_are_68_features():
    """17 of content, 17 of the address, 4 of links, 10 dynamic and 20 of ranking, each with a name of its own."""
    assert {group: len(names_of(group)) for group in GROUPS["all"]} == SIZES
    sizes = {name: sum(SIZES[group] for group in groups) for name, groups in GROUPS.items()}
    assert sizes == {"url": 17, "content": 17, "static": 38, "dynamic": 10, "static+dynamic": 48, "all": 68}
    assert len({name for group in GROUPS["all"] for name in names_of(group)}) == 68
    assert len(names_of("content", 5)) == 12


_PARTS = st.text("abcXYZ019-_.%~", min_size=1, max_size=6)
_HOSTS = st.sampled_from(["a.example", "www.b.co.uk", "10.0.0.1", "host", "[::1]", "c.org:8080", "d.e.f.com"])
_URLS = st.builds(
    lambda host, parts, query: canonical(f"http://{host}/{'/'.join(parts)}{'?' + query if query else ''}"),
    _HOSTS,
    st.lists(_PARTS, max_size=4),
    st.text("ab/=&1?", max_size=8),
)


def _words(url: str) -> list[str]:
    signs = [sign if sign.isalnum() or sign == "%" else " " for sign in url.partition("://")[2].lower()]
    return "".join(signs).split()


@given(st.lists(_URLS, max_size=12))
def test_what_addresses_tell(urls: list[str]):
    """Slashes of the path, top-level domain, directory and words, as read with the naked eye."""
    found = read_addresses(urls)
    paths = [url.partition("?")[0] for url in urls]
    assert found.depth.tolist() == [path.count("/") - 2 for path in paths]
    folders = [path[: path.rindex("/") + 1].partition("://")[2] for path in paths]
    numbers = folder_numbers(found)
    assert len(set(numbers.tolist())) == len(set(folders)) == len(set(zip(numbers.tolist(), folders, strict=True)))
    assert ((numbers >= 0) & (numbers < 2.0**52) & (numbers == np.floor(numbers))).all()
    names = [domain_of(hostname(url)) for url in urls]
    assert found.domain.tolist() == [domain_hash(name) if name else 0 for name in names]
    words = [_words(url) for url in urls]
    assert np.diff(found.bounds).tolist() == [len(each) for each in words]
    flat = [word for each in words for word in each]
    assert len(set(zip(flat, found.words.tolist(), strict=True))) == len(set(flat)) == len(set(found.words.tolist()))


def test_words_of_addresses_weigh_as_tf_idf():
    """tf·ln(N/df) of the words, then to length 1; a row has each word once."""
    urls = [f"{HOME}/red/red", f"{HOME}/blue", f"{HOME}/red/blue?red", f"{HOME}/green"]
    found = read_addresses(urls)
    rows = address_rows(found, address_words(found))
    df = Counter(word for url in urls for word in set(_words(url)))
    for i, url in enumerate(urls):
        weights = sorted(n * math.log(len(urls) / df[word]) for word, n in Counter(_words(url)).items())
        values = sorted(rows.values[rows.bounds[i] : rows.bounds[i + 1]].tolist())
        assert values == pytest.approx(np.array(weights) / np.linalg.norm(weights), rel=1e-6)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30), st.integers(1, 30))
def test_ranks_for_keywords(scores: list[tuple[int, int]], cut: int):
    """(11 - rank)/10 for the first ten by score, equal scores by key; whether pages come at once or in parts."""
    table = np.array(scores, np.float32).reshape(-1, 2)
    keys = np.random.default_rng(1).permutation(len(table)).astype(np.uint64) + np.uint64(1)
    best = with_pages(no_pages(2), table, keys)
    parts = with_pages(with_pages(no_pages(2), table[:cut], keys[:cut]), table[cut:], keys[cut:])
    found = rank_features(best, table, keys)
    assert np.array_equal(found, rank_features(parts, table, keys))
    right = np.zeros((len(table), KEYWORDS), np.float32)
    for word in range(2):
        order = np.lexsort((-keys.astype(np.int64), -table[:, word]))
        for rank, i in enumerate(order[:FIRST].tolist(), 1):
            right[i, word] = (FIRST + 1 - rank) / FIRST if table[i, word] else 0
    assert np.array_equal(found, right)


@pytest.mark.parametrize(
    ("headers", "body", "kind"),
    [
        ({"Content-Type": "text/html; charset=utf-8"}, b"x", HTML),
        ({"Content-Type": "application/xhtml+xml"}, b"x", HTML),
        ({"Content-Type": "Text/Plain"}, b"<p>", TEXT),
        ({"Content-Type": "application/pdf"}, b"<p>", OTHER),
        ({}, b" <p>", HTML),
        ({}, b"words", TEXT),
        ({}, b"\0words", OTHER),
    ],
)
def test_the_kind_of_content(headers: dict[str, str], body: bytes, kind: int):
    """By the media type; where there is none, by its first signs."""
    response = Response(f"{HOME}/", 200, "OK", tuple(headers.items()), body, body, time=1e9)
    assert content_kind(response) == kind


def test_pairs_are_written_at_once_beside_a_batch(tmp_path: Path):
    """What waits for the next commit goes on waiting."""
    store = Store(tmp_path / "store", writable=True)
    store.put(b"xa", b"1")
    store.write([(b"xb", b"2")])
    assert list(store.scan(b"x")) == [(b"xb", b"2")]
    store.commit()
    assert list(store.scan(b"x")) == [(b"xa", b"1"), (b"xb", b"2")]
    store.close()


# ---- features by hand


def test_features_of_a_small_site(crawl: Written):
    """Counts, kinds, links and address of pages, as their sources say."""
    links = "".join(f"<a href=/{name}>x</a>" for name in ("one/two/p?a=1", "text", "never"))
    home = crawl.fetch("/", f"<title>Home</title><p>boats rivers</p><img src=x><img src=y><table></table>{links}")
    deep = crawl.fetch(
        "/one/two/p?a=1", f"<title>Deep</title><p>lakes me@a.example you@b.example</p><a href={HOME}/>x</a>"
    )
    text = crawl.fetch("/text", "plain running words", kind="text/plain")
    html, inner, plain = crawl.described(home, deep, text)
    store = crawl.directory.store
    assert [html[name] for name in ("images", "tables", "e-mails")] == [2, 1, 0]
    assert [inner[name] for name in ("images", "tables", "e-mails")] == [0, 0, 2]
    for row, found in ((home, html), (deep, inner), (text, plain)):
        assert (found["words"], found["text bytes"]) == store.details(row).counts[2:4]
        assert found["words"] > 0
    assert [plain[name] for name in ("is HTML", "is text", "is other")] == [0, 1, 0]
    assert [html[name] for name in ("is HTML", "is text", "is other")] == [1, 0, 0]
    assert [(each["depth"], each["out-links"]) for each in (html, inner, plain)] == [(1, 3), (3, 1), (1, 0)]
    assert [each["domain 1"] for each in (html, inner, plain)] == [1, 1, 1]
    assert html["domain 2"] == 0
    assert html["PageRank"] > 0
    dynamic = names_of("dynamic")
    assert not any(each[name] for each in (html, inner, plain) for name in dynamic)
    assert (inner["in-links"], plain["in-links"]) == (1, 1)


def test_dynamic_features_after_a_change(crawl: Written):
    """What a page had over what it had before; its likeness; how often it was found changed.  0 before two fetches."""
    crawl.fetch("/", "<p>start</p><a href=/p>p</a><a href=/q>q</a>")
    words = " ".join(WORDS * 3)
    row = crawl.fetch("/p", f"<p>{words}</p>" + "<img src=x>" * 4 + "<a href=/>h</a>")
    other = crawl.fetch("/q", "<p>something else</p>")
    before = crawl.directory.store.details(row).counts
    crawl.described(row)
    crawl.fetch("/p", f"<p>{words} and a few more words here</p><img src=x><table></table>")
    crawl.fetch("/q", "<p>something else</p>")
    found, same = crawl.described(row, other)
    now = crawl.directory.store.details(row).counts
    with View(crawl.path) as view:
        difference = list(view.history(row))[-1].difference
    assert 0 < difference < 1
    assert found["alike"] == pytest.approx(1 - difference)
    assert found["change of images"] == pytest.approx(-0.75)
    assert found["change of tables"] == 1
    assert found["change of words"] == pytest.approx((now[2] - before[2]) / before[2])
    assert found["change of text bytes"] == pytest.approx((now[3] - before[3]) / before[3])
    assert found["change of out-links"] == -1
    assert found["change frequency"] == 1
    assert (same["alike"], same["change frequency"], same["change of words"]) == (1, 0, 0)
    crawl.fetch("/p", f"<p>{words} and a few more words here</p><img src=x><table></table>")
    (later,) = crawl.described(row)
    assert (later["alike"], later["change frequency"], later["change of images"]) == (1, 0.5, 0)


def test_ranking_features_are_ranks_by_tf_idf(tmp_path: Path):
    """Of the heaviest words first: the best ten of all pages by √(tf/length) in title and body."""
    site = LinkedSite(tmp_path / "crawl", 40)
    ask(site.path, *QUERIES)
    with site.open() as directory:
        site.fetch(directory, range(40))
        beliefs = beliefs_in(directory, Reading())
        beliefs.pages()
        clustering = beliefs.holdings.shared(Clustering, 4, "all", 10)
        assert clustering.model
        words, rows = clustering.model.collection.keywords, directory.repository.table.searchable()
        assert words[0] == "boats"  # of two queries, one of them the heaviest
        found = clustering.features(rows)[:, -KEYWORDS:]
        for column, word in enumerate(words):
            number = directory.measuring.vocabulary.numbers[terms(word, "en")[0]]
            scores = []
            for row in rows.tolist():
                vector = directory.measuring.vector(row)
                held = {term: (n & 0xFFFF) + (n >> 16) for term, n, _ in vector[HEAD:].reshape(-1, EACH).tolist()}
                scores.append(math.sqrt(held.get(number, 0) / (vector[1] + vector[2])))
            order = np.lexsort((~directory.repository.table["key"][rows], -np.array(scores, np.float32)))
            for rank, i in enumerate(order.tolist(), 1):
                right = (11 - rank) / 10 if rank <= 10 and scores[i] else 0
                assert found[i, column] == pytest.approx(right), (word, rank)


def test_the_number_of_distances_may_vary(tmp_path: Path):
    """As an experiment asks for; the other features stay."""
    site = LinkedSite(tmp_path / "crawl", 30)
    ask(site.path, *QUERIES)
    with site.open() as directory:
        site.fetch(directory, range(30))
        holdings = beliefs_in(directory, Reading()).holdings
        rows = directory.repository.table.searchable()
        wide = Described(holdings, collect(holdings, rows, dims=25)).of(rows, GROUPS["all"])
        usual = Described(holdings, collect(holdings, rows)).of(rows, GROUPS["all"])
        assert (wide.shape, usual.shape) == ((len(rows), 98), (len(rows), 68))
        assert np.array_equal(wide[:, :10], usual[:, :10])
        assert np.array_equal(wide[:, 25:32], usual[:, 10:17])


# ---- clusters live and from the store


def test_columns_are_the_same_live_from_the_store_and_after_a_restart(tmp_path: Path):
    """While pages come, change and vanish; after a clean end, and after one without warning."""
    site = LinkedSite(tmp_path / "crawl", 80)
    ask(site.path, *QUERIES)
    rng = random.Random(3)
    directory = open_directory(site.path)
    plant_seeds(directory)
    Refresh(directory).finish(time.time())
    beliefs = _watched(directory)
    for i in range(10):
        site.fetch(directory, site.new(directory)[:6] or [0])
        known = rng.sample(sorted({0} | {k for k in range(80) if _is_live(directory, site.url(k))}), 1)
        for k in known:
            site.texts[k] = " ".join(rng.choices(WORDS, k=25))
        site.fetch(directory, known)
        live = assert_as_stored(beliefs, site.path)
        if i in (3, 7):
            if i == 3:
                directory.close()
            else:
                site.clock += 1
                row = directory.repository.known_row(site.url(1), site.clock)
                directory.writer.record(row, answer(site.url(1), "<p>recorded and not applied</p>", time=site.clock))
                directory.archive.flush(sync=True)
                directory.abandon()
            directory = open_directory(site.path)
            beliefs = _watched(directory)
            again = assert_as_stored(beliefs, site.path)
            if i == 3:
                assert all(np.array_equal(live[belief], again[belief]) for belief in WANTED)
    fetched = directory.repository.table["fetches"] > 0
    assert (live[ALL][~fetched] == -1).all()
    assert (live[ALL][fetched] >= 0).all()
    assert len(set(live[ALL][fetched].tolist())) == 4
    directory.writer.commit_index()
    assert not check(directory, lambda _: None)
    directory.close()


def _watched(directory: Directory) -> Beliefs:
    beliefs = beliefs_in(directory, Reading())
    follow(directory, beliefs.take)
    return beliefs


def _is_live(directory: Directory, url: str) -> bool:
    row = directory.repository.discovery.row(url)
    return row >= 0 and directory.repository.table["state"][row] == State.LIVE


@pytest.mark.parametrize("seed", range(3))
def test_columns_survive_any_fate(tmp_path: Path, seed: int):
    """Duplicates, redirects, denials, errors, other languages and ends of the process: as the store has it."""
    path = write_config(tmp_path / "crawl")
    ask(path, *QUERIES)
    fate = Fate(path, seed)
    Refresh(fate.directory).finish(time.time())
    watched, beliefs = fate.directory, _watched(fate.directory)
    for _ in range(45):
        fate.strike()
        if fate.directory is not watched:
            watched, beliefs = fate.directory, _watched(fate.directory)
        if not fate.directory.writer.has_changes:
            assert_as_stored(beliefs, path)
    fate.directory.writer.commit()
    assert (assert_as_stored(beliefs, path)[ALL] >= 0).any()
    fate.directory.close()


def test_a_record_lost_in_a_crash_is_made_up(tmp_path: Path):
    """The process ended between the commit of a fetch and that of its numbers: what had changed is still told."""
    crawl = Written(tmp_path / "crawl")
    crawl.fetch("/", "<p>start</p><a href=/p>p</a>")
    row = crawl.fetch("/p", "<p>one two three</p><img src=x>")
    crawl.described(row)
    follow_no_more(crawl.directory)  # as if killed right after the commit
    crawl.fetch("/p", "<p>quite other words than these</p>")
    crawl.directory.abandon()
    crawl.open()
    (found,) = crawl.described(row)
    assert (found["alike"], found["change of images"], found["change frequency"]) == (0, -1, 1)
    assert_as_stored(crawl.beliefs, crawl.path)
    crawl.directory.close()


def test_clusters_are_made_anew_when_fetches_have_grown_by_half(crawl: Written):
    """Not before; and what is on record serves whoever only looks."""
    crawl.fetch("/", "<p>start</p>" + "".join(f"<a href=/p{i}>x</a>" for i in range(30)))
    rng = random.Random(1)
    for i in range(9):
        crawl.fetch(f"/p{i}", page(rng, f"only{i}"))
    crawl.beliefs.pages()
    first = crawl.clustering.model
    assert first
    assert first.fetches == 10
    for i in range(9, 13):
        crawl.fetch(f"/p{i}", page(rng, f"only{i}"))
    crawl.beliefs.pages()
    assert crawl.clustering.model is first
    crawl.fetch("/p13", page(rng, "only13"))
    with View(crawl.path) as view:
        view.believed(ALL)
        assert sorted(stored_names(view.store)) == ["3 url 10", "4 all 10"]
    crawl.beliefs.pages()
    assert crawl.clustering.model is not first
    assert_as_stored(crawl.beliefs, crawl.path)


def test_a_page_that_vanishes_keeps_its_cluster(crawl: Written):
    """By what its last copy was like; a page that never came has none."""
    crawl.fetch("/", "<p>start boats</p>" + "".join(f"<a href=/p{i}>x</a>" for i in range(9)))
    rng = random.Random(2)
    rows = [crawl.fetch(f"/p{i}", page(rng, f"only{i}")) for i in range(7)]
    copy = page(rng, "again and again")
    crawl.fetch("/p1", copy)
    crawl.beliefs.pages()
    crawl.fetch("/p1", "gone", 404)
    never = [crawl.fetch("/p7", "gone", 404), crawl.fetch("/p8", "trouble", 500)]
    live = assert_as_stored(crawl.beliefs, crawl.path)
    crawl.fetch("/p1", "gone", 404)
    assert_as_stored(crawl.beliefs, crawl.path)
    crawl.fetch("/p1", copy)
    (back,) = crawl.described(rows[1])
    assert (back["alike"], back["change of words"]) == (1, 0)
    assert assert_as_stored(crawl.beliefs, crawl.path)[ALL][rows[1]] >= 0
    assert live[ALL][rows[1]] >= 0
    assert (live[ALL][never] == -1).all()
    assert (live[Closeness(4, "all")][never] == -1).all()


def test_a_page_that_is_denied_is_described_without_its_words(crawl: Written):
    """It is not fetched then, and still whoever looks sees the same."""
    crawl.fetch("/", "<p>start boats</p>" + "".join(f"<a href=/p{i}>x</a>" for i in range(9)))
    rng = random.Random(4)
    rows = [crawl.fetch(f"/p{i}", page(rng, f"only{i}")) for i in range(8)]
    crawl.beliefs.pages()
    crawl.directory.repository.deny(rows[2], 0.0, forbidden=True)
    crawl.directory.writer.commit()
    assert_as_stored(crawl.beliefs, crawl.path)


def test_without_queries_and_without_pages(tmp_path: Path):
    """No words, or nothing at all: clusters go by the rest, and nothing fails."""
    crawl = Written(tmp_path / "crawl")
    assert not (crawl.beliefs.pages().belief(ALL) >= 0).any()
    crawl.fetch("/", "<p>start</p><a href=/p>p</a>")
    assert (crawl.beliefs.pages().belief(ALL) == -1).all()
    crawl.fetch("/p", "<p>other</p>")
    assert (assert_as_stored(crawl.beliefs, crawl.path)[ALL] >= 0).all()
    ask(crawl.path, *QUERIES)
    Refresh(crawl.directory).finish(time.time())
    assert_as_stored(crawl.beliefs, crawl.path)
    crawl.directory.close()


def test_a_workload_that_ends_takes_its_words_along(crawl: Written):
    """Terms are numbered anew when others are asked: labels go by the words that both have."""
    crawl.fetch("/", "<p>start boats</p>" + "".join(f"<a href=/p{i}>x</a>" for i in range(12)))
    rng = random.Random(5)
    for i in range(12):
        crawl.fetch(f"/p{i}", page(rng, f"only{i}"))
    crawl.beliefs.pages()
    assert crawl.clustering.model
    assert "boat" in crawl.clustering.model.collection.terms
    crawl.directory.measuring.stop()
    crawl.directory.writer.commit()
    assert_as_stored(crawl.beliefs, crawl.path)
    Refresh(crawl.directory).finish(time.time())
    assert_as_stored(crawl.beliefs, crawl.path)


def test_hostile_counts_stay_finite(tmp_path: Path):
    """A page may claim to have anything; the store may be of another time."""
    crawl = Written(tmp_path / "crawl")
    crawl.fetch("/", "<p>start</p>" + "".join(f"<a href=/p{i}>x</a>" for i in range(5)))
    rows = [crawl.fetch(f"/p{i}", f"<p>page {i}</p>") for i in range(5)]
    store = crawl.directory.store
    for row, huge in zip(rows, (2**63, 2**62, 0, 1, 2**40), strict=True):
        value = store.get(row_key(b"p", row)) or b""
        details = store.details(row)
        details.counts = (huge, huge, huge, huge, huge)
        store.write([(row_key(b"p", row), value[: LIFE_ROW.itemsize] + msgspec.msgpack.encode(details))])
        store.delete(row_key(b"v", row))
    store.commit()
    crawl.directory.abandon()
    crawl.open()
    found = assert_as_stored(crawl.beliefs, crawl.path)
    assert all(np.isfinite(found[belief]).all() for belief in WANTED[:3])
    assert np.isfinite(crawl.clustering.features(np.array(rows))).all()
    assert crawl.clustering.features(np.array(rows)).max() == 1e9
    crawl.directory.close()


@pytest.mark.parametrize("damage", ["cut", "emptied", "other features", "other shape", "other name"])
def test_clusters_and_records_that_cannot_be_read_are_made_anew(crawl: Written, damage: str):
    """Whatever another version of the program has left in the store, the crawl goes on, and people may look."""
    crawl.fetch("/", "<p>start boats</p>" + "".join(f"<a href=/p{i}>x</a>" for i in range(9)))
    rng = random.Random(6)
    rows = [crawl.fetch(f"/p{i}", page(rng, f"only{i}")) for i in range(9)]
    crawl.beliefs.pages()
    store, key = crawl.directory.store, b"mclusters 4 all 10"
    value = store.get(key) or b""
    kept = msgspec.msgpack.decode(value)
    if damage == "other features":
        kept[2] = [each[1:] for each in kept[2]]
    if damage == "other shape":
        kept[3][-1] = [kept[3][-1][0], [1, 2], bytes(8)]
    damaged = {"cut": value[: len(value) // 2], "emptied": msgspec.msgpack.encode([])}
    store.write([(key, damaged.get(damage, msgspec.msgpack.encode(kept)))])
    if damage == "other name":
        store.write([(b"mclusters 4 signs 10", value), (b"mclusters x", value)])
    store.write([(row_key(b"v", rows[2]), bytes(RECORD.itemsize + 3)), (row_key(b"v", rows[4]), b"")])
    crawl.directory.abandon()
    with View(crawl.path) as view:
        assert view.believed(ALL).min() >= 0
        explain(view, f"{HOME}/p2", Reading(), crawl.time)
    crawl.open()
    assert assert_as_stored(crawl.beliefs, crawl.path)[ALL].min() >= 0


def test_numbers_of_pages_of_before_are_not_needed(tmp_path: Path):
    """A crawl by another policy has no records: they are made when clusters are first asked for, and stay."""
    site = LinkedSite(tmp_path / "crawl", 30)
    with site.open() as directory:
        site.fetch(directory, range(30))
        assert not list(directory.store.scan(b"v"))
        with View(site.path) as view:
            looked = view.believed(ALL)
            assert not stored_names(view.store)
        beliefs = _watched(directory)
        assert column_of(beliefs, ALL).tolist() == looked.tolist()
        rows = beliefs.holdings.shared(PageVersions).rows()
        assert len(rows) == np.count_nonzero(directory.repository.table["state"] == State.LIVE)
        assert all(len(value) == RECORD.itemsize for _, value in directory.store.scan(b"v"))


# ---- directories, changes nearby, views


def test_folders_number_directories(crawl: Written):
    """Equal for pages of the same directory of the same host only; whatever comes later."""
    paths = ["/a/x", "/a/y?q=/b/", "/a/b/x", "/b/x", "/a"]
    crawl.fetch("/", "".join(f"<a href={path}>x</a>" for path in paths[:3]))
    crawl.beliefs.pages()
    crawl.fetch("/a/x", "".join(f"<a href={path}>x</a>" for path in paths[3:]))
    folder = assert_as_stored(crawl.beliefs, crawl.path)[Folder()]
    rows = [crawl.directory.repository.discovery.row(f"{HOME}{path}") for path in ["/", *paths]]
    home, x, y, deeper, other, file = folder[rows].tolist()
    assert (x, home) == (y, file)
    assert len({x, home, deeper, other}) == 4
    assert crawl.beliefs.suppliers[Folder()].terms(rows[1]) == {"directory": f"{HOME}/a/", "pages_in_it": 2}


def test_near_changed_counts_links_from_changed_pages(crawl: Written):
    """0 for pages found changed in the cycle of the last fetch, then by links; another cycle begins with none."""
    chain = {"/": ["/p1", "/q"], "/p1": ["/p2"], "/p2": ["/p3"], "/p3": ["/p4"], "/q": []}
    rows = {}
    for path, links in chain.items():
        rows[path] = crawl.fetch(path, f"<p>first {path}</p>" + "".join(f"<a href={to}>x</a>" for to in links))
    rows["/p4"] = crawl.directory.repository.discovery.row(f"{HOME}/p4")
    near = NearChanged(2, CYCLE)
    assert np.isinf(assert_as_stored(crawl.beliefs, crawl.path)[near]).all()
    crawl.fetch("/p1", "<p>second</p><a href=/p2>x</a>")
    found = assert_as_stored(crawl.beliefs, crawl.path)[near]
    assert [found[rows[path]] for path in ("/", "/p1", "/p2", "/p3", "/p4", "/q")] == [np.inf, 0, 1, 2, np.inf, np.inf]
    told = crawl.beliefs.suppliers[near].terms(rows["/p3"])
    assert told["way"] == [f"{HOME}/p1", f"{HOME}/p2", f"{HOME}/p3"]
    crawl.fetch("/p1", "<p>second</p><a href=/p2>x</a>")
    assert assert_as_stored(crawl.beliefs, crawl.path)[near][rows["/p1"]] == 0  # found changed all the same
    crawl.fetch("/q", "gone", 404)
    assert assert_as_stored(crawl.beliefs, crawl.path)[near][rows["/q"]] == 0
    first = float(crawl.directory.repository.table["found"].min())
    crawl.time = first + CYCLE * math.ceil((crawl.time - first) / CYCLE) + 1.0
    crawl.fetch("/", "<p>first /</p><a href=/p1>x</a><a href=/q>x</a>")
    assert np.isinf(assert_as_stored(crawl.beliefs, crawl.path)[near]).all()


def test_changes_lead_on_from_samples_only(tmp_path):
    """A page that was fetched for another reason, and had changed, is no beginning: else changes spread without end."""
    site, near, week = LinkedSite(tmp_path / "crawl", 60), NearChanged(2), 7 * 86400.0
    with site.open() as directory:
        beliefs = watched(directory, LinkSampling(2))
        site.fetch(directory, range(60))
        site.clock += week
        first = site_samples(beliefs.pages(), site.clock, week).first
        samples = set(first.rows.tolist())
        rows = {directory.repository.discovery.row(site.url(page)): page for page in range(60)}
        others = [page for row, page in rows.items() if row not in samples]
        assert 0 < len(samples) < 30
        for page in range(60):
            site.texts[page] = f"another text of page {page}"
        lowest = int(first.rows[0])  # as long as it waits, nobody else would be the next
        site.fetch(directory, others)
        assert np.isinf(column_of(beliefs, near)).all()
        site.fetch(directory, [rows[lowest]])
        found = column_of(beliefs, near)
        assert found[lowest] == 0.0
        assert (found == 0.0).sum() < len(others)


def _expected_views(directory: Directory) -> np.ndarray:
    """Query by query, page by page."""
    measuring, asked = directory.measuring, directory.measuring.asked
    found, table = measuring.matches(), directory.repository.table
    views = np.zeros(len(table))
    seen = Visibility(asked.exponent)
    for query, rate in enumerate(asked.rate.tolist()):
        which = np.flatnonzero(found.queries == query)
        results = sorted(
            which.tolist(), key=lambda i: (-found.scores[i], -int(table["key"][found.pages[i]] >> np.uint64(32)))
        )
        for rank, i in enumerate(results, 1):
            views[found.pages[i]] += rate * float(seen.at(np.array([float(rank)]))[0])
    return views


def test_views_are_what_people_see(tmp_path: Path):
    """Σ f_q·I(rank) over all results; worked out again when fetches have grown or others are asked; 0 for nobody."""
    site, policy = LinkedSite(tmp_path / "crawl", 60), _Seeing()
    with site.open() as directory:
        site.fetch(directory, range(20))
        beliefs = beliefs_in(directory, policy)
        follow(directory, beliefs.take)
        assert not column_of(beliefs, Views()).any()
        ask(site.path, *QUERIES)
        Refresh(directory).finish(time.time())
        few = column_of(beliefs, Views())
        assert few == pytest.approx(_expected_views(directory), rel=1e-9)
        assert few.any()
        site.fetch(directory, range(20, 60))
        many = column_of(beliefs, Views())
        assert many == pytest.approx(_expected_views(directory), rel=1e-9)
        assert np.count_nonzero(many) > np.count_nonzero(few)
        assert not many[directory.repository.table["fetches"] == 0].any()
        with View(site.path) as view:
            assert view.believed(Views()).tolist() == many.tolist()
        told = beliefs.terms(int(many.argmax()))[repr(Views())]
        assert told["views_a_week"] == many.max()


class _Seeing(Reading):
    beliefs: tuple[Views] = (Views(),)  # type: ignore[assignment]  # other beliefs


# ---- for people


def test_explain_tells_how_a_page_changes(crawl: Written, capsys: pytest.CaptureFixture[str]):
    """Observed changes with their size, the rate with its uncertainty, and the cluster with the features it goes by."""
    from sought.cli.explain import show_page

    crawl.fetch("/", "<p>start</p><a href=/p>p</a><a href=/q>q</a>")
    bodies = ["one two three", "one two three", "quite other words", "quite other words"]
    for body in bodies:
        crawl.time += 86400.0
        crawl.fetch("/p", f"<p>{body}</p>")
        crawl.beliefs.pages()
    crawl.fetch("/q", "<p>some more</p>")
    crawl.beliefs.pages()
    with View(crawl.path) as view:
        found = explain(view, f"{HOME}/p", Reading(), crawl.time)
        plain = explain(view, f"{HOME}/p", _Seeing(), crawl.time)
    change = found.change
    assert [(each.kind, each.difference) for each in change.observed] == [("changed", 1.0)]
    rate = change.rate
    assert rate
    assert (rate.fetches, rate.changes) == (3, 1)
    assert rate.interval_a_day[0] < rate.rate_a_day < rate.interval_a_day[1]
    assert set(change.clusters) == {repr(ALL), repr(ADDRESS)}
    assert change.clusters == plain.change.clusters  # those on record, whatever the policy reads
    told = found.now.terms[repr(ALL)]
    assert told["cluster"] == found.now.beliefs[repr(ALL)] == change.clusters[repr(ALL)].cluster
    assert told["closeness"] == found.now.beliefs[repr(WANTED[1])]
    assert len(told["features"]) == 68
    assert told["features"]["rank for 'boats'"] == 0
    assert told["features"]["domain .example"] == 1
    assert told["pages_in_it"] >= 1
    assert found.now.beliefs[repr(NearChanged(2, CYCLE))] is None  # far away: JSON knows no infinity
    json.dumps(found.to_json(), allow_nan=False)
    show_page(found.to_json(), verbose=True)
    shown = capsys.readouterr().out
    assert "100% of the text is different" in shown
    assert "a day, 80 % interval" in shown
    assert f"of {change.clusters[repr(ALL)].clusters}, closeness" in shown


def test_explain_of_a_page_that_was_never_fetched(crawl: Written, capsys: pytest.CaptureFixture[str]):
    """Nothing is known of its changes."""
    from sought.cli.explain import show_page

    crawl.fetch("/", "<p>start</p><a href=/p>p</a>")
    crawl.fetch("/q", "<p>other</p>")
    crawl.beliefs.pages()
    with View(crawl.path) as view:
        found = explain(view, f"{HOME}/p", Reading(), crawl.time)
        assert found.change.to_json() == {"observed": [], "rate": {}, "clusters": {}}
        show_page(found.to_json(), verbose=True)
        home = explain(view, f"{HOME}/", Reading(), crawl.time)
        assert home.change.rate
        assert home.change.rate.fetches == 0
        show_page(home.to_json(), verbose=True)
    assert "none observed yet" in capsys.readouterr().out


def test_a_failed_fetch_is_no_version(crawl: Written):
    """A page that could not be had is as it was."""
    crawl.fetch("/", "<p>start</p><a href=/p>p</a>")
    row = crawl.fetch("/p", "<p>one</p>")
    (before,) = crawl.described(row)
    crawl.time += 1
    crawl.directory.writer.record(row, Response(f"{HOME}/p", time=crawl.time, failure=Failure.TIMEOUT))
    crawl.directory.writer.commit()
    (after,) = crawl.described(row)
    assert after == before
    assert_as_stored(crawl.beliefs, crawl.path)


# ---- in the laboratory


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        ClusterSampling(k=6, features="all", least=2),
        ClusterSampling(k=6, least=2, sample="random"),
        DirectorySampling(),
        LinkSampling(),
        PoissonRates(weight="views"),
    ],
    ids=repr,
)
def test_what_is_supplied_is_no_leak(policy: Policy):
    """With the future and the unfetched replaced by noise, whoever goes by these columns decides the same."""
    assert first_leak(policy, made(), 0.05, Setting(rounds=3), middle()) == ""


def test_a_crawl_by_clusters(tmp_path: Path):
    """The whole cycle over real HTTP, and again after a restart; known pages are fetched again by their clusters."""
    policy = 'Split(new=BreadthFirst(), known=ClusterSampling(k=3, features="all", least=2), share=0.5)'
    with serving() as site:
        path = crawled(site, tmp_path / "crawl", 12)
        ask(path, *QUERIES)
        sought.open(path).crawl(20, policy)
        sought.open(path).crawl(20, policy)
        assert {f"/p{i}" for i in range(12)} <= set(site.paths())
        assert len(site.paths()) > 20
    with View(path) as view:
        label, closeness = (view.believed(kind(3, "all")) for kind in (Cluster, Closeness))
        assert set(label.tolist()) == {0, 1, 2}
        assert (closeness > 0).all()
