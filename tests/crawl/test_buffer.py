"""A repository of at most so many pages: who stays, and that all parts agree about it, whatever happens."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sought
from sought.crawl.buffer import Buffer, leaving
from sought.crawl.cycle import beliefs_in
from sought.lab.replay.replay import replay
from sought.lab.replay.run import Run, dropped_of
from sought.lab.replay.samples import sample_pages, table_of
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import judge_for
from sought.lab.worlds.world import NOTHING
from sought.operate.check import check
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.policy import Backlinks, BreadthFirst
from sought.record.directory import Directory
from sought.record.table import Reason, State
from sought.record.workload_refresh import Refresh
from sought.web.errors import BadConfig, BadInput
from tests.testing.changing_site import HTML, Site, due_now, serving
from tests.testing.commands import printed, run
from tests.testing.counted_anew import ask, is_sound, opened
from tests.testing.demand_site import QUERIES, Fate, write_config
from tests.testing.small_world import small_world

POLICY = "Split(new=Backlinks(), known=RoundRobin(), share=0.9)"
PAGES = 40


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def linked(site: Site, path: Path, policy: str = POLICY, keep: int = 0) -> Path:
    """A home that links to all pages; page j < 8 is linked from all pages above 4·j.

    All call it what the home calls it: other words would be counted with its next fetch only, and the home comes first.
    """
    for i in range(PAGES):
        links = "".join(f"<a href=/p{j}>page {j}</a> " for j in range(8) if i > 4 * j and i != j)
        text = f"<html lang=en><title>page {i}</title><p>running boats only{i} {links}</p>"
        site.answers[f"/p{i}"] = (200, HTML, text)
    links = "".join(f"<a href=/p{i}>page {i}</a> " for i in range(PAGES))
    site.answers["/"] = (200, HTML, f"<html lang=en><title>home</title><p>the home {links}</p>")
    write_config(path, site.url("/"), "127.0.0.1")
    toml = path / "sought.toml"
    text = toml.read_text().replace('policy = "Split()"', f'policy = "{policy}"\nkeep = {keep}')
    toml.write_text(text.replace('revisit_after = "0s"', 'revisit_after = "1d"'))
    return path


def held(path: Path) -> set[str]:
    with View(path) as view:
        return {view.store.url(row).rpartition("/")[2] for row in view.table.searchable().tolist()}


def found(path: Path) -> set[str]:
    return {hit.url.rpartition("/")[2] for hit in sought.open(path).search("boats", limit=100).hits}


def test_the_most_linked_stay(site: Site, tmp_path: Path):
    """Of 41 pages fetched 5 stay, those to which most links were seen; index, vectors, status and a rebuild agree."""
    path = linked(site, tmp_path / "crawl", keep=5)
    ask(path, *QUERIES)
    result = sought.open(path).crawl(PAGES + 1)
    assert result.fetched == PAGES + 1
    best = {f"p{j}" for j in range(5)}
    assert held(path) == found(path) == best
    status = sought.open(path).status()
    assert status.states == {"live": 5, "dropped": PAGES - 4}
    assert status.searchable == 5
    assert status.outcomes["dropped"] == PAGES - 4
    is_sound(path)
    assert sought.open(path).crawl(5).fetched == 0  # who was dropped rests
    assert held(path) == best
    rebuild(path, lambda _: None)
    assert held(path) == found(path) == best
    is_sound(path)


def test_links_of_those_who_left_stay_known(site: Site, tmp_path: Path):
    """They still count, and lead to other pages."""
    path = linked(site, tmp_path / "crawl", keep=5)
    sought.open(path).crawl(PAGES + 1)
    with View(path) as view:
        row = view.row(site.url("/p39"))
        assert State(view.table["state"][row]) is State.DROPPED
        assert len(view.store.links(row)) == 8
        assert view.table["inlinks"][view.row(site.url("/p0"))] == PAGES
        assert view.table["not_before"][row] > time.time() + 29 * 86400


def test_for_one_run(site: Site, tmp_path: Path):
    """`--keep` takes the place of sought.toml; what is kept later is what sought.toml says again."""
    path = linked(site, tmp_path / "crawl")
    sought.open(path).crawl(20, keep=3)
    assert len(held(path)) == 3
    sought.open(path).crawl(10)
    assert len(held(path)) == 13
    sought.open(path).crawl(1, keep=12)
    assert len(held(path)) == 12
    is_consistent(path)


def is_consistent(path: Path) -> None:
    with opened(path) as directory:
        assert check(directory, lambda _: None) == []


def test_who_has_left_may_come_back(site: Site, tmp_path: Path):
    """When its time has come, a policy that ranks known pages may fetch it; there is room then."""
    path = linked(site, tmp_path / "crawl")
    sought.open(path).crawl(10, keep=3)
    gone = {"", *(f"p{i}" for i in range(PAGES))} - held(path)
    due_now(path)
    (path / "sought.toml").write_text((path / "sought.toml").read_text().replace('"1d"', '"0s"'))
    sought.open(path).crawl(10, "RoundRobin()")
    assert len(held(path) & gone) == 7
    is_consistent(path)


@pytest.mark.slow
def test_command_line(site: Site, tmp_path: Path):
    """`sought crawl --keep N`, and what is said of a policy that cannot choose."""
    path = linked(site, tmp_path / "crawl")
    crawl = "crawl", path, "--fetches", "20", "--keep", "4"
    assert json.loads(printed(*crawl, "--json"))["fetched"] == 20
    assert len(held(path)) == 4
    refused = run(*crawl, "--policy", "BreadthFirst()")
    assert refused.returncode == 2
    assert "BreadthFirst() does not" in " ".join(refused.stderr.split())
    assert "Backlinks" in refused.stderr
    assert not refused.stdout


def test_only_a_policy_that_knows_what_is_important(site: Site, tmp_path: Path):
    """In sought.toml and by the library alike; a negative number is no number of pages."""
    path = linked(site, tmp_path / "crawl")
    with pytest.raises(BadInput, match=r"Split\(\) does not; these do, .*: Backlinks"):
        sought.open(path).crawl(1, "Split()", keep=3)
    with pytest.raises(BadInput, match="keep is a whole number"):
        sought.open(path).crawl(1, keep=-1)
    linked(site, path, "RoundRobin(new=True)", keep=2)
    with pytest.raises(BadConfig, match=r"RoundRobin\(new=True\) does not"):
        sought.open(path).crawl(1)


def test_a_kill_between_tables_and_index(tmp_path: Path):
    """The tables have dropped pages that the index still has: whoever opens the directory next makes them agree."""
    path = write_config(tmp_path / "crawl")
    ask(path, *QUERIES)
    fate = Fate(path, 3)
    Refresh(fate.directory).finish(time.time())
    for i in range(1, 12):
        fate.fetch(i, fate.body[i])
    fate.directory.writer.commit()
    fate.directory.writer.commit_index()
    assert len(trimmed(fate.directory, 4)) > 0
    fate.directory.writer.commit()
    fate.directory.abandon()
    assert len(held(path)) == 4
    with opened(path) as directory:
        assert directory.index.rows().tolist() == directory.repository.table.searchable().tolist()
    is_sound(path, measured=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens(tmp_path: Path, seed: int):
    """Answers of every kind, commits and kills in any order, and a limit in between: all parts agree in the end."""
    path = write_config(tmp_path / "crawl")
    ask(path, *QUERIES)
    fate = Fate(path, seed)
    Refresh(fate.directory).finish(time.time())
    for step in range(60):
        fate.strike()
        if step % 6 == 5:
            fate.directory.writer.commit()
            trimmed(fate.directory, 4)
            if step % 12 == 5:
                fate.directory.writer.commit()
            assert np.count_nonzero(fate.directory.repository.table.is_searchable) <= 4
    fate.directory.close()
    with opened(path) as directory:
        assert directory.repository.outcomes["dropped"] >= 3
    is_sound(path, measured=False)


def trimmed(directory: Directory, keep: int) -> np.ndarray:
    beliefs = beliefs_in(directory, Backlinks())
    return Buffer(keep, Backlinks()).trim(directory.repository, beliefs.pages, directory.clock.now())


def test_the_least_important_leave_and_of_equals_the_oldest():
    """In this order; others than searchable pages neither leave nor count."""
    table = table_of(sample_pages(1, 200, fetched=1.0), 1)
    table["state"][:] = State.LIVE
    table["reason"][:50] = Reason.NOINDEX
    importance = np.round(np.random.default_rng(1).random(200) * 5)
    gone = leaving(table, importance, 30)
    stay = np.setdiff1d(np.arange(50, 200), gone)
    assert len(gone) == 120
    assert gone.min() >= 50
    order = list(zip(importance[gone].tolist(), table["last_fetch"][gone].tolist(), strict=True))
    assert order == sorted(order)
    assert order[-1] <= min(zip(importance[stay].tolist(), table["last_fetch"][stay].tolist(), strict=True))
    assert len(leaving(table, importance, 150)) == len(leaving(table, importance, 10**6)) == 0


def test_a_page_just_fetched_that_is_worth_less_leaves_at_once():
    """With room for two: the newcomer of least importance goes, one of equal importance takes an old one's place."""
    table = table_of(sample_pages(1, 3, fetched=1.0), 1)
    table["state"][:] = State.LIVE
    table["last_fetch"][:] = [10.0, 20.0, 30.0]
    assert leaving(table, np.array([2.0, 2.0, 1.0]), 2).tolist() == [2]
    assert leaving(table, np.array([2.0, 2.0, 2.0]), 2).tolist() == [0]


