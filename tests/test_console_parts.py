"""What the server is made of: searching in threads, remembered answers, recording, suggestions, ages."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.console import remembered, suggestions
from sought.console.ages import age, exactly, iso
from sought.console.recorder import Recorder
from sought.console.remembered import Asked, Found, Remembered
from sought.console.searcher import THREADS, Searcher, TooBusy
from sought.console.suggestions import Table, asked_often, folded
from sought.demand import Action, Event, QueryLog, Search, Tally
from sought.demand.values import today
from sought.index import Answer, Entry, Index

LAMP = Asked("lamp", 10, 0)


def written(folder: Path, *texts: str) -> None:
    index = Index.open(folder, writable=True)
    index.update([Entry(row, f"http://a.example/{row}", body=text) for row, text in enumerate(texts)])
    index.commit()
    index.close()


# ---- searching


def test_a_search_sees_the_last_commit(tmp_path: Path) -> None:
    """Nothing, one page, two: also if the same was asked before, and answers are remembered."""

    async def ask() -> None:
        searcher = Searcher(tmp_path / "index")
        assert await searcher.search(LAMP) is None
        assert await searcher.pages() == 0
        for count in (1, 2):
            written(tmp_path / "index", *["a lamp"] * count)
            assert await searcher.pages() == count
            first, second = await searcher.search(LAMP), await searcher.search(LAMP)
            assert first
            assert (first.answer.total, first.pages) == (count, count)
            assert second is first
        searcher.close()

    asyncio.run(ask())


class Slow(Index):
    """An index in which every search waits until it may go on."""

    go_on = threading.Event()

    def search(self, query: str, limit: int = 10, offset: int = 0) -> Answer:
        self.go_on.wait(60)
        return super().search(query, limit, offset)


def test_too_many_searches_are_turned_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are threads and places to wait; the others are told at once, and later there is room again."""
    written(tmp_path / "index", "a lamp")
    monkeypatch.setattr("sought.console.searcher.Index", Slow)
    Slow.go_on.clear()

    async def ask() -> None:
        searcher = Searcher(tmp_path / "index", waiting=3)
        places = [asyncio.create_task(searcher.search(Asked(f"lamp {n}", 10, 0))) for n in range(THREADS + 3)]
        await asyncio.sleep(0)
        with pytest.raises(TooBusy, match="Too many searches"):
            await searcher.search(LAMP)
        Slow.go_on.set()
        assert all(await asyncio.gather(*places))
        assert await searcher.search(LAMP)
        searcher.close()

    asyncio.run(ask())


def test_a_search_that_takes_too_long_counts_until_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked is told; the thread is not free before it is."""
    written(tmp_path / "index", "a lamp")
    monkeypatch.setattr("sought.console.searcher.Index", Slow)
    Slow.go_on.clear()

    async def ask() -> None:
        searcher = Searcher(tmp_path / "index", waiting=0, seconds=0.01)
        for _ in range(THREADS):
            with pytest.raises(TooBusy, match="took too long"):
                await searcher.search(LAMP)
        with pytest.raises(TooBusy, match="Too many searches"):
            await searcher.search(LAMP)
        Slow.go_on.set()
        searcher.close()

    asyncio.run(ask())


def test_answers_are_remembered_for_one_state_of_the_index(tmp_path: Path) -> None:
    """An answer that was overtaken by a commit is not kept, and the least recently asked go first."""
    memory, meta = Remembered(tmp_path), tmp_path / "meta.json"
    assert memory.get(LAMP) is None
    memory.keep(LAMP, Found(Answer(), 1), memory.state)
    assert memory.get(LAMP) is None  # there is no index
    meta.write_text("1")
    assert memory.get(LAMP) is None
    before = memory.state
    memory.keep(LAMP, Found(Answer(), 1), before)
    assert memory.get(LAMP)
    meta.rename(tmp_path / "old")
    meta.write_text("2")
    assert memory.get(LAMP) is None
    memory.keep(LAMP, Found(Answer(), 1), before)
    assert memory.get(LAMP) is None
    for number in range(remembered.MOST):
        memory.keep(Asked(str(number), 1, 0), Found(Answer(), 1), memory.state)
    memory.get(Asked("0", 1, 0))
    memory.keep(LAMP, Found(Answer(), 1), memory.state)
    assert memory.get(Asked("0", 1, 0))
    assert memory.get(Asked("1", 1, 0)) is None


# ---- recording


def test_what_waits_is_written_at_the_end_in_order(tmp_path: Path) -> None:
    log = QueryLog(tmp_path / "queries")
    recorder = Recorder(log)
    now = time.time()
    recorder.take([Search("a", now - 50 + n, (), n) for n in range(1, 50)])
    recorder.take([Event(7, Action.CLICK, time.time(), "http://a.example/", 1)])
    recorder.start()
    recorder.close()
    assert log.searches()["id"].to_list() == list(range(1, 50))
    assert log.events()["id"].to_list() == [7]
    assert recorder.left_out == 0


def test_a_bad_row_takes_no_other_with_it(tmp_path: Path) -> None:
    """Rows are written together, and left out one by one."""
    log = QueryLog(tmp_path / "queries")
    recorder = Recorder(log)
    now = time.time()
    recorder.take([Search("before", now - 2), Search("\n", now - 1), Search("after", now)])
    recorder.start()
    recorder.close()
    assert log.searches()["query"].to_list() == ["before", "after"]
    assert recorder.left_out == 1


def test_a_full_or_broken_log_holds_nobody_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What finds no room, or no disk, is counted and left out; it is said once."""
    (tmp_path / "queries").write_text("a file where a folder should be")
    recorder = Recorder(QueryLog(tmp_path / "queries"))
    recorder.take([Search("a", 1e9)] * 10_005)
    assert recorder.left_out == 5
    recorder.left_out = 0
    recorder.start()
    recorder.close()
    assert recorder.left_out == 10_000
    assert len([each for each in caplog.records if "cannot be written" in each.message]) == 1


