"""What fetched pages tell of those they link to: `linked`, `unlinked`, `doubted`; and what a policy expected."""

import asyncio
import random
from dataclasses import dataclass
from typing import ClassVar

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.archive.fields import parsed_why, why_line
from sought.crawl.cycle import beliefs_in
from sought.operate.live import crawl
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.policy import BreadthFirst
from sought.record.fetches import GONE, MOVED, PAGE
from sought.record.history import finished_fetches
from sought.record.outcome import Outcome
from sought.record.recovery import open_directory
from sought.record.store import Store, meta_pair, row_key
from sought.record.table import LIFE, Reason, State
from sought.web.errors import CrawlDamaged
from sought.web.message import Why
from sought.web.policy import Expected, Expecting, Purpose
from tests.testing.changing_site import serving
from tests.testing.counted_anew import opened
from tests.testing.demand_site import crawled
from tests.testing.fetch_history import told
from tests.testing.following import follow
from tests.testing.linked_answers import HOST, HUB, NEVER, OTHER, Web, same_however_opened, snapshot
from tests.testing.linked_site import LinkedSite


@pytest.fixture
def web(tmp_path):
    found = Web(tmp_path / "crawl")
    yield found
    found.directory.close()


def told_of(web, name):
    """The last fetch of a page, as estimators get it."""
    log = told(web.directory.repository)
    at = max(i for i, row in enumerate(log.whole("row")) if row == web.row(name))
    return {name: log.whole(name)[at] for name in ("fate", "doubted", "seen_gap", "gap", "found", "expected", "chance")}


# ---- what links tell


@pytest.mark.parametrize(
    "again", [{}, {"words": "some other words that the page has got by now"}, {"status": 304}], ids=str
)
def test_a_link_that_is_still_there_is_seen_again(web, again):
    """On a page with the same bytes, with other words, or that the server says has not changed."""
    first = web.get(HUB, ["a", "b"])
    assert [web.at("a"), web.at("b"), web.at(HUB)] == [first, first, NEVER]
    second = web.get(HUB, ["a", "b"], **again)
    assert [web.at("a"), web.at("b")] == [second, second]
    assert web.at("a", "unlinked") == NEVER
    same_however_opened(web)


def test_a_link_that_has_vanished_is_told(web):
    """What was seen before is not forgotten, and what is still there is not doubted."""
    first = web.get(HUB, ["a", "b"])
    web.restart()
    second = web.get(HUB, ["b", "c"])
    assert [web.at(name) for name in "abc"] == [first, second, second]
    assert [web.at(name, "unlinked") for name in "abc"] == [second, NEVER, NEVER]
    assert [web.is_doubted(name) for name in "abc"] == [True, False, False]
    same_however_opened(web)
    assert web.at("a") == first


@pytest.mark.parametrize(
    "fate",
    [
        {"status": 404},
        {"status": 500},
        {"status": 301, "Location": "/elsewhere"},
        {"words": "Page not found", "head": "<title>Page not found</title>"},
        {"head": "<link rel=canonical href=/elsewhere>"},
    ],
    ids=lambda fate: str(fate.get("status", "")) or next(iter(fate)),
)
def test_links_of_a_page_that_is_none_tell_nothing(web, fate):
    """Gone, moved, failed, a page that only says so, or one that stands for another: neither seen nor missed."""
    first = web.get(HUB, ["a", "b"])
    web.get(HUB, ["b", "c"], **fate)
    assert [web.at(name) for name in "ab"] == [first, first]
    assert [web.at(name, "unlinked") for name in "ab"] == [NEVER, NEVER]
    if web.row("c") >= 0:
        assert web.at("c") == NEVER
    same_however_opened(web)
    third = web.get(HUB, ["b"])
    assert web.at("b") == third
    same_however_opened(web)


def test_a_page_that_comes_back_without_a_link_has_lost_it(web):
    web.get(HUB, ["a", "b"])
    web.get(HUB, status=404)
    back = web.get(HUB, ["b"])
    assert [web.at(name, "unlinked") for name in "ab"] == [back, NEVER]
    same_however_opened(web)


def test_a_page_that_asks_not_to_be_searchable_tells_of_its_links(web):
    """It is LIVE all the same."""
    first = web.get(HUB, ["a"], X_Robots_Tag="noindex")
    table = web.directory.repository.table
    assert (table["state"][0], table["reason"][0]) == (State.LIVE, Reason.NOINDEX)
    assert web.at("a") == first
    assert bool(table.pages().live[0])


