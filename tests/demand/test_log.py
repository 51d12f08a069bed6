"""The query log: what is written stays, what must go is gone, and nothing half-written is read."""

import json
import signal
import subprocess
import sys
import tempfile
import threading
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.demand import DAY, Action, Event, QueryLog, Search, Tally, live, manifest, store
from sought.web.errors import BadInput, CrawlDamaged

NOW = 1_700_000_000.0
A, B = "https://example.org/a", "https://example.org/b"


@pytest.fixture
def log(tmp_path):
    return QueryLog(tmp_path / "queries")


def texts(log):
    return log.searches("query")["query"].to_list()


def files(log):
    return sorted(path.name for path in log.folder.iterdir())


def test_nothing_is_made_until_something_is_written(log):
    """Reading an empty log makes no folder."""
    assert log.searches().is_empty()
    assert log.events().is_empty()
    assert log.tallies().is_empty()
    assert log.forget(NOW) == log.remove("comet") == 0
    assert log.stamp() == log.stamp()
    assert not log.folder.exists()


def test_a_live_search_is_read_back_with_its_events(log):
    """A search, its results in order, and what was seen and clicked of them."""
    search = log.record(Search(" comet \n tail ", NOW + 0.12345, ("HTTPS://Example.org:443/a#x", "sku 7")))
    log.event(Event(search, Action.VIEW, NOW + 1, rank=1))
    log.event(Event(search, Action.CLICK, NOW + 2, A, 1))
    assert log.searches().rows() == [(search, "comet tail", NOW + 0.123, [A, "sku 7"])]
    assert log.events().rows() == [(search, "view", "", 1, NOW + 1), (search, "click", A, 1, NOW + 2)]


def test_several_rows_are_kept_in_one_go(log):
    """Searches and events alike; all, or none if one of them is bad."""
    rows = [Search("comet", NOW, (A,), 7), Event(7, Action.CLICK, NOW + 1, A, 1), Search("tail", NOW + 2)]
    with pytest.raises(BadInput):
        log.take([*rows, Search("", NOW)])
    assert not log.folder.exists()
    log.take(rows)
    assert texts(log) == ["comet", "tail"]
    assert log.events().rows() == [(7, "click", A, 1, NOW + 1)]


def test_live_ids_are_not_repeated(log):
    """Two people may ask the same at the same time: that is two searches."""
    assert log.record(Search("comet", NOW)) != log.record(Search("comet", NOW))
    assert texts(log) == ["comet", "comet"]


