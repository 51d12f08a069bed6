"""How often is a page refreshed whose adverts change, and one that announces this week's seminar?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, Examples 1 and 2.  A web made by hand: ordinary pages, each
rewritten now and then, and in it something that a few people ask for; a page of adverts, rewritten as much and as often
as those, where nobody asks for any of it; a seminar's page, which every week says what is then asked for most.  A
policy that counts large changes fetches the adverts like all others and gives up on the seminar, which is never fresh
for long.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sought.lab.measures import Quality
from sought.lab.replay.setting import FetchHistory, Setting
from sought.lab.studies.cells import Cell, judge_for, run_cell
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2005 import PAPER
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import WEEK, World
from sought.policy import UserCentric
from sought.policy.staleness_based import StalenessBased
from sought.web.message import Response
from sought.web.policy import Policy

NAME = f"{PAPER}-example-1"
WEEKS, ORDINARY, EVERY = 40, 20, 5  # an ordinary page is rewritten every fifth week
FETCHES = 3  # a week
WORDS = 60  # on a page
MONDAY = 1704067200.0
SITE = "http://site.test/"
FEW = 0.1  # of the fetches that the staleness-based policy gives the adverts; of weeks in which it fetches the seminar
OFTEN = 0.8  # of weeks in which the user-centric policy fetches the seminar

ADVERTS_LEFT = Statement(f"user-centric gives adverts at most {FEW:g} of the fetches that staleness-based gives them")
ADVERTS_FETCHED = Statement("staleness-based gives adverts at least half of the fetches of an ordinary page")
SEMINAR_FETCHED = Statement(f"user-centric fetches the seminar in {OFTEN:.0%} of weeks")
SEMINAR_LEFT = Statement(f"staleness-based fetches the seminar in at most {FEW:.0%} of weeks")

USER_CENTRIC, STALENESS = "user-centric", "staleness-based"
POLICIES: Mapping[str, Policy] = {USER_CENTRIC: UserCentric(), STALENESS: StalenessBased()}
ADVERTS, SEMINAR = f"{SITE}adverts", f"{SITE}seminar"


@dataclass(frozen=True)
class TwoPageFetches:
    """How often a policy fetched each page, and the mean quality of answers."""

    adverts: int
    seminar: int
    ordinary: float
    quality: float


def made_by_hand() -> World:
    recorder = WorldRecorder()
    for week in range(WEEKS + 1):
        for name, text in _pages(week):
            body = f"<html lang=en><title>{name}</title><body><main>{text}</main></body></html>".encode()
            headers = (("content-type", "text/html"),)
            recorder.answer(Response(SITE + name, 200, headers=headers, raw=body, body=body, time=MONDAY + week * WEEK))
    for query, count, week in _queries():
        recorder.ask(query, count, MONDAY + week * WEEK)
    return recorder.finish("made by hand", (f"{SITE}front",), MONDAY, MONDAY + WEEKS * WEEK, WEEK)


def _pages(week: int) -> Iterator[tuple[str, str]]:
    """All pages as they are in a week; all are equally long, so that no score changes by a page's length."""
    names = [f"page{number}" for number in range(ORDINARY)]
    yield "front", " ".join(f'<a href="/{name}">{name}</a>' for name in (*names, "adverts", "seminar"))
    for number, name in enumerate(names):
        edition = (week + number) // EVERY
        yield name, f"{name} news{number}x{edition} {_filler(name, edition)}"
    edition = (week + ORDINARY) // EVERY
    yield "adverts", f"offers bargain{edition} {_filler('advert', edition)}"
    yield "seminar", f"seminar talk{week} {_filler('abstract', week)}"


def _filler(kind: str, edition: int) -> str:
    return " ".join(f"{kind}word{edition}n{place}" for place in range(WORDS))