def test_links_not_to_be_followed_are_none(web):
    """As everywhere: a page that asks not to follow its links has none."""
    web.get(HUB, ["a", "b"])
    second = web.get(HUB, ["a", "b"], head="<meta name=robots content=nofollow>")
    assert [web.at(name, "unlinked") for name in "ab"] == [second, second]
    same_however_opened(web)


def test_a_page_seen_again_elsewhere_is_not_doubted_any_more(web):
    """Nor is one that was looked at itself; a failed look tells nothing, so estimators hear that it is doubted yet."""
    web.get(HUB, ["a", "b", OTHER])
    web.get("a")
    web.get("b")
    web.get(HUB, [OTHER])
    assert web.is_doubted("a")
    assert web.is_doubted("b")
    elsewhere = web.get(OTHER, ["a"])
    assert web.at("a") == elsewhere
    assert not web.is_doubted("a")
    web.get("b", status=500)
    web.get("b")
    assert not web.is_doubted("b")
    assert told_of(web, "b")["doubted"]
    web.get("b")
    assert not told_of(web, "b")["doubted"]
    web.get("a")
    assert not told_of(web, "a")["doubted"]
    assert told_of(web, "a")["seen_gap"] == web.clock - elsewhere
    same_however_opened(web)


def test_who_was_found_in_the_same_batch_is_seen(web):
    """By all pages of the batch, the last of which counts; and missed, should one of them be fetched in it again."""
    web.get(HUB, ["a", OTHER])
    first = web.get("a", ["b", "c", "d"], commit=False)
    second = web.get(OTHER, ["b", "e"], commit=False)
    third = web.get("a", ["d"], words="other words", commit=False)
    web.directory.writer.commit()
    assert [web.at(name) for name in "bcde"] == [second, first, third, second]
    assert [web.at(name, "unlinked") for name in "bcde"] == [third, third, NEVER, NEVER]
    same_however_opened(web)


def test_what_was_seen_stays_whoever_leaves(web):
    """A page that robots.txt forbids, or that is given away, has told what it has told."""
    first = web.get(HUB, ["a", OTHER])
    second = web.get(OTHER, ["b"])
    web.directory.repository.drop(web.row(OTHER), 0.0)
    web.directory.repository.deny(web.row(HUB), 0.0, forbidden=True)
    web.restart()
    assert [State(int(web.at(name, "state"))) for name in (HUB, OTHER)] == [State.DENIED, State.DROPPED]
    assert [web.at(name) for name in "ab"] == [first, second]


# ---- what a fetch tells


def test_fates_and_what_was_seen(web):
    """A fetch tells what the page stands for, how long it was not seen, and what it was the first to mention."""
    hub = web.get(HUB, ["a", "b", "a", "http://elsewhere.example/"])
    assert told_of(web, HUB) | {"expected": 0, "chance": 0} == {
        "fate": PAGE,
        "doubted": False,
        "seen_gap": np.inf,
        "gap": np.inf,
        "found": 2,
        "expected": 0,
        "chance": 0,
    }
    first = web.get("a", [HUB, "b", "c"])
    assert (told_of(web, "a")["seen_gap"], told_of(web, "a")["found"]) == (np.inf, 1)
    again = web.get(HUB, ["a", "b", "c"])
    assert (told_of(web, HUB)["seen_gap"], told_of(web, HUB)["found"]) == (again - first, 0)
    assert told_of(web, HUB)["gap"] == again - hub
    web.get("a", status=301, Location="/d")
    assert (told_of(web, "a")["fate"], told_of(web, "a")["found"]) == (MOVED, 1)
    assert (told_of(web, "a")["seen_gap"], told_of(web, "a")["gap"]) == (web.clock - again, web.clock - first)
    for fate in (
        {"status": 404},
        {"status": 410},
        {"words": "Page not found", "head": "<title>Page not found</title>"},
        {"status": 301, "Location": "http://elsewhere.example/"},
    ):
        web.get("a", **fate)
        assert told_of(web, "a")["fate"] == GONE
    web.get("a", head="<link rel=canonical href=/b>")
    assert told_of(web, "a")["fate"] == PAGE
    same_however_opened(web)


# ---- any history


