"""The budget dial: what quality a number of fetches buys, how sure that is, and what comes of it in the laboratory."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from sought.beliefs.death_rate import DeathRate
from sought.beliefs.edit_loss import EditLoss
from sought.beliefs.entry_value import EntryValue
from sought.beliefs.find_rate import FindRate
from sought.beliefs.presence import Presence, SearchValue
from sought.cli.budget import lines
from sought.cli.commands import app
from sought.lab.replay.samples import NOW, extreme_pages, sample_pages
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import UNJUDGED, VERDICTS, StudyContext
from sought.lab.studies.worth import dial
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.operate import dial as budget_dial
from sought.operate import dial_curve
from sought.operate.dial import DialReading, Estimate, EvidenceCounts, ExpectedAndMeasured, reading, too_little
from sought.operate.dial_curve import TimeSpan, curve
from sought.policy.solvers.frequencies import optimal_frequencies
from sought.policy.worth.index import refresh_index
from sought.policy.worth.page_state import BELIEFS, EDITS
from tests.testing.dial_crawl import recorded_crawl
from tests.testing.worth_pages import crawl, lists

DAY = 86400.0
YEAR = 365.25 * DAY
LONG_AGO = TimeSpan(NOW - 100 * YEAR, NOW, YEAR / 2, 1.0)  # so that everything has come to rest
MANY = EvidenceCounts(10**6, 10**6, 10**6)


def site(rows, links=None, believed=None, **columns):
    """Known pages of which nothing is to be lost but what is said."""
    columns = {"found": NOW - 100 * YEAR, "pace": 1.0 / DAY} | columns
    pages = crawl(rows, links=links, **columns)
    quiet = {EDITS: 0.0, EditLoss(): 0.0, DeathRate(): 0.0, FindRate(): 0.0} | (believed or {})
    return replace(
        pages, beliefs={**pages.beliefs, **{name: np.broadcast_to(each, rows) * 1.0 for name, each in quiet.items()}}
    )


def edited(rows=300, seed=0, **columns):
    """Edits at known rates, and at known losses."""
    dice = np.random.default_rng(seed)
    rate, loss = dice.lognormal(np.log(4.0 / YEAR), 1.0, rows), dice.lognormal(-4.0, 1.0, rows)
    return site(rows, believed={EDITS: rate, EditLoss(): loss}, **columns), rate, loss


def lost(found):
    return found.edits + found.deaths + found.missing


def lost_at(found, fetches):
    return float(np.interp(fetches, found.fetches, lost(found)))


# ---- the curve


def test_known_rates_give_the_best_schedule():
    """As much is lost as by the frequencies of Cho & Garcia-Molina, which are the best there are."""
    pages, rate, loss = edited()
    found, loss = curve(pages, LONG_AGO), loss + 0.02 * 0.02  # for what nobody has asked yet
    for fetches in np.array([30.0, 300.0, 3000.0]) / YEAR:
        frequency = optimal_frequencies(rate, loss, fetches)
        x = rate / np.maximum(frequency, 1e-30)
        assert lost_at(found, fetches) == pytest.approx(float(loss @ (1.0 + np.expm1(-x) / x)), rel=0.01)


def test_what_is_foretold_comes_to_pass():
    """Pages are edited at random, at known rates, for two years; whoever goes by worth loses what the dial says."""
    pages, rate, loss = edited()
    dice, days, stale, age, total = np.random.default_rng(1), 1000, np.zeros(300, np.bool_), np.zeros(300), 0.0
    for day in range(days):
        stale |= dice.random(300) < -np.expm1(-rate * DAY)
        age += DAY
        chosen = np.argsort(-loss * refresh_index(age, rate))[:2]
        total += float(loss[stale].sum()) * (day >= days // 2)
        stale[chosen], age[chosen] = False, 0.0
    assert lost_at(curve(pages, LONG_AGO), 2.0 / DAY) == pytest.approx(total / (days // 2), rel=0.1)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([sample_pages, extreme_pages]))
def test_more_budget_is_never_worse(seed, make):
    """Of whatever pages, with nothing that NumPy would warn of: fetches ascend, every loss descends."""
    pages = make(seed, 80, BELIEFS)
    now = float(np.max(pages.last_fetch, initial=NOW))
    with np.errstate(all="raise", under="ignore"):
        found = curve(pages, TimeSpan(now - YEAR / 2, now))
    assert found.fetches[0] == 0.0
    assert (np.diff(found.fetches) >= 0.0).all()
    for each in (found.edits, found.deaths, found.missing):
        assert np.isfinite(each).all()
        assert (each >= 0.0).all()
        assert (np.diff(each) <= 0.0).all()
    assert found.attainable >= 0.0


def test_without_fetches_everything_decays():
    """A page of age t has lost e·(1 − e^{−Δt}) and g·(1 − e^{−dt}), and ages go on from what they are."""
    pages = site(2, believed={EDITS: 3.0 / YEAR, EditLoss(): 0.1, DeathRate(): 0.5 / YEAR}, found=NOW - YEAR / 4)
    found = curve(pages, TimeSpan(NOW - YEAR, NOW, YEAR / 2, DAY))
    ages = np.linspace(0.25, 0.75, 10_001)
    assert found.edits[0] == pytest.approx(2 * 0.1 * float(np.mean(-np.expm1(-3.0 * ages))), rel=0.02)
    assert found.deaths[0] == pytest.approx(2 * 0.5 * float(np.mean(-np.expm1(-0.5 * ages))), rel=1e-3)


def test_pages_that_go_are_looked_at():
    """Equal ones equally often: then their deaths go unnoticed for half of an interval, on average."""
    found = curve(site(50, believed={DeathRate(): 0.2 / YEAR}), LONG_AGO)
    for a_year in (0.5, 4.0):
        x = 0.2 / a_year
        assert lost_at(found, 50 * a_year / YEAR) == pytest.approx(50 * 0.5 * (1.0 + np.expm1(-x) / x), rel=0.05)


def test_with_all_fetches_nothing_is_lost():
    """But for what happens between two fetches of a page, if it must not be asked at once again."""
    pages, _, loss = edited()
    assert lost(curve(pages, LONG_AGO))[-1] == pytest.approx(0.0, abs=1e-6)
    daily = curve(pages, LONG_AGO._replace(least=DAY))
    assert 0.0 < lost(daily)[-1] < 0.05 * float(loss.sum())
    assert daily.fetches[-1] == pytest.approx(300 / DAY)


def test_who_is_linked_is_seen_to_be_there():
    """Fetches of a page that changes often tell of all it links to, which nobody has to look at then."""
    rows, believed = 40, {DeathRate(): 0.1 / YEAR, EDITS: 50.0 / YEAR, EditLoss(): np.eye(1, 40)[0]}
    alone = curve(site(rows, believed=believed), LONG_AGO)
    linked = curve(site(rows, links=lists(r0=list(range(1, rows))), believed=believed), LONG_AGO)
    at = 50.0 / YEAR
    assert np.interp(at, linked.fetches, linked.deaths) < 0.5 * np.interp(at, alone.fetches, alone.deaths)
    assert linked.deaths[0] == pytest.approx(alone.deaths[0])


def test_pages_that_are_born_are_missing_until_they_are_found():
    """Nothing is found without a fetch; and who is found is fetched only if that is worth its price."""
    span, born = TimeSpan(NOW - YEAR, NOW, YEAR / 2, DAY), np.arange(50) >= 40
    pages = site(
        50,
        links=lists(r0=list(range(1, 50))),
        believed={FindRate(): np.eye(1, 50)[0] * 1000.0 / YEAR, Presence(): 0.5},
        found=np.where(born, NOW - YEAR / 3, NOW - 2 * YEAR),
    )
    found = curve(pages, span)
    each = 0.5 + 0.02  # and what nobody has asked for yet
    assert found.missing[0] == pytest.approx(10 * each * 1.25, rel=0.01)  # ten a year, for a year and a quarter
    assert found.missing[-1] == pytest.approx(0.02 * found.missing[0], rel=0.2)  # one in fifty is linked by nobody
    few = replace(pages, beliefs={**pages.beliefs, FindRate(): pages.beliefs[FindRate()] / 200.0})  # five a year
    assert curve(few, span).missing[0] == pytest.approx(found.missing[0] / 2, rel=0.01)


def test_pages_that_wait_are_missing_until_a_fetch_is_worth_it():
    """The better ones come first; and what they bring is part of what is attainable."""
    value = np.array([1.0, 0.1, 0.0, 0.0])
    new = np.where(value > 0, -np.inf, NOW - DAY)
    pages = site(4, believed={EntryValue(): value, SearchValue(): [0, 0, 1, 1]}, last_fetch=new, pace=1e-30)
    found = curve(pages, LONG_AGO)
    steps = np.unique(found.missing.round(2))
    assert steps.tolist() == [0.0, 0.12, 1.14]
    assert found.attainable == pytest.approx(2.0 + 1.14, abs=0.01)


def test_a_sample_of_pages_stands_for_all(monkeypatch):
    """Within a tenth, and their links for all links."""
    rows, dice = 3000, np.random.default_rng(0)
    links = lists(**{f"r{row}": dice.integers(0, rows, 5).tolist() for row in range(rows)})
    believed = {EDITS: 3.0 / YEAR, EditLoss(): dice.lognormal(-4, 0.5, rows), DeathRate(): 0.3 / YEAR}
    pages = site(rows, links=links, believed=believed, found=NOW - YEAR)
    pages = replace(pages, key=dice.integers(0, 2**63, rows).astype(np.uint64))
    whole = curve(pages, TimeSpan(NOW - YEAR, NOW))
    monkeypatch.setattr(dial_curve, "PAGES", 1000)
    monkeypatch.setattr(dial_curve, "LINKS", 4)
    some = curve(pages, TimeSpan(NOW - YEAR, NOW))
    for fetches in np.array([1000.0, 10_000.0]) / YEAR:
        assert lost_at(some, fetches) == pytest.approx(lost_at(whole, fetches), rel=0.1)


# ---- with the record


def record(weeks=26, a_week=20, gain=1.0, is_new=False):
    """Fetches of which 1 was expected each."""
    when = np.repeat(np.arange(weeks) * WEEK, a_week)
    gains = np.repeat(np.broadcast_to(gain, weeks), a_week)
    return ExpectedAndMeasured(NOW - weeks * WEEK + when, np.ones(len(when)), gains * 1.0, np.full(len(when), is_new))


def read(found=None, seen=MANY, **said):
    return reading(found or curve(edited()[0], LONG_AGO), record(**said), seen)


def test_losses_are_scaled_by_what_came():
    """Twice as much as expected: twice as much is lost, and of new pages only what is missing."""
    found = curve(edited()[0], LONG_AGO)
    one, two, new = (1.0 - read(found, gain=gain, is_new=new).expected for gain, new in ((1, 0), (2, 0), (2, 1)))
    assert two == pytest.approx(np.minimum(2.0 * one, 1.0))
    assert new == pytest.approx(one)


def test_bursts_make_for_wide_intervals(monkeypatch):
    """Where all gain of half a year came in two weeks, nobody knows what the next half brings."""
    monkeypatch.setattr(budget_dial, "DOUBT", 0.0)
    even = read().quality(2.0 / DAY)
    assert even.high - even.low < 0.01 * (1.0 - even.value)
    bursts = np.where(np.arange(26) % 13 == 0, 13.0, 0.0)
    wide = read(gain=bursts).quality(2.0 / DAY)
    assert wide.value == pytest.approx(even.value)
    assert wide.low < even.low < even.high < wide.high
    foreseen = record(gain=bursts)._replace(expected=record(gain=bursts).gain)  # when they come, not that they do
    wide = reading(curve(edited()[0], LONG_AGO), foreseen, MANY).quality(2.0 / DAY)
    assert wide.low < even.low < even.high < wide.high
    few = read(seen=EvidenceCounts(3, 3, 3)).quality(2.0 / DAY)
    assert few.low < even.low < even.high < few.high


def test_fetches_for_a_quality_bring_that_quality():
    """And an interval of the one is an interval of the other."""
    found = read()
    for level in (0.98, 0.99, 0.995):
        fetches = found.fetches_for(level)
        assert found.quality(fetches.value).value == pytest.approx(level)
        assert fetches.low < fetches.value < fetches.high
        assert found.quality(fetches.high).low == pytest.approx(level, abs=0.002)


def test_what_no_budget_reaches_is_said_so():
    """It is infinite; and what is there without any is 0."""
    found = DialReading(np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.7, 0.9]), np.array([[0.5, 0.7, 0.9]] * 10))
    assert found.fetches_for(0.95) == Estimate(np.inf, np.inf, np.inf)
    assert found.fetches_for(0.4) == Estimate(0.0, 0.0, 0.0)
    assert found.fetches_for(0.8) == pytest.approx((1.5, 1.5, 1.5))
    assert found.quality(5.0).value == 0.9


@pytest.mark.parametrize(
    ("finding", "why"),
    [
        (record(weeks=4, a_week=49), "196 measured fetches are on record, and 200 are needed"),
        (record(weeks=1, a_week=300), "the record is of 1 week, and 2 are needed"),
        (record(weeks=0), "0 measured fetches are on record, and 200 are needed"),
        (record(weeks=2, a_week=100), ""),
    ],
)
def test_a_short_record_says_nothing(finding, why):
    """The reason is named."""
    assert too_little(finding) == why


# ---- of a crawl


def run(*arguments):
    done = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_the_command_says_what_budgets_bring(tmp_path):
    """In sentences, and in JSON with a curve that ascends; the present budget lies on it."""
    path = recorded_crawl(tmp_path / "crawl", 10)
    found = json.loads(run("budget", path, "--json"))
    assert found["measured_fetches"] == 310
    assert found["days_on_record"] == pytest.approx(70, abs=0.1)
    assert found["budget"]["fetches_a_day"] == 100_000
    points = found["curve"]
    assert [each["fetches_a_day"] for each in points] == sorted({each["fetches_a_day"] for each in points})
    assert [each["value"] for each in points] == sorted(each["value"] for each in points)
    assert all(0 <= each["low"] <= each["high"] <= 1 for each in points)
    assert points[0] == {"fetches_a_day": 0.0} | found["without_fetches"]
    assert points[0]["value"] < found["budget"]["quality"]["value"] <= points[-1]["value"]
    finding = run("budget", path).splitlines()
    assert len(finding) == 6
    assert finding[0].startswith("Estimated from 310 measured fetches in 70 days, for the next 183 days")
    assert [line[: line.index("%")] for line in finding[1:4]] == ["90", "95", "99"]
    assert finding[4].startswith("The current budget, 100,000 fetches a day, is expected to reach ")


def test_the_document_shows_what_is_printed(tmp_path, monkeypatch):
    """The commands of docs/explanation/budget.md run, and print such sentences; numbers are of the crawl."""
    text = (Path(__file__).parents[2] / "docs" / "explanation" / "budget.md").read_text()
    [(command, shown)] = re.findall(r"^\$ sought (budget my-crawl)\n(.*?)```", text, re.M | re.S)
    monkeypatch.chdir(tmp_path)
    path = recorded_crawl(tmp_path / "my-crawl", 10)
    config = (path / "sought.toml").read_text()
    (path / "sought.toml").write_text(config.replace('revisit_after = "0s"', 'revisit_after = "1d"'))
    assert plain(run(*command.split())) == plain(shown)
    assert re.findall(r"^\$ sought lab run (\S+)", text, re.M) == ["budget-dial"]


def plain(text):
    """Without what is between brackets, and without numbers."""
    return re.sub(r"[\d.,]*\d", "N", re.sub(r"\[.*?\]", "[]", text))


def test_the_command_says_when_it_cannot_know(tmp_path):
    """Instead of a number."""
    path = recorded_crawl(tmp_path / "crawl", 1)
    found = json.loads(run("budget", path, "--json"))
    assert set(found) == {"directory", "measured_fetches", "why_not"}
    [line] = run("budget", path).splitlines()
    assert line.startswith(
        "There is not enough data to estimate what a budget achieves: 31 measured fetches are on record"
    )


def test_a_quality_that_is_out_of_reach_is_told():
    """And what is known of the lower end."""
    never = {"value": None, "low": 12.0, "high": None}
    quality = {"value": 0.5, "low": 0.4, "high": 0.6}
    numbers = {"measured_fetches": 1000, "days_on_record": 20.0, "days_ahead": 180.0, "days_between_fetches": 1.0}
    today = {"budget": {"fetches_a_day": 5.0, "quality": quality}, "without_fetches": quality}
    said = lines({**numbers, **today, "levels": {"0.99": never}})
    assert said[1] == (
        "99% of the attainable quality is out of reach with at least 24 hours between two fetches of a page "
        "[12 or more]."
    )


# ---- in the laboratory


def test_the_study_runs(tmp_path, monkeypatch):
    """A verdict from numbers, with what it follows from."""
    monkeypatch.setattr(budget_dial, "FEWEST_FETCHES", 20)
    recorder, folder = WorldRecorder(), tmp_path / "made-up.world"
    shape = WebShape(hosts=3, pages=40, weeks=8, words=40.0, vocabulary=400, topics=5, queries=60, rate=0.3, traps=0.0)
    recorded = generate(recorder, shape)
    save_world(recorder.finish("made-up", recorded.seeds, recorded.start, recorded.end, WEEK), folder, recorder.texts)
    finding = EXPERIMENTS["budget-dial"].run(StudyContext([folder], tmp_path / "results", cores=0, quick=True))
    assert finding.verdict in VERDICTS
    assert finding.verdict != UNJUDGED
    assert finding.numbers["made-up"]
    assert [table.title.partition(": ")[2].partition(",")[0] for table in finding.tables] == [
        "what must hold",
        "quality by budget",
        "fetches for a quality",
    ]
    assert all(len(row) == len(table.columns) for table in finding.tables for row in table.rows)
    assert len(finding.figures) == 1


def answer(value, true, about=0.95, low=0.0, high=np.inf):
    return dial.DialAnswer(0.02, about, Estimate(value, low, high), true)


def test_the_dial_is_judged_by_intervals_and_by_budgets():
    """Six in ten, and a factor of two on average, be it too much or too little; of what no replay tells nothing is."""
    qualities = [answer(0.9, true, 0.01, 0.8, 0.95) for true in (0.7, 0.81, 0.9, 0.94, 0.96)]
    budgets = [answer(10.0, 30.0), answer(30.0, 20.0), answer(1.0, np.nan, 0.99)]

    def verdicts(*found):
        return [claim.holds for claim in dial.claims_of(dial.DialAnswers(*found))]

    assert verdicts(qualities, budgets) == [True, False]  # three in five are six in ten; 3 × 1.5 is more than 2²
    assert verdicts(qualities[1:], [*budgets[1:], answer(20.0, 30.0)]) == [True, True]
    assert verdicts(qualities[1:], [answer(9.0, np.nan), answer(30.0, 20.0, 0.99)]) == [True, True]
    assert verdicts([qualities[0], *qualities[2:]], [answer(np.inf, 20.0)]) == [False, False]
    assert verdicts(qualities[1:], [answer(9.0, np.nan)]) == [True]
