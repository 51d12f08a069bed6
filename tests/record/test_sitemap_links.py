"""What sitemaps tell of the pages they list, and of those they list no more: `linked`, `unlinked`, `doubted`."""

import random
from dataclasses import dataclass

import numpy as np
import pytest

from sought.lab.replay.replay import replay
from sought.lab.replay.setting import Setting
from sought.lab.replay.signals import Signals
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import WEEK
from sought.web.message import Failure, Response
from tests.testing.linked_answers import HOST, HUB, NEVER, same_however_opened, snapshot
from tests.testing.sitemap_answers import DAY, ONE, THREE, TWO, WHOLE, Site, xml
from tests.testing.small_world import START, A, gone, page


@pytest.fixture
def site(tmp_path):
    found = Site(tmp_path / "crawl")
    yield found
    found.directory.close()


# ---- one sitemap


def test_what_is_listed_lives_and_what_is_listed_no_more_is_doubted(site):
    """Also if the process ends in between; what was seen before is not forgotten."""
    first = site.tell(WHOLE, "abc")
    assert [site.at(name) for name in "abc"] == [first] * 3
    site.restart()
    second = site.tell(WHOLE, "bcd")
    assert [site.at(name) for name in "abcd"] == [first, second, second, second]
    assert [site.at(name, "unlinked") for name in "abcd"] == [second, NEVER, NEVER, NEVER]
    assert site.doubted("abcd") == {"a"}
    same_however_opened(site)
    third = site.tell(WHOLE, "abcd")
    assert [site.at(name) for name in "abcd"] == [third] * 4
    assert not site.doubted("abcd")
    same_however_opened(site)


@pytest.mark.parametrize(
    "fate",
    [
        {"status": 404, "body": "no"},
        {"status": 500},
        {"status": 0, "failure": Failure.TOO_LARGE},
        {"status": 301, "to": HOST + ONE},
        {},
        {"pages": ""},
        {"body": xml("urlset", "url", "bx")[:-12]},
        {"body": "<!DOCTYPE html><html><body>sorry</body></html>"},
        {"body": "<html><body>sorry</body></html>"},
        {"parts": ["part.xml"]},
        {"body": "Sorry, not found"},
    ],
    ids=["gone", "error", "large", "moved", "nothing", "empty", "cut", "html", "xhtml", "index", "words"],
)
def test_a_sitemap_that_is_not_whole_tells_nothing(site, fate):
    """Neither of what it lists nor of what it does not; its list stays, unless it is another file by now."""
    first = site.tell(WHOLE, "ab")
    site.tell(WHOLE, **fate)
    assert [site.at(name) for name in "ab"] == [first] * 2
    assert [site.at(name, "unlinked") for name in "ab"] == [NEVER] * 2
    same_however_opened(site)
    if "parts" not in fate:
        assert site.row("x") < 0 or site.at("x") == NEVER
        site.tell(ONE, "b")  # who may have been moved to
        site.tell(WHOLE, "b")
        assert site.doubted("ab") == {"a"}
    same_however_opened(site)


def test_pages_and_sitemaps_tell_of_the_same(site):
    """The last word counts, whoever has it; rows that are not in the table yet are no exception."""
    site.get(HUB, ["a", "b"], commit=False)
    site.tell(WHOLE, "abc", commit=False)
    site.get(HUB, ["b", "c"], words="other words", commit=False)
    site.directory.writer.commit()
    assert site.doubted("abc") == {"a"}
    listed = site.tell(WHOLE, "ac")
    assert site.doubted("abc") == {"b"}
    linked = site.get(HUB, ["b"])
    assert [site.at(name) for name in "abc"] == [listed, linked, listed]
    assert site.doubted("abc") == {"c"}
    same_however_opened(site)


def test_dates_are_taken_as_they_stand(site):
    """Of two for the same page the last; none says nothing; and only what is another now is stored for it."""
    site.tell(WHOLE, [("a", "2020-01-01"), ("b", "2020-01-02"), "c", ("a", "2020-01-03"), ("b", "nonsense")])
    signals = [site.at(name, "signal") for name in "abc"]
    assert signals == [1578009600.0, 1577923200.0, NEVER]
    site.directory.repository.host_files.sitemap(
        Response(HOST + WHOLE, 200, body=xml("urlset", "url", [("a", "2020-01-03"), ("b", "2020")]).encode(), time=2e9)
    )
    assert [site.at(name, "signal") for name in "abc"] == [1578009600.0, 1577836800.0, NEVER]


