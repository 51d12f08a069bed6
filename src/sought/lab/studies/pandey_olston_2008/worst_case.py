"""Is choosing pages for the worst case hard, and for the reason that the paper gives?

S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §4.1, Theorem 1 and Appendix A: the worst-case impact
of a set is not the sum of its pages', and any graph can be turned into a web in which the worst-case impact of a set
of pages shows how many edges the graph has among them.  So choosing pages well finds dense subgraphs, which is
NP-hard.  No world is needed: webs are made by hand, so small that the adversary can try all scores.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.index.sketches import Sketches
from sought.lab.studies.figures import line_figure
from sought.lab.studies.pandey_olston_2008.uncrawled import PAPER
from sought.lab.studies.pandey_olston_2008.worst_case_impact import MOST_TRIED, WorstCase
from sought.lab.studies.study import Claim, Figure, ResultTable, Statement, Study, StudyContext, Value, WorldResult

NAME = f"{PAPER}-theorem-1"
SEED = 0xE0037
WEBS, QUICK_WEBS = 300, 60
GRAPHS, QUICK_GRAPHS = 60, 12
PAGES = 5  # of a web that the adversary tries everything on
STEEP = tuple(float(r) ** -1.5 for r in range(1, 7))
FLAT = (1.0, 1.0, 1.0)
KINDS = {"V(r) = r^-1.5": (STEEP, (1, 2, 4)), "V(r) = 1 for r ≤ 3": (FLAT, (3,))}  # and the r with V(r) > V(r + 1)
STATEMENTS = TWO_PAGES, ADVERSARY, NO_SUM, TELLS_EDGES, MOST_EDGES, NO_DUMMY = (
    Statement("one page of two has V(2), both have V(1) + V(2)", "V(2); V(1) + V(2)"),
    Statement("every set has the impact that the adversary leaves it"),
    Statement("no set has less than the sum of its pages, and some have more"),
    Statement(
        "in webs made of graphs impact tells the edges inside, n: it is the paper's sum",
        "2K·V(1) + dK·V(r+1) + n·(V(r) - V(r+1))",
    ),
    Statement("most impact is most edges"),
    Statement("no dummy is chosen"),
)

Edges = list[tuple[int, int]]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SmallGraph:
    vertices: int
    edges: Edges

    @property
    def degrees(self) -> list[int]:
        return [sum(vertex in edge for edge in self.edges) for vertex in range(self.vertices)]

    def inside(self, chosen: Sequence[int]) -> int:
        """How many edges there are among some vertices."""
        return sum(one in chosen and other in chosen for one, other in self.edges)

    def densest(self, count: int) -> int:
        """The most edges that so many vertices have among them."""
        return max(self.inside(chosen) for chosen in combinations(range(self.vertices), count))


def web_of(
    lists: Sequence[Sequence[tuple[int, float, float]]],
    value: Sequence[float],
    crawled: Sequence[Sequence[float]] = (),
) -> WorstCase:
    """A web of these lists of uncrawled pages: row, lowest and highest score.  `crawled` has scores, best first."""
    pairs = [pair for each in lists for pair in each]
    row, low, high = zip(*pairs, strict=True) if pairs else ((), (), ())
    scores = np.zeros((len(lists), len(value)), np.float32)
    for query, known in enumerate(crawled):
        scores[query, : len(known)] = known
    sketches = Sketches(
        np.ones(len(lists)),
        scores,
        np.zeros(scores.shape, np.uint32),
        np.cumsum([0, *map(len, lists)]),
        np.array(row, np.int64),
        np.zeros(len(pairs), np.uint32),
    )
    return WorstCase(sketches, np.array(low, np.float32), np.array(high, np.float32), np.array(value))


def adversary(web: WorstCase, chosen: Sequence[int]) -> float:
    """The least impact of a set, by trying every whole score of every page: what `impact` must find without trying."""
    sketches, total = web.sketches, 0.0
    for query in range(len(sketches)):
        here = slice(int(sketches.bounds[query]), int(sketches.bounds[query + 1]))
        ours = np.isin(sketches.rows[here], chosen).tolist()
        ranges = [range(int(a), int(b) + 1) for a, b in zip(web.low[here], web.high[here], strict=True)]
        crawled = [(-score, False) for score in sketches.crawled[query].tolist() if score]
        least = min(_seen(scores, ours, crawled, web.value.tolist()) for scores in product(*ranges))
        total += float(sketches.weights[query]) * least
    return total


def _seen(scores: Sequence[int], ours: list[bool], crawled: list[tuple[float, bool]], value: list[float]) -> float:
    """Σ V(rank) of our pages in one list; equal scores are against us, and score 0 is no result."""
    results = sorted(crawled + [(-score, our) for score, our in zip(scores, ours, strict=True) if score])
    return sum(worth for (_, our), worth in zip(results, value, strict=False) if our)


def reduction(graph: SmallGraph, r: int, value: Sequence[float]) -> WorstCase:
    """Appendix A: pages are vertices, then dummies.  Lists are edges (A), two for each vertex (B), and fillers (C)."""
    rows, most = iter(range(graph.vertices, 1 << 30)), max(graph.degrees, default=0)

    def listed(pages: Sequence[int], dummies: int) -> list[tuple[int, float, float]]:
        return [(row, 1.0, 2.0) for row in [*pages, *(next(rows) for _ in range(dummies))]]

    edges = [listed(edge, r - 1) for edge in graph.edges]
    alone = [listed([vertex], 0) for vertex in range(graph.vertices) for _ in range(2)]
    filled = [listed([v], r) for v, degree in enumerate(graph.degrees) for _ in range(most - degree)]
    return web_of([*edges, *alone, *filled], value)


def predicted(graph: SmallGraph, r: int, value: Sequence[float], chosen: Sequence[int]) -> float:
    """What Appendix A says that the worst-case impact of vertices is: 2K·V(1) + dK·V(r+1) + n·(V(r) - V(r+1))."""
    here, below = value[r - 1], value[r] if r < len(value) else 0.0
    most = max(graph.degrees, default=0)
    return len(chosen) * (2 * value[0] + most * below) + graph.inside(chosen) * (here - below)


def across(data: Mapping[str, Any], context: StudyContext) -> WorldResult:
    webs, graphs = (QUICK_WEBS, QUICK_GRAPHS) if context.quick else (WEBS, GRAPHS)
    report = context.progress("worst cases")
    report(0, 2)
    sums = _sums(webs)
    report(1, 2)
    result = judged(sums, _reductions(graphs))
    report(2, 2)
    return result


@dataclass
class ImpactSums:
    """Of small webs: sets, those whose impact is not the adversary's, is more than the sum of its pages', is less."""

    sets: int = 0
    wrong: int = 0
    above: int = 0
    below: int = 0
    greedy: int = 0  # webs of which the greedy choice is the best one
    webs: int = 0


def random_web(dice: np.random.Generator) -> WorstCase:
    """A few short lists of few pages, with whole scores; of some pages it is not sure that they are results."""

    def listed() -> Iterator[tuple[int, float, float]]:
        for row in np.sort(dice.choice(PAGES, dice.integers(1, PAGES + 1), replace=False)).tolist():
            low = int(dice.integers(0, 4))
            yield row, low, low + int(dice.integers(0, 3))

    value = STEEP[:4] if dice.random() < 0.5 else (1.0, 1.0)
    lists = [list(listed()) for _ in range(dice.integers(1, 4))]
    crawled = [np.sort(dice.integers(1, 6, dice.integers(0, 3)))[::-1].tolist() for _ in lists]
    return web_of(lists, value, crawled)


def _sums(webs: int) -> ImpactSums:
    sums, dice = ImpactSums(webs=webs), np.random.default_rng(SEED)
    for _ in range(webs):
        web = random_web(dice)
        alone = {row: web.impact(np.array([row])) for row in web.rows.tolist()}
        for count in range(2, len(alone) + 1):
            for chosen in combinations(alone, count):
                impact, total = web.impact(np.array(chosen)), sum(alone[row] for row in chosen)
                sums.sets += 1
                sums.wrong += abs(impact - adversary(web, chosen)) > 1e-9
                sums.above += impact > total + 1e-9
                sums.below += impact < total - 1e-9
        half = (len(alone) + 1) // 2
        sums.greedy += abs(web.impact(web.greedy(half)) - web.impact(web.choose(half))) < 1e-9
    return sums


@dataclass(frozen=True)
class Reduced:
    """Of the webs of graphs, for one V and r: sets of vertices, those whose impact is not as stated, choices, …"""

    kind: str
    r: int
    graphs: int
    sets: int
    wrong: int
    densest: int  # graphs of which the set of most impact has the most edges
    tried: int  # graphs so small that dummies could be tried too
    dummies: int  # of these, where one was chosen
    greedy: int  # graphs of which the greedy choice has the most edges


def random_graph(dice: np.random.Generator, vertices: int) -> SmallGraph:
    pairs = list(combinations(range(vertices), 2))
    return SmallGraph(vertices, [pair for pair in pairs if dice.random() < 0.45] or pairs[:1])


def _reductions(graphs: int) -> list[Reduced]:
    return [
        _reduced(kind, value, r, graphs, np.random.default_rng([SEED, r]))
        for kind, (value, ranks) in KINDS.items()
        for r in ranks
    ]


def _reduced(kind: str, value: Sequence[float], r: int, graphs: int, dice: np.random.Generator) -> Reduced:
    sets = wrong = densest = tried = dummies = greedy = 0
    for number in range(graphs):
        graph = random_graph(dice, 4 + number % 6)
        web, count = reduction(graph, r, value), 2 + number % 3
        choices = list(combinations(range(graph.vertices), count))
        impacts = [web.impact(np.array(chosen)) for chosen in choices]
        sets += len(choices)
        wrong += sum(
            abs(impact - predicted(graph, r, value, chosen)) > 1e-9
            for chosen, impact in zip(choices, impacts, strict=True)
        )
        most = graph.densest(count)
        densest += graph.inside(choices[int(np.argmax(impacts))]) == most
        greedily = web.greedy(count).tolist()
        greedy += max(greedily) < graph.vertices and graph.inside(greedily) == most
        if len(web.rows) <= MOST_TRIED:
            tried += 1
            dummies += int(web.choose(count).max()) >= graph.vertices
    return Reduced(kind, r, graphs, sets, wrong, densest, tried, dummies, greedy)


def example() -> tuple[float, float]:
    """§4.1: two pages alone in a list.  The worst-case impact of one, and of both."""
    web = web_of([[(0, 1.0, 2.0), (1, 1.0, 2.0)]], STEEP)
    return web.impact(np.array([0])), web.impact(np.array([0, 1]))


def judged(sums: ImpactSums, reduced: Sequence[Reduced]) -> WorldResult:
    graphs = sum(each.graphs for each in reduced)
    numbers: dict[str, Value] = {
        "sets": sums.sets,
        "sets with another impact than the adversary's": sums.wrong,
        "share of sets with more than the sum of their pages": sums.above / sums.sets,
        "sets with less than the sum of their pages": sums.below,
        "sets of vertices": sum(each.sets for each in reduced),
        "sets of vertices with another impact than predicted": sum(each.wrong for each in reduced),
        "share of webs where the greedy choice is the best": sums.greedy / sums.webs,
        "share of graphs where the greedy choice is densest": sum(each.greedy for each in reduced) / graphs,
    }
    return WorldResult(_claims(sums, reduced), numbers, [_table(reduced)], [_figure()], world="made by hand")


def _claims(sums: ImpactSums, reduced: Sequence[Reduced]) -> list[Claim]:
    one, both = example()
    is_sum = np.allclose((one, both), (STEEP[1], STEEP[0] + STEEP[1]))
    wrong, dummies, tried = (sum(getattr(each, name) for each in reduced) for name in ("wrong", "dummies", "tried"))
    denser = sum(each.graphs - each.densest for each in reduced)
    return [
        Claim(TWO_PAGES, is_sum, f"{one:.3f}, {both:.3f}"),
        Claim(ADVERSARY, not sums.wrong, f"{sums.wrong} of {sums.sets} sets have another"),
        Claim(NO_SUM, sums.above > 0 and not sums.below, f"{sums.above} of {sums.sets} have more, {sums.below} less"),
        Claim(TELLS_EDGES, not wrong, f"{wrong} sets of vertices have another"),
        Claim(MOST_EDGES, not denser, f"not so in {denser} graphs"),
        Claim(NO_DUMMY, not dummies and tried > 0, f"one is in {dummies} of {tried} graphs"),
    ]


def _table(reduced: Sequence[Reduced]) -> ResultTable:
    rows: list[list[Value]] = [
        [each.kind, each.r, each.graphs, each.sets, each.wrong, each.densest, each.greedy] for each in reduced
    ]
    columns = ["visibility", "r", "graphs", "sets of vertices", "not as predicted", "best is densest"]
    note = "The greedy choice is polynomial: no promise, but what it found of the densest subgraphs."
    return ResultTable("Webs made of graphs", [*columns, "greedy is densest"], rows, note)


def _figure() -> Figure:
    """Of one graph: impact by edges, for sets of several sizes."""
    graph = random_graph(np.random.default_rng(SEED), 9)
    web, series = reduction(graph, 2, STEEP), {}
    for count in (3, 4, 5, 6):
        by_edges = {graph.inside(c): web.impact(np.array(c)) for c in combinations(range(graph.vertices), count)}
        series[f"{count} pages"] = (sorted(map(float, by_edges)), [by_edges[edges] for edges in sorted(by_edges)])
    title = "Worst-case impact tells the edges of a subgraph"
    return line_figure(NAME, title, series, "edges among the vertices", "worst-case impact")


WORST_CASE = Study(
    NAME,
    PAPER,
    "Theorem 1: choosing for the worst case",
    "Is the worst-case impact of pages no sum, and does it tell how dense subgraphs are?",
    "nothing: webs are made by hand",
    STATEMENTS,
    across=across,
    settings={"webs": WEBS, "graphs": GRAPHS, "seed": SEED},
    quick_settings={"webs": QUICK_WEBS, "graphs": QUICK_GRAPHS},
    aliases=("E003-T",),
)
