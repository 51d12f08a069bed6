"""Where the assumptions of theory hold, are its predictions about refresh rules right?

Pages change as Poisson processes do (lab/replay/poisson_pages.py), and rates are known.  The same rules are
also shown with rates learned from the fetches themselves.
"""

from collections.abc import Mapping
from typing import Any

from sought.lab.replay.poisson_pages import SimulatedMeans, Simulation, drawn
from sought.lab.studies.figures import line_figure
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult
from sought.policy import RoundRobin
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.optimal_freshness import OptimalFreshness
from sought.policy.poisson_rates import PoissonRates
from sought.web.policy import Policy

PAGES, FEW, HOSTS, UNITS, WARM_UP = 2000, 1000, 40, 160, 60
MEAN, BY_HOST, BY_PAGE = 0.3, 0.7, 1.0  # changes a unit, and how much hosts and pages differ
BUDGETS, QUICK = (0.05, 0.1, 0.2, 0.4), (0.2,)
SLACK = 0.002  # of freshness, by chance and because fetches come once a unit
OLDER = 0.01  # of age, likewise
NEAR = 0.03  # of freshness, that Poisson rates may be behind

ROUND_ROBIN, FRESHNESS, AGE, SEEN = "round-robin", "optimal freshness", "optimal age", "optimal freshness, views"
POISSON, HARMONIC = "Poisson rates", "LambdaCrawl"
POLICIES: Mapping[str, Policy] = {
    ROUND_ROBIN: RoundRobin(),
    FRESHNESS: OptimalFreshness(),
    AGE: OptimalFreshness(objective="age"),
    POISSON: PoissonRates(weight="same"),
    HARMONIC: LambdaCrawl(weight="same"),
    SEEN: OptimalFreshness(weight="views"),
}

FRESHEST = Statement(f"nobody keeps more copies fresh than optimal freshness, within {SLACK}")
FRESHER = Statement("it keeps more of them fresh than round-robin")
YOUNGEST = Statement(f"nobody keeps copies younger than optimal age, within {OLDER:.0%}")
MOST_SEEN = Statement(f"weighed by views, more is fresh of what is seen than by any other, within {SLACK}")
AT_RANDOM = Statement(f"rates for fetches at random are behind by at most {NEAR}")
LEARNED = Statement("with rates that must be learnt it still beats round-robin")

Means = Mapping[tuple[str, float, bool], SimulatedMeans]  # by policy, budget, and whether rates are known


def across(worlds: Mapping[str, Any], context: StudyContext) -> WorldResult:
    means = simulated(QUICK if context.quick else BUDGETS, context)
    return WorldResult(claims_of(means), _numbers(means), [_table(means)], [_figure(means)], world="Poisson pages")


def simulated(budgets: tuple[float, ...], context: StudyContext) -> Means:
    count, units = (FEW, UNITS // 4) if context.quick else (PAGES, UNITS)
    pages = drawn(count, HOSTS, MEAN, BY_HOST, BY_PAGE, 0)
    cases = [(name, budget, known) for name in POLICIES for budget in budgets for known in (True, False)]
    means = {}
    for done, (name, budget, known) in enumerate(cases):
        context.report("simulating", done, len(cases))
        simulation = Simulation(pages, POLICIES[name], round(budget * count), known=known)
        means[name, budget, known] = simulation.run(units, min(WARM_UP, units // 2))
    context.report("simulating", len(cases), len(cases))
    return means


def claims_of(means: Means) -> list[Claim]:
    budgets = sorted({budget for _, budget, _ in means})
    known = [(name, budget) for name, budget, is_known in means if is_known]
    rest = [means[n, b, True].freshness - means[FRESHNESS, b, True].freshness for n, b in known]
    ages = [means[AGE, b, True].age / means[n, b, True].age - 1 for n, b in known]
    seen = [means[n, b, True].seen - means[SEEN, b, True].seen for n, b in known]
    lead = [means[FRESHNESS, b, True].freshness - means[ROUND_ROBIN, b, True].freshness for b in budgets]
    behind = [means[FRESHNESS, b, True].freshness - means[POISSON, b, True].freshness for b in budgets]
    learned = [means[FRESHNESS, b, False].freshness - means[ROUND_ROBIN, b, False].freshness for b in budgets]
    return [
        Claim(FRESHEST, max(rest) <= SLACK, f"at most {max(rest):+.4f}"),
        Claim(FRESHER, min(lead) > 0, _range(lead)),
        Claim(YOUNGEST, max(ages) <= OLDER, f"at most {max(ages):+.2%}"),
        Claim(MOST_SEEN, max(seen) <= SLACK, f"at most {max(seen):+.4f}"),
        Claim(AT_RANDOM, max(behind) <= NEAR, _range(behind)),
        Claim(LEARNED, min(learned) > 0, _range(learned)),
    ]


def _range(values: list[float]) -> str:
    return f"{min(values):+.4f} to {max(values):+.4f}"


def _numbers(means: Means) -> dict[str, Value]:
    return {
        f"{name} at {budget:.0%}, rates {'known' if known else 'learned'}: freshness": kept.freshness
        for (name, budget, known), kept in means.items()
    }


def _table(means: Means) -> ResultTable:
    rows: list[list[Value]] = [
        [name, budget, "known" if known else "learned", kept.freshness, kept.age, kept.seen]
        for (name, budget, known), kept in means.items()
    ]
    columns = ["policy", "budget", "rates", "freshness", "age, units", "freshness of what is seen"]
    return ResultTable("Poisson pages: means over time", columns, rows)


def _figure(means: Means) -> Figure:
    title = "Poisson pages: freshness by budget, rates known"
    series: dict[str, tuple[list[float], list[float]]] = {}
    for (name, budget, known), kept in means.items():
        if known:
            across, up = series.setdefault(name, ([], []))
            across.append(100 * budget)
            up.append(kept.freshness)
    return line_figure("refresh-theory", title, series, "fetches a unit, % of pages", "freshness")


REFRESH_THEORY = Study(
    "refresh-theory",
    "",
    "Refresh rules where theory holds",
    "If pages change as Poisson processes do and rates are known, does what theory says of rules come out?",
    "nothing",
    (FRESHEST, FRESHER, YOUNGEST, MOST_SEEN, AT_RANDOM, LEARNED),
    across=across,
    settings={"pages": PAGES, "units": UNITS, "mean": MEAN},
)