def test_a_list_as_before_is_not_written_again(site, monkeypatch):
    """Only its time is."""
    site.tell(WHOLE, "abc")
    written: list[bytes] = []
    monkeypatch.setattr(site.directory.store, "put", _noting(written, site.directory.store.put))
    site.tell(WHOLE, "cab")
    assert [len(key) for key in written if key.startswith(b"s")] == [5]
    assert [key for key in written if key.startswith(b"p")] == []
    site.tell(WHOLE, "ab")
    assert [len(key) for key in written if key.startswith(b"s")] == [5, 13, 5]
    assert len([key for key in written if key.startswith(b"p")]) == 1


def _noting(keys, put):
    def noted(key, value):
        keys.append(key)
        put(key, value)

    return noted


# ---- several


@pytest.mark.parametrize("order", [(ONE, TWO), (TWO, ONE)])
@pytest.mark.parametrize("happen", [None, "restart", "crash", "rebuild"])
def test_who_moves_to_another_part_is_never_doubted(site, order, happen):
    """Whichever is read first; and who has gone is doubted as soon as both are read, from when it was missed."""
    days = [{ONE: "abx", TWO: "cd"}, {ONE: "ab", TWO: "cdx"}, {ONE: "abxc", TWO: "d"}, {ONE: "bx", TWO: "cd"}]
    for parts in days:
        times = {}
        for file in order:
            times[file] = site.tell(file, parts[file], commit=file == TWO)
            if happen:
                getattr(site, happen)()
            site.directory.writer.commit()
            assert site.doubted("bcdx") == set()
        site.tomorrow()
    assert site.doubted("abcdx") == {"a"}
    assert site.at("a", "unlinked") == times[ONE]
    same_however_opened(site)


def test_who_is_listed_elsewhere_is_not_doubted(site):
    """On a host: what another says of it does not count."""
    other = "http://a.example:81/"
    site.tell(ONE, "ab")
    site.tell(TWO, "ab")
    site.tell("other.xml", xml_names("abc"), host=other)
    site.tomorrow()
    site.tell(ONE, "b")
    assert site.doubted("ab") == set()
    missed = site.tell(TWO, "b")
    assert site.at("a", "unlinked") == missed
    same_however_opened(site)


def xml_names(names):
    return [f"{name}81" for name in names]


def test_a_new_part_is_waited_for(site):
    """Rows may have moved to where nobody has looked yet; one seen in the meantime is not doubted afterwards."""
    site.tell(WHOLE, parts=[ONE])
    site.tell(ONE, "abcd")
    site.tomorrow()
    site.tell(WHOLE, parts=[ONE, TWO])
    missed = site.tell(ONE, "a")
    assert site.doubted("abcd") == set()
    site.restart()
    linked = site.get(HUB, ["d"])
    found = site.tell(TWO, "b")
    assert site.doubted("abcd") == {"c"}
    assert [site.at(name) for name in "bd"] == [found, linked]
    assert [site.at(name, "unlinked") for name in "bcd"] == [NEVER, missed, missed]
    same_however_opened(site)


def test_nobody_waits_for_ever(site):
    """A part that fails again and again, or that robots.txt forbids, is as if there were none."""
    site.robots("User-agent: *\nDisallow: /two.xml\n")
    site.tell(WHOLE, parts=[ONE, TWO, THREE])
    site.tell(THREE, "ab")
    site.tell(ONE, "abcd")
    site.tomorrow()
    site.tell(THREE, status=500)
    site.tell(ONE, "bd")
    assert site.doubted("abc") == set()
    site.tell(THREE, status=404)
    assert site.doubted("abc") == set()
    site.restart()
    site.tell(THREE, body="<damaged")
    site.tell(THREE, "")
    assert site.doubted("abc") == {"c"}
    site.tomorrow()
    site.tell(ONE, "d")
    assert site.doubted("abcd") == {"b", "c"}  # what the broken one lists does not count any more
    site.tell(THREE, "bcd")
    assert site.doubted("abcd") == {"a"}
    same_however_opened(site)


# ---- any history


