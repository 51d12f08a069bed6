"""Columns of the first paper's importances, live and from the store: addresses, links ahead, words of a topic."""

import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.beliefs.addresses import read_bytes
from sought.beliefs.topic_distance import Hops
from sought.beliefs.topic_likeness import Likeness
from sought.beliefs.topic_names import Named
from sought.beliefs.topic_words import Topic
from sought.crawl.cycle import beliefs_in
from sought.index.analysis import terms
from sought.operate.view import View
from sought.policy import ForwardLinks, Location, Similarity, Topical
from sought.record.directory import Directory
from sought.record.recovery import open_directory
from sought.record.seeds import LOADED, plant_seeds
from sought.record.table import Source
from sought.record.workload_refresh import Refresh
from sought.web.url import canonical
from tests.testing.demand_site import answer, write_config
from tests.testing.following import follow

WANTED = (
    *(Location(), ForwardLinks(), Named("grey heron"), Likeness("grey heron")),
    *(Hops("grey heron", 3, 3), Hops("grey heron", 3, 1)),
)


class Reading:
    """All beliefs at once, as a policy."""

    beliefs = WANTED

    def __call__(self, pages, now):
        return np.zeros(len(pages))


class Written:
    """A crawl whose answers a test writes."""

    def __init__(self, path: Path) -> None:
        self.path = write_config(path)
        self.time = 1e9
        self.open()
        plant_seeds(self.directory)

    def open(self) -> None:
        self.directory: Directory = open_directory(self.path)
        Refresh(self.directory, Reading()).finish(1e9)
        self.beliefs = beliefs_in(self.directory, Reading())
        follow(self.directory, self.beliefs.take)

    def fetch(self, path: str, body: str, status: int = 200, **headers: str) -> None:
        self.time += 1.0
        response = answer(f"http://a.example{path}", body, status, time=self.time, **headers)
        self.directory.writer.record(self.directory.repository.known_row(response.url, response.time), response)
        self.directory.writer.commit()

    def row(self, path: str) -> int:
        return self.directory.repository.discovery.row(f"http://a.example{path}")

    def column(self, belief):
        return self.beliefs.pages().belief(belief)

    def of(self, belief, *paths: str) -> list[float]:
        column = self.column(belief)
        return [float(column[self.row(path)]) for path in paths]

    def same_from_the_store(self) -> None:
        live = {belief: self.column(belief).copy() for belief in WANTED}
        self.directory.close()
        with View(self.path) as view:
            for belief in WANTED:
                assert view.believed(belief).tolist() == live[belief].tolist(), belief
        self.open()
        for belief in WANTED:
            assert self.column(belief).tolist() == live[belief].tolist(), belief


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Written]:
    written = Written(tmp_path / "crawl")
    yield written
    written.directory.close()


def html(title: str = "", body: str = "words", *links: tuple[str, str], language: str = "en") -> str:
    anchors = " ".join(f'<a href="{href}">{text}</a>' for href, text in links)
    text = f"<main><p>{body} {anchors}</p></main>"
    return f"<html lang={language}><head><title>{title}</title></head><body>{text}</body></html>"


# ---- addresses


def test_fewer_slashes_are_better(crawl):
    """Slashes of the path count: not those of the scheme, and not those of a query."""
    paths = ["/", "/a", "/a/", "/a/b/c", "/a?u=/x/y/z", "/b/?q=http://c/d?/e"]
    crawl.directory.writer.add_urls([f"http://a.example{path}" for path in paths], LOADED, Source.LOAD)
    assert crawl.of(Location(), *paths) == [-1.0, -1.0, -2.0, -3.0, -1.0, -2.0]
    crawl.directory.writer.add_urls([f"http://a.example/p{k}/q/r/s" for k in range(300)], LOADED, Source.LOAD)
    assert crawl.of(Location(), "/p299/q/r/s", "/p0/q/r/s", "/a/b/c") == [-4.0, -4.0, -3.0]
    crawl.same_from_the_store()


@given(st.lists(st.text("ab/?é:", max_size=12), min_size=1, max_size=40))
def test_slashes_as_counted_one_by_one(paths):
    """Many URLs end to end, or one after the other: the same."""
    urls = [canonical(f"http://h.example/{path}").encode() for path in paths]
    found = read_bytes(np.array([len(url) for url in urls], np.uint16), [b"".join(urls)])
    assert found.depth.tolist() == [url.split(b"?")[0].count(b"/") - 2 for url in urls]


# ---- links ahead