# ---- suggestions


def test_tallies_are_suggested_and_single_searches_are_not(tmp_path: Path) -> None:
    log = QueryLog(tmp_path / "queries")
    log.record(Search("my own secret", time.time()))
    log.record(Search("my OWN secret", time.time()))
    with log.writing() as staging:
        staging.add(Tally("My garden", 0.5, today(time.time())))
    table = asked_often(log)
    assert table.starting("my") == ["My garden"]
    log.record(Search("My own  secret", time.time()))
    assert asked_often(log).starting("my") == ["My own secret", "My garden"]


@given(st.lists(st.tuples(st.text(max_size=4), st.integers(1, 9)), max_size=40), st.text(max_size=3))
def test_suggestions_are_the_heaviest_of_those_that_start_so(rows: list[tuple[str, int]], typed: str) -> None:
    """As by looking through all of them."""
    counts = {folded(text): float(count) for text, count in rows if text.strip()}
    keys = sorted(counts)
    table = Table(keys, keys, [counts[key] for key in keys])
    prefix = folded(typed)
    if "\U0010ffff" not in "".join(keys):
        plain = sorted((key for key in keys if key.startswith(prefix)), key=lambda key: (-counts[key], key))
        assert table.starting(prefix) == plain[: suggestions.MOST]


def test_a_query_that_was_deleted_is_not_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the table is due, whoever asks waits for the new one."""
    monkeypatch.setattr(suggestions, "_EVERY", 0.0)
    monkeypatch.setattr(suggestions, "_PATIENCE", 0)
    log = QueryLog(tmp_path / "queries")
    for _ in range(3):
        log.record(Search("a name", time.time()))

    async def ask() -> tuple[list[str], list[str]]:
        suggest = suggestions.Suggestions(log)
        before = await suggest.starting("a")
        log.remove("A NAME")
        return before, await suggest.starting("a")

    assert asyncio.run(ask()) == (["a name"], [])


# ---- ages


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-100, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (3599, "59 minutes ago"),
        (3600, "1 hour ago"),
        (86400, "1 day ago"),
        (6.9 * 86400, "6 days ago"),
        (14 * 86400, "2 weeks ago"),
        (31 * 86400, "1 month ago"),
        (364 * 86400, "11 months ago"),
        (366 * 86400, "1 year ago"),
        (3 * 366 * 86400, "3 years ago"),
    ],
)
def test_ages_in_words(seconds: float, said: str) -> None:
    assert age(1e9, 1e9 + seconds) == said


def test_moments() -> None:
    """For machines and for people; what is no time says nothing."""
    assert iso(1e9) == "2001-09-09T01:46:40Z"
    assert exactly(1e9) == "9 September 2001, 01:46:40 UTC"
    for none in (0.0, float("nan"), float("inf"), -1.0, 1e18):
        assert (iso(none), exactly(none)) == (None, "")
