"""What the crawl keeps, and in which order it asks: keys, table, store, leases, traps, admission, queue."""

import math
import shutil
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from numpy.typing import NDArray

import sought
from sought.crawl.queue import Queue
from sought.fetch.politeness import Manners, Politeness
from sought.operate.live import settle_leases
from sought.record.admission import REASONS, Admission
from sought.record.config import Config, check_config
from sought.record.directory import Directory
from sought.record.hosts import Hosts
from sought.record.keys import ABSENT, KeyIndex
from sought.record.leases import Leases, Visit
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.store import Details, Store, row_key
from sought.record.table import BIRTH, LIFE, NO_ROW, Table
from sought.record.traps import is_soft_404, looks_endless, repeats, shape
from sought.web.errors import CrawlDamaged
from sought.web.message import RequestPurpose, Response
from sought.web.url import fingerprint


@contextmanager
def folder() -> Iterator[Path]:
    """A directory for one example of a property test, which shares its fixtures with all the others."""
    path = Path(tempfile.mkdtemp(prefix="sought-test-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def births(urls: list[str]) -> dict[str, NDArray[Any]]:
    count = len(urls)
    columns: dict[str, list[Any]] = {
        "key": [fingerprint(u) for u in urls],
        "host": [n % 3 for n in range(count)],
        "via": [NO_ROW] * count,
        "depth": list(range(count)),
        "source": [1] * count,
        "found": [float(n) for n in range(count)],
    }
    return {name: np.array(columns[name], kind) for name, kind in BIRTH.items()}


# ---- keys


@given(st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=200), st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_keys_lead_to_their_rows(keys: list[int], others: list[int]) -> None:
    """Every key is found at its row and no other key is found at all, however they collide."""
    column, index = np.array(keys, np.uint64), KeyIndex()
    for size in range(0, len(keys) + 1, 7):
        index.extend(column, size)
    index.extend(column, len(keys))
    assert index.find(column, column).tolist() == list(range(len(keys)))
    expected = [keys.index(k) if k in keys else ABSENT for k in others]
    assert index.find(column, np.array(others, np.uint64)).tolist() == expected


def test_keys_that_fall_into_one_slot() -> None:
    """Thousands of keys with the same low bits, and a table that grows: nothing is lost."""
    column = (np.arange(20_000, dtype=np.uint64) << np.uint64(44)) | np.uint64(7)
    index = KeyIndex()
    for size in (1, 3000, 20_000):
        index.extend(column, size)
        assert np.array_equal(index.find(column, column[:size]), np.arange(size))
    assert len(index.slots) * 0.7 >= 20_000


# ---- table and store


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2000), unique=True, max_size=300), st.lists(st.integers(1, 150), max_size=4))
def test_urls_and_births_come_back_as_they_went_in(lengths: list[int], cuts: list[int]) -> None:
    """Any lengths in any batches: `url`, `urls` and `load` give back what was appended."""
    urls = [f"http://h.test/{'é' * (n % 2)}{'x' * n}" for n in lengths]
    with folder() as path:
        store, table = Store(path / "s", writable=True), Table()
        rest = urls
        for cut in [*cuts, len(urls)]:
            batch, rest = rest[:cut], rest[cut:]
            if batch:
                columns = births(batch)
                store.put_urls(table.append(columns), columns, batch)
                store.commit()
        store.close()
        again = Store(path / "s", writable=False)
        assert [again.url(row) for row in range(len(urls))] == urls
        assert [url for _, some in again.urls() for url in some] == urls
        loaded = again.load()
        again.close()
    assert len(loaded) == len(table) == len(urls)
    for name in table.columns:
        assert np.array_equal(loaded[name], table[name]), name
    assert np.array_equal(loaded.find(table["key"]), np.arange(len(urls)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 255), st.floats(-1e9, 1e9)), max_size=30))
