"""Does a policy keep what every policy promises?  `check_policy` for all, `PROMISES` one by one, as in a test.

from sought.lab import PROMISES, check_policy

check_policy(MyPolicy())                      # AssertionError says which promise is broken, and what to do

@pytest.mark.parametrize(("name", "kept"), PROMISES)
def test_my_policy(name, kept):
    kept(MyPolicy())
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np

from sought.crawl.plan import Limits, choose, eligible, turn_within_host
from sought.lab.replay.samples import NOW, extreme_pages, rearranged, sample_pages, table_of
from sought.policy import POLICIES, Random
from sought.web.expression import evaluated
from sought.web.pages import Floats, Pages
from sought.web.policy import Policy, beliefs_of, order_matters

_ROWS, _MANY = 400, 140_000  # of the many are more than a policy may work on at a time (pages.pieces)
_SEEDS = (1, 2, 3)
_AGAIN = "called again, it gives other values: draw random numbers from a fixed seed, keep no state"

Check = Callable[[Policy], None]


def demand(holds: bool | np.bool_, otherwise: str) -> None:
    """An `assert` that `python -O` does not leave out."""
    if not holds:
        raise AssertionError(otherwise)


def _samples(policy: Policy) -> Iterator[Pages]:
    return (sample_pages(seed, _ROWS, beliefs_of(policy)) for seed in _SEEDS)


def _check_values(policy: Policy, pages: Pages) -> None:
    values = policy(pages, NOW)
    demand(isinstance(values, np.ndarray), f"it returns a {type(values).__name__}: return a NumPy array")
    demand(
        values.shape == (len(pages),),
        f"for {len(pages)} rows it returns shape {values.shape}: return one value per row",
    )
    demand(values.dtype == np.float64, f"its values are {values.dtype}: return float64, as by .astype(np.float64)")


def _one_value_a_row(policy: Policy) -> None:
    for pages in _samples(policy):
        _check_values(policy, pages)


def _any_table_will_do(policy: Policy) -> None:
    """Empty, one row, nothing fetched yet, nothing new."""
    for rows, fetched in ((0, 0.5), (1, 0.0), (1, 1.0), (_ROWS, 0.0), (_ROWS, 1.0)):
        pages = sample_pages(1, rows, beliefs_of(policy), fetched=fetched)
        _check_values(policy, pages)
        _check_numbers(policy(pages, NOW))


def _numbers_below_infinity(policy: Policy) -> None:
    """-inf means never; NaN and inf mean nothing.  Also where columns are at their limits."""
    for pages in (*_samples(policy), *(extreme_pages(seed, _ROWS, beliefs_of(policy)) for seed in _SEEDS)):
        _check_numbers(policy(pages, NOW))


def _check_numbers(values: Floats) -> None:
    for name, wrong in (("NaN", np.isnan(values)), ("inf", np.isposinf(values))):
        demand(
            not wrong.any(), f"{int(wrong.sum())} of {len(values)} values are {name}: return numbers, or -inf for never"
        )


def _inputs_untouched(policy: Policy) -> None:
    """Columns are read-only in a crawl; here they are not, so that one can say which was written to."""
    for pages in _samples(policy):
        ours = _writable(pages)
        _tried(policy, ours)
        columns = zip(_columns(pages), _columns(ours), strict=True)
        touched = [name for (name, before), (_, after) in columns if before.tobytes() != after.tobytes()]
        demand(not touched, f"it writes to {', '.join(touched)}: copy a column before you change it")


def _tried(policy: Policy, pages: Pages) -> bytes:
    """Its values, bit by bit; nothing if it fails, which another promise reports."""
    try:
        return np.asarray(policy(pages, NOW)).tobytes()
    except Exception:  # noqa: BLE001  a policy is anybody's code
        return b""


def _writable(pages: Pages) -> Pages:
    columns: dict[str, Any] = {name: getattr(pages, name).copy() for name in Pages.column_names()}
    beliefs = {belief: column.copy() for belief, column in pages.beliefs.items()}
    return Pages(**columns, beliefs=beliefs, pace=pages.pace, links=pages.links)


def _columns(pages: Pages) -> Iterator[tuple[str, Any]]:
    yield from ((name, getattr(pages, name)) for name in Pages.column_names())
    yield from ((repr(belief), column) for belief, column in pages.beliefs.items())


def _same_inputs_same_values(policy: Policy) -> None:
    """Regardless of other calls in between, of it or of another policy."""
    first = [_tried(policy, pages) for pages in _samples(policy)]
    for pages, before in zip(_samples(policy), first, strict=True):
        demand(
            _tried(policy, pages) == before,
            _AGAIN,
        )
        Random(1)(pages, NOW)
        _tried(policy, sample_pages(9, 50, beliefs_of(policy)))
        demand(_tried(policy, pages) == before, "calls in between change its values: keep no state from call to call")


def _rows_in_another_order(policy: Policy) -> None:
    """To nine digits, for sums over rows may be rounded otherwise.

    If `order_matters`, the order of discovery may decide between pages of the same depth, and nothing else: rows of
    different depths are shuffled, those of one depth stay in order, and the ranking must be the same.
    """
    for seed, rows in (*((seed, _ROWS) for seed in _SEEDS), (1, _MANY)):
        pages = sample_pages(seed, rows, beliefs_of(policy))
        order = np.random.default_rng(seed).permutation(rows)
        if order_matters(policy):
            order = _in_order_within(pages.depth, order)
        before, after = policy(pages, NOW)[order], policy(rearranged(pages, order), NOW)
        if order_matters(policy):
            before, after = (np.unique(values, return_inverse=True)[1].astype(float) for values in (before, after))
        same = np.isclose(before, after, rtol=1e-9, atol=0.0)
        hint = (
            "let no row number decide, or set order_matters = True"
            if not order_matters(policy)
            else "within a level it may"
        )
        demand(same.all(), f"{int((~same).sum())} of {rows} rows are ranked otherwise: {hint}")


def _in_order_within(group: Any, order: Any) -> Any:
    """The permutation changed so that rows of the same group come in ascending order, at the places of that group."""
    out = np.empty_like(order)
    out[np.argsort(group[order], kind="stable")] = np.argsort(group, kind="stable")
    return out


def _its_repr_is_the_policy(policy: Policy) -> None:
    """Its repr can be written into sought.toml, and is the same value; a function has its name for that."""
    if isinstance(policy, FunctionType):
        module = sys.modules.get(policy.__module__)
        is_named = vars(module).get(policy.__name__) is policy if module else False
        demand(is_named, f"{policy.__qualname__} cannot be named in sought.toml: define it at the top of a module")
        return
    again = evaluated(repr(policy), POLICIES | _classes(policy), "policy")
    demand(
        type(again) is type(policy) and again == policy,
        f"{policy!r} read back is {again!r}: make it a frozen dataclass whose repr has all its parameters",
    )
    demand(hash(again) == hash(policy), "equal policies have different hashes: make it a frozen dataclass")
    for pages in _samples(policy):
        demand(
            _tried(again, pages) == _tried(policy, pages),
            "read back, it gives other values: let parameters alone decide",
        )


def _classes(value: object) -> dict[str, type]:
    """The classes of a policy and of all it is made of."""
    if not is_dataclass(value) or isinstance(value, type):
        return {type(value).__name__: type(value)} if callable(value) else {}
    inner = [_classes(getattr(value, each.name)) for each in fields(value)]
    return {name: cls for some in inner for name, cls in some.items()} | {type(value).__name__: type(value)}


class _Watched(Mapping[Any, Floats]):
    """Beliefs that remember which of them were asked for."""

    def __init__(self, columns: Mapping[Any, Floats]) -> None:
        self.columns = columns
        self.asked: set[Any] = set()

    def __getitem__(self, belief: Any) -> Floats:
        self.asked.add(belief)
        return self.columns[belief]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def _it_reads_the_beliefs_it_names(policy: Policy) -> None:
    """And no others: they would be missing in a crawl, or be there by chance, because of another policy."""
    named, other = beliefs_of(policy), "a belief that nobody names"
    for pages in _samples(policy):
        watched = _Watched(pages.beliefs)
        alone = _tried(policy, replace(pages, beliefs=watched))
        unnamed = sorted(map(repr, watched.asked - set(named)))
        demand(not unnamed, f"it reads {', '.join(unnamed)}: name these in its attribute `beliefs`")
        more = {**pages.beliefs, other: sample_pages(9, _ROWS, (other,)).beliefs[other]}
        both = _tried(policy, replace(pages, beliefs=more))
        demand(alone == both, "a belief that it does not name changes its values: name all that it reads in `beliefs`")


def _a_budget_is_never_exceeded(policy: Policy) -> None:
    """What a plan takes: so many rows at most, each once, so many a host, and only those that may be fetched."""
    for seed, pages in zip(_SEEDS, _samples(policy), strict=True):
        table, excluded = table_of(pages, seed), np.arange(0, _ROWS, 9)
        for count in (0, 1, 7, _ROWS, 10 * _ROWS):
            limits = Limits(count, 3, 10 * 86400.0)
            rows, values = choose(policy, table, table.pages(pages.beliefs), NOW, limits, excluded)
            demand(len(rows) <= count, f"{len(rows)} rows where {count} are allowed")
            demand(len(np.unique(rows)) == len(rows), "a row is chosen twice")
            may = eligible(table, NOW, limits.revisit_after, excluded)
            demand(may[rows].all(), "a row is chosen that must not be fetched")
            demand((values > -np.inf).all() and (np.diff(values) <= 0).all(), "rows do not come in order of value")
            turns = turn_within_host(table["host"][rows]) if len(rows) else rows
            demand((turns < limits.per_host).all(), "more rows of a host than it has turns")


def _named(name: str, check: Check) -> Check:
    """Any error in a check is a broken promise."""

    @wraps(check)
    def kept(policy: Policy) -> None:
        try:
            check(policy)
        except Exception as error:
            what = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            who = policy.__name__ if isinstance(policy, FunctionType) else type(policy).__name__
            raise AssertionError(f"{who} breaks a promise, '{name}': {what}") from error

    return kept


_CHECKS: dict[str, Check] = {
    "same inputs, same values": _same_inputs_same_values,
    "it reads the beliefs it names": _it_reads_the_beliefs_it_names,
    "inputs untouched": _inputs_untouched,
    "one value a row": _one_value_a_row,
    "numbers below infinity": _numbers_below_infinity,
    "any table will do": _any_table_will_do,
    "rows in another order, values in that order": _rows_in_another_order,
    "its repr is the policy": _its_repr_is_the_policy,
    "a budget is never exceeded": _a_budget_is_never_exceeded,
}
PROMISES: tuple[tuple[str, Check], ...] = tuple((name, _named(name, check)) for name, check in _CHECKS.items())


def check_policy(policy: Policy) -> None:
    """Try all promises, one after the other; AssertionError says which is broken first, and what to do."""
    for _, kept in PROMISES:
        kept(policy)
