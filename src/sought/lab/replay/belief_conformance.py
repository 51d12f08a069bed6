"""Does a belief keep what every belief promises?  `check_belief` for all, `BELIEF_PROMISES` one by one, as in a test.

A learned belief is tried on made-up logs of fetches.  Every belief but an oracle is then read by a policy that ranks by
it, in replays of a small generated web: the second time with everything that a crawler had not seen replaced by noise.

The state of a belief is never saved: a crawl that starts again lets its learner read the log once more, and makes its
supplier from the store.  So what a learner knows must follow from the log alone, however the log is cut into batches.
"""

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass, replace
from functools import cache, wraps
from typing import Any

import numpy as np

from sought.beliefs.belief import Belief, HasTerms, Learner, Supplied
from sought.lab.replay.conformance import demand
from sought.lab.replay.samples import cut, extreme_fetches, extreme_pages, sample_fetches, sample_pages
from sought.lab.replay.setting import Setting
from sought.lab.replay.wall import first_leak
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK, World
from sought.record.fetches import Fetches
from sought.web.expression import evaluated
from sought.web.pages import Floats, Pages
from sought.web.policy import beliefs_of, is_oracle, reads_links
from sought.web.registry import BELIEFS

_ROWS, _FETCHES = 120, 600
_SEEDS = (1, 2)

BeliefCheck = Callable[[Belief], None]


def _is_learned(belief: Belief) -> bool:
    return not isinstance(belief, Supplied)


def _check_column(column: Any, rows: int) -> None:
    demand(isinstance(column, np.ndarray), f"its column is a {type(column).__name__}: return a NumPy array")
    demand(column.shape == (rows,), f"for {rows} rows its column has shape {column.shape}: return one value per row")
    demand(column.dtype == np.float64, f"its column is {column.dtype}: return float64, as by .astype(np.float64)")
    wrong = int(np.isnan(column).sum())
    demand(not wrong, f"{wrong} of {rows} values are NaN: say what is believed of a page that nothing is known of")


def _pages(belief: Belief, seed: int, rows: int = _ROWS) -> Pages:
    return sample_pages(seed, rows, beliefs_of(belief))


def _learner(belief: Belief, *logs: Fetches) -> Learner:
    assert not isinstance(belief, Supplied)
    learner = belief.learner()
    for log in logs:
        learner.learn(log)
    return learner


def _it_is_learned_or_supplied(belief: Belief) -> None:
    """It is one of the two, so that a crawl knows where its column comes from."""
    ways = [name for name in ("learner", "supplier") if callable(getattr(belief, name, None))]
    hint = "write learner(self), or inherit from Supplied and write supplier(self, holdings)"
    demand(len(ways) == 1, f"it has {' and '.join(ways) or 'neither learner nor supplier'}: {hint}")
    if ways == ["supplier"]:
        demand(isinstance(belief, Supplied), "it has a supplier: inherit from sought.beliefs.belief.Supplied")
    else:
        learner = _learner(belief)
        lacks = [name for name in ("learn", "column") if not callable(getattr(learner, name, None))]
        demand(not lacks, f"its learner has no method {' and no '.join(lacks)}: write learn(fetches) and column(pages)")


def _its_repr_is_the_belief(belief: Belief) -> None:
    """Columns are found by the value of a belief, and printed under its repr."""
    demand(is_dataclass(belief), "it is not a dataclass: decorate its class with @dataclass(frozen=True)")
    again = evaluated(repr(belief), {**BELIEFS, type(belief).__name__: type(belief)}, "belief")
    hint = "make it a frozen dataclass whose repr has all its parameters"
    demand(type(again) is type(belief) and again == belief, f"{belief!r} read back is {again!r}: {hint}")
    demand(hash(again) == hash(belief), "equal beliefs have different hashes: make it a frozen dataclass")