def test_life_columns_come_back(changes: list[tuple[int, int, float]]) -> None:
    """Whatever is written of rows in whatever order, the last word on each is what is loaded."""
    urls = [f"http://h.test/{n}" for n in range(10)]
    with folder() as path:
        store, table = Store(path / "s", writable=True), Table()
        store.put_urls(table.append(births(urls)), births(urls), urls)
        for row, number, time in changes:
            table.columns["failures"][row], table.columns["last_fetch"][row] = number, time
            [life] = table.life(np.array([row]))
            store.put_page(row, life.tobytes(), Details(title=str(number)))
        store.commit()
        store.close()
        again = Store(path / "s", writable=False)
        loaded = again.load()
        titles = {row: title for row in range(len(urls)) if (title := again.details(row).title)}
        again.close()
    for name in LIFE:
        assert np.array_equal(loaded[name], table[name]), name
    assert titles == {row: str(number) for row, number, _ in changes}


class TableMachine(RuleBasedStateMachine):
    """A table beside a dictionary that does the same."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.model = Table(), dict[int, int]()

    @rule(keys=st.lists(st.integers(0, 5000), unique=True, max_size=900))
    def append(self, keys: list[int]) -> None:
        fresh = [k for k in keys if k not in self.model]
        columns = births([str(k) for k in fresh]) | {"key": np.array(fresh, np.uint64)}
        first = self.table.append(columns)
        assert first == len(self.model)
        self.model.update({key: first + n for n, key in enumerate(fresh)})

    @rule(keys=st.lists(st.integers(0, 5000), max_size=50))
    def find(self, keys: list[int]) -> None:
        expected = [self.model.get(k, ABSENT) for k in keys]
        assert self.table.find(np.array(keys, np.uint64)).tolist() == expected

    @invariant()
    def is_as_long_as_the_model(self) -> None:
        assert len(self.table) == len(self.model) == len(self.table["found"])
        assert np.isneginf(self.table["last_fetch"]).all()
        assert (self.table["alias"] == NO_ROW).all()


TestTable = TableMachine.TestCase
TestTable.settings = settings(max_examples=20, stateful_step_count=15, deadline=None)


def test_policies_cannot_write_into_the_table() -> None:
    table = Table()
    table.append(births(["http://a.test/"]))
    with pytest.raises(ValueError, match="read-only"):
        table.pages().depth[0] = 9


def test_a_batch_not_committed_is_gone(tmp_path: Path) -> None:
    """All of a commit is there after reopening, nothing of what came after it is."""
    store, table = Store(tmp_path / "s", writable=True), Table()
    for urls, commit in ((["http://a.test/"], True), (["http://b.test/"], False)):
        columns = births(urls)
        store.put_urls(table.append(columns), columns, urls)
        store.put_meta("applied", len(table))
        if commit:
            store.commit()
    store.close()
    again = Store(tmp_path / "s", writable=True)
    assert len(again.load()) == 1
    assert again.meta("applied") == 1
    again.close()


def test_a_table_with_a_gap_is_named_damaged(tmp_path: Path) -> None:
    """A missing block is told, with the command that mends it, instead of shifting every row behind it."""
    store, table = Store(tmp_path / "s", writable=True), Table()
    for n in range(3):
        columns = births([f"http://a.test/{n}"])
        store.put_urls(table.append(columns), columns, [f"http://a.test/{n}"])
    store.delete(row_key(b"u", 1))
    store.commit()
    with pytest.raises(CrawlDamaged, match="sought rebuild"):
        store.load()
    with pytest.raises(CrawlDamaged, match="sought rebuild"):
        store.url(1)
    store.close()


# ---- leases


hosts, times = st.integers(0, 2**32 - 1), st.floats(0, 1e10)
visits = st.builds(Visit, hosts, st.sampled_from(RequestPurpose), times, st.none(), st.just("")) | st.builds(
    Visit,
    hosts,
    st.just(RequestPurpose.PAGE),
    times,
    st.integers(0, 2**32 - 4),
    st.just(""),  # a URL is not stored
)


def page_visit(number: int) -> Visit:
    return Visit(number, RequestPurpose.PAGE, float(number), number)


@given(st.lists(visits, max_size=20), st.integers(0, 15))
def test_leases_survive_a_torn_last_line(leases: list[Visit], torn: int) -> None:
    """Half a lease at the end costs that lease: those before it are found, those after it too."""
    with folder() as path:
        file = path / "leases"
        written = Leases(file)
        for lease in leases:
            written.add(lease)
        written.close()
        file.write_bytes(file.read_bytes() + b"\x01" * torn)
        opened = Leases(file)
        assert opened.unanswered == leases
        opened.add(Visit(1, RequestPurpose.PAGE, 3.0, 2))
        opened.close()
        assert Leases(file).unanswered == [*leases, Visit(1, RequestPurpose.PAGE, 3.0, 2)]


def test_leases_keep_what_is_in_flight(tmp_path: Path) -> None:
    leases = Leases(tmp_path / "leases")
    for n in range(5):
        leases.add(page_visit(n))
    leases.keep([page_visit(3)])
    leases.add(page_visit(9))
    leases.close()
    assert (tmp_path / "leases").stat().st_size == 2 * struct.calcsize("<IId")
    assert Leases(tmp_path / "leases").unanswered == [page_visit(3), page_visit(9)]


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    sought.init(tmp_path / "c", ["http://a.test/"], "test@example.org")
    directory = open_directory(tmp_path / "c")
    plant_seeds(directory)
    directory.close()
    return tmp_path / "c"


def test_opening_a_crawl_does_not_settle_its_leases(crawl: Path) -> None:
    """After a crash, `check`, `frontier load` or `rebuild` leave it to the next crawl to pay for what was sent."""
    directory = Directory.open(crawl)
    directory.leases.add(Visit(0, RequestPurpose.PAGE, 1000.0, 0))
    directory.leases.add(Visit(0, RequestPurpose.ROBOTS, 1001.0))
    directory.abandon()  # as kill -9 would
    open_directory(crawl).close()
    again = open_directory(crawl)
    settle_leases(again)
    assert again.repository.spent_since(0.0) == 1
    assert again.politeness.state("a.test").last_began == 1001.0
    again.close()
    assert Leases(crawl / "leases").unanswered == []


# ---- traps


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_repeats_as_defined(segments: list[str]) -> None:
    """A run of one to four segments three times in a row, or one segment four times: nothing else."""
    text = "/".join(segments)
    runs = any(
        segments[i : i + n] == segments[i + n : i + 2 * n] == segments[i + 2 * n : i + 3 * n]
        for n in range(1, 5)
        for i in range(len(segments) - 3 * n + 1)
    )
    assert repeats(segments) == (runs or any(segments.count(s) >= 4 for s in segments)), text


@pytest.mark.parametrize(
    ("path", "query", "why"),
    [
        ("/a/b/c", "", ""),
        ("/a/a/", "", ""),
        ("/a/a/a/", "", "repeating-path"),
        ("/x/y/x/y/x/y", "", "repeating-path"),
        ("/" + "/".join(map(str, range(17))), "", "path-depth"),
        ("/", "&".join(f"p{n}=1" for n in range(8)), ""),
        ("/", "&".join(f"p{n}=1" for n in range(9)), "parameters"),
    ],
)
def test_looks_endless(path: str, query: str, why: str) -> None:
    assert looks_endless(path, query, 16, 8) == why
    assert not why or why in REASONS


@pytest.mark.parametrize(
    ("path", "query"),
    [("/cal/2031/05", ""), ("/cal/2031-05-07", ""), ("/cal", "month=5&year=2031"), ("/events/2031/", "")],
)
def test_dates_have_the_shape_of_a_calendar(path: str, query: str) -> None:
    """Another date has the same shape, another path has not, and the limit is the one for dates."""
    one = shape("http://a.test", path, query, 100, 7)
    other = shape("http://a.test", path.replace("2031", "2044"), query.replace("2031", "2044"), 100, 7)
    elsewhere = shape("http://b.test", path, query, 100, 7)
    assert one is not None
    assert elsewhere is not None
    assert (one.why, one.limit) == ("calendar", 7)
    assert one == other
    assert one.key != elsewhere.key


def test_queries_have_the_shape_of_their_names() -> None:
    """Values and order do not matter; each further name divides the limit by five, down to one."""
    one, other = (shape("http://a.test", "/s", q, 100, 7) for q in ("a=1&b=2", "b=9&a=&a=4"))
    assert one == other
    limits = [shape("http://a.test", "/s", "&".join(f"p{n}" for n in range(k)), 100, 7) for k in (1, 2, 3, 4, 8)]
    assert [s.limit for s in limits if s] == [100, 20, 4, 1, 1]
    assert shape("http://a.test", "/plain/page-12", "", 100, 7) is None


@pytest.mark.parametrize("title", ["404", "Page not found", "Seite nicht gefunden", "Страница не найдена"])
def test_soft_404(title: str) -> None:
    """A short page that says so is one; a long page, or one that says it in passing, is not."""
    assert is_soft_404(title, (), 50)
    assert is_soft_404("Example", (title, "more"), 50)
    assert not is_soft_404(title, (), 201)
    assert not is_soft_404("Example", ("Welcome", title), 50)
    assert not is_soft_404("Room 4045", (), 50)


# ---- admission


def config_with(**sections: Any) -> Config:
    return check_config({"seeds": ["http://a.test/"], **sections}, "test")


def test_admission_counts_are_kept(tmp_path: Path) -> None:
    """What was admitted before a restart counts after it; looking does not count."""
    config = config_with(traps={"queries_per_path": 3})
    store = Store(tmp_path / "s", writable=True)
    admission = Admission(config, store)
    for n in range(2):
        admission.look(f"http://a.test/s?q={n}", "http://a.test", None, 1)
        assert admission.judge(f"http://a.test/s?q={n}", "http://a.test", None, 1) == ""
    store.commit()
    store.close()
    store = Store(tmp_path / "s", writable=True)
    admission = Admission(config, store)
    assert admission.judge("http://a.test/s?q=8", "http://a.test", None, 1) == ""
    assert admission.judge("http://a.test/s?q=9", "http://a.test", None, 1) == "query-explosion"
    assert admission.judge("http://a.test/other?q=9", "http://a.test", None, 1) == ""
    store.close()


@pytest.mark.parametrize(
    ("scope", "url", "why"),
    [
        ({}, "http://www.a.test/", ""),
        ({}, "http://b.test/", "scope"),
        ({"domains": ["b.test"]}, "http://a.test/", "scope"),
        ({"domains": ["b.test"]}, "http://deep.down.b.test/", ""),
        ({"domains": ["b.test"]}, "http://notb.test/", "scope"),
        ({"hosts": ["x.b.test"]}, "http://y.x.b.test/", "scope"),
        ({"everywhere": True}, "http://any.where/", ""),
        ({"exclude": [r"\.cgi$", "/tmp/"]}, "http://a.test/tmp/x", "exclude"),
        ({"exclude": [r"\.cgi$", "/tmp/"]}, "http://a.test/x.cgi", "exclude"),
        ({"max_depth": 2}, "http://a.test/", "depth"),
    ],
)
def test_scope(tmp_path: Path, scope: dict[str, Any], url: str, why: str) -> None:
    """Domains with their hosts, hosts alone, patterns and depth; every refusal has words for people."""
    store = Store(tmp_path / "s", writable=True)
    found = Admission(config_with(scope=scope), store).judge(url, url.rstrip("/").partition("/tmp")[0][:40], None, 3)
    store.close()
    assert found == why
    assert not why or REASONS[why]


# ---- queue

HOSTS = ("a", "b", "c", "d")
ADDRESSES = {"a": "1", "b": "2", "c": "2", "d": ""}


class QueueMachine(RuleBasedStateMachine):
    """Any order of plans, turns, answers and waiting: polite, and nothing is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.politeness, self.hosts = Politeness(Manners(delay=1.0, latency_factor=0.0)), Hosts("sought")
        for name in HOSTS:
            self.hosts.at(f"http://{name}.test").address = ADDRESSES[name]
        self.queue = Queue(self.hosts, self.politeness)
        self.now, self.rows = 1000.0, 0
        self.chosen: dict[int, int] = {}
        self.in_flight: list[int] = []
        self.ended: dict[str, float] = {}

    @rule(hosts=st.lists(st.integers(0, len(HOSTS) - 1), max_size=6))
    def plan(self, hosts: list[int]) -> None:
        rows = list(range(self.rows, self.rows + len(hosts)))
        self.rows += len(hosts)
        self.queue.add(rows, hosts, self.now)
        self.chosen |= dict(zip(rows, hosts, strict=True))

    @rule()
    def plan_anew(self) -> None:
        self.queue.drop_all()
        self.queue.add(list(self.chosen), list(self.chosen.values()), self.now)

    @rule(host=st.integers(0, len(HOSTS) - 1))
    def call(self, host: int) -> None:
        self.queue.call([host], self.now)

    @rule(seconds=st.floats(0, 2))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def turn(self) -> None:
        host = self.queue.next_host(self.now)
        if host is None:
            return
        places = [host.name, *([host.address] if host.address else [])]
        for number in self.in_flight:
            assert not {self.hosts[number].name, self.hosts[number].address} & set(places)
        assert all(self.now >= self.ended.get(place, -math.inf) + 1.0 for place in places)
        if self.queue.has_rows(host):
            row = self.queue.take(host)
            assert self.chosen.pop(row) == host.number
        self.politeness.began(host.name, host.address, self.now)
        self.in_flight.append(host.number)

    @precondition(lambda self: self.in_flight)
    @rule(which=st.integers(0, 10))
    def answer(self, which: int) -> None:
        host = self.hosts[self.in_flight.pop(which % len(self.in_flight))]
        self.politeness.ended(host.name, host.address, self.now, Response(host.origin + "/", 200))
        self.ended |= {place: self.now for place in (host.name, host.address) if place}
        self.queue.again(host, self.now)

    @invariant()
    def counts_its_rows(self) -> None:
        assert sorted(row for rows in self.queue.rows.values() for _, row in rows) == sorted(self.chosen)
        assert len(self.queue) >= len(self.chosen)

    def teardown(self) -> None:
        """Given time, everything that was chosen is handed out."""
        for _ in range(10 * (len(self.chosen) + len(self.in_flight) + len(HOSTS)) + 10):
            while self.in_flight:
                self.answer(0)
            self.now += 1.5
            self.turn()
        assert self.chosen == {}
        assert len(self.queue) == 0


TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_of_hosts_that_are_ready_the_one_with_the_best_row_is_next() -> None:
    """Whichever was found first, and whichever waits longer: no host is left out for its number."""
    hosts = Hosts("sought")
    a, b, c = (hosts.at(f"http://{name}.test") for name in "abc")
    queue = Queue(hosts, Politeness(Manners(delay=1.0, latency_factor=0.0)))
    queue.add([10, 11, 12, 13], [c.number, c.number, b.number, a.number], 1.0)
    served = []
    for now in (1.0, 1.1, 2.5, 2.6):
        host = queue.next_host(now)
        assert host
        served.append(queue.take(host))
        queue.politeness.began(host.name, host.address, now)
        queue.politeness.ended(host.name, host.address, now, Response(host.origin + "/", 200))
        queue.again(host, now)
    assert served == [10, 12, 11, 13]  # the second best waits until its host has rested
    queue.add([20, 21], [c.number, b.number], 9.0)
    assert queue.next_host(9.0) is c
    queue.again(c, 9.0)
    queue.put_first(30, a.number, 9.0)
    assert queue.next_host(9.0) is a
    assert queue.take(a) == 30


def test_a_called_host_gets_one_turn_without_rows() -> None:
    """A sitemap that is due is worth a turn even if no page of the host is."""
    hosts = Hosts("sought")
    host = hosts.at("http://a.test")
    queue = Queue(hosts, Politeness(Manners(delay=0.0)))
    queue.call([host.number], 1.0)
    assert len(queue) == 1
    assert queue.next_host(1.0) is host
    assert queue.next_host(1.0) is None
    assert len(queue) == 0


@pytest.mark.parametrize(
    ("path", "query", "is_date"),
    [
        ("/calendar/2031/05", "", True),
        ("/calendar/2031-05-17", "", True),
        ("/archive/203105", "", True),
        ("/archive/20310517", "", True),
        ("/archive/2031", "", True),
        ("/events", "month=5", True),
        ("/events", "view=day&year=2031", True),
        ("/item/2134567", "", False),
        ("/a/201234", "", False),
        ("/p", "update=5", False),
        ("/p", "holiday=1", False),
    ],
)
def test_only_dates_are_dates(path: str, query: str, is_date: bool) -> None:
    """Numbers and parameters that only look like dates are not counted as a calendar."""
    found = shape("http://a.example", path, query, 5000, 400)
    assert (found is not None and found.why == "calendar") == is_date
