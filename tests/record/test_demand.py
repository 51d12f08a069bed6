"""What is kept for measuring stays right, whatever answers come and wherever a process ends."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import sought
from sought.crawl.cycle import Cycle
from sought.index.vectors import EACH, HEAD
from sought.operate.check import check
from sought.operate.rebuild import rebuild
from sought.record.directory import Directory
from sought.record.recovery import open_directory
from sought.record.workload_refresh import Refresh
from tests.testing.changing_site import HTML, Site, serving
from tests.testing.counted_anew import ask, assert_sound, filled, is_sound, lists_of, opened, recounted
from tests.testing.demand_site import QUERIES, Fate, answer, crawled, gains_by_fetch, keys, page, write_config


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_config(tmp_path / "crawl")


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_to_pages(path: Path, seed: int):
    """Pages change, double, move, go, are closed, speak other languages, and the process dies: all still agrees."""
    ask(path, *QUERIES)
    fate = Fate(path, seed)
    Refresh(fate.directory).finish(time.time())
    for _ in range(80):
        fate.strike()
    fate.directory.writer.commit()
    assert fate.directory.measuring.measure
    assert lists_of(fate.directory.measuring.measure) == filled(fate.directory.measuring)
    fate.directory.close()
    is_sound(path, measured=False)  # home was fetched before anything was asked
    before = gains_by_fetch(path)
    rebuild(path, lambda _: None)
    is_sound(path)
    assert gains_by_fetch(path).keys() == before.keys()


def test_a_full_disk_in_the_middle_of_a_commit(path: Path):
    """The index has taken pages in and the store refuses them: after reopening both have them, measured once."""
    ask(path, *QUERIES)
    assert sought.open(path).take_in_queries() == len(QUERIES)
    code = f"from tests.testing.full_disk import Path, fill_the_disk; fill_the_disk(Path({str(path)!r}))"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=300, check=False).returncode == 7
    with opened(path) as directory:
        assert len(directory.index.rows()) == 8
        assert directory.measuring.sums.fetches == 8
    is_sound(path)


# ---- rebuild


def test_a_rebuild_makes_the_same_again(site: Site, tmp_path: Path):
    """Store and index made anew: the same vectors, and every fetch on record measured by what is asked today."""
    path = crawled(site, tmp_path / "crawl", 30)
    ask(path, *QUERIES)
    sought.open(path).crawl(31, "BreadthFirst()")
    rng = random.Random(1)
    site.answers |= {f"/p{i}": (200, HTML, page(rng, f"other{i}")) for i in range(10)}
    sought.open(path).crawl(31, "RoundRobin()")
    with opened(path) as directory:
        before = recounted(directory)[1]
        sums = directory.measuring.sums
    rebuild(path, lambda _: None)
    is_sound(path)
    with opened(path) as directory:
        assert recounted(directory)[1] == before
        assert directory.measuring.sums.fetches == sums.fetches == 62
        assert directory.measuring.sums.first == pytest.approx(sums.first)  # the same, in the same order
        assert directory.measuring.sums.later == pytest.approx(sums.later)
        assert sums.later > 0


def test_a_rebuild_measures_what_was_not(site: Site, tmp_path: Path):
    """Fetches from before anybody asked get their gain from a rebuild; one that is interrupted changes nothing."""
    path = crawled(site, tmp_path / "crawl", 12)
    sought.open(path).crawl(13, "BreadthFirst()")
    sought.open(path).crawl(13, "RoundRobin()")
    assert set(gains_by_fetch(path).values()) == {None}
    ask(path, *QUERIES)

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(path, stop)
    assert not (path / "rebuilding").exists()
    assert set(gains_by_fetch(path).values()) == {None}
    rebuild(path, lambda _: None)
    is_sound(path)
    assert len(gains_by_fetch(path)) == 26
    assert sum(gain or 0.0 for gain in gains_by_fetch(path).values()) > 0


# ---- the workload comes and goes


def test_the_log_emptied_and_filled_again(site: Site, tmp_path: Path):
    """Without queries nothing is kept; when they come back, pages that changed meanwhile are counted as they are."""
    path = crawled(site, tmp_path / "crawl", 20)
    ask(path, *QUERIES)
    sought.open(path).crawl(21, "BreadthFirst()")
    is_sound(path)
    shutil.rmtree(path / "queries")
    rng = random.Random(1)
    site.answers |= {f"/p{i}": (200, HTML, page(rng, f"other{i}")) for i in range(5)}
    site.answers["/p5"] = (404, {}, "gone")
    site.answers["/p20"] = (200, HTML, page(rng, "late"))
    site.answers["/"] = (200, HTML, page(rng, "home", "<a href=/p20>late</a>"))
    sought.open(path).crawl(21, "RoundRobin()")
    sought.open(path).crawl(1, "BreadthFirst()")
    with opened(path) as directory:
        assert check(directory, lambda _: None) == []
        assert keys(directory, b"d") == []
        assert not {b"mworkload", b"mvocabulary", b"mlacking", b"mstatistics"} & set(keys(directory, b"m"))
        assert directory.measuring.sums.fetches == 21
    ask(path, *QUERIES)
    assert sought.open(path).take_in_queries() == len(QUERIES)
    is_sound(path, measured=False)


@pytest.mark.slow
def test_killed_while_the_first_queries_are_taken_in(site: Site, tmp_path: Path):
    """Vectors made so far are kept up with what is fetched before somebody goes on taking the queries in."""
    path = crawled(site, tmp_path / "crawl", 120)
    sought.open(path).crawl(121, "BreadthFirst()")
    ask(path, *QUERIES)
    directory = open_directory(path)
    refresh = Refresh(directory)
    refresh.step(time.time())
    refresh.step(time.time())
    assert refresh.owed
    directory.abandon()
    with opened(path) as directory:
        counted, now = directory.measuring.rows().tolist(), round(time.time(), 6)
        assert len(counted) == 100
        assert check(directory, lambda _: None) == []
        directory.writer.record(counted[7], answer(site.url("/p6"), "gone", 404, time=now))
        directory.writer.record(counted[8], answer(site.url("/p7"), page(random.Random(3), "newer"), time=now))
        directory.writer.commit()
        Refresh(directory).finish(time.time())
        directory.writer.commit_index()
        assert_sound(directory, measured=False)


def test_languages_met_later(path: Path):
    """Terms that come with a new language are counted on all pages by the next refresh, though the same is asked.

    "lak" is what German makes of "lakes" and "cit" what French makes of "cities": words of their own in English.
    """
    ask(path, *QUERIES)
    fate = Fate(path, 2)
    directory = fate.directory
    refresh, now = Refresh(directory), time.time()
    refresh.finish(now)
    fate.fetch(1, page(fate.rng, "lak cit one"))
    fate.fetch(5, page(fate.rng, "cit five"))
    directory.writer.commit()
    assert directory.measuring.lacking == []
    fate.fetch(2, page(fate.rng, "two", language="de"))
    fate.fetch(3, page(fate.rng, "lak cit three"))
    directory.writer.commit()
    assert "lak" in directory.measuring.lacking
    refresh.step(now + 2)
    assert refresh.owed
    fate.fetch(4, page(fate.rng, "four", language="fr"))
    refresh.step(now + 2)
    assert directory.measuring.lacking == ["cit"]
    assert held(directory, fate.url(5)) == set()
    refresh.step(now + 4)
    refresh.step(now + 4)
    assert directory.measuring.lacking == []
    assert held(directory, fate.url(1)) == held(directory, fate.url(3)) == {"lak", "cit"}
    assert held(directory, fate.url(5)) == {"cit"}
    directory.close()
    is_sound(path, measured=False)


def held(directory: Directory, url: str) -> set[str]:
    """Which of the words that other languages bring a page's vector has, whether or not it may lack them."""
    terms = list(directory.measuring.vocabulary.numbers)
    vector = directory.measuring.vector(directory.repository.discovery.row(url))
    return {terms[term] for term in vector[HEAD::EACH].tolist()} & {"lak", "cit"}


