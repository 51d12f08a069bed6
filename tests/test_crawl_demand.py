"""What is kept for measuring stays right, whatever answers come and wherever a process ends."""

import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

import sought
from sought.crawl.check import check
from sought.crawl.cycle import Cycle
from sought.crawl.directory import Directory
from sought.crawl.recovery import open_directory, rebuild
from sought.crawl.refresh import Refresh
from sought.crawl.store import row_key
from sought.crawl.view import View
from sought.demand import DAY, QueryLog, Search
from sought.policy import FirstGain, GainRate, Prospect
from sought.web.errors import StorageFull
from sought.web.message import Failure, Response
from tests.counted_anew import ask, assert_sound, filled, is_sound, lists_of, opened, recounted
from tests.test_crawl_change_of_mind import HTML, Answer, Site, serving

WORDS = ["running", "boats", "cities", "lakes", "houses", "wanted", "flying", "keeping", "making", "rivers"]
QUERIES = ["running boats", "cities", "lakes houses wanted", "flying keeping making rivers", "boats", "nowhere"]
CONFIG = """
seeds = ["{home}"]
[agent]
contact = "test@example.org"
[scope]
hosts = ["{host}"]
[crawl]
policy = "Split()"
revisit_after = "0s"
sitemaps = false
[demand]
estimator = "Exact()"
refresh = "1s"
keep = "7d"
[politeness]
delay = 0.0
max_delay = 0.1
latency_factor = 0.0
per_host = 4
per_address = 4
[fetch]
allow_networks = ["127.0.0.0/8"]
timeout = 5.0
"""


def write_config(path: Path, home: str = "http://a.example/", host: str = "a.example") -> Path:
    path.mkdir(exist_ok=True)
    (path / "sought.toml").write_text(CONFIG.format(home=home, host=host))
    return path


def page(rng: random.Random, name: str, links: str = "", language: str = "en") -> str:
    text = " ".join([*rng.choices(WORDS, k=rng.randint(0, 20)), name])
    return (
        f"<html lang={language}><head><title>{rng.choice(WORDS)}</title></head><body><p>{text}</p>{links}</body></html>"
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_config(tmp_path / "crawl")


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def crawled(site: Site, path: Path, pages: int, seed: int = 0) -> Path:
    """The directory of a site of so many pages, all linked from its home; nothing is fetched yet."""
    rng = random.Random(seed)
    links = "".join(f"<a href=/p{i}>{WORDS[i % 10]} {i}</a> " for i in range(pages))
    site.answers = {f"/p{i}": (200, HTML, page(rng, f"only{i}")) for i in range(pages)}
    site.answers["/"] = (200, HTML, page(rng, "home", links))
    return write_config(path, site.url("/"), "127.0.0.1")


# ---- whatever answers come


def answer(url: str, body: str = "", status: int = 200, *, time: float, **headers: str) -> Response:
    data = body.encode()
    head = (("Content-Type", "text/html"), *((name.replace("_", "-"), value) for name, value in headers.items()))
    return Response(url, status, "OK", head, data, data, time=time, elapsed=0.1, address="192.0.2.1")


class Fate:
    """A crawl to which anything may happen: answers of every kind, commits, ends of the process, at any moment."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.rng = random.Random(seed)
        self.clock = 1e9
        self.directory = open_directory(path)
        self.directory.plant_seeds()
        self.body = {i: page(self.rng, f"first{i}") for i in range(12)}
        self.fetch(0, self.home())
        self.directory.commit()

    def home(self) -> str:
        return page(self.rng, "home", "".join(f"<a href=/p{i}>{WORDS[i % 10]}</a> " for i in range(1, 12)))

    def url(self, i: int) -> str:
        return f"http://a.example/p{i}" if i else "http://a.example/"

    def fetch(self, i: int, body: str = "", status: int = 200, **headers: str) -> None:
        self.clock += 1.0
        response = answer(self.url(i), body, status, time=self.clock, **headers)
        row = self.directory.repository.known_row(response.url, response.time)
        if all(each.row != row for each in self.directory.pending):  # as the cycle takes care of
            self.directory.record(row, response)

    def strike(self) -> None:
        i, rng = self.rng.randrange(1, 12), self.rng
        what = rng.choices(range(12), [6, 2, 2, 2, 2, 2, 2, 2, 1, 8, 2, 2])[0]
        if what == 0:
            self.body[i] = page(rng, f"v{rng.random()}")
            self.fetch(i, self.body[i])
        elif what == 1:
            self.fetch(i, self.body[i])
        elif what == 2:
            self.fetch(i, self.body[rng.randrange(1, 12)])  # maybe a duplicate
        elif what == 3:
            self.fetch(i, "gone", 404)
        elif what == 4:
            self.fetch(i, self.body[i], X_Robots_Tag="noindex")
        elif what == 5:
            self.fetch(i, "", 301, Location=self.url(rng.randrange(12)))
        elif what == 6:
            self.fetch(i, "trouble", 500)
        elif what == 7:
            self.fetch(i, page(rng, f"v{rng.random()}", language=rng.choice(["de", "fr", "en", "ja"])))
        elif what == 8:
            self.directory.repository.deny(
                max(0, self.directory.repository.discovery.row(self.url(i))), 0.0, forbidden=True
            )
        elif what == 9:
            self.directory.commit()
        elif what == 10:
            self.directory.commit()
            self.directory.commit_index()
        else:
            self.directory.archive.flush(sync=True)
            self.directory.abandon()
            self.directory = open_directory(self.path)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_to_pages(path: Path, seed: int):
    """Pages change, double, move, go, are closed, speak other languages, and the process dies: all still agrees."""
    ask(path, *QUERIES)
    fate = Fate(path, seed)
    Refresh(fate.directory).finish(time.time())
    for _ in range(80):
        fate.strike()
    fate.directory.commit()
    assert fate.directory.measuring.measure
    assert lists_of(fate.directory.measuring.measure) == filled(fate.directory.measuring)
    fate.directory.close()
    is_sound(path, measured=False)  # home was fetched before anything was asked
    before = gains_by_fetch(path)
    rebuild(path, lambda _: None)
    is_sound(path)
    assert gains_by_fetch(path).keys() == before.keys()


def gains_by_fetch(path: Path) -> dict[tuple[str, float], float | None]:
    with View(path) as view:
        return {(view.store.url(row), o.time): o.gain for row in range(len(view.table)) for o in view.history(row)}


def fill_the_disk(path: Path) -> None:
    """What the child process of the next test does: fetch, and commit when the store's file cannot grow."""
    fate = Fate(path, 1)
    fate.directory.store.put_meta("filler", b"x" * 300_000)  # so that the store's file is longer than the archive's
    fate.directory.store.commit()
    for i in range(1, 8):
        fate.fetch(i, fate.body[i])
    fate.directory.store.put_meta("filler", b"x" * 300_000)
    longest = max(file.stat().st_size for file in (path / "store").glob("*.log"))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (longest + 100_000, longest + 100_000))
    try:
        fate.directory.commit()
    except StorageFull:
        os._exit(7)