class Plainly:
    """The same rule for one host, by dictionaries."""

    def __init__(self):
        self.lists, self.read, self.failures, self.missing = {}, {}, {}, {}
        self.linked, self.unlinked = {}, {}

    def tell(self, file, names, now):
        if names:
            before, self.lists[file] = self.lists.get(file, set()), set(names)
            halfway = (self.read.get(file, NEVER) + now) / 2
            self.read[file], self.failures[file] = now, 0
            self.linked |= dict.fromkeys(names, now)
            counts = [names for file, names in self.lists.items() if self.failures[file] < 3]
            nowhere = before - set().union(*counts) if before & set(names) else set()
            self.missing |= dict.fromkeys(nowhere, (halfway, now))
            self.missing = {name: times for name, times in self.missing.items() if name not in names}
        else:
            self.failures[file] = self.failures.get(file, 0) + 1
        oldest = min((self.read.get(f, NEVER) for f, n in self.failures.items() if n < 3), default=np.inf)
        for name, (halfway, missed) in list(self.missing.items()):
            if halfway <= oldest:
                self.unlinked[name] = max(missed, self.unlinked.get(name, NEVER))
                del self.missing[name]


def live(site, seed, happen):
    """Four sitemaps between which pages move while they are read at random; returns what should be known."""
    rng, model, files = random.Random(seed), Plainly(), [ONE, TWO, THREE, WHOLE]
    where = {f"p{i}": rng.choice(files) for i in range(30)}
    for step in range(80):
        for name in rng.sample(sorted(where), 2):
            where[name] = rng.choice([*files, ""])
        file = files[step % 4] if rng.random() < 0.7 else rng.choice(files)
        names = sorted(name for name, place in where.items() if place == file)
        fails = rng.random() < (0.6 if file == THREE else 0.1)
        site.clock += rng.choice([0.0, DAY])
        time = site.tell(file, None if fails else names, commit=rng.random() < 0.4)
        model.tell(file, [] if fails else names, time)
        happen()
    site.directory.writer.commit()
    return model


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_the_tables_are_the_same(tmp_path, seed):
    """With ends of the process, crashes, or neither; after a rebuild; and as the plain rule says."""
    plain, broken = Site(tmp_path / "plain"), Site(tmp_path / "broken")
    dice = random.Random(seed)
    model = live(plain, seed, lambda: None)

    def happen():
        if (what := dice.random()) < 0.1:
            broken.restart()
        elif what < 0.2:
            broken.crash()

    live(broken, seed, happen)
    for site in (plain, broken):
        for name in (f"p{i}" for i in range(30)):
            assert site.at(name) == model.linked.get(name, NEVER)
            assert site.at(name, "unlinked") == model.unlinked.get(name, NEVER)
    assert len(model.unlinked) > 5
    assert snapshot(plain.directory) == snapshot(broken.directory)
    same_however_opened(plain)
    same_however_opened(broken)
    plain.directory.close()
    broken.directory.close()


# ---- the lab


@dataclass(frozen=True)
class _Looks:
    """Fetches nothing but the home, and notes what is doubted."""

    seen: list

    def __call__(self, pages, now):
        doubted = pages.unlinked > np.maximum(pages.last_fetch, pages.linked)
        self.seen.append((round((now - START) / WEEK, 1), np.flatnonzero(doubted).tolist(), pages.linked.tolist()))
        return np.where(pages.depth == 0, 1.0, 0.0)


def test_replays_read_sitemaps_the_same_way():
    """A page dies in the third week, the simulated sitemap drops it, and a policy sees that it is doubted."""
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 0, "home", "words"))
    recorder.answer(page(f"{A}/lives", 0, "alive", "words of its own"))
    recorder.answer(page(f"{A}/dies", 0, "dead", "other words"))
    recorder.answer(gone(f"{A}/dies", 3))
    world = recorder.finish("mortal", [f"{A}/"], START, START + 5 * WEEK, WEEK)
    for signals in (Signals(sitemap=True), Signals(sitemap=True, liars=1.0), Signals()):
        policy = _Looks([])
        replay(world, demand_of(world.tallies, "none", world.unit), policy, 2, Setting(signals=signals))
        doubts = {week: rows for week, rows, _ in policy.seen}
        assert {len(rows) for week, rows in doubts.items() if week < 3} == {0}
        assert len(doubts[max(doubts)]) == (1 if signals.sitemap else 0)
