"""The conditions of a replay."""

from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.index.quality import Tie
from sought.index.vectors import Vectors
from sought.lab.replay.signals import Signals
from sought.lab.worlds.demand import SEARCHES, Split
from sought.lab.worlds.world import Numbers, Ragged, Versions, World
from sought.web.errors import BadInput

Start = Literal["warm", "cold", "frontier"]
STARTS: tuple[Start, ...] = get_args(Start)
FetchHistory = Literal["own", "half", "all"]
MAX_ROUNDS = 10_000
DAY = 86_400.0


@dataclass(frozen=True)
class Setting:
    """Where a replay starts, and what the crawler knows.

    warm      the repository is in step with the Web at the start
    cold      only the seeds are known
    frontier  a share (`crawled`) of the pages has been fetched, breadth first, or drawn at random if `sampled`, and
              of those then known the share `promoted`, by PageRank; now the Web stands still, and only pages never
              fetched may be

    In each unit the budget is spent in so many `rounds`: after each the policy ranks anew with what it has learned.
    `units` ends the replay early (0: the whole world).  `tie` says how the judge ranks pages of equal score: by a hash,
    or so that they share the attention of their ranks (for scorers with many equals, such as Inlinks).  `keep` pages at
    most stay in the repository from the first unit on (0: all).

    `pages` are all of the world, or only the `fixed` ones: those that people could find in every unit.  `every` so many
    units of the world are one of the replay.

    `history` is what estimators learn from: the crawl's `own` fetches; or, fixed before the replay, fetches of all
    pages in all units of the replay (`all`: in-sample, no crawler can know that), or in the first half of the world,
    and the replay is of the second `half` (hindsight.py).

    From the unit `halved` on the budget is half of what it was (0: it never is).  `delay` is how many seconds lie
    between two requests to a host (0: what politeness asks for anyway); robots.txt is asked for every day, so from a
    day on no page ever is.
    """

    start: Start = "warm"
    rounds: int = 8
    split: Split = "thinning"
    searches: float = SEARCHES
    signals: Signals = Signals()  # noqa: RUF009  a frozen value
    scorer: str = "BM25()"
    crawled: float = 0.5
    units: int = 0
    seed: int = 0
    tie: Tie = "hash"
    sampled: bool = False
    keep: int = 0
    promoted: float = 0.0
    pages: Literal["all", "fixed"] = "all"
    every: int = 1
    history: FetchHistory = "own"
    halved: int = 0
    delay: float = 0.0

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise BadInput(f"a replay starts {', '.join(STARTS)}, not {self.start!r}")
        if not 1 <= self.rounds <= MAX_ROUNDS:
            raise BadInput(f"rounds: 1 to {MAX_ROUNDS}, not {self.rounds}")
        if not 0.0 < self.crawled < 1.0:
            raise BadInput(f"crawled is a share of pages between 0 and 1, not {self.crawled}")
        if not 0.0 <= self.promoted < 1.0:
            raise BadInput(f"promoted is a share of the frontier from 0 to below 1, not {self.promoted}")
        if not 0 < self.searches < float("inf"):
            raise BadInput(f"searches a week are a number above 0, not {self.searches}")
        if self.tie not in get_args(Tie):
            raise BadInput(f"tie is {' or '.join(get_args(Tie))}, not {self.tie!r}")
        if self.units < 0:
            raise BadInput(f"units cannot be {self.units}")
        if self.pages not in ("all", "fixed"):
            raise BadInput(f"pages are all or fixed, not {self.pages!r}")
        if self.every < 1:
            raise BadInput(f"every is a number of units from 1 on, not {self.every}")
        if self.keep < 0:
            raise BadInput(f"keep is a number of pages, or 0 for all, not {self.keep}")
        self._check_history()
        self._check_trouble()

    def _check_history(self) -> None:
        if self.history not in get_args(FetchHistory):
            raise BadInput(f"history is {', '.join(get_args(FetchHistory))}, not {self.history!r}")
        if self.history != "own" and self.start != "warm":
            raise BadInput(f"history {self.history!r} is for replays that start warm, not {self.start}")

    def _check_trouble(self) -> None:
        if self.halved < 0:
            raise BadInput(f"halved is a unit, or 0 for none, not {self.halved}")
        if not 0 <= self.delay < DAY:
            raise BadInput(f"delay is a number of seconds below a day, not {self.delay}")


_MOST_FETCHES = 10**9


def fetches_of(budget: float, pages: int) -> int:
    """Fetches a unit: a number from 1 on is one, anything below is a share of the pages."""
    if not 0 < budget <= _MOST_FETCHES or (budget >= 1 and budget != int(budget)):
        most = f"a whole number of fetches a unit (at most {_MOST_FETCHES:,})"
        raise BadInput(f"a budget is {most}, or a share of pages below 1, not {budget}")
    return int(budget) if budget >= 1 else max(1, round(budget * pages))


def pages_at_start(world: World) -> int:
    """How many pages people can find at the start; shares are of them."""
    versions = world.live(world.start)
    return int(np.count_nonzero(world.is_page[versions[versions >= 0]]))


def begin_of(world: World, setting: Setting) -> float:
    """When a replay begins: with the second half of a world's units, if estimates are made over the first."""
    return world.start + world.unit * (world.units // 2) * (setting.history == "half")


def moments_of(world: World, setting: Setting) -> NDArray[np.float64]:
    """When units begin.  A repository in step at the start has nothing to do then."""
    begin, first = begin_of(world, setting), 1 if setting.start == "warm" else 0
    last = round((world.end - begin) / world.unit)
    moments = begin + world.unit * np.arange(first, last + 1, dtype=np.float64)
    return moments[: setting.units or None]


def seen_in(world: World, setting: Setting) -> World:
    """A world as a setting has it."""
    if setting.start == "frontier":
        world = frozen(world, world.start)
    if setting.pages == "fixed":
        world = fixed(world)
    if setting.every > 1:
        unit = world.unit * setting.every
        world = replace(world, unit=unit, end=world.start + unit * (world.units // setting.every))
    return world


def fixed(world: World) -> World:
    """Only the pages that people can find in every unit."""
    there = np.ones(len(world.urls), np.bool_)
    for unit in range(world.units + 1):
        live = world.live(world.start + unit * world.unit)
        there &= np.where(live >= 0, world.is_page[live], False)
    return with_versions(world, np.flatnonzero(there[world.versions.page]))


def frozen(world: World, time: float) -> World:
    """A world that does not change after a time."""
    return with_versions(world, np.flatnonzero(world.versions.time <= time))


def with_versions(world: World, kept: Numbers) -> World:
    """Only these versions, in order."""
    v = world.versions
    columns: dict[str, Any] = {}
    for each in fields(Versions):
        column = getattr(v, each.name)
        columns[each.name] = column[kept] if isinstance(column, np.ndarray) else [column[i] for i in kept.tolist()]
    vectors = world.vectors.at(kept.tolist())
    return replace(
        world,
        versions=Versions(**columns),
        vectors=vectors,
        link_lists=_some(world.link_lists, kept),
        sketches=_some(world.sketches, kept),
    )


def _some(lists: Ragged, kept: Numbers) -> Ragged:
    chosen = Vectors(lists.data, lists.bounds).at(kept.tolist())
    return Ragged(chosen.data, chosen.bounds)
