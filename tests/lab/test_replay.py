"""The crawl's cycle against a world: budgets, starts, signals, and the same every time."""

from dataclasses import replace

import numpy as np
import pytest

from sought.lab.measures import MEASURES
from sought.lab.replay.clock import VirtualClock
from sought.lab.replay.oracles import ORACLES, Ceiling, ClairvoyantNow, IdealRanking
from sought.lab.replay.recorded import open_recorded
from sought.lab.replay.replay import replay
from sought.lab.replay.run import Run
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start, seen_in
from sought.lab.replay.signals import Signals
from sought.lab.studies.cells import judge_for
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import NOTHING, WEEK
from sought.policy import BreadthFirst, DemandFirst, Never, Random, RoundRobin, Split, UserCentric
from sought.web.errors import BadInput
from sought.web.message import RequestPurpose, Response
from tests.testing.small_world import START, A, B, page, small_world

POLICIES = [
    RoundRobin(new=True),
    Random(),
    BreadthFirst(),
    Split(new=DemandFirst(), known=UserCentric(), share=0.3),
]


@pytest.fixture(scope="module")
def made():
    recorder = WorldRecorder()
    shape = WebShape(
        pages=150, hosts=5, weeks=6, rate=0.5, births=0.03, deletes=0.02, words=60.0, queries=150, sitemaps=0.0
    )
    span = generate(recorder, shape)
    return recorder.finish("made", span.seeds, span.start, span.end, WEEK)


def demand(world):
    return demand_of(world.tallies, "none", world.unit)


def run_of(world, policy, budget, setting):
    judge = judge_for(world, setting)
    done = replay(judge.world, judge.demand, policy, budget, setting, judge)
    return Run(judge, done.log, done.moments, done.copies)


def quality(run):
    weights = run.weights("judged")
    return ((weights * run.answers.after).sum(1) / (weights * run.answers.ideal).sum(1)).mean()


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize("start", ["warm", "cold", "frontier"])
@pytest.mark.parametrize("budget", [1, 7, 0.1])
def test_the_budget_is_never_exceeded(made, policy, start, budget):
    """Every charged request is in the log, and no unit has more than it may; no page is fetched twice in one."""
    done = replay(made, demand(made), policy, budget, Setting(start=start, rounds=3))
    most = fetches_of(budget, pages_at_start(made))
    counts = np.bincount(done.log.unit, minlength=len(done.moments))
    assert counts.max() <= most
    if policy == RoundRobin(new=True) and start == "warm":
        assert counts.min() == most
    for unit in range(len(done.moments)):
        urls = done.log.url[done.log.of(unit)]
        assert len(set(urls)) == len(urls)
        times = done.log.time[done.log.of(unit)]
        assert np.all((times >= done.moments[unit]) & (times < done.moments[unit] + made.unit))


