"""What measuring costs when there is nothing to do, what it forgets, and which damage is noticed."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import sought
from sought.beliefs.prospect import Prospect
from sought.demand import DAY, QueryLog, Search
from sought.operate.check import check
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.record.store import row_key
from sought.record.workload_refresh import Refresh
from tests.testing.changing_site import Site, serving
from tests.testing.counted_anew import ask, is_sound, opened
from tests.testing.demand_site import QUERIES, Fate, crawled, keys, write_config


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_config(tmp_path / "crawl")


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def test_without_queries_nothing_is_kept(site: Site, tmp_path: Path):
    """No log: no vectors, no gains, no folder; and what was kept before there were gains can be read."""
    path = crawled(site, tmp_path / "crawl", 5)
    sought.open(path).crawl(6, "BreadthFirst()")
    assert not (path / "queries").exists()
    with opened(path) as directory:
        kept = {key[1:].decode() for key in keys(directory, b"m")}
        assert not kept & {"workload", "vocabulary", "lacking", "statistics", "gains"}
        assert keys(directory, b"d") == []
        old = msgspec.msgpack.encode([1e9, "new", 200])  # an outcome as it was kept then
        directory.store.put(row_key(b"o", 1) + int(1e15).to_bytes(8, "big"), old)
    with opened(path) as directory:
        assert check(directory, lambda _: None) == []
    with View(path) as view:
        assert [outcome.gain for outcome in view.history(1)] == [None, None]
        assert view.measuring.measure is None
        assert view.believed(Prospect()).tolist() == [0.0] * 6


def test_a_step_costs_nothing_until_it_is_due(path: Path):
    """Between two looks the log is not touched; a log that has not changed is not read again."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        Refresh(directory).finish(2e9)
        drawn, refresh = directory.measuring.asked, Refresh(directory)
        shutil.move(path / "queries", path / "away")
        refresh.step(2e9 + 0.9)
        assert directory.measuring.asked is drawn
        shutil.move(path / "away", path / "queries")
        refresh.step(2e9 + 1)
        assert directory.measuring.asked is drawn
        assert directory.measuring.drawn_at == 2e9 + 1
        QueryLog(path / "queries").record(Search("boats", 2e9 + 2))
        refresh.step(2e9 + 3)
        assert directory.measuring.asked is not drawn
        assert directory.measuring.asked.rate.sum() > drawn.rate.sum()


def test_what_the_log_forgets_the_crawl_forgets(path: Path):
    """Searches older than [demand] keep leave log and workload once a day, and their terms the store at a rebuild."""
    now = time.time()
    log = QueryLog(path / "queries", 7 * DAY)
    for age, text in ((6.9, "secret boats"), (6.5, "hidden boats"), (1, "running boats")):
        log.record(Search(text, now - age * DAY))
    fate = Fate(path, 1)
    fate.directory.writer.commit_index()
    refresh = Refresh(fate.directory)
    refresh.finish(now)
    fate.directory.close()
    assert {"secret", "hidden"} <= words_kept(path)
    with opened(path) as directory:
        refresh = Refresh(directory)
        refresh.step(now + 0.6 * DAY)  # one of them is too old by now, but the log was tidied today
        assert "secret boats" in log.searches()["query"].to_list()
        refresh.finish(now + 1.1 * DAY)
        assert log.searches()["query"].to_list() == ["running boats"]
        assert directory.measuring.asked.texts == ["running boats"]
    with opened(path) as directory:
        assert [key for key, value in directory.store.scan(b"") if b"secret boats" in value] == []
    rebuild(path, lambda _: None)
    assert words_kept(path) == {"run", "boat"}


def words_kept(path: Path) -> set[str]:
    """The terms in a crawl's store."""
    with View(path) as view:
        return set(view.store.meta("vocabulary", ()))


def test_a_spelling_that_is_forgotten_goes_within_a_day(path: Path):
    """Of one query only the weight follows at once; how it is spelled, once a day."""
    log = QueryLog(path / "queries", 7 * DAY)
    for age, text in ((3, "Boats running"), (3, "Boats running"), (1, "running boats")):
        log.record(Search(text, 2e9 - age * DAY))
    with opened(path) as directory:
        refresh = Refresh(directory)
        refresh.finish(2e9)
        assert directory.measuring.asked.texts == ["Boats running"]
        log.remove("Boats running")
        refresh.step(2e9 + 2)
        assert directory.measuring.asked.texts == ["Boats running"]
        assert directory.measuring.asked.rate.tolist() == [0.25]
        refresh.finish(2e9 + 1.1 * DAY)
        assert directory.measuring.asked.texts == ["running boats"]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: d.store.delete(row_key(b"d", 2)), "is searchable and has no vector"),
        (lambda d: d.store.put(row_key(b"d", 40), bytes(20)), "row 40 has a vector and should not"),
        (lambda d: setattr(d.measuring, "sums", d.measuring.sums._replace(fetches=5)), "5 fetches are said to be"),
        (lambda d: setattr(d.measuring, "sums", d.measuring.sums._replace(first=9.0)), "gains of first fetches"),
        (lambda d: d.store.delete(next(d.store.scan(b"o"))[0]), "fetches are said to be measured"),
    ],
    ids=["no vector", "a vector too many", "count", "sum", "lost outcome"],
)
def test_damage_is_noticed(path: Path, damage, message: str):
    """`check` says what does not agree."""
    ask(path, *QUERIES)
    assert sought.open(path).take_in_queries() == len(QUERIES)
    fate = Fate(path, 4)
    for i in range(1, 8):
        fate.fetch(i, fate.body[i])
    fate.directory.close()
    is_sound(path)
    with opened(path) as directory:
        damage(directory)
        directory.measuring.save()
        directory.store.commit()
        assert any(message in problem for problem in check(directory, lambda _: None))
