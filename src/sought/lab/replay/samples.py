"""Random tables to try policies on: as a crawl could have them, and with columns at their limits."""

import itertools
from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.record.fetches import GONE, MOVED, PAGE, Fetches
from sought.record.table import State, Table
from sought.web.pages import Links, Pages

NOW = 1.7e9
_DAY = 86400.0
_LINKS = 7  # found on one page, at the same time


def sample_pages(seed: int, rows: int, beliefs: Iterable[Any] = (), *, fetched: float = 0.6) -> Pages:
    """Rows in the order in which they were found, a share of them fetched, and columns of these beliefs; read-only.

    Times, rates and gains are rounded, so that some are equal.  Those found together are of one depth.
    """
    rng = np.random.default_rng(seed)
    first_seen = NOW - 900 * _DAY + 60.0 * (np.arange(rows) // _LINKS).astype(np.float64)
    known = rng.random(rows) < fetched
    fetches = np.where(known, rng.integers(1, 50, rows), 0)
    last_fetch = np.where(known, NOW - rng.integers(0, 200, rows) * _DAY, -np.inf)
    changes = rng.integers(0, fetches + 1)
    signalled = rng.random(rows) < 0.3
    seen = np.random.default_rng([seed, 0x5E])  # apart from the rest, which stays as it was
    return _read_only(
        Pages(
            key=rng.integers(0, 2**64, rows, dtype=np.uint64),
            host=rng.integers(0, max(1, rows // 20), rows).astype(np.uint32),
            depth=np.repeat(rng.integers(0, 12, rows // _LINKS + 1), _LINKS)[:rows].astype(np.uint16),
            found=first_seen,
            last_fetch=last_fetch,
            last_change=np.where(changes > 0, last_fetch - rng.integers(0, 50, rows) * _DAY, -np.inf),
            fetches=fetches.astype(np.uint16),
            changes=changes.astype(np.uint16),
            inlinks=rng.zipf(2.0, rows).clip(0, 10**6).astype(np.uint32),
            signal=np.where(signalled, NOW - rng.integers(-5, 300, rows) * _DAY, -np.inf),
            live=known & (seen.random(rows) < 0.8),
            linked=np.where(seen.random(rows) < 0.9, NOW - seen.integers(0, 200, rows) * _DAY, -np.inf),
            unlinked=np.where(seen.random(rows) < 0.1, NOW - seen.integers(0, 200, rows) * _DAY, -np.inf),
            beliefs={belief: _believed(rng, rows) for belief in beliefs},
            pace=rows / (30 * _DAY),
            links=_links(seen, rows),
        )
    )


def extreme_pages(seed: int, rows: int, beliefs: Iterable[Any] = ()) -> Pages:
    """Every column at one of its limits, or near it: all that the types and a clock allow, in all mixtures."""
    rng = np.random.default_rng(seed)
    pages = sample_pages(seed, rows, beliefs)
    ages = (0.0, 1e-6, 1.0, 1e9, -1.0)
    known = pages.last_fetch > -np.inf
    most16, most32 = np.iinfo(np.uint16).max, np.iinfo(np.uint32).max
    rates = (0.0, -0.0, 1.0, -1.0, 5e-324, 1e-300, 1e300, -1e300, np.finfo(np.float64).max)
    extremes: dict[str, Any] = {
        "host": rng.choice(np.array([0, 1, 10**6], np.uint32), rows),
        "depth": rng.choice(np.array([0, 1, most16], np.uint16), rows),
        "found": NOW - rng.choice(ages, rows),
        "last_fetch": np.where(known, NOW - rng.choice(ages, rows), -np.inf),
        "last_change": np.where(known, NOW - rng.choice([*ages, np.inf], rows), -np.inf),
        "fetches": np.where(known, rng.choice(np.array([1, most16], np.uint16), rows), np.uint16(0)),
        "changes": np.where(known, rng.choice(np.array([0, 1, most16], np.uint16), rows), np.uint16(0)),
        "inlinks": rng.choice(np.array([0, 1, most32], np.uint32), rows),
        "signal": NOW - rng.choice([*ages, np.inf, -1e9], rows),
        "beliefs": {belief: rng.choice(rates, rows) for belief in pages.beliefs},
        "pace": float(rng.choice([0.0, 1e-12, 1e6])),
        "live": known & rng.choice([False, True], rows),
        "linked": NOW - rng.choice([*ages, np.inf], rows),
        "unlinked": NOW - rng.choice([*ages, np.inf], rows),
    }
    return _read_only(replace(pages, **extremes))


def rearranged(pages: Pages, order: NDArray[np.int64]) -> Pages:
    """The same rows in another order."""
    columns: dict[str, Any] = {name: getattr(pages, name)[order] for name in Pages.column_names()}
    beliefs = {belief: column[order] for belief, column in pages.beliefs.items()}
    return _read_only(replace(pages, **columns, beliefs=beliefs, links=_renumbered(pages.links, order)))


def _links(rng: np.random.Generator, rows: int) -> Links:
    """A few from every other row, to any."""
    sources, sizes = np.arange(0, rows, 2, dtype=np.uint32), rng.integers(1, 6, (rows + 1) // 2)
    bounds = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return Links(sources, bounds, rng.integers(0, max(rows, 1), bounds[-1]).astype(np.uint32))


def _renumbered(links: Links | None, order: NDArray[np.int64]) -> Links | None:
    """Links among the rows that are in `order`, by their places there."""
    if links is None:
        return None
    sources = np.repeat(links.sources, np.diff(links.bounds)).astype(np.int64)
    place = np.full(max(len(order), 1 + int(max(sources.max(initial=0), links.targets.max(initial=0)))), -1)
    place[order] = np.arange(len(order))
    pairs = np.stack([place[sources], place[links.targets]])
    pairs = pairs[:, (pairs >= 0).all(axis=0)]
    pairs = pairs[:, np.argsort(pairs[0], kind="stable")]
    of, sizes = np.unique(pairs[0], return_counts=True)
    bounds = np.append(0, np.cumsum(sizes)).astype(np.int64)
    return Links(of.astype(np.uint32), bounds, pairs[1].astype(np.uint32))


def sample_fetches(seed: int, rows: int, count: int) -> Fetches:
    """A log of so many fetches of these rows in the order of their times, as a crawl could have it; read-only."""
    rng = np.random.default_rng([seed, 0xFE7C])
    row = rng.integers(0, rows, count)
    time = NOW - 400 * _DAY + 3600.0 * np.sort(rng.integers(0, 400 * 24, count)).astype(np.float64)
    gap = np.full(count, np.inf)
    last: dict[int, float] = {}
    for number, (page, moment) in enumerate(zip(row.tolist(), time.tolist(), strict=True)):
        gap[number] = max(moment - last[page], 60.0) if page in last else np.inf
        last[page] = moment
    is_first = np.isinf(gap)
    changed = is_first | (rng.random(count) < 0.3)
    gain = _believed(rng, count)
    gain[rng.random(count) < 0.2] = np.nan
    return _fetches(row, time, gap, changed, gain, rng)


def extreme_fetches(seed: int, rows: int, count: int) -> Fetches:
    """The same with gaps and gains at their limits, many of them at the same time."""
    rng = np.random.default_rng([seed, 0xE7])
    row = rng.permutation(np.arange(count) % rows)
    is_first = np.zeros(count, np.bool_)
    is_first[np.unique(row, return_index=True)[1]] = True
    gap = rng.choice([1e-6, 1.0, 1e9], count)
    gap[is_first] = np.inf
    changed = is_first | (rng.random(count) < 0.5)
    gain = rng.choice([0.0, -0.0, 1e12, -1e12, 1e-300, np.nan], count)
    return _fetches(row, np.full(count, NOW), gap, changed, gain, rng)


def _fetches(
    row: NDArray[np.int64],
    time: NDArray[np.float64],
    gap: NDArray[np.float64],
    changed: NDArray[np.bool_],
    gain: NDArray[np.float64],
    rng: np.random.Generator,
) -> Fetches:
    count = len(row)
    fetches = Fetches.from_columns(
        row=row,
        time=time,
        gap=gap,
        changed=changed,
        gain=gain,
        difference=np.where(np.isinf(gap), 1.0, np.where(changed, rng.random(count), 0.0)),
        modified=np.where(rng.random(count) < 0.5, time - rng.integers(-1, 50, count) * _DAY, np.nan),
        signalled=rng.random(count) < 0.2,
        base_gap=np.where(np.isinf(gap), np.nan, gap),
        drift=np.where(np.isinf(gap), np.nan, rng.random(count)),
        fate=np.where(np.isinf(gap), PAGE, rng.choice([PAGE, PAGE, PAGE, GONE, MOVED], count)),
        doubted=rng.random(count) < 0.1,
        seen_gap=gap,
        found=rng.integers(0, 5, count),
        expected=np.where(rng.random(count) < 0.5, np.abs(np.nan_to_num(gain)), np.nan),
        chance=np.where(rng.random(count) < 0.5, rng.uniform(0.01, 1.0, count), np.nan),
    )
    for each in fields(Fetches):
        getattr(fetches, each.name).flags.writeable = False
    return fetches


def cut(fetches: Fetches, *bounds: int) -> list[Fetches]:
    """The same log in batches."""
    ends = [0, *bounds, len(fetches)]
    names = [each.name for each in fields(Fetches)]
    return [
        Fetches(**{name: getattr(fetches, name)[start:stop] for name in names})
        for start, stop in itertools.pairwise(ends)
    ]


def table_of(pages: Pages, seed: int) -> Table:
    """A crawl's table with these rows, some of which must wait or are given up."""
    rng, size, table = np.random.default_rng(seed), len(pages), Table()
    birth = {name: getattr(pages, name) for name in ("key", "host", "depth", "found")}
    table.append(birth | {"via": np.zeros(size, np.uint32), "source": np.zeros(size, np.uint8)})
    for name in set(Pages.column_names()) - {*birth, "live"}:
        table[name][:] = getattr(pages, name)
    others = np.where(rng.random(size) < 0.2, State.DEAD, np.where(pages.is_new, State.NEW, State.GONE))
    table["state"][:] = np.where(pages.live, State.LIVE, others)
    table["not_before"][:] = np.where(rng.random(size) < 0.1, NOW + _DAY, -np.inf)
    return table


def _believed(rng: np.random.Generator, rows: int) -> NDArray[np.float64]:
    """Gains as they are: many are nothing, a few do harm, and sizes differ a lot."""
    gain = np.round(rng.lognormal(-9, 3, rows), 6)
    gain[rng.random(rows) < 0.3] = 0.0
    gain[rng.random(rows) < 0.05] *= -1.0
    return gain


def _read_only(pages: Pages) -> Pages:
    for column in (*(getattr(pages, name) for name in Pages.column_names()), *pages.beliefs.values()):
        column.flags.writeable = False
    return pages