def test_links_as_counted_or_as_on_the_host(crawl):
    """Distinct links of a page; of a new one the mean over its host, or over all hosts, or nothing."""
    assert crawl.of(ForwardLinks(), "/") == [0.0]
    crawl.fetch("/", html("", "start", ("/x", "x"), ("/y", "y"), ("/x", "again"), ("/", "self")))
    crawl.fetch("/x", html("", "no links here"))
    assert crawl.of(ForwardLinks(), "/", "/x", "/y") == [2.0, 0.0, 1.0]
    other = crawl.directory.repository.discovery.force("http://elsewhere.example/", 1e9)
    crawl.directory.writer.commit()
    assert crawl.column(ForwardLinks())[other] == 1.0
    told = [crawl.beliefs.terms(row)[repr(ForwardLinks())] for row in (crawl.row("/"), crawl.row("/y"), other)]
    assert told[0] == {"links_on_this_page": 2}
    assert told[1:] == [{name: 1.0, "over_pages": 2} for name in ("mean_of_its_host", "mean_of_all_hosts")]
    crawl.fetch("/", html("", "start again", *((f"/z{i}", f"z{i}") for i in range(6))))
    assert crawl.of(ForwardLinks(), "/", "/z1") == [6.0, 3.0]
    crawl.same_from_the_store()


# ---- words of a topic


