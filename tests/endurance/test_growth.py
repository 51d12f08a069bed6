"""The rule of the soak, on series that are made up: a leak is found, what only looks like one is not."""

import math
import random
from collections.abc import Callable

import pytest

from tests.endurance.growth import DESCRIPTORS, MEMORY, Sample, growth

MINUTES, EVERY = 10.0, 2.0


def series(value: Callable[[float], float], pages: Callable[[float], float] = lambda _: 1000.0) -> list[Sample]:
    """A sample every two seconds; `value` and `pages` are functions of minutes."""
    times = [EVERY * i for i in range(int(MINUTES * 60 / EVERY))]
    return [Sample(t, value(t / 60), int(pages(t / 60))) for t in times]


def is_leak(samples: list[Sample], allowance=MEMORY) -> bool:
    found = growth(samples, allowance)
    assert found is not None
    return found.is_leak


def noise(seed: int = 1, width: float = 3.0) -> Callable[[], float]:
    rng = random.Random(seed)
    return lambda: rng.uniform(0.0, width)


def warm_up(minute: float) -> float:
    """From 80 to 200 MB, most of it in the first minutes."""
    return 200.0 - 120.0 * math.exp(-minute / 1.5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rate", [3.0, 5.0, 40.0])
def test_a_leak_is_found(rate: float, seed: int) -> None:
    """So many MB a minute on 200 MB in ten minutes, also under warm-up, noise and a sawtooth of 30 MB."""
    extra = noise(seed)
    assert is_leak(series(lambda m: warm_up(m) + rate * m + extra()))
    assert is_leak(series(lambda m: warm_up(m) + rate * m + 30.0 * (m * 4 % 1) + extra()))


STEADY: dict[str, Callable[[float], float]] = {
    "flat": lambda m: 200.0,
    "warm-up": warm_up,
    "slow warm-up": lambda m: 200.0 - 120.0 * math.exp(-m / 3.0),
    "sawtooth of 15 seconds": lambda m: 200.0 + 80.0 * (m * 4 % 1),
    "sawtooth of 30 seconds": lambda m: 200.0 + 80.0 * (m * 2 % 1),
    "one step in the second half": lambda m: 200.0 + 60.0 * (m > 7.4),
    "one step at its end": lambda m: 200.0 + 60.0 * (m > 9.0),
    "a peak": lambda m: 200.0 + 300.0 * (7.0 < m < 7.5),
    "it shrinks": lambda m: 300.0 - 10.0 * m,
    "grows and comes to rest": lambda m: 200.0 + 10.0 * min(m, 7.5),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", STEADY)
def test_what_looks_like_a_leak_is_none(name: str, seed: int) -> None:
    extra = noise(seed)
    assert not is_leak(series(lambda m: STEADY[name](m) + extra()))


def test_pages_explain_memory_but_not_all_of_it() -> None:
    """10 KB for each URL that became known; ten times that is a leak."""
    assert not is_leak(series(lambda m: 200.0 + 0.01 * 500 * m, lambda m: 1000 + 500 * m))
    assert is_leak(series(lambda m: 200.0 + 0.1 * 500 * m, lambda m: 1000 + 500 * m))
    assert is_leak(series(lambda m: 200.0 + 0.01 * 500 * m))


def test_descriptors() -> None:
    """One that is left open every ten seconds is found; connections that come and go are not."""
    assert is_leak(series(lambda m: 40 + int(m * 6)), DESCRIPTORS)
    extra = noise(2, 30.0)
    assert not is_leak(series(lambda m: 40 + int(extra())), DESCRIPTORS)


def test_a_longer_run_finds_less() -> None:
    """The limit is what is allowed in the second half, by its minutes."""
    short = growth(series(lambda m: 200.0), MEMORY)
    long = growth([Sample(20 * each.time, each.value) for each in series(lambda m: 200.0)], MEMORY)
    assert short is not None
    assert long is not None
    assert long.limit == pytest.approx(short.limit / 20)


def test_too_few_samples_tell_nothing() -> None:
    """That is said, and is neither good nor bad."""
    assert growth([], MEMORY) is None
    assert growth(series(lambda m: 200.0)[:20], MEMORY) is None
    assert growth([Sample(0.0, 1.0)] * 100, MEMORY) is None