@pytest.mark.slow
def test_statistics_are_taken_anew_as_the_crawl_grows(site: Site, tmp_path: Path):
    """At 64 pages, and whenever they have doubled, all is scored anew; what is held is what a fill would give."""
    path = crawled(site, tmp_path / "crawl", 150)
    ask(path, *QUERIES)
    frozen: set[int] = set()

    def watch(cycle: Cycle) -> None:
        cycles.append(cycle)
        plan = cycle._plan

        def noting(now: float) -> None:
            frozen.add(cycle.writer.measuring.frozen_pages)
            plan(now)

        cycle._plan = noting  # type: ignore[method-assign]  # only looks

    cycles: list[Cycle] = []
    for fetches in (80, 80):
        sought.open(path).crawl(fetches, "BreadthFirst()", watch)
    measuring = cycles[-1].writer.measuring
    assert measuring.measure
    assert measuring.pages == 151
    assert 64 <= measuring.frozen_pages <= measuring.pages < 2 * measuring.frozen_pages
    assert len(frozen) > 1
    rng = random.Random(1)
    site.answers |= {f"/p{i}": (200, HTML, page(rng, f"other{i}")) for i in range(40)}
    sought.open(path).crawl(60, "RoundRobin()", cycles.append)
    held = cycles[-1].writer.measuring.measure
    assert held
    with opened(path) as directory:
        assert lists_of(held) == filled(directory.measuring)
        assert_sound(directory)
