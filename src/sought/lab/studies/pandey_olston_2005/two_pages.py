"""E000-5: what is refreshed of a page whose adverts change, and of one that announces this week's seminar?

S. Pandey, C. Olston, User-Centric Web Crawling, WWW 2005, Examples 1 and 2.  A web made by hand: ordinary pages, each
rewritten now and then, and in it something that a few people ask for; a page of adverts, rewritten as much and as often
as those, where nobody asks for any of it; a seminar's page, which every week says what is then asked for most.  Whoever
counts large changes fetches the adverts like all others, and gives up on the seminar, which is never fresh for long.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sought.lab.measures import Quality
from sought.lab.replay.setting import Learnt, Setting
from sought.lab.studies.adapter import Figure, Finding, ResultTable, Study, StudyContext, Value, WorldResult, finding
from sought.lab.studies.cells import Cell, judge_for, run_cell
from sought.lab.studies.figures import lines
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import WEEK, World
from sought.policy import UserCentric
from sought.policy.staleness_based import StalenessBased
from sought.web.message import Response
from sought.web.policy import Policy

WEEKS, ORDINARY, EVERY = 40, 20, 5  # an ordinary page is rewritten every fifth week
FETCHES = 3  # a week
WORDS = 60  # on a page
MONDAY = 1704067200.0
SITE = "http://site.test/"
FEW = 0.1  # of the fetches that the staleness-based policy gives the adverts; of weeks in which it fetches the seminar
OFTEN = 0.8  # of weeks in which the user-centric policy fetches the seminar

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


def fetched(told: Learnt) -> dict[str, TwoPageFetches]:
    """By each policy."""
    world, setting = made_by_hand(), Setting(rounds=1, split="none", scorer="TfIdf()", told=told)
    judge, found = judge_for(world, setting), {}
    for name, policy in POLICIES.items():
        run = run_cell(Cell(world.name, "", policy, FETCHES, setting), judge).run
        counts = np.bincount(run.log.page[run.log.page >= 0], minlength=len(world.urls))
        adverts, seminar = (int(counts[world.pages[url]]) for url in (ADVERTS, SEMINAR))
        ordinary = float(np.mean([counts[world.pages[f"{SITE}page{number}"]] for number in range(ORDINARY)]))
        found[name] = TwoPageFetches(adverts, seminar, ordinary, float(Quality()(run).mean()))
    return found


def run(bench: StudyContext) -> Finding:
    report, found = bench.progress("two pages"), {}
    arms: tuple[Learnt, ...] = ("all", "own")
    for done, told in enumerate(arms):
        report(done, len(arms))
        found[told] = fetched(told)
    report(len(arms), len(arms))
    return finding("E000-5", bench, [judged(found["all"], found["own"])], fetches=FETCHES, weeks=WEEKS)


def judged(told: Mapping[str, TwoPageFetches], own: Mapping[str, TwoPageFetches]) -> WorldResult:
    """The verdict is of what is told in-sample, as in the paper; what a crawl learns by itself is beside it."""
    user, stale = told[USER_CENTRIC], told[STALENESS]
    checks = {
        f"user-centric fetches the adverts {user.adverts} times, staleness-based {stale.adverts} times": user.adverts
        <= FEW * stale.adverts,
        f"staleness-based fetches the adverts {stale.adverts} times, an ordinary page {stale.ordinary:.1f} times": (
            stale.adverts >= stale.ordinary / 2 > 0
        ),
        f"user-centric fetches the seminar in {user.seminar} of {WEEKS} weeks": user.seminar >= OFTEN * WEEKS,
        f"staleness-based fetches the seminar in {stale.seminar} of {WEEKS} weeks": stale.seminar <= FEW * WEEKS,
    }
    failed = [check for check, holds in checks.items() if not holds]
    because = f"not so: {'; '.join(failed)}" if failed else "; ".join(checks)
    rows: list[list[Value]] = [
        [name, label, each.adverts, each.seminar, each.ordinary, each.quality]
        for label, found in (("in-sample", told), ("by itself", own))
        for name, each in found.items()
    ]
    numbers: dict[str, Value] = {
        f"{row[0]}, {row[1]}: {what}": value
        for row in rows
        for what, value in zip(("fetches of the adverts", "fetches of the seminar"), row[2:4], strict=True)
    }
    columns = ["policy", "learnt", "fetches of the adverts", "of the seminar", "of an ordinary page", "mean quality"]
    table = ResultTable(f"Fetches in {WEEKS} weeks, {FETCHES} a week", columns, rows)
    return WorldResult("made by hand", not failed, because, numbers, [table], [_figure(told)])


def _figure(found: Mapping[str, TwoPageFetches]) -> Figure:
    title = "Fetches of three kinds of pages (in-sample)"
    kinds = [1.0, 2.0, 3.0]
    series = {name: (kinds, [float(f.adverts), f.ordinary, float(f.seminar)]) for name, f in found.items()}
    x = "1: adverts, 2: an ordinary page, 3: seminar"
    return Figure(title, lines(series, x, f"fetches in {WEEKS} weeks", f"{title} (E000-5)"))


TWO_PAGES = Study(
    "E000-5",
    "000",
    "Adverts and a seminar (Examples 1 and 2)",
    "Are large changes that nobody asks for left alone, and fast ones that many ask for fetched?",
    f"in-sample: user-centric gives adverts at most {FEW:g} of the fetches that staleness-based gives them, which "
    f"treats them like ordinary pages; it fetches the seminar in {OFTEN:.0%} of weeks, staleness-based in at most "
    f"{FEW:.0%}",
    "nothing: the web is made by hand",
    run,
    worldless=True,
)
