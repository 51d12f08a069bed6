"""How do keys become pseudo-random numbers that are the same in every run?

By the finaliser of splitmix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, 2014).  It is
one-to-one, so distinct inputs stay distinct.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1, _MULTIPLY_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The next output of a generator, for each number as its state."""
    out = numbers + _STEP
    out ^= out >> np.uint64(30)
    out *= _MULTIPLY_1
    out ^= out >> np.uint64(27)
    out *= _MULTIPLY_2
    out ^= out >> np.uint64(31)
    return out


@lru_cache(maxsize=256, typed=True)
def salt(*numbers: float) -> NDArray[np.uint64]:
    """A hash of several numbers, as an array of one; add it to keys before mixing them."""
    state = np.zeros(1, np.uint64)
    for number in numbers:
        whole = isinstance(number, int)
        bits = np.array([number % 2**64], np.uint64) if whole else bits_of(np.array([number], np.float64))
        state = mixed(state ^ bits)
    state.flags.writeable = False
    return state


def bits_of(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """The bits of floats; equal floats have equal bits."""
    return (numbers + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0


def fractions(numbers: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Numbers from 0 to below 1 in the same order, to 53 bits."""
    return (numbers >> np.uint64(11)).astype(np.float64) * 2.0**-53