@pytest.mark.parametrize("policy", [*POLICIES, ClairvoyantNow()], ids=repr)
def test_the_same_again(made, policy):
    """Decisions are the same, to the byte."""
    first, second = (run_of(made, policy, 0.05, Setting()).log for _ in range(2))
    assert first.url == second.url
    for name in ("unit", "time", "page", "version"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


def test_a_warm_start_is_in_step(made):
    """At the start every page that is live is held as it is; so quality is 1, and nothing was charged."""
    done = replay(made, demand(made), Never(), 1, Setting())
    live = made.at(made.start)
    shown = np.where(live == NOTHING, False, made.is_page[live])
    assert shown.sum() >= 150
    assert np.array_equal(done.copies[shown], live[shown])
    assert len(done.log) == 0
    assert done.moments[0] == made.start + made.unit


def test_a_cold_start_knows_the_seeds_only(made):
    """Nothing is held, and the first fetches are of seeds and what they link to."""
    done = replay(made, demand(made), BreadthFirst(), 5, Setting(start="cold"))
    assert np.all(done.copies == NOTHING)
    assert set(done.log.url[:5]) == set(made.seeds)
    assert done.moments[0] == made.start


def test_a_frontier_stands_still(made):
    """Half of the pages have been fetched; only others are, each once, as they were at the start."""
    setting = Setting(start="frontier", crawled=0.5)
    done = replay(seen_in(made, setting), demand(made), BreadthFirst(), 0.05, setting)
    held = np.count_nonzero(done.copies != NOTHING)
    assert 0.4 * pages_at_start(made) < held <= 0.55 * pages_at_start(made)
    pages = done.log.page[done.log.page != NOTHING]
    assert len(np.unique(pages)) == len(pages) > 20
    assert np.all(done.copies[pages] == NOTHING)
    assert np.array_equal(done.log.version[done.log.page != NOTHING] >= 0, made.at(made.start)[pages] >= 0)


def test_a_share_of_the_frontier_is_a_share(made):
    few, many = (
        np.count_nonzero(replay(seen_in(made, setting), demand(made), Never(), 1, setting).copies >= 0)
        for setting in (Setting(start="frontier", crawled=share) for share in (0.2, 0.7))
    )
    assert few < 0.3 * pages_at_start(made) < 0.6 * pages_at_start(made) < many


def test_moves_are_redirects():
    """A page that has moved is asked at its old address, and then found at the new one."""
    done = replay(small_world(), demand(small_world()), RoundRobin(new=True), 20, Setting())
    assert f"{B}/dir/oak" in done.log.url
    world = small_world()
    old, new = world.pages[f"{B}/oak"], world.pages[f"{B}/dir/oak"]
    fetched = [(int(p), int(v)) for p, v in zip(done.log.page, done.log.version, strict=True) if p in (old, new)]
    first_new = next(v for p, v in fetched if p == new)
    assert world.versions.status[first_new] == 200
    assert 301 in {int(world.versions.status[v]) for p, v in fetched if p == old}


def test_rounds_let_a_policy_learn():
    """With more rounds a page found in this unit can be fetched in it."""
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 0, "home", "words"))
    recorder.answer(page(f"{A}/", 1, "home", "words and more", [f"{A}/new"]))
    recorder.answer(page(f"{A}/new", 1, "new", "other words"))
    world = recorder.finish("two", [f"{A}/"], START, START + WEEK, WEEK)
    logs = [replay(world, demand(world), RoundRobin(new=True), 2, Setting(rounds=rounds)).log.url for rounds in (1, 2)]
    assert logs[0][:1] == logs[1][:1] == [f"{A}/"]
    assert logs[1] == [f"{A}/", f"{A}/new"]


def test_units_end_a_replay_early(made):
    assert len(replay(made, demand(made), Never(), 1, Setting(units=2)).moments) == 2


def test_the_ceiling_may_fetch_what_nobody_has_found():
    """It fetches a page that no link leads to in the unit of its birth; others never do."""
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 0, "home", "words"))
    recorder.answer(page(f"{A}/hidden", 1, "hidden", "treasure"))
    recorder.ask("treasure", 1.0, START)
    world = recorder.finish("hidden", [f"{A}/"], START, START + 2 * WEEK, WEEK)
    assert run_of(world, Ceiling(), 1, Setting(split="none")).log.url[0] == f"{A}/hidden"
    assert f"{A}/hidden" not in run_of(world, ClairvoyantNow(), 1, Setting(split="none")).log.url


def test_oracles_do_better(made):
    """What knows the live Web is better than what does not."""
    found = {
        repr(p): quality(run_of(made, p, 0.05, Setting()))
        for p in (Never(), RoundRobin(new=True), ClairvoyantNow(), Ceiling())
    }
    assert list(found.values()) == sorted(found.values())
    assert found["Ceiling()"] > found["RoundRobin(new=True)"] + 0.001


def test_the_ideal_ranking_is_ideal(made):
    """On a frontier no other order of new pages reaches more impact."""
    share = MEASURES["impact_share_click"]
    setting = Setting(start="frontier", split="none")
    ideal, plain = (share(run_of(made, p, 0.03, setting))[0] for p in (IdealRanking(), BreadthFirst()))
    assert plain < ideal


def test_an_oracle_needs_a_judge(made):
    with pytest.raises(ValueError, match="needs a judge"):
        replay(made, demand(made), ClairvoyantNow(), 1)


# ---- signals


