"""The parts of the demo: people whose interests drift, and a judge who knows the toy web as it is."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numba
import numpy as np
import pytest

from sought.demo.conditions import Conditions
from sought.demo.example import ExampleAnswers, ShownAnswer, difference
from sought.demo.figures import DEFAULT, LATELY, ROUND_ROBIN, Judged, Scoreboard
from sought.demo.judge import ToyTruth, value
from sought.demo.pace import PEOPLE, Pace
from sought.demo.searchers import RANKS, Public, clicked, question, seen
from sought.demo.state import NAMES
from sought.toyweb import ToyWeb, serve_in_thread
from sought.web.compiled import compiling

TOY = ToyWeb(sites=12, pages=30, hostile=False)


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToyTruth]:
    """Of day 0."""
    found = ToyTruth(TOY, tmp_path_factory.mktemp("truth"))
    found.renew(0.0)
    yield found
    found.close()


def test_the_same_seed_is_the_same_people() -> None:
    """What is asked, and how often, depends on the seed and on toy time alone."""
    first, again, others = (Public(TOY, seed).questions(3.0) for seed in (1, 1, 2))
    assert first.texts == again.texts == others.texts
    assert np.array_equal(first.weights, again.weights)
    assert not np.allclose(first.weights, others.weights)
    assert first.weights.sum() == pytest.approx(1.0)
    drawn = [[first.drawn(np.random.default_rng(7)) for _ in range(5)] for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_few_questions_are_asked_often() -> None:
    """A tenth of the questions makes up more than half of what is asked, and none of it all."""
    weights = np.sort(Public(TOY).questions(0.0).weights)[::-1]
    assert weights[: len(weights) // 10].sum() > 0.5
    assert weights[0] < 0.2


def test_interests_wander() -> None:
    """After ten days another subject is asked for most, and each has its days."""
    public = Public(TOY)
    subjects = [site.subject.name for site in TOY.atlas.sites]
    most = {max((public.interest(name, float(t)), name) for name in subjects)[1] for t in range(0, 100, 10)}
    assert len(most) > 3
    for name in subjects:
        interest = [public.interest(name, t / 2) for t in range(120)]
        assert max(interest) > 4 * min(interest)
        assert max(abs(np.diff(np.log(interest)))) < 1.0  # it does not jump


def test_what_is_new_is_asked_for_at_once() -> None:
    """Pages make up more of what is asked on their first day than a week later, all together."""
    public = Public(TOY)
    born = [page for site in TOY.atlas.sites for page in site.live(20.0) if 0 < page.born < page.dies - 8.0]
    assert len(born) > 20

    def share(days: float) -> float:
        asked = (dict(public.questions(page.born + days).top(10**6)).get(question(page), 0.0) for page in born)
        return sum(asked)

    assert share(0.01) > 1.5 * share(7.0) > 0.0


def test_every_question_has_an_answer(truth: ToyTruth) -> None:
    """A question is two or three words of a live page's title, side by side, and that page is among its answers."""
    pages = [page for site in TOY.atlas.sites for page in site.live(0.0) if page.language == "en"]
    for page in pages[::20]:
        assert 2 <= len(question(page).split()) <= 3
        assert question(page) in page.title.lower().replace(" a ", " ").replace(" an ", " ").replace(" the ", " ")
        assert TOY.atlas.url(page.site.host, page.path(0.0)) in truth.scores(question(page))


def test_no_word_of_a_question_is_on_too_many_pages(truth: ToyTruth) -> None:
    """The judge looks at no more than a thousand pages, half of all: fewer than that have any word of a question."""
    toy = ToyWeb(hostile=False)
    pages = [page for site in toy.atlas.sites for page in site.live(0.0)]
    asked = {word for page in pages for word in question(page).split()}
    found: Counter[str] = Counter()
    assert 1900 < len(pages) < 2200
    for page in pages[::5]:
        body = toy.answer(page.site.host, page.path(0.0), {}, 0.0).body.decode(page.encoding)
        found.update(asked & set(re.findall(r"\w+", re.sub(r"<[^>]+>", " ", body).lower())))
    assert 20 < max(found.values()) < 150  # of 400


def test_people_look_at_few_ranks_and_click_on_what_is_good() -> None:
    """The first rank is always seen, the tenth hardly ever; what is worth nothing is never clicked on."""
    rng = np.random.default_rng(1)
    looks = [seen(rng, RANKS) for _ in range(2000)]
    counts = np.bincount([rank for look in looks for rank in look], minlength=RANKS + 1)
    assert counts[1] == 2000
    assert counts[1] > counts[2] > counts[4] > counts[10] > 0
    clicks = [clicked(rng, [0.0, 9.0, 0.0], 9.0) for _ in range(500)]
    assert set(clicks) == {0, 2}
    assert clicked(rng, [], 9.0) == 0