def _one_number_a_row(belief: Belief) -> None:
    """Before anything was fetched and afterwards, of pages that were never fetched, and where columns are extreme."""
    for seed in _SEEDS if _is_learned(belief) else ():
        logs = sample_fetches(seed, _ROWS // 2, _FETCHES), extreme_fetches(seed, _ROWS, _FETCHES)
        usual = _pages(belief, seed)
        for learner in (_learner(belief), *(_learner(belief, log) for log in logs)):
            for pages in (usual, replace(extreme_pages(seed, _ROWS), beliefs=usual.beliefs)):
                _check_column(learner.column(pages), _ROWS)


def _any_log_will_do(belief: Belief) -> None:
    """An empty table, an empty batch, a single fetch."""
    if _is_learned(belief):
        _check_column(_learner(belief).column(_pages(belief, 1, 0)), 0)
        nothing, one = cut(sample_fetches(1, 1, 1), 0)
        for learner in (_learner(belief, nothing), _learner(belief, one)):
            _check_column(learner.column(_pages(belief, 1, 1)), 1)


def _the_log_alone_decides(belief: Belief) -> None:
    """Not how it is cut into batches, nor when the column is asked for, nor what another learner has seen."""
    for seed in _SEEDS if _is_learned(belief) else ():
        log, pages = sample_fetches(seed, _ROWS, _FETCHES), _pages(belief, seed)
        learner = _learner(belief, log)
        before = learner.column(pages).tobytes()
        same = learner.column(pages).tobytes() == before
        demand(same, "asked again, its column differs: column() must change nothing")
        _learner(belief, log, extreme_fetches(seed, _ROWS, _FETCHES))
        same = learner.column(pages).tobytes() == before
        demand(same, "what another learner sees changes its column: keep all state in the learner")
        batched = _learner(belief)
        for some in cut(log, 1, 2, 50, 50, 333):
            batched.learn(some)
            batched.column(pages)
        same = batched.column(pages).tobytes() == before
        demand(same, "in other batches the same log gives another column: add up fetch by fetch")


def _it_explains_itself(belief: Belief) -> None:
    """If its learner has `terms`, these are a dictionary for every row."""
    if not _is_learned(belief):
        return
    learner: Any = _learner(belief, sample_fetches(1, _ROWS // 2, _FETCHES))
    learner.column(_pages(belief, 1))
    if isinstance(learner, HasTerms):
        for row in (0, _ROWS - 1):
            terms = learner.terms(row)
            demand(isinstance(terms, dict), f"terms({row}) is a {type(terms).__name__}: return a dictionary, or {{}}")


@dataclass(frozen=True)
class _RankedBy:
    """A policy whose values are a belief; it checks every column that the crawl gives it."""

    belief: Belief

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        return (self.belief,)

    @property
    def reads_links(self) -> bool:
        return reads_links(self.belief)  # type: ignore[arg-type]  # a belief whose learner reads pages.links says so, too

    def __call__(self, pages: Pages, now: float) -> Floats:
        column = pages.belief(self.belief)
        _check_column(column, len(pages))
        return np.where(np.isfinite(column), column, -1e300)


def _a_crawl_can_read_it(belief: Belief) -> None:
    """In a crawl from its first page on, and it follows from what the crawl has seen."""
    if not is_oracle(belief):
        world, setting = _world(), Setting(start="cold", rounds=2)
        leak = first_leak(_RankedBy(belief), world, 0.1, setting, world.start + 2.5 * world.unit)
        demand(not leak, f"it sees what a crawler cannot: {leak}; let it read fetches, pages and holdings alone")


@cache
def _world() -> World:
    recorder = WorldRecorder()
    span = generate(recorder, WebShape(pages=60, hosts=3, weeks=4, rate=0.6, births=0.03, deletes=0.02, queries=40))
    return recorder.finish("checked", span.seeds, span.start, span.end, WEEK)


def _named(name: str, check: BeliefCheck) -> BeliefCheck:
    """Any error in a check is a broken promise."""

    @wraps(check)
    def kept(belief: Belief) -> None:
        try:
            check(belief)
        except Exception as error:
            what = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            raise AssertionError(f"{type(belief).__name__} breaks a promise, '{name}': {what}") from error

    return kept


_CHECKS: dict[str, BeliefCheck] = {
    "it is learned or supplied": _it_is_learned_or_supplied,
    "its repr is the belief": _its_repr_is_the_belief,
    "one number a row": _one_number_a_row,
    "any log will do": _any_log_will_do,
    "the log alone decides": _the_log_alone_decides,
    "it explains itself": _it_explains_itself,
    "a crawl can read it": _a_crawl_can_read_it,
}
BELIEF_PROMISES: tuple[tuple[str, BeliefCheck], ...] = tuple(
    (name, _named(name, check)) for name, check in _CHECKS.items()
)


def check_belief(belief: Belief) -> None:
    """Try all promises, one after the other; AssertionError says which is broken first, and what to do."""
    for _, kept in BELIEF_PROMISES:
        kept(belief)