@pytest.mark.parametrize(
    "row",
    [
        Search("", NOW),
        Search("x" * 1001, NOW),
        Search("a\0b", NOW),
        Search("\ud800", NOW),
        Search("comet", float("nan")),
        Search("comet", -1.0),
        Search("comet", "noon"),  # type: ignore[arg-type]  # what a program without types may pass
        Search("comet", None),  # type: ignore[arg-type]
        Search("comet", 10**400),
        Search("comet", NOW, (), -5),
        Search("comet", NOW, (), 2**64),
        Search("comet", NOW, (), 1.5),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_kept_is_refused(log, row):
    """A query is at most 1,000 characters of text, asked at a time."""
    with pytest.raises(BadInput):
        log.record(row)
    with pytest.raises(BadInput):
        log.event(Event(1, Action.VIEW, NOW))
    assert not log.folder.exists()


@pytest.mark.parametrize(
    "row",
    [
        Event(0, Action.CLICK, NOW, A, 1),
        Event(-1, Action.CLICK, NOW, A, 1),
        Event(2**70, Action.CLICK, NOW, A, 1),
        Event("5", Action.CLICK, NOW, A, 1),  # type: ignore[arg-type]  # what a program without types may pass
        Event(5, "buy", NOW, A, 1),  # type: ignore[arg-type]
        Event(5, Action.CLICK, NOW, A, 1.5),  # type: ignore[arg-type]
        Event(5, Action.CLICK, NOW, A, 10_001),
        Event(5, Action.CLICK, float("inf"), A, 1),
        Event(5, Action.CLICK, None, A, 1),  # type: ignore[arg-type]
    ],
)
def test_an_event_that_cannot_be_kept_is_refused(log, row):
    """It is of a search with an id, one of the actions, at a rank and a time."""
    with pytest.raises(BadInput):
        log.event(row)
    assert not log.folder.exists()


def test_numbers_of_numpy_are_numbers(log):
    """Times, ids and ranks may come out of an array, and an action may be said by its name."""
    log.record(Search("comet", np.float64(NOW), (), np.uint64(2**64 - 1)))  # type: ignore[arg-type]
    log.event(Event(np.int64(5), "click", np.float64(NOW), A, np.int32(1)))  # type: ignore[arg-type]
    assert log.searches().rows() == [(2**64 - 1, "comet", NOW, [])]
    assert log.events().rows() == [(5, "click", A, 1, NOW)]


POISON = [
    '{"search":-1,"action":"click","time":1700000000.0,"url":"http://a/","rank":1}',
    '{"search":1180591620717411303424,"action":"click","time":1700000000.0,"url":"http://a/","rank":1}',
    '{"search":5,"action":"click","time":1700000000.0,"url":"http://a/","rank":99999999999}',
    '{"search":5,"action":"click","time":1700000000.0,"url":"http://a/","rank":-1}',
    '{"search":5,"action":"click","time":1e300,"url":"http://a/","rank":1}',
    '{"search":5,"action":"buy","time":1700000000.0,"url":"http://a/","rank":1}',
    '{"query":"poison","time":1700000000.0,"shown":[],"id":-5}',
    '{"query":"poison","time":1700000000.0,"shown":[],"id":18446744073709551616}',
    '{"query":"poison","time":-1,"shown":[],"id":5}',
    '{"query":"poison","time":1700000000.0,"shown":[' + ",".join(['"a"'] * 101) + '],"id":5}',
    '{"query":"pois\\ud800","time":1700000000.0,"shown":[],"id":5}',
    '{"query":"poison\xff","time":1700000000.0,"shown":[],"id":5}',
    "[" * 100_000,
    "7777777777777777",
]


@pytest.mark.parametrize("line", POISON)
def test_a_poisoned_log_heals(log, line):
    """A line out of bounds is not read, stops nothing, and is gone from the disk when the log next forgets."""
    log.record(Search("before", NOW, ("a",)))
    [live] = log.folder.glob("*.jsonl")
    with live.open("ab") as file:
        file.write(line.encode("latin-1") + b"\n")
    search = log.record(Search("after", NOW + 1))
    log.event(Event(search, Action.VIEW, NOW + 1, A, 1))
    assert texts(log) == ["before", "after"]
    assert log.events().rows() == [(search, "view", A, 1, NOW + 1)]
    assert log.forget(NOW) == 0
    assert line.encode("latin-1") not in b"".join(path.read_bytes() for path in log.folder.iterdir())
    assert texts(log) == ["before", "after"]
    assert len(log.events()) == 1
    stamp = log.stamp()
    assert log.forget(NOW) == 0
    assert log.stamp() == stamp


def test_at_most_a_hundred_results_are_kept(log):
    """A longer list is cut; positions stay."""
    log.record(Search("comet", NOW, tuple(f"r{i}" for i in range(1000))))
    [shown] = log.searches("shown")["shown"].to_list()
    assert shown == [f"r{i}" for i in range(100)]


def test_the_stamp_changes_when_the_log_does(log):
    """A stamp tells whether a workload is out of date."""
    stamps = [log.stamp()]
    search = log.record(Search("comet", NOW))
    stamps.append(log.stamp())
    log.event(Event(search, Action.VIEW, NOW, rank=1))
    stamps.append(log.stamp())
    with log.writing() as staging:
        staging.add(Tally("comet", 3, date(2022, 1, 3)))
    stamps.append(log.stamp())
    log.forget(NOW + 100 * DAY)
    stamps.append(log.stamp())
    assert len(set(stamps)) == len(stamps)
    assert log.stamp() == stamps[-1]


def test_live_rows_become_a_segment_when_there_are_many(log, monkeypatch):
    """Rolling loses nothing and leaves a fresh file."""
    monkeypatch.setattr(store, "_ROLL", 2000)
    ids = [log.record(Search(f"query {i}", NOW + i)) for i in range(100)]
    log.event(Event(ids[0], Action.VIEW, NOW, rank=1))
    assert log.searches("id")["id"].to_list() == ids
    assert len(log.events()) == 1
    assert any(name.endswith("searches.parquet") for name in files(log))
    assert len([name for name in files(log) if name.endswith(".jsonl")]) <= 1


def test_a_torn_line_is_not_read_and_tears_nothing_else(log):
    """A disk that filled up in the middle of a line costs that line only."""
    log.record(Search("before", NOW))
    [live] = log.folder.glob("*.jsonl")
    with live.open("ab") as file:
        file.write(b'{"query":"torn","time":17')
    assert texts(log) == ["before"]
    log.record(Search("after", NOW + 1))
    assert texts(log) == ["before", "after"]


RECORDER = """
import sys
from pathlib import Path
from sought.demand import QueryLog, Search, store
store._ROLL = 5000
log = QueryLog(Path(sys.argv[1]))
for number in range(1_000_000):
    print(log.record(Search(f"query {number}", 1_700_000_000.0 + number)), flush=True)
"""


def test_kill_loses_no_acknowledged_search(log):
    """Every id that `record` has returned is in the log after kill -9."""
    process = subprocess.Popen([sys.executable, "-c", RECORDER, str(log.folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    acknowledged = [int(process.stdout.readline()) for _ in range(500)]
    process.send_signal(signal.SIGKILL)
    acknowledged += [int(line) for line in process.communicate()[0].splitlines() if line.isdigit()][:-1]
    found = log.searches("id")["id"].to_list()
    assert found[: len(acknowledged)] == acknowledged
    assert len(set(found)) == len(found) <= len(acknowledged) + 2


CROWDED = """
import resource, signal, sys
from pathlib import Path
from sought.demand import QueryLog, Search
from sought.web.errors import StorageFull
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
log = QueryLog(Path(sys.argv[1]))
try:
    while True:
        print(log.record(Search("x" * 100, 1_700_000_000.0)))
except StorageFull:
    pass
try:
    with log.writing() as staging:
        for number in range(1, 1000):
            staging.add(Search(f"query {number}", 1_700_000_000.0, (), number))
except StorageFull:
    print(0)
"""


def test_a_full_disk_is_said_and_costs_nothing_acknowledged(log):
    """What does not fit is refused; the log has what it had, and goes on when there is room."""
    done = subprocess.run([sys.executable, "-c", CROWDED, str(log.folder)], capture_output=True, text=True, check=True)
    *acknowledged, refused = [int(line) for line in done.stdout.split()]
    assert refused == 0
    assert len(acknowledged) >= 4
    assert sorted(log.searches("id")["id"].to_list()) == sorted(acknowledged)
    log.record(Search("room again", NOW + 1))
    assert texts(log)[-1] == "room again"
    assert len(texts(log)) == len(acknowledged) + 1


def test_writers_and_readers_do_not_disturb_each_other(log, monkeypatch):
    """Live searches, imports and retention at the same time: no row is lost, and a reader sees only whole states."""
    monkeypatch.setattr(store, "_ROLL", 500)
    counts, problems = [], []

    def live(number):
        for i in range(40):
            log.record(Search(f"live {number} {i}", NOW))

    def bulk(number):
        for i in range(5):
            with log.writing() as staging:
                for k in range(10):
                    staging.add(Search(f"bulk {number} {i} {k}", NOW, (), 1 + number * 1000 + i * 10 + k))
            log.forget(NOW)

    def guarded(work, *arguments):
        try:
            work(*arguments)
        except BaseException as error:  # noqa: BLE001  # reported by the test, not by the thread
            problems.append(error)

    jobs = [threading.Thread(target=guarded, args=(work, n)) for work in (live, bulk) for n in range(2)]
    for job in jobs:
        job.start()
    while any(job.is_alive() for job in jobs):
        counts.append(sum(text.startswith("bulk") for text in texts(log)))
    assert not problems
    assert len(set(texts(log))) == len(texts(log)) == 2 * 40 + 2 * 5 * 10
    assert all(count % 10 == 0 for count in counts)
    assert counts == sorted(counts)


def test_an_error_leaves_the_log_as_it_was(log):
    """A write that raises is not seen, and leaves no files."""
    log.record(Search("comet", NOW))
    before = log.stamp(), files(log)
    with pytest.raises(ValueError, match="half"), log.writing() as staging:  # noqa: PT012  # the block is the subject
        staging.add(Search("half", NOW, (), 5))
        raise ValueError("half")
    assert (log.stamp(), files(log)) == before


def test_a_missing_segment_is_said(log):
    """What somebody deleted by hand is not passed over in silence."""
    with log.writing() as staging:
        staging.add(Search("comet", NOW, (), 5))
    next(log.folder.glob("*.parquet")).unlink()
    with pytest.raises(CrawlDamaged, match="missing"):
        log.searches()


def test_the_same_search_counts_once(log):
    """Searches are told apart by id, events by search, action, result and rank; what is known takes no more room."""
    for _ in range(3):
        with log.writing() as staging:
            staging.add(Search("comet", NOW, (A,), 5))
            staging.add(Event(5, Action.VIEW, NOW, A, 1))
            staging.add(Event(5, Action.CLICK, NOW, A, 1))
    assert texts(log) == ["comet"]
    assert len(log.events()) == 2
    assert len(list(log.folder.glob("*.parquet"))) == 2


def test_old_searches_are_deleted_for_good(log):
    """After `forget` nothing older than `keep` is in any file; tallies stay."""
    ids = [log.record(Search(f"private{days}", NOW - days * DAY)) for days in (100, 91, 89, 1)]
    log.event(Event(ids[0], Action.VIEW, NOW - 100 * DAY, rank=1))
    with log.writing() as staging:
        staging.add(Search("private95", NOW - 95 * DAY, (), 7))
        staging.add(Search("private2", NOW - 2 * DAY, (), 8))
        staging.add(Tally("comet", 3, date(2000, 1, 1)))
    assert log.forget(NOW) == 4
    assert texts(log) == ["private89", "private2", "private1"]
    assert log.events().is_empty()
    assert len(log.tallies()) == 1
    everything = b"".join(path.read_bytes() for path in log.folder.iterdir())
    parquet = [pl.read_parquet(path)["query"].to_list() for path in log.folder.glob("*searches.parquet")]
    assert b"private91" not in everything
    assert {text for part in parquet for text in part} == {"private89", "private2", "private1"}
    stamp = log.stamp()
    assert log.forget(NOW) == 0
    assert log.stamp() == stamp


FAR = 9e9  # later than the clock of whoever runs this


def test_what_is_dated_in_the_future_does_not_stay_for_ever(log):
    """It would never be older than `keep`: `forget` deletes what is more than a day ahead, live or not."""
    log.record(Search("tomorrow", NOW + DAY / 2))
    search = log.record(Search("future live", FAR))
    log.event(Event(search, Action.VIEW, FAR, rank=1))
    with log.writing() as staging:
        staging.add(Search("future", FAR, (), 7))
        staging.add(Search("today", NOW, (), 8))
    assert log.forget(NOW) == 3
    assert texts(log) == ["today", "tomorrow"]
    assert log.events().is_empty()


def test_a_segment_of_an_older_version_is_looked_into(log):
    """A manifest that does not say how far a segment reaches hides nothing."""
    with log.writing() as staging:
        staging.add(Search("future", FAR, (), 7))
        staging.add(Search("today", NOW, (), 8))
    found = manifest.read_manifest(log.folder)
    unsaid = tuple(manifest.Segment(each.name, each.kind, each.oldest) for each in found.segments)
    manifest.write_manifest(log.folder, manifest.Manifest(found.revision, unsaid, found.live))
    assert log.forget(NOW) == 1
    assert texts(log) == ["today"]


def test_a_log_of_a_newer_version_is_refused(log):
    """For reading and for writing, in one line; of a field that nobody knows, too.  Nothing is changed."""
    log.record(Search("comet", NOW, ()))
    file = log.folder / "manifest.json"
    with log.writing() as staging:
        staging.add(Search("heron", NOW, (), 8))
    good = json.loads(file.read_bytes())
    for newer, why in (
        (good | {"format": manifest.FORMAT + 1}, "written by a newer version"),
        (good | {"version": 99}, "unknown field `version`"),
        (good | {"shards": []}, "unknown field `shards`"),
        (good | {"segments": [good["segments"][0] | {"codec": "x"}]}, "unknown field `codec`"),
        (good | {"segments": [good["segments"][0] | {"kind": "sessions"}]}, "sessions"),
        (good | {"format": "two"}, "Expected `int`"),
    ):
        file.write_text(json.dumps(newer))
        before = sorted((each.name, each.read_bytes()) for each in log.folder.iterdir())
        for use in (
            log.stamp,
            lambda: texts(log),
            lambda: log.record(Search("late", NOW, ())),
            lambda: log.forget(NOW),
        ):
            with pytest.raises((BadInput, CrawlDamaged), match=why):
                use()
        assert sorted((each.name, each.read_bytes()) for each in log.folder.iterdir()) == before


def test_a_log_of_an_older_version_is_read_and_goes_on(log):
    """Format 1 called the revision `version` and had no number of its format."""
    with log.writing() as staging:
        staging.add(Search("comet", NOW, (), 7))
    file = log.folder / "manifest.json"
    old = json.loads(file.read_bytes())
    old["version"] = old.pop("revision")
    del old["format"]
    file.write_text(json.dumps(old))
    assert texts(log) == ["comet"]
    with log.writing() as staging:
        staging.add(Search("heron", NOW, (), 8))
    assert texts(log) == ["comet", "heron"]
    now = json.loads(file.read_bytes())
    assert (now["format"], now["revision"]) == (manifest.FORMAT, old["version"] + 1)


def test_a_clock_that_was_set_back_deletes_nothing(log):
    """A machine that wakes up in 1970 does not take all of the log for the future."""
    with log.writing() as staging:
        staging.add(Search("comet", NOW, (), 7))
    assert log.forget(0.0) == 0
    assert texts(log) == ["comet"]


def test_tallies_replaced_long_ago_are_deleted(log):
    """One that another replaced more than `keep` ago goes from the disk; what was in force since then stays."""
    days = [date(2022, 1, 3), date(2023, 8, 1), date(2023, 9, 1), date(2023, 11, 1), date(2024, 1, 1)]
    with log.writing() as staging:
        for day in days:
            staging.add(Tally("comet", 3, day, A, 1))
            staging.add(Tally("comet", 3, day, B, 1))
        staging.add(Tally("tail", 1, days[0]))
    with log.writing() as staging:
        staging.add(Tally("comet", 4, days[0]))
    assert log.forget(NOW) == 3  # of the first day, all that was ever said
    left = [(query, day) for query, day, *_ in log.tallies().rows()]
    assert left == [("comet", day) for day in days[1:] for _ in (A, B)] + [("tail", days[0])]
    on_disk = pl.concat(pl.read_parquet(path) for path in log.folder.glob("*tallies.parquet"))
    assert len(on_disk) == len(left)
    assert log.forget(NOW) == 0


def test_a_query_can_be_removed_with_every_trace(log):
    """Searches, what was seen and clicked after them, tallies, live or not, in any case of letters."""
    search = log.record(Search("My Name", NOW))
    log.event(Event(search, Action.CLICK, NOW, A, 1))
    other = log.record(Search("my name is", NOW))
    with log.writing() as staging:
        staging.add(Tally("my name", 3, date(2022, 1, 3), A, 1))
        staging.add(Tally("comet", 3, date(2022, 1, 3)))
    assert log.remove(" my  NAME ") == 3
    assert log.searches("id")["id"].to_list() == [other]
    assert log.events().is_empty()
    assert log.tallies()["query"].to_list() == ["comet"]
    assert not list(log.folder.glob("*events*"))


def test_tallies_keep_their_order_when_others_are_removed(log):
    """The last word on a query stays the last word, whatever is rewritten before or after it."""
    day = date(2022, 1, 3)
    for count, other in ((1, "x"), (2, "y"), (3, "z")):
        with log.writing() as staging:
            staging.add(Tally("comet", count, day))
            staging.add(Tally(other, 1, day))
    log.remove("x")
    log.remove("y")
    assert log.tallies().rows() == [("comet", day, 3.0, "", 0.0), ("z", day, 1.0, "", 0.0)]


def test_the_last_word_on_a_query_and_day_counts(log):
    """A later import replaces what was said of the same query and day, its clicks too, and nothing else."""
    first, second = date(2022, 1, 3), date(2022, 2, 7)
    with log.writing() as staging:
        staging.add(Tally("comet", 3, first, A, 1))
        staging.add(Tally("comet", 3, first, B, 1))
        staging.add(Tally("comet", 5, second))
        staging.add(Tally("tail", 2, first))
    with log.writing() as staging:
        staging.add(Tally("comet", 9, first, B, 4))
    expected = [("comet", first, 9.0, B, 4.0), ("comet", second, 5.0, "", 0.0), ("tail", first, 2.0, "", 0.0)]
    assert log.tallies().rows() == expected


def test_fewer_clicks_than_before_are_news(log):
    """An import that repeats only a part of what is known replaces the whole."""
    day = date(2022, 1, 3)
    for urls in ((A, B), (A,)):
        with log.writing() as staging:
            for url in urls:
                staging.add(Tally("comet", 3, day, url, 1))
    assert log.tallies()["url"].to_list() == [A]


def test_what_a_killed_write_left_is_swept_away(log):
    """A staging whose owner is dead goes with the next write; one whose owner lives stays."""
    log.record(Search("comet", NOW))
    dead = log.folder / "staging-dead"
    dead.mkdir()
    (dead / "000001-searches.parquet").write_bytes(b"secret")
    (log.folder / "000099-000001-searches.parquet").write_bytes(b"secret")
    with log.writing() as mine:
        assert mine.folder.exists()
        with log.writing() as other:
            other.add(Search("tail", NOW, (), 3))
        assert mine.folder.exists()
        mine.add(Search("nucleus", NOW, (), 4))
    assert sorted(texts(log)) == ["comet", "nucleus", "tail"]
    assert not dead.exists()
    assert not any("99" in name or "staging" in name for name in files(log))


def test_no_file_is_open_after_a_write(log):
    """Locks and descriptors are given back."""
    log.record(Search("comet", NOW))
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        log.record(Search("comet", NOW))
        with log.writing() as staging:
            staging.add(Tally("comet", 3, date(2022, 1, 3)))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(str.strip)
TIMES = st.floats(0, 2e9, allow_nan=False)
IDS = st.integers(1, (1 << 64) - 1)
ROWS = st.one_of(
    st.builds(Search, TEXTS, TIMES, st.lists(TEXTS, max_size=3).map(tuple), IDS),
    st.builds(Event, IDS, st.sampled_from(Action), TIMES, TEXTS, st.integers(1, 10_000)),
)


@given(st.lists(ROWS, min_size=1, max_size=20))
def test_live_rows_are_read_at_once_as_they_are_one_by_one(rows):
    """Our own lines never need the slow way, and both ways say the same."""
    with tempfile.TemporaryDirectory() as folder:
        QueryLog(Path(folder)).take(rows)
        [path] = Path(folder).glob("live*")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(live, "lines", None)
            found = live.frames(path)
        path.write_bytes(path.read_bytes() + b"torn")
        assert all(live.frames(path)[kind].equals(rows) for kind, rows in found.items())
        assert sum(map(len, found.values())) == len(rows)
