"""The benchmark of planning makes a crawl that is as a crawl should be, and plans with it."""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.plan_crawl import NOW, Size, anchor, make
from benchmarks.plan_words import LANGUAGE, TITLE, Words, vectors
from sought.index import Entry
from sought.index.fields import texts
from sought.index.filing import Filing
from sought.index.vectors import EACH, HEAD, Counter, Vector, Vocabulary
from sought.record.directory import Directory
from tests.testing.commands import run_benchmark

PARTS = ("take", "beliefs", "policy", "choose")
SIZE = Size(urls=2000, queries=300, fetched=0.5)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Directory]:
    path = tmp_path_factory.mktemp("bench") / "crawl"
    make(path, SIZE, lambda _: None)
    directory = Directory.open(path)
    yield directory
    directory.abandon()


@pytest.mark.slow
def test_each_policy_plans_first_and_again():
    """It prints for every number of URLs what the first plan and the next ones take, of both policies."""
    found = json.loads(run_benchmark("plan", "--urls", "1000", "--queries", "100", "--json").stdout)
    assert found["queries"] == 100
    [(urls, figures)] = found["urls"].items()
    assert (urls, figures["fetched"]) == ("1000", 0.5)
    for policy in ("worth", "peer"):
        own = figures[policy]
        assert own["chosen"] > 0
        assert own["rss_mb"] > 0
        assert len(own["cycles_s"]) == 3
        for plan in (own["first_plan"], own["cycle"]):
            assert plan["seconds"] == pytest.approx(sum(plan[part] for part in PARTS))
            assert plan["cpu_seconds"] > 0
        assert own["cycle"]["take"] > 0
    assert figures["peer_over_worth"] > 0


def test_the_table_is_that_of_a_crawl(crawl: Directory):
    """Rows are found by their addresses; fetched ones have times, and exactly the searchable ones a vector."""
    table, repository = crawl.repository.table, crawl.repository
    assert len(table) == SIZE.urls
    assert all(repository.discovery.row(crawl.store.url(row)) == row for row in range(0, SIZE.urls, 7))
    is_fetched = table["fetches"] > 0
    assert np.array_equal(is_fetched, np.isfinite(table["last_fetch"]))
    assert 0.4 < is_fetched.mean() < 0.8
    assert table["last_fetch"][is_fetched].max() < NOW
    assert np.array_equal(crawl.measuring.rows(), table.searchable())


def test_links_lead_from_fetched_pages_to_known_ones(crawl: Directory):
    """About fifteen of each, none twice and none to itself; those they lead to were seen."""
    table = crawl.repository.table
    lists = {row: crawl.store.links(row) for row in range(len(table))}
    assert all(len(lists[row]) == 0 for row in np.flatnonzero(table["fetches"] == 0).tolist())
    assert all(row not in targets and len(np.unique(targets)) == len(targets) for row, targets in lists.items())
    targets = np.concatenate(list(lists.values()))
    assert 5 * SIZE.urls * SIZE.fetched < len(targets) < 20 * SIZE.urls
    assert np.array_equal(table["inlinks"], np.bincount(targets, minlength=len(table)))
    assert np.isfinite(table["linked"]).sum() > len(table) / 2


def test_pages_answer_queries_and_new_addresses_promise_to(crawl: Directory):
    """There is something to plan by: pages that match, and anchors of pages that nobody fetched."""
    assert crawl.measuring.measure
    assert crawl.measuring.measure.worth > 0
    assert len(crawl.measuring.matches().pages) > SIZE.urls * SIZE.fetched / 2
    new = int(np.flatnonzero(crawl.repository.table["fetches"] == 0)[0])
    assert crawl.repository.changes.anchors(new) == anchor(crawl.store.url(new))


def test_vectors_are_those_a_counter_counts():
    """Made from numbers of words, they are what reading the words would make of them."""
    words, dice, vocabulary = Words(200), np.random.default_rng(3), Vocabulary()
    filing = Filing(words.queries, vocabulary)
    counter = Counter(vocabulary, filing.read)
    counter.read("", LANGUAGE)
    words.number(vocabulary)
    page, address = words.drawn(dice, (50, 30)), words.drawn(dice, (50, 3))
    counter = Counter(vocabulary, filing.read)
    for row, (text, named) in enumerate(zip(words.texts(page), words.texts(address), strict=True)):
        each = text.split()
        url = f"https://www.site7.example/{named.replace(' ', '/', 1).replace(' ', '-')}-{row}"
        for field in texts(Entry(row, url, " ".join(each[:TITLE]), " ".join(each[TITLE:]))):
            counter.read(field, LANGUAGE)
        counter.end_page(LANGUAGE)
    counted, (data, bounds) = counter.take(), vectors(words, page, address)
    assert np.array_equal(np.diff(bounds), np.diff(counted.bounds))
    assert any(len(counted[i]) > HEAD for i in range(50))
    for i in range(50):
        assert _sorted(data[bounds[i] : bounds[i + 1]]) == _sorted(counted[i])


def _sorted(vector: Vector) -> tuple[list[int], list[list[int]]]:
    return vector[:HEAD].tolist(), sorted(vector[HEAD:].reshape(-1, EACH).tolist())
