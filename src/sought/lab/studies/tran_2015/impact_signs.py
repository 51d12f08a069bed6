"""What predicts a frontier page's impact: the pages that link to it, or those that are linked beside it?"""

from collections.abc import Sequence

import numpy as np
from scipy.stats import spearmanr

from sought.graph.links import GraphLinks
from sought.lab.studies.study import Value
from sought.lab.studies.tran_2015.cases import Case
from sought.web.pages import Floats

_WIDEST = 0.01


def sent(links: GraphLinks, amount: Floats) -> Floats:
    """Σ of the amounts of the pages that link to a row."""
    from_each = np.repeat(amount[links.sources], links.degrees)
    return np.bincount(links.targets, from_each, links.nodes).astype(np.float64)


def sent_beside(links: GraphLinks, amount: Floats) -> Floats:
    """Σ of the amounts of other rows, as often as a page links to both: AᵀA·amount without the diagonal."""
    owner = np.repeat(np.arange(len(links.sources)), links.degrees)
    gathered = np.zeros(links.nodes)
    gathered[links.sources] = np.bincount(owner, amount[links.targets], len(links.sources))
    return sent(links, gathered) - sent(links, np.ones(links.nodes)) * amount


def told_by_neighbours(cases: Sequence[Case]) -> dict[str, Value]:
    """Rank correlations of clicks with the mean of parents and of pages beside; where virtual edges come from."""
    shares = np.array([_told(case) for case in cases]).mean(axis=0)
    return {
        "rank correlation with clicks of parents": float(shares[0]),
        "rank correlation with clicks beside": float(shares[1]),
        "virtual weight from the widest 1 % of pages": float(shares[2]),
    }


def _told(case: Case) -> list[float]:
    links, clicks, crawled = case.frontier.links, case.frontier.known.clicks, np.zeros(case.frontier.links.nodes)
    crawled[case.frontier.crawled] = 1.0
    means = [_mean(way(links, clicks * crawled), way(links, crawled))[case.rows] for way in (sent, sent_beside)]
    pairs = np.sort(links.degrees * (links.degrees - 1.0))
    widest = pairs[-max(1, round(_WIDEST * len(pairs))) :].sum() / (pairs.sum() or 1.0)
    return [*(_correlation(mean, case.expected.clicks) for mean in means), float(widest)]


def _mean(total: Floats, count: Floats) -> Floats:
    return np.divide(total, count, out=np.zeros_like(total), where=count > 0)


def _correlation(x: Floats, y: Floats) -> float:
    """0 where one of them is the same for all."""
    return float(spearmanr(x, y).statistic) if np.ptp(x) > 0 and np.ptp(y) > 0 else 0.0