class Model:
    """The same by brute force, from what was answered: times by page."""

    def __init__(self):
        self.links, self.linked, self.unlinked = {}, {}, {}

    def note(self, name, links, live, time):
        """A page whose list is another now, and whether it stands for itself."""
        links = set(links) - {name}
        if live:
            self.linked |= dict.fromkeys(links, time)
            self.unlinked |= dict.fromkeys(self.links.get(name, set()) - links, time)
        self.links[name] = links


def live(web, seed, steps, happen):
    """Random answers, and what `happen` makes of the process in between; returns what should be known in the end."""
    rng, model, pages = random.Random(seed), Model(), [HUB, *"abcdefg"]
    model.note(HUB, pages, live=True, time=web.get(HUB, pages))
    for _ in range(steps):
        name = rng.choice(pages)
        links = rng.sample([*pages, *(f"new{rng.randrange(30)}" for _ in range(3))], rng.randrange(6))
        fate = rng.choice(["page", "page", "page", "same", "gone", "moved", "failed", "alias"])
        more = {"commit": rng.random() < 0.4}
        if any(each.row == web.row(name) for each in web.directory.writer.pending):  # as the cycle takes care of
            web.directory.writer.commit()
        if fate == "page":
            words = " ".join(f"{name}{rng.randrange(10**6)}" for _ in range(30))
            model.note(name, links, live=True, time=web.get(name, links, words=words, **more))
        elif fate == "same":
            web.directory.writer.commit()
            state = web.directory.repository.table["state"][web.row(name)]
            time = web.get(name, status=304, **more)
            if state == State.LIVE:
                model.note(name, model.links[name], live=True, time=time)
        elif fate == "alias":
            time = web.get(name, links, head="<link rel=canonical href=/canon>", **more)
            model.note(name, links, live=False, time=time)
        else:
            web.get(name, status={"gone": 404, "moved": 302, "failed": 500}[fate], Location="/a1", **more)
        happen(rng)
    web.directory.writer.commit()
    return model


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_the_tables_are_the_same(tmp_path, seed):
    """With ends of the process, crashes, or neither; after a rebuild; and as a list of all answers says."""
    plain, broken = Web(tmp_path / "plain"), Web(tmp_path / "broken")
    dice = random.Random(seed)
    model = live(plain, seed, 60, lambda _: None)

    def happen(_):
        if (what := dice.random()) < 0.1:
            broken.restart()
        elif what < 0.2:
            broken.crash()

    live(broken, seed, 60, happen)
    for web in (plain, broken):
        table = web.directory.repository.table
        names = [url.removeprefix(HOST) for url in web.directory.store.spellings(range(len(table)))]
        assert table["linked"].tolist() == [model.linked.get(name, NEVER) for name in names]
        assert table["unlinked"].tolist() == [model.unlinked.get(name, NEVER) for name in names]
    assert np.isfinite(table["unlinked"]).sum() > 3
    assert snapshot(plain.directory) == snapshot(broken.directory)
    same_however_opened(plain)
    same_however_opened(broken)
    plain.directory.close()
    broken.directory.close()


# ---- what a policy sees


@dataclass(frozen=True)
class _ReadsLinks:
    reads_links: ClassVar[bool] = True

    def __call__(self, pages, now):
        assert pages.links
        return np.bincount(pages.links.targets, minlength=len(pages)).astype(float)


