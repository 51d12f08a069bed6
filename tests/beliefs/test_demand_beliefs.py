"""What is believed of pages is the same live and after a restart."""

import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sought
from sought.beliefs.first_gain import FirstGain
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.crawl.cycle import Cycle, beliefs_in
from sought.operate.view import View
from sought.policy import DemandFirst
from sought.record.seeds import LOADED, plant_seeds
from sought.record.table import Source
from sought.record.workload_refresh import Refresh
from sought.web.message import Failure, Response
from tests.testing.changing_site import HTML, Answer, Site, serving
from tests.testing.counted_anew import ask, opened
from tests.testing.demand_site import QUERIES, WORDS, Fate, answer, crawled, page, write_config
from tests.testing.following import follow


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_config(tmp_path / "crawl")


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


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
    """Learned fetch by fetch, or from the history when a crawl starts: the columns of every estimator are the same."""
    path = crawled(site, tmp_path / "crawl", 12)
    ask(path, *QUERIES)
    site.answers = Changing(site.answers)
    cycles: list[Cycle] = []
    for policy in ("BreadthFirst()", "RoundRobin()", "Split(new=DemandFirst(), known=UserCentric(), share=0.5)"):
        sought.open(path).crawl(26, policy, cycles.append)
    live = cycles[-1].planner.beliefs.pages().beliefs
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
        plant_seeds(directory)
        url = "http://a.example/"
        for response in (
            answer(url, "<p>running boats</p>", time=1e9),
            answer(url, "trouble", 503, time=1e9 + 50),
            Response(url, time=1e9 + 70, failure=Failure.TIMEOUT),
            answer(url, "<p>running boats cities</p>", time=1e9 + 100),
        ):
            directory.writer.record(0, response)
            directory.writer.commit()
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
    live = cycles[-1].planner.beliefs.pages().beliefs[Prospect()]
    with View(path) as view:
        new = np.isneginf(view.table["last_fetch"])
        assert new.sum() == 45
        assert live[new] == pytest.approx(view.believed(Prospect())[new], rel=1e-9)
        assert (live[new] > 0).sum() > 40


def test_prospects_follow_statistics_and_workload(path: Path):
    """They are judged anew with new statistics, and end with the workload; any language may bring terms."""
    ask(path, *QUERIES)
    fate = Fate(path, 6)
    directory = fate.directory
    Refresh(directory).finish(time.time())
    found = directory.writer.add_urls([f"http://a.example/{word}" for word in WORDS], LOADED, Source.LOAD).rows
    beliefs = beliefs_in(directory, DemandFirst())
    follow(directory, beliefs.take)
    few = beliefs.pages().belief(Prospect())[found].copy()
    assert "boats" in directory.measuring.lacking  # nobody knows which language these addresses are in
    for i in range(1, 12):
        fate.fetch(i, page(fate.rng, f"page{i}"))
    directory.writer.commit()
    directory.measuring.adopt()
    many = beliefs.pages().belief(Prospect())[found].copy()
    assert few.any()
    assert not np.allclose(few, many)
    assert many.tolist() == beliefs_in(directory, DemandFirst()).pages().belief(Prospect())[found].tolist()
    shutil.rmtree(path / "queries")
    Refresh(directory).finish(time.time())
    assert not beliefs.pages().belief(Prospect()).any()
    directory.close()