def test_sitemaps_make_pages_known():
    """With sitemaps a page that no link leads to is found and fetched; their fetches are charged."""
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 0, "home", "words"))
    recorder.answer(page(f"{A}/hidden", 1, "hidden", "treasure"))
    world = recorder.finish("hidden", [f"{A}/"], START, START + 2 * WEEK, WEEK)
    without = replay(world, demand(world), RoundRobin(new=True), 3, Setting()).log
    told = replay(world, demand(world), RoundRobin(new=True), 3, Setting(signals=Signals(sitemap=True))).log
    late = Setting(signals=Signals(sitemap=True, lag=10 * WEEK))
    assert f"{A}/hidden" not in without.url
    assert f"{A}/hidden" in told.url
    assert f"{A}/sitemap.xml" in told.url
    assert f"{A}/hidden" not in replay(world, demand(world), RoundRobin(new=True), 3, late).log.url


def edited():
    recorder = WorldRecorder()
    for week in range(6):
        recorder.answer(page(f"{A}/", week, "home", f"words {week}"))
    return recorder.finish("edited", [f"{A}/"], START, START + 5 * WEEK, WEEK)


def test_a_wrong_validator_hides_a_change():
    """Where ETags do not change with the page, the server says "as before", and the copy stays old."""
    world = edited()
    for recall, fresh in ((1.0, True), (0.0, False)):
        setting = Setting(signals=Signals(etag=True, recall=recall))
        versions = replay(world, demand(world), RoundRobin(new=True), 1, setting).log.version
        assert np.array_equal(versions, np.arange(1, 6)) == fresh
        assert fresh or np.all(versions == 0)


def test_recorded_validators_give_way_to_simulated_ones():
    """A world with ETags of its own is told about by the simulated ones only, if these are wanted."""
    recorder = WorldRecorder()
    for week in range(4):
        answer = page(f"{A}/", week, "home", f"words {week}")
        headers = (*answer.headers, ("ETag", f'"{week}"'))
        recorder.answer(Response(answer.url, 200, headers=headers, raw=answer.raw, body=answer.body, time=answer.time))
    world = recorder.finish("tagged", [f"{A}/"], START, START + 3 * WEEK, WEEK)
    plain = replay(world, demand(world), RoundRobin(new=True), 1, Setting()).log.version
    hidden = Setting(signals=Signals(etag=True, recall=0.0))
    assert plain.tolist() == [1, 2, 3]
    assert replay(world, demand(world), RoundRobin(new=True), 1, hidden).log.version.tolist() == [0, 0, 0]


def test_an_error_tells_nothing_of_a_page():
    """A server error keeps the copy; a page that is gone does not."""
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 0, "home", "words"))
    recorder.answer(Response(f"{A}/", 500, time=START + WEEK))
    recorder.answer(Response(f"{A}/", 404, time=START + 2 * WEEK))
    recorder.ask("words", 1.0, START)
    world = recorder.finish("broken", [f"{A}/"], START, START + 2 * WEEK, WEEK)
    run = run_of(world, RoundRobin(new=True), 1, Setting(split="none"))
    assert [bool((run.searchable(moment.after) != NOTHING).any()) for moment in run.walk()] == [True, False]


# ---- what cannot be


@pytest.mark.parametrize("budget", [0, -1, 1.5, float("inf"), float("nan")])
def test_budgets_that_are_none(budget):
    with pytest.raises(BadInput, match="budget"):
        fetches_of(budget, 100)


@pytest.mark.parametrize(
    "wrong",
    [{"start": "hot"}, {"rounds": 0}, {"crawled": 1.0}, {"units": -1}, {"searches": float("inf")}, {"tie": "coin"}],
    ids=lambda each: next(iter(each)),
)
def test_settings_that_are_none(wrong):
    with pytest.raises(BadInput, match=next(iter(wrong))):
        Setting(**wrong)


# ---- hosts in trouble


def troubled(retry: str):
    """Two hosts; one is away for a day whenever it is asked."""
    recorder = WorldRecorder()
    links = [f"{A}/{n}" for n in range(60)]
    recorder.answer(page(f"{A}/", 0, "home", "words", links))
    recorder.answer(page(f"{B}/", 0, "other home", "other words", [f"{B}/{n}" for n in range(20)]))
    for n in range(60):
        recorder.answer(page(links[n], 0, f"page {n}", f"text {n}"))
    for n in range(20):
        recorder.answer(page(f"{B}/{n}", 0, f"other {n}", f"other {n}"))
        recorder.answer(Response(f"{B}/{n}", 503, headers=(("Retry-After", retry),), time=START + WEEK / 2))
    return recorder.finish("troubled", [f"{A}/", f"{B}/"], START, START + 8 * WEEK, WEEK)