def test_policies_that_read_links_have_them(tmp_path):
    """As of the last commit, live and from the store; others get none, and nobody can write to them."""
    site = LinkedSite(tmp_path, 30)
    with site.open() as directory:
        beliefs = beliefs_in(directory, _ReadsLinks())
        follow(directory, beliefs.take)
        for pages in ([0, 1, 2], [3], [1, 9]):
            site.fetch(directory, pages)
            links = beliefs.pages().links
            assert links is not None
            sources, bounds, targets = links
            assert (np.diff(sources.astype(int)) > 0).all()
            for i, source in enumerate(sources.tolist()):
                stored = directory.store.links(source)
                assert sorted(stored.tolist()) == targets[bounds[i] : bounds[i + 1]].tolist()
            assert bounds[-1] == len(targets) == sum(len(v) // 4 for _, v in directory.store.scan(b"l"))
        assert [part.dtype for part in (sources, bounds, targets)] == [np.uint32, np.int64, np.uint32]
        with pytest.raises(ValueError, match="read-only"):
            targets[0] = 1
        assert beliefs_in(directory, BreadthFirst()).pages().links is None
    with View(site.path) as view:
        assert view.pages(BreadthFirst()).links is None
        links = view.pages(_ReadsLinks()).links
        assert links is not None
        assert links.targets.tolist() == targets.tolist()


@dataclass(frozen=True)
class _Expects:
    """Breadth first; of every third row it says nothing, of every second no chance."""

    def __call__(self, pages, now):
        return BreadthFirst()(pages, now)

    def expects(self, pages, now):
        return Expected(self(pages, now), *self.said(np.arange(len(pages))))

    def said(self, rows):
        return np.where(rows % 3 == 2, np.nan, rows / 7), np.where(rows % 2, 1 / (rows + 3), np.nan)


def test_what_a_policy_expected_is_on_record(tmp_path):
    """Beside what came of it, for estimators and people, also after a rebuild; others expect nothing."""
    assert isinstance(_Expects(), Expecting)
    assert not isinstance(BreadthFirst(), Expecting)
    with serving() as site:
        path = crawled(site, tmp_path / "crawl", 12)
        for policy, fetches in ((BreadthFirst(), 1), (_Expects(), 8)):
            with opened(path) as directory:
                asyncio.run(crawl(directory, fetches, policy, lambda _: None, 0))
    for again in (False, True):
        if again:
            rebuild(path, lambda _: None)
        with opened(path) as directory:
            log = told(directory.repository)
            outcomes = [each.outcome for some in finished_fetches(directory.store, NEVER) for each in some]
            names = directory.repository.choices.policies
        rows, said = np.array(log.whole("row")), _Expects().said(np.arange(13))
        assert len(rows) == 9
        for name, column in zip(("expected", "chance"), said, strict=True):
            wanted = np.where(rows == 0, np.nan, column[rows])
            assert np.array_equal(log.whole(name), wanted, equal_nan=True)
        assert names == [repr(BreadthFirst()), repr(_Expects())]
        assert [each.policy for each in outcomes] == [0] + 8 * [1]
        assert sorted(each.rank for each in outcomes) == [1, *range(1, 9)]


numbers = st.floats(allow_nan=False)


purpose_names = st.sampled_from(["", *(each.spelled for each in Purpose)])


@given(st.integers(0, 10**6), numbers, st.none() | numbers, st.none() | numbers, purpose_names, st.text(max_size=40))
def test_reasons_come_back(rank, value, expected, chance, purpose, policy):
    """Whatever a policy is called: also a name that looks like numbers."""
    why = Why(rank, value, expected, chance, purpose, policy)
    assert parsed_why(why_line(why)) == why


def test_reasons_of_before_are_read():
    """Lines of archives that know of no purpose, of nothing expected, and of no policy at all; so of histories."""
    assert msgspec.msgpack.decode(msgspec.msgpack.encode([1.0, "new"]), type=Outcome) == Outcome(1.0, "new", purpose="")
    split = "Split(new=A(b=1), known=B())"
    assert parsed_why(f"3 0.25 {split}") == Why(3, 0.25, policy=split)
    assert parsed_why("3 0.25/0.5/nan A()") == Why(3, 0.25, 0.5, None, policy="A()")
    for line in ("", "because", "x 0.5 A()", "3 high A()", "3 0.5/x/1 A()"):
        assert parsed_why(line) is None


# ---- what another version has stored


def _refused(path):
    for way in (open_directory, View):
        with pytest.raises(CrawlDamaged, match=rf"another version of sought; run 'sought rebuild {path}'"):
            way(path)


def test_tables_of_another_version_are_not_misread(tmp_path):
    """Records of before have other columns: whoever opens them is told what to do, and that mends it."""
    web = Web(tmp_path / "crawl")
    web.get(HUB, ["a", "b"])
    web.get(HUB, ["b"])
    before = snapshot(web.directory)
    web.directory.close()
    store = Store(web.path / "store", writable=True)
    narrow = np.dtype([(name, kind) for name, kind in LIFE.items() if name not in ("linked", "unlinked")])
    store.put(row_key(b"p", 0), np.zeros(1, narrow).tobytes() + b"\x90")
    layout = store.meta("layout")
    store.delete(meta_pair("layout", 0)[0])
    store.commit()
    store.close()
    _refused(web.path)
    store = Store(web.path / "store", writable=True)
    store.put_meta("layout", layout)
    store.put_meta("format", 2)
    store.commit()
    store.close()
    _refused(web.path)
    rebuild(web.path, lambda _: None)
    with opened(web.path) as directory:
        assert snapshot(directory) == before
