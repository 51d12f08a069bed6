"""Demand of a made-up web: a few words of a page, by Zipf's law."""

import numpy as np
from numpy.typing import NDArray

from sought.lab.worlds.synthetic.lives import PageKind, PageLife, end_of
from sought.lab.worlds.synthetic.shape import MONDAY, WebShape
from sought.lab.worlds.synthetic.words import Words, WordStock, dice
from sought.lab.worlds.world import WEEK

SEARCHES = 1_000_000.0  # a week, all queries together
_LENGTHS = (0.2, 0.5, 0.3)  # of queries have one, two, three words
_TRIES = 20

Asked = list[tuple[str, float, float]]


def demand(shape: WebShape, pages: list[PageLife], pools: dict[int, Words], lexis: WordStock) -> Asked:
    """(query, count a week, since).  `pools` are the words by which each page may be looked for."""
    rng = dice(shape, "demand")
    later = round(shape.drift * shape.queries)
    first = [page for page in pages if page.kind is PageKind.PLAIN and page.born <= MONDAY]
    every = [page for page in pages if page.kind is PageKind.PLAIN]
    asked: dict[str, float] = {}
    _ask(rng, shape, first, pools, lexis, asked, shape.queries - later, is_later=False)
    _ask(rng, shape, every, pools, lexis, asked, later, is_later=True)
    return _counted(shape, asked)


def _ask(
    rng: np.random.Generator,
    shape: WebShape,
    pages: list[PageLife],
    pools: dict[int, Words],
    lexis: WordStock,
    asked: dict[str, float],
    count: int,
    *,
    is_later: bool,
) -> None:
    """Add so many new queries; those that come later come on a Monday, once their page is there."""
    if not pages or not count:
        return
    weights, enough = _popularity(shape, pages), len(asked) + count
    for at in rng.choice(len(pages), count * _TRIES, p=weights).tolist():
        page, pool = pages[at], pools[pages[at].number]
        size = min(1 + int(rng.choice(3, p=_LENGTHS)), len(pool))
        query = " ".join(lexis.words[i] for i in rng.choice(pool, size, replace=False).tolist())
        week = int(rng.integers(1, shape.weeks + 1))
        since = max(MONDAY + week * WEEK, np.ceil((page.born - MONDAY) / WEEK) * WEEK + MONDAY) if is_later else MONDAY
        if query not in asked and since <= end_of(shape):
            asked[query] = float(since)
        if len(asked) >= enough:
            return


def _popularity(shape: WebShape, pages: list[PageLife]) -> NDArray[np.float64]:
    """Subjects and pages have random ranks; the weight falls with both to the power of `skew`."""
    rng = dice(shape, "popularity")
    topics = rng.permutation(shape.topics)[[page.topic for page in pages]]
    ranks = rng.permutation(len(pages))
    weights = ((topics + 1.0) * (ranks + 1.0)) ** -shape.skew
    return np.asarray(weights / weights.sum())


def _counted(shape: WebShape, asked: dict[str, float]) -> Asked:
    """Ranks are random, so that late queries are asked as much as early ones."""
    ranks = dice(shape, "ranks").permutation(len(asked))
    weights = (ranks + 1.0) ** -shape.zipf
    counts = SEARCHES * weights / weights.sum() if len(asked) else weights
    return [(query, float(count), since) for (query, since), count in zip(asked.items(), counts, strict=True)]
