"""What the server is made of: searching in processes, remembered answers, recording, suggestions, ages."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tantivy import DocAddress

from sought.console import answer_cache, suggestions
from sought.console.answer_cache import AnswerCache, AnswerKey, CachedAnswer
from sought.console.recorder import QueryRecorder
from sought.console.search_process import LENGTH, ProcessReply, Searching, decode_reply, message
from sought.console.searcher import Searcher
from sought.console.suggestions import QueryTable, asked_often, folded
from sought.console.wording import age, exactly, iso
from sought.console.worker import SearchFailed, TooBusy
from sought.demand import Action, Event, QueryLog, Search, Tally
from sought.demand.values import today
from sought.index import Answer, Entry, Hit, Index

LAMP = AnswerKey("lamp", 10, 0)


def written(folder: Path, *texts: str) -> None:
    index = Index.open(folder, writable=True)
    index.update([Entry(row, f"http://a.example/{row}", body=text) for row, text in enumerate(texts)])
    index.commit()
    index.close()


# ---- searching


def test_a_search_sees_the_last_commit(tmp_path: Path) -> None:
    """Nothing, one page, two: also if the same was asked before, and answers are answer_cache."""

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
        await searcher.close()

    asyncio.run(ask())


@asynccontextmanager
async def searching(folder: Path, waiting: int = 64, seconds: float = 60.0) -> AsyncIterator[Searcher]:
    """A searcher whose first process is ready; none is left at the end."""
    written(folder, "a lamp")
    searcher = Searcher(folder, waiting, seconds)
    searcher.start()
    workers = searcher._workers
    assert await searcher.pages() == 1
    try:
        yield searcher
    finally:
        await searcher.close()
    assert all(worker.process.returncode == 0 for worker in workers)  # they ended by themselves


def ask(searcher: Searcher, *numbers: int) -> list[asyncio.Task[CachedAnswer | None]]:
    return [asyncio.create_task(searcher.search(AnswerKey(f"lamp {number}", 10, 0))) for number in numbers]


async def until(happens: Callable[[], bool]) -> None:
    async with asyncio.timeout(300):
        while not happens():  # noqa: ASYNC110  processes tell of no event
            await asyncio.sleep(0.01)


@pytest.mark.slow
def test_processes_are_added_while_questions_wait(tmp_path: Path) -> None:
    """One is enough for one at a time; more questions have more processes, as many as there are cores."""

    async def work() -> None:
        async with searching(tmp_path / "index") as searcher:
            for number in range(5):
                await searcher.search(AnswerKey(f"lamp {number}", 10, 0))
            assert len(searcher._workers) == 1
            os.kill(searcher._workers[0].process.pid, signal.SIGSTOP)
            tasks = ask(searcher, *range(10, 20))
            await until(lambda: len(searcher._workers) == searcher._most)
            if searcher._most > 1:
                await until(
                    lambda: sum(task.done() for task in tasks) == 8
                )  # all but those of the one that stands still
            os.kill(searcher._workers[0].process.pid, signal.SIGCONT)
            assert all(await asyncio.gather(*tasks))

    asyncio.run(work())


def test_too_many_searches_are_turned_away(tmp_path: Path) -> None:
    """As many as there are processes and places to wait; the others are told at once, and later there is room again."""

    async def work() -> None:
        async with searching(tmp_path / "index", waiting=3) as searcher:
            [worker] = searcher._workers
            os.kill(worker.process.pid, signal.SIGSTOP)
            searcher._most, places = 1, ask(searcher, *range(searcher._room))
            await asyncio.sleep(0)
            with pytest.raises(TooBusy, match="Too many searches"):
                await searcher.search(LAMP)
            os.kill(worker.process.pid, signal.SIGCONT)
            assert all(await asyncio.gather(*places))
            assert await searcher.search(LAMP)

    asyncio.run(work())


@pytest.mark.slow
def test_a_search_that_takes_too_long_is_ended_with_its_process(tmp_path: Path) -> None:
    """Whoever asked is told; who waited behind it is answered by the next process."""

    async def work() -> None:
        async with searching(tmp_path / "index", seconds=2.0) as searcher:
            searcher._most = 1
            [worker] = searcher._workers
            os.kill(worker.process.pid, signal.SIGSTOP)
            slow, behind = ask(searcher, 1, 2)
            with pytest.raises(TooBusy, match="took too long"):
                await slow
            await asyncio.to_thread(worker.process.wait, 30)
            with suppress(TooBusy):  # it has waited as long as the first
                await behind
            assert await searcher.search(LAMP)
            assert searcher._workers != [worker]

    asyncio.run(work())


def test_nobody_waits_behind_a_slow_search(tmp_path: Path) -> None:
    """What a process was given ahead is asked elsewhere, too, when another process has nothing to do."""

    async def work() -> None:
        async with searching(tmp_path / "index") as searcher:
            searcher._most = 2
            [worker] = searcher._workers
            os.kill(worker.process.pid, signal.SIGSTOP)
            slow, behind = ask(searcher, 1, 2)
            assert await behind
            assert not slow.done()
            assert len(worker.work) == 2
            os.kill(worker.process.pid, signal.SIGCONT)
            assert await slow
            await until(lambda: not worker.work)

    asyncio.run(work())


@pytest.mark.slow
def test_a_process_that_dies_takes_one_search_with_it(tmp_path: Path) -> None:
    """The one it worked on; the next has its answer from another process."""

    async def work() -> None:
        async with searching(tmp_path / "index") as searcher:
            searcher._most = 1
            [worker] = searcher._workers
            os.kill(worker.process.pid, signal.SIGSTOP)
            first, second, third = ask(searcher, 1, 2, 3)
            await asyncio.sleep(0)
            assert [len(worker.work), len(searcher._waiting)] == [2, 1]
            worker.process.kill()
            with pytest.raises(SearchFailed):
                await first
            assert await second
            assert await third

    asyncio.run(work())


@pytest.mark.slow
def test_a_process_that_cannot_start_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        searcher = Searcher(tmp_path / "index")
        with monkeypatch.context() as patch:
            patch.setattr("sought.console.worker.sys.executable", "false")
            with pytest.raises(SearchFailed, match="no search process"):
                await searcher.search(LAMP)
        assert await searcher.search(LAMP) is None
        await searcher.close()

    asyncio.run(work())


def test_what_goes_wrong_in_a_process_is_told(tmp_path: Path) -> None:
    """A damaged index by its error, whatever else by its traceback; and the process goes on."""
    written(tmp_path / "index", "a lamp")
    searching = Searching(tmp_path / "index")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Index, "search", lambda *_: 1 // 0)
        assert "ZeroDivisionError" in searching.reply(LAMP).trouble
        patch.setattr(Index, "search", lambda index, *_: index._index.searcher().doc(DocAddress(99, 0)))
        assert "PanicException" in searching.reply(LAMP).trouble
    assert searching.reply(LAMP).found
    (tmp_path / "index" / "meta.json").write_text("damage")
    assert str(tmp_path) in searching.reply(LAMP).trouble


def test_messages_arrive_as_they_were_sent() -> None:
    """Questions and answers cross the border between processes; what is long comes in pieces."""
    hit = Hit(1, "http://a.example/", "A tïtle", "wörds " * 10_000, ((0, 5), (6, 11)), 1.5, 2.5)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for reply in (
            ProcessReply(),
            ProcessReply(CachedAnswer(Answer((hit, hit), 7, True, 0.5), 9)),
            ProcessReply(trouble="x"),
        ):
            sender = threading.Thread(target=theirs.sendall, args=(message(reply),))
            sender.start()
            with ours.makefile("rb") as file:
                (length,) = LENGTH.unpack(file.read(LENGTH.size))
                assert decode_reply(file.read(length)) == reply
            sender.join()


def test_an_answer_will_do_a_moment_longer_if_all_are_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a commit, but not after two, and not for long; not all for the same time, so that not all go at once."""
    memory, meta, clock = AnswerCache(tmp_path), tmp_path / "meta.json", [100.0]
    monkeypatch.setattr("sought.console.answer_cache.time.monotonic", lambda: clock[0])

    def commit(number: int) -> None:
        (tmp_path / "new").write_text(str(number))
        (tmp_path / "new").rename(meta)
        os.utime(meta, ns=(number, number))

    commit(1)
    many = [AnswerKey(f"lamp {number}", 10, 0) for number in range(200)]
    assert memory.get(LAMP) is None
    for asked in many:
        memory.keep(asked, CachedAnswer(Answer(), 1), memory.state)
    commit(2)
    assert not any(memory.get(asked) for asked in many)
    shares = []
    for clock[0] in (100.0, 102.5, 104.9, 105.1):
        shares.append(sum(bool(memory.get(asked, busy=True)) for asked in many) / len(many))
    assert shares[0] == 1.0
    assert 0.3 < shares[1] < 0.7
    assert shares[2] < 0.2
    assert shares[3] == 0.0
    clock[0] = 100.0
    assert all(memory.get(asked, busy=True) for asked in many)
    commit(3)
    assert not any(memory.get(asked, busy=True) for asked in many)