def test_a_full_disk_in_the_middle_of_a_commit(path: Path):
    """The index has taken pages in and the store refuses them: after reopening both have them, measured once."""
    ask(path, *QUERIES)
    assert sought.open(path).take_in_queries() == len(QUERIES)
    code = f"from tests.test_crawl_demand import *; fill_the_disk(Path({str(path)!r}))"
    root = Path(__file__).parents[1]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=60, check=False).returncode == 7
    with opened(path) as directory:
        assert len(directory.index) == 8
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
    """Fetches from before anybody asked get their gain from a rebuild, also if it is interrupted."""
    path = crawled(site, tmp_path / "crawl", 12)
    sought.open(path).crawl(13, "BreadthFirst()")
    sought.open(path).crawl(13, "RoundRobin()")
    assert set(gains_by_fetch(path).values()) == {None}
    ask(path, *QUERIES)

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(path, stop)
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


def keys(directory: Directory, prefix: bytes) -> list[bytes]:
    return [key for key, _ in directory.store.scan(prefix)]


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
        directory.record(counted[7], answer(site.url("/p6"), "gone", 404, time=now))
        directory.record(counted[8], answer(site.url("/p7"), page(random.Random(3), "newer"), time=now))
        directory.commit()
        Refresh(directory).finish(time.time())
        directory.commit_index()
        assert_sound(directory, measured=False)


def test_a_language_met_later(path: Path):
    """Terms that come with a new language are counted on all pages by the next refresh, though the same is asked."""
    ask(path, *QUERIES)
    fate = Fate(path, 2)
    Refresh(fate.directory).finish(time.time())
    fate.fetch(1, page(fate.rng, "running boats cities"))
    fate.fetch(2, page(fate.rng, "running boats cities", language="de"))
    fate.directory.commit()
    fate.fetch(3, page(fate.rng, "running boats cities houses wanted", language="de"))
    fate.fetch(1, page(fate.rng, "running boats cities houses lakes"))
    fate.directory.commit()
    assert fate.directory.measuring.lacking
    refresh = Refresh(fate.directory)
    refresh.step(time.time() + 2)
    refresh.step(time.time() + 2)
    assert fate.directory.measuring.lacking == []
    fate.directory.commit_index()
    assert_sound(fate.directory, measured=False)
    fate.directory.close()