# ---- in the lab


def test_a_replay_with_little_room(tmp_path: Path):
    """What the judge takes to be in the repository is what the crawl says it kept."""
    setting = Setting(start="cold", rounds=2, keep=2)
    judge = judge_for(small_world(), setting)
    free = replay(judge.world, judge.demand, Backlinks(), 4, Setting(start="cold", rounds=2))
    assert len(free.dropped.page) == 0
    done = replay(judge.world, judge.demand, Backlinks(), 4, setting)
    run = Run(judge, done.log, done.moments, done.copies, done.dropped)
    kept = [np.count_nonzero(run.searchable(moment.after) != NOTHING) for moment in run.walk()]
    all_held = [np.count_nonzero(run.searchable(m.after) != NOTHING) for m in Run(judge, *free[:3]).walk()]
    assert max(kept) <= 2 < max(all_held)
    assert kept[-1] == 2
    with pytest.raises(BadInput, match="which are important"):
        replay(judge.world, judge.demand, BreadthFirst(), 4, setting)
    with pytest.raises(BadInput, match="keep is a number of pages"):
        Setting(keep=-1)


def test_a_page_fetched_again_after_it_had_left_is_there():
    """Of a fetch and a drop of the same page in one unit, the later one counts."""
    dropped = dropped_of([(0, 1, 7), (1, 5, 7), (1, 6, 8)])
    last = np.full(10, NOTHING)
    last[7] = 5  # after the drop, which came when five fetches had been made
    last[8] = 5
    assert dropped.gone(1, last).tolist() == [8]
    assert dropped.gone(0, np.full(10, NOTHING)).tolist() == [7]
    assert dropped.gone(2, last).tolist() == []