def test_answers_are_remembered_for_one_state_of_the_index(tmp_path: Path) -> None:
    """An answer that was overtaken by a commit is not kept, and the least recently asked go first."""
    memory, meta = AnswerCache(tmp_path), tmp_path / "meta.json"
    assert memory.get(LAMP) is None
    memory.keep(LAMP, CachedAnswer(Answer(), 1), memory.state)
    assert memory.get(LAMP) is None  # there is no index
    meta.write_text("1")
    assert memory.get(LAMP) is None
    before = memory.state
    memory.keep(LAMP, CachedAnswer(Answer(), 1), before)
    assert memory.get(LAMP)
    meta.rename(tmp_path / "old")
    meta.write_text("2")
    assert memory.get(LAMP) is None
    memory.keep(LAMP, CachedAnswer(Answer(), 1), before)
    assert memory.get(LAMP) is None
    for number in range(answer_cache.MOST):
        memory.keep(AnswerKey(str(number), 1, 0), CachedAnswer(Answer(), 1), memory.state)
    memory.get(AnswerKey("0", 1, 0))
    memory.keep(LAMP, CachedAnswer(Answer(), 1), memory.state)
    assert memory.get(AnswerKey("0", 1, 0))
    assert memory.get(AnswerKey("1", 1, 0)) is None


# ---- recording


def test_what_waits_is_written_at_the_end_in_order(tmp_path: Path) -> None:
    log = QueryLog(tmp_path / "queries")
    recorder = QueryRecorder(log)
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
    recorder = QueryRecorder(log)
    now = time.time()
    recorder.take([Search("before", now - 2), Search("\n", now - 1), Search("after", now)])
    recorder.start()
    recorder.close()
    assert log.searches()["query"].to_list() == ["before", "after"]
    assert recorder.left_out == 1


@pytest.mark.slow
def test_a_full_or_broken_log_holds_nobody_up(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What finds no room, or no disk, is counted and left out; it is said once."""
    (tmp_path / "queries").write_text("a file where a folder should be")
    recorder = QueryRecorder(QueryLog(tmp_path / "queries"))
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
    table = QueryTable(keys, keys, [counts[key] for key in keys])
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