def _queries() -> Iterator[tuple[str, float, int]]:
    """Query, how often a week, and from which week on."""
    for number in range(ORDINARY):
        yield f"page{number}", 20.0, 0
        for edition in range(number // EVERY, (WEEKS + number) // EVERY + 1):
            yield f"news{number}x{edition}", 1.0, max(0, edition * EVERY - number)
    yield "offers", 20.0, 0
    for week in range(WEEKS + 1):
        yield f"talk{week}", 20.0, week
        if week < WEEKS:
            yield f"talk{week}", 0.0, week + 1  # it is over


def fetched(history: FetchHistory) -> dict[str, TwoPageFetches]:
    """By each policy."""
    world, setting = made_by_hand(), Setting(rounds=1, split="none", scorer="TfIdf()", history=history)
    judge, fetches = judge_for(world, setting), {}
    for name, policy in POLICIES.items():
        run = run_cell(Cell(world.name, "", policy, FETCHES, setting), judge).run
        counts = np.bincount(run.log.page[run.log.page >= 0], minlength=len(world.urls))
        adverts, seminar = (int(counts[world.pages[url]]) for url in (ADVERTS, SEMINAR))
        ordinary = float(np.mean([counts[world.pages[f"{SITE}page{number}"]] for number in range(ORDINARY)]))
        fetches[name] = TwoPageFetches(adverts, seminar, ordinary, float(Quality()(run).mean()))
    return fetches


def across(worlds: Mapping[str, Any], context: StudyContext) -> WorldResult:
    report, results = context.progress("two pages"), {}
    arms: tuple[FetchHistory, ...] = ("all", "own")
    for done, history in enumerate(arms):
        report(done, len(arms))
        results[history] = fetched(history)
    report(len(arms), len(arms))
    return judged(results["all"], results["own"])


def judged(in_sample: Mapping[str, TwoPageFetches], own: Mapping[str, TwoPageFetches]) -> WorldResult:
    """The verdict goes by in-sample estimates, as in the paper; those of the crawl itself are shown beside them."""
    user, stale = in_sample[USER_CENTRIC], in_sample[STALENESS]
    ordinary = f"{stale.adverts}, and {stale.ordinary:.1f} of an ordinary page"
    claims = [
        Claim(ADVERTS_LEFT, user.adverts <= FEW * stale.adverts, f"{user.adverts} and {stale.adverts}"),
        Claim(ADVERTS_FETCHED, stale.adverts >= stale.ordinary / 2 > 0, ordinary),
        Claim(SEMINAR_FETCHED, user.seminar >= OFTEN * WEEKS, f"{user.seminar} of {WEEKS}"),
        Claim(SEMINAR_LEFT, stale.seminar <= FEW * WEEKS, f"{stale.seminar} of {WEEKS}"),
    ]
    rows: list[list[Value]] = [
        [name, label, each.adverts, each.seminar, each.ordinary, each.quality]
        for label, fetches in (("in-sample", in_sample), ("by itself", own))
        for name, each in fetches.items()
    ]
    numbers: dict[str, Value] = {
        f"{row[0]}, {row[1]}: {what}": value
        for row in rows
        for what, value in zip(("fetches of the adverts", "fetches of the seminar"), row[2:4], strict=True)
    }
    columns = ["policy", "learned", "fetches of the adverts", "of the seminar", "of an ordinary page", "mean quality"]
    table = ResultTable(f"Fetches in {WEEKS} weeks, {FETCHES} a week", columns, rows)
    return WorldResult(claims, numbers, [table], [_figure(in_sample)], world="made by hand")


def _figure(fetches: Mapping[str, TwoPageFetches]) -> Figure:
    title = "Fetches of three kinds of pages (in-sample)"
    kinds = [1.0, 2.0, 3.0]
    series = {name: (kinds, [float(f.adverts), f.ordinary, float(f.seminar)]) for name, f in fetches.items()}
    x = "1: adverts, 2: an ordinary page, 3: seminar"
    return line_figure(NAME, title, series, x, f"fetches in {WEEKS} weeks")


TWO_PAGES = Study(
    NAME,
    PAPER,
    "Adverts and a seminar (Examples 1 and 2)",
    "Are large changes that nobody asks for left alone, and fast ones that many ask for fetched?",
    "nothing: the web is made by hand",
    (ADVERTS_LEFT, ADVERTS_FETCHED, SEMINAR_FETCHED, SEMINAR_LEFT),
    across=across,
    settings={"fetches": FETCHES, "weeks": WEEKS},
    aliases=(f"{PAPER}-example-2", "E000-5"),
)