def test_a_perfect_mirror_is_worth_all_and_an_empty_one_nothing(truth: ToyTruth) -> None:
    """Quality 1 is the best answer there is, 0 an answer without a single page that is there."""
    for query, _ in Public(TOY).questions(0.0).top(20):
        best = list(truth.scores(query))[:RANKS]
        ideal = truth.ideal(query)
        assert truth.worth(query, best) == ideal
        assert value(ideal) > 0.0
        assert value(truth.worth(query, [])) == 0.0
        assert value(truth.worth(query, ["http://nowhere.toy.test/", "nonsense"])) == 0.0
        assert 0.0 < value(truth.worth(query, best[::-1])) <= value(ideal)


def test_a_stale_mirror_is_between(tmp_path: Path) -> None:
    """Answers of day 0 are still worth something a month later, and less than those of that day."""
    truth = ToyTruth(TOY, tmp_path)
    questions = [text for text, _ in Public(TOY).questions(30.0).top(60)]
    truth.renew(0.0)
    old = {query: list(truth.scores(query))[:RANKS] for query in questions}
    assert truth.renew(30.0) > 50
    assert truth.renew(30.0) == 0
    stale = sum(value(truth.worth(query, old[query])) for query in questions)
    ideal = sum(value(truth.ideal(query)) for query in questions)
    truth.close()
    assert 0.2 * ideal < stale < 0.95 * ideal


def test_truth_is_the_same_whichever_way_it_came_about(tmp_path: Path) -> None:
    """Brought up to date or made from nothing: the same pages are found, and worth about the same."""
    stepwise, at_once = ToyTruth(TOY, tmp_path / "a"), ToyTruth(TOY, tmp_path / "b")
    for t in (0.0, 4.0, 9.0):
        stepwise.renew(t)
    at_once.renew(9.0)
    for query, _ in Public(TOY).questions(9.0).top(30):
        assert stepwise.scores(query).keys() == at_once.scores(query).keys()
        assert stepwise.ideal(query) == pytest.approx(at_once.ideal(query), rel=0.2)  # words of gone pages still count
    stepwise.close()
    at_once.close()


def test_what_counts_is_what_was_asked_since_both_ran() -> None:
    """The score of late goes back ten seconds, the other one to the last restart; both are shares of the best."""
    board = Scoreboard()
    assert (board.overall, board.lately(0.0)) == (None, None)
    board.add(Judged(0.0, 10.0, (0.0, 0.0)))
    board.restart()
    board.add(Judged(1.0, 10.0, (5.0, 1.0)))
    board.add(Judged(LATELY + 0.5, 30.0, (15.0, 9.0)))
    assert board.searches == 2
    assert board.overall == (0.5, 0.25)
    late = board.lately(LATELY + 2.0)
    assert late is not None
    assert late.quality == (0.5, 0.3)


@pytest.mark.slow
def test_the_clock_waits_for_whoever_is_behind() -> None:
    """It is never more than `lead` seconds ahead of anybody, toy time stands still with it, and it says who is slow."""
    with serve_in_thread(TOY, 0.1) as served:
        pace = Pace(served, 0.1, 0.3)
        time.sleep(0.4)
        assert (pace.now(), served.now(), pace.stood, pace.note()) == (0.0, 0.0, 0.0, "")
        pace.start()
        pace.report(DEFAULT, 9.0)
        pace.report(PEOPLE, 9.0)
        time.sleep(0.5)
        assert pace.now() == pytest.approx(0.3)
        pace.report(ROUND_ROBIN, 0.4)
        time.sleep(0.6)
        assert pace.now() == pytest.approx(0.7)
        assert served.now() == pytest.approx(0.07)
        assert 0.5 < pace.stood < 60.0
        assert pace.behind == "the round-robin crawl"
        asyncio.run(_reached(pace))


async def _reached(pace: Pace) -> None:
    """Whoever waits for a time goes on when it comes, or when all is over."""
    stop = asyncio.Event()
    waiting = asyncio.create_task(pace.reached(0.8, stop))
    await asyncio.sleep(0.3)
    assert not waiting.done()
    pace.report(ROUND_ROBIN, 0.6)
    await asyncio.wait_for(waiting, 30.0)
    assert pace.now() >= 0.8
    waiting = asyncio.create_task(pace.reached(99.0, stop))
    await asyncio.sleep(0.1)
    stop.set()
    await asyncio.wait_for(waiting, 30.0)