def test_statistics_are_taken_anew_as_the_crawl_grows(site: Site, tmp_path: Path):
    """At 64 pages, and whenever they have doubled, all is scored anew; what is held is what a fill would give."""
    path = crawled(site, tmp_path / "crawl", 150)
    ask(path, *QUERIES)
    frozen: set[int] = set()

    def watch(cycle: Cycle) -> None:
        cycles.append(cycle)
        plan = cycle._plan

        def noting(now: float) -> None:
            frozen.add(cycle.directory.measuring.frozen_pages)
            plan(now)

        cycle._plan = noting  # type: ignore[method-assign]  # only looks

    cycles: list[Cycle] = []
    for fetches in (80, 80):
        sought.open(path).crawl(fetches, "BreadthFirst()", watch)
    measuring = cycles[-1].directory.measuring
    assert measuring.measure
    assert measuring.pages == 151
    assert 64 <= measuring.frozen_pages <= measuring.pages < 2 * measuring.frozen_pages
    assert len(frozen) > 1
    rng = random.Random(1)
    site.answers |= {f"/p{i}": (200, HTML, page(rng, f"other{i}")) for i in range(40)}
    sought.open(path).crawl(60, "RoundRobin()", cycles.append)
    held = cycles[-1].directory.measuring.measure
    assert held
    with opened(path) as directory:
        assert lists_of(held) == filled(directory.measuring)
        assert_sound(directory)


# ---- what is believed


class Changing(dict[str, Answer]):
    """A site whose pages are rewritten all the time; a look at some of them is now and then forbidden."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        super().__init__(answers)
        self.rng = random.Random(5)

    def get(self, path, default=None):
        if path not in self or path == "/":
            return super().get(path, default)
        if self.rng.random() < 0.1:
            return 403, {}, "not now"
        return (200, HTML, page(self.rng, path)) if self.rng.random() < 0.5 else self[path]


def test_beliefs_from_the_store_are_those_kept_up_live(site: Site, tmp_path: Path):
    """Learnt fetch by fetch, or from the history when a crawl starts: the columns of every estimator are the same."""
    path = crawled(site, tmp_path / "crawl", 12)
    ask(path, *QUERIES)
    site.answers = Changing(site.answers)
    cycles: list[Cycle] = []
    for policy in ("BreadthFirst()", "RoundRobin()", "Split(new=DemandFirst(), known=UserCentric(), share=0.5)"):
        sought.open(path).crawl(26, policy, cycles.append)
    live = cycles[-1].beliefs.pages().beliefs
    with View(path) as view:
        kinds = [outcome.kind for row in range(len(view.table)) for outcome in view.history(row)]
        for belief in (GainRate(), FirstGain()):
            assert live[belief].any()
            assert view.believed(belief) == pytest.approx(live[belief], rel=1e-9, abs=1e-15)
    assert kinds.count("changed") > 10
    assert "status-403" in kinds


def test_a_failed_fetch_is_no_observation(path: Path):
    """What a page gained is put down to the time since it was last seen, not since somebody looked in vain."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        Refresh(directory).finish(time.time())
        directory.plant_seeds()
        url = "http://a.example/"
        for response in (
            answer(url, "<p>running boats</p>", time=1e9),
            answer(url, "trouble", 503, time=1e9 + 50),
            Response(url, time=1e9 + 70, failure=Failure.TIMEOUT),
            answer(url, "<p>running boats cities</p>", time=1e9 + 100),
        ):
            directory.record(0, response)
            directory.commit()
    with View(path) as view:
        gains = [outcome.gain or 0.0 for outcome in view.history(0)]
        assert gains[1] == gains[2] == 0.0 < gains[3]
        assert view.believed(GainRate())[0] == pytest.approx(gains[3] / 100)
        assert view.believed(FirstGain())[0] == pytest.approx(gains[0])


def test_prospects_after_a_restart_are_those_kept_up_live(site: Site, tmp_path: Path):
    """New rows, and new words for known rows: as long as no answer changes, whoever judges them comes to the same."""
    path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
    ask(path, *QUERIES)
    hubs = "".join(f"<a href=/h{i}>more</a> " for i in range(6))
    mute = {**HTML, "X-Robots-Tag": "noindex"}
    site.answers["/"] = (200, mute, f"<html lang=en><p>start {hubs}</p></html>")
    for i in range(6):
        links = "".join(f"<a href=/p{k}>{WORDS[(i + k) % 10]} {WORDS[k % 10]}</a> " for k in range(i, i + 40))
        site.answers[f"/h{i}"] = (200, mute, f"<html lang=en><p>hub {i} {links}</p></html>")
    cycles: list[Cycle] = []
    sought.open(path).crawl(7, "Split(new=BreadthFirst(), known=DemandFirst(), share=0.5)", cycles.append)
    assert sorted(site.paths()) == ["/", *(f"/h{i}" for i in range(6))]
    live = cycles[-1].beliefs.pages().beliefs[Prospect()]
    with View(path) as view:
        new = np.isneginf(view.table["last_fetch"])
        assert new.sum() == 45
        assert live[new] == pytest.approx(view.believed(Prospect())[new], rel=1e-9)
        assert (live[new] > 0).sum() > 40


# ---- what it costs, and what it forgets


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
    fate.directory.commit_index()
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


# ---- damage is noticed


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