def test_all_words_in_one_anchor_or_in_the_address(crawl):
    """Stemmed alike, in any order; words from different anchors do not add up."""
    links = [("/a", "The herons, grey"), ("/b", "grey"), ("/c/grey-herons.html", "x"), ("/d?bird=Grey%20Heron", "x")]
    links += [("/b", "heron"), ("/e", "greyheron"), ("/f", "x")]
    crawl.fetch("/", html("", "start", *links))
    paths = ["/a", "/b", "/c/grey-herons.html", "/d?bird=Grey%20Heron", "/e", "/f", "/"]
    assert crawl.of(Named("grey heron"), *paths) == [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    crawl.fetch("/f", html("", "more", ("/b", "a grey heron"), ("/", "home")))
    assert crawl.of(Named("grey heron"), *paths) == [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert crawl.beliefs.terms(crawl.row("/b"))[repr(Named("grey heron"))] == {"named_by": ["a grey heron"]}
    crawl.same_from_the_store()


@given(
    st.lists(
        st.lists(st.sampled_from(["grey", "heron", "herons", "bird", "東京都", "Grey-heron", "\ud800"]), max_size=4),
        max_size=60,
    )
)
def test_texts_read_together_are_counted_like_single_ones(lists):
    """Neighbours in a batch lend each other no words, in whatever script."""
    texts = [" ".join(words) for words in lists]
    lengths, counts = Topic("grey herons 京都").reader("en").counts(texts)
    read = [terms(text, "en") for text in texts]
    assert lengths.tolist() == [len(found) for found in read]
    assert counts.tolist() == [[found.count(word) for word in ("grey", "heron", "京都")] for found in read]


def test_distance_from_hot_pages(crawl):
    """0 on a page with the words in its title or often enough in its body; then link by link, along links only."""
    crawl.fetch("/", html("Start", "grey heron grey heron", ("/hot", "a"), ("/often", "b"), ("/far", "c")))
    crawl.fetch("/hot", html("Herons, mostly grey", "no more", ("/one", "1")))
    crawl.fetch("/one", html("One", "off", ("/two", "2")))
    crawl.fetch("/two", html("Two", "off", ("/three", "3")))
    crawl.fetch("/often", html("Often", "grey heron " * 3, ("/two", "2")))
    crawl.fetch("/far", html("Grey", "heron " * 5))
    paths = ["/", "/hot", "/often", "/one", "/two", "/three", "/far"]
    assert crawl.of(Hops("grey heron", 3, 3), *paths) == [3.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0]
    told = crawl.beliefs.terms(crawl.row("/three"))[repr(Hops("grey heron", 3, 3))]
    assert told == {"hot_pages": 2, "way": [f"http://a.example{path}" for path in ("/often", "/two", "/three")]}
    assert crawl.of(Hops("grey heron", 3, 1), *paths) == [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    assert crawl.beliefs.terms(crawl.row("/hot"))[repr(Hops("grey heron", 3, 1))]["hot_pages"] == 2
    crawl.fetch("/often", html("Often", "not any more", ("/two", "2")))
    crawl.fetch("/hot", "gone", 404)
    assert crawl.of(Hops("grey heron", 3, 3), *paths) == [3.0] * 7
    crawl.fetch("/three", html("Grauer Heron", "heron grey " * 3, language="de"))
    assert crawl.of(Hops("grey heron", 3, 3), "/three", "/two") == [0.0, 3.0]
    assert crawl.beliefs.hot_pages == 1
    crawl.same_from_the_store()


def by_hand(counts, length, idf):
    """The formula of likeness.py."""
    typical = sum(idf) / len(idf)
    page = math.sqrt(sum((c * i) ** 2 for c, i in zip(counts, idf, strict=True)) + (length - sum(counts)) * typical**2)
    return sum(c * i * i for c, i in zip(counts, idf, strict=True)) / page / math.sqrt(sum(i * i for i in idf))


def test_likeness_by_hand(crawl):
    """Of fetched pages by title and body, of new ones by address and anchors; at most 1, and 0 without the words."""
    crawl.fetch(
        "/", html("Start", "grey day", ("/grey/heron", "grey heron"), ("/n", "a bird"), ("/m", "herons herons"))
    )
    crawl.fetch("/q", html("Grey heron", "one heron on the lake"))
    measure = crawl.directory.measuring.measure
    numbers = [crawl.directory.measuring.vocabulary.numbers[term] for term in ("grey", "heron")]
    statistics = measure.statistics
    idf = [math.log1p(max(statistics.pages, 1) / max(int(statistics.of_terms(9)[n, -1]), 1)) for n in numbers]
    found = crawl.of(Likeness("grey heron"), "/", "/q", "/grey/heron", "/n", "/m")
    words = 2 + sum(len(text.split()) for text in ("grey heron", "a bird", "herons herons")) + 1  # title, body, anchors
    assert found == pytest.approx(
        [
            by_hand([2, 3], words, idf),
            by_hand([1, 2], 7, idf),
            by_hand([2, 2], 6, idf),  # a, example, and the words twice
            0.0,
            by_hand([0, 2], 5, idf),
        ]
    )
    assert max(found) < 1.0
    told = crawl.beliefs.terms(crawl.row("/q"))[repr(Likeness("grey heron"))]
    assert told == {"words": {"grey": {"title": 1, "body": 0}, "heron": {"title": 1, "body": 1}}, "of": 7}
    crawl.fetch("/n", html("Grey heron", "grey heron", ("/q", "x")), X_Robots_Tag="noindex")
    assert crawl.of(Likeness("grey heron"), "/n") == [0.0]
    assert "not searchable" in crawl.beliefs.terms(crawl.row("/n"))[repr(Likeness("grey heron"))]["note"]
    crawl.same_from_the_store()


def test_a_page_that_is_denied_is_like_nothing(crawl):
    """It has left without a fetch."""
    crawl.fetch("/", html("Grey heron", "grey heron"))
    assert crawl.of(Likeness("grey heron"), "/")[0] == pytest.approx(1.0)
    assert crawl.of(Hops("grey heron", 3, 3), "/") == [0.0]
    crawl.directory.repository.deny(crawl.row("/"), 2e9, forbidden=True)
    crawl.directory.writer.commit()
    assert crawl.of(Likeness("grey heron"), "/") == [0.0]
    assert crawl.of(Hops("grey heron", 3, 3), "/") == [3.0]
    crawl.same_from_the_store()


def test_whatever_happens_the_store_says_the_same(crawl):
    """Pages of several languages come, change, go and are called names, and the columns are those of a new reading."""
    rng = random.Random(4)
    words = ["grey", "heron", "herons", "lake", "greys", "wader"]

    def some(count: int) -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, count)))

    for step in range(60):
        links = [(f"/{rng.choice(words)}/{rng.randrange(25)}", some(3)) for _ in range(rng.randint(0, 4))]
        row = rng.randrange(len(crawl.directory.repository.table))
        path, language = crawl.directory.store.url(row).partition("a.example")[2], ["en", "de", "en", "ja"][row % 4]
        if rng.random() < 0.15:
            crawl.fetch(path, "gone", 404)
        else:
            crawl.fetch(path, html(some(2), f"{some(20)} {step}", *links, language=language))
        if step % 7 == 0:
            crawl.beliefs.pages()
        if step % 20 == 19:
            crawl.same_from_the_store()
    for belief in WANTED:
        assert len(np.unique(crawl.column(belief))) > 1


def test_a_topic_nobody_crawled_for_is_said_to_be(crawl):
    """Whoever asks for another topic than was counted is told so, instead of that nothing is about it."""
    crawl.fetch("/", html("Otters", "otters otters"))
    crawl.directory.close()
    with View(crawl.path) as view:
        for policy in (Topical("otters"), Similarity("otters")):
            beliefs = view.beliefs(policy.beliefs)
            beliefs.pages()
            assert any("note" in told for told in beliefs.terms(0).values())
    crawl.open()