def test_a_slow_contest_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not in its first seconds, nor while it runs as fast as it should."""
    with serve_in_thread(TOY, 0.1) as served:
        pace = Pace(served, 0.1, 1.0)
        pace.start()
        assert pace.note() == ""
        now = time.monotonic()
        monkeypatch.setattr("time.monotonic", lambda: now + 8.0)
        assert "8.0 times slower than planned" in pace.note()
        assert "waits for the default policy's crawl" in pace.note()
        for who in (DEFAULT, ROUND_ROBIN, PEOPLE):
            pace.report(who, 17.0)
        monkeypatch.setattr("time.monotonic", lambda: now + 17.0)
        assert pace.note() == ""


def answers(left: dict[str, float], right: dict[str, float], gone: frozenset[str] = frozenset()) -> ExampleAnswers:
    """Both lists of titles, with what each page is really worth; the best page there is is worth 9."""
    shown = [ShownAnswer(None, tuple(f"http://{title}/" for title in each), tuple(each), 9) for each in (left, right)]
    worth = [list(each.values()) for each in (left, right)]
    quality = [value(each) / value([9.0, 5.0]) for each in worth]
    away = [[title in gone for title in each] for each in (left, right)]
    return ExampleAnswers(
        "owl", (shown[0], shown[1]), (worth[0], worth[1]), (away[0], away[1]), 9.0, 1.0, (quality[0], quality[1])
    )


@pytest.mark.parametrize(
    ("left", "right", "sentence"),
    [
        ({"A": 9.0, "B": 5.0}, {"A": 9.0, "B": 5.0}, "Both answers are equally good."),
        ({"A": 9.0, "B": 5.0}, {"A": 9.0, "C": 5.0}, "Both answers are equally good."),
        ({"A": 9.0, "B": 5.0}, {}, "Round-robin has no results."),
        ({"A": 9.0, "B": 5.0}, {"B": 5.0}, "Round-robin is missing “A”."),
        ({"B": 5.0}, {"B": 5.0, "A": 9.0}, "Default policy is missing “A”."),
        ({"A": 9.0, "B": 5.0}, {"Gone": 0.0, "B": 5.0}, "Round-robin shows a page that is gone: “Gone”."),
        ({"Gone": 0.0, "A": 9.0}, {"A": 9.0}, "Default policy shows a page that is gone: “Gone”."),
        ({"Old": 0.0, "A": 9.0}, {"A": 9.0}, "Default policy shows a page whose text has changed: “Old”."),
        (
            {"A": 9.0, "B": 5.0},
            {"B": 5.0, "A": 9.0},
            "Both show the same pages; Default policy has them in a better order.",
        ),
    ],
)
def test_the_difference_is_one_sentence(left: dict[str, float], right: dict[str, float], sentence: str) -> None:
    """It says what is wrong with the worse answer, whichever side that is."""
    assert difference(answers(left, right, frozenset({"Gone"})), NAMES) == sentence


def test_the_judge_knows_what_is_gone(tmp_path: Path) -> None:
    """A page that nobody finds any more is gone, one that has changed its mind is not."""
    truth = ToyTruth(TOY, tmp_path)
    truth.renew(0.0)
    [(query, _)] = Public(TOY).questions(0.0).top(1)
    urls = tuple(list(truth.scores(query))[:RANKS])
    shown = ShownAnswer(None, (*urls, "http://nowhere.toy.test/"), (*urls, "Nowhere"), 9)
    found = truth.judge(query, (shown, ShownAnswer(None, (), (), 9)))
    assert found is not None
    assert found.gone == ([False] * len(urls) + [True], [])
    assert found.quality[0] == pytest.approx(1.0)
    assert found.quality[1] == 0.0
    assert found.differ
    assert truth.judge("nosuchwordatall", (shown, shown)) is None
    truth.close()


def test_compiling_is_counted() -> None:
    """One for each function that has to be compiled, none for one that is there."""
    counts: list[int] = []
    function = numba.njit(lambda number: number + 1)
    with compiling(counts.append):
        assert (function(1), function(2)) == (2, 3)
    function(1.5)  # another type: compiled, and nobody counts
    assert counts == [1]


def test_both_sides_have_the_same_settings_but_for_the_policy(tmp_path: Path) -> None:
    """The same budget, hosts, seeds, manners and index, to the letter."""
    conditions = Conditions()
    with serve_in_thread(TOY) as served:
        texts = [
            (conditions.write(tmp_path / name, served, policy) / "sought.toml").read_text().replace(policy, "…")
            for name, policy in conditions.policies.items()
        ]
    assert texts[0] == texts[1]