def test_a_host_in_trouble_does_not_cost_the_others_their_turn():
    """The budget is spent on hosts that answer, soon after the unit has begun."""
    world = troubled("86400")
    done = replay(world, demand(world), RoundRobin(), 40, Setting(rounds=4))
    assert np.bincount(done.log.unit).tolist() == [40] * 8
    late = done.log.time - done.moments[done.log.unit]
    assert late.max() < 86400


def test_a_crawl_delay_does_not_delay_the_start():
    """However slowly a host wants to be asked, a warm start is in step at the start."""
    recorder = WorldRecorder()
    body = b"User-agent: *\nCrawl-delay: 30\n"
    recorder.answer(Response(f"{A}/robots.txt", 200, raw=body, body=body, time=START, purpose=RequestPurpose.ROBOTS))
    recorder.answer(page(f"{A}/", 0, "home", "words", [f"{A}/{n}" for n in range(150)]))
    for n in range(150):
        recorder.answer(page(f"{A}/{n}", 0, f"page {n}", f"text {n}"))
    for n in range(150):
        recorder.answer(replace(page(f"{A}/{n}", 0, f"page {n}", f"changed {n}"), time=START + 60.0))
    world = recorder.finish("slow", [f"{A}/"], START, START + 7200, 3600.0)
    done = replay(world, demand(world), Never(), 1, Setting())
    assert np.array_equal(done.copies, world.at(START))


def test_errors_are_not_deaths():
    """A page that fails for a while lives on: who has fetched everything has quality 1, and nothing is stale."""
    recorder = WorldRecorder()
    for name in ("a", "b"):
        recorder.answer(page(f"{A}/{name}", 0, name, f"words {name}"))
    recorder.answer(Response(f"{A}/a", 503, time=START + WEEK))
    recorder.answer(page(f"{A}/a", 3, "a", "words a anew"))
    recorder.ask("words", 1.0, START)
    world = recorder.finish("failing", [f"{A}/a", f"{A}/b"], START, START + 4 * WEEK, WEEK)
    run = run_of(world, RoundRobin(new=True), 10, Setting(split="none"))
    assert quality(run) == pytest.approx(1.0)
    assert MEASURES["freshness"](run).tolist() == [1.0] * 4


def test_a_header_keeps_a_page_private():
    """X-Robots-Tag counts for the judge as it does for the crawl."""
    recorder = WorldRecorder()
    answer = page(f"{A}/", 0, "home", "words")
    recorder.answer(replace(answer, headers=(*answer.headers, ("X-Robots-Tag", "noindex"))))
    world = recorder.finish("private", [f"{A}/"], START, START + WEEK, WEEK)
    assert world.is_page.tolist() == [False]


@pytest.mark.parametrize("name", ORACLES)
def test_oracles_work_on_a_frontier(made, name):
    """Also where pages that are born later have no version at all."""
    assert len(run_of(made, ORACLES[name](), 3, Setting(start="frontier", units=2)).log) > 0


def test_the_crawl_measures_by_the_scorer_that_judges(made, tmp_path):
    """What a policy learns from is in the currency it is judged by."""
    directory = open_recorded(tmp_path, made, VirtualClock(made.start), Setting(scorer="TfIdf()"))
    assert directory.config.demand.scorer == "TfIdf()"
    directory.abandon()


def test_equals_may_share_their_attention(made):
    """With in-links as scores most pages are equal; in step quality is 1 either way, and else it differs."""
    found = []
    for tie in ("hash", "mean"):
        setting = Setting(scorer="Inlinks()", split="none", tie=tie)
        found.append(quality(run_of(made, Never(), 1, setting)))
        assert quality(run_of(made, Ceiling(), 1000, setting)) == pytest.approx(1.0)
    assert 0.0 < found[0] != found[1] > 0.0
