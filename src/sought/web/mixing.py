"""From numbers to numbers that look drawn at random, and are always the same.

The finaliser of splitmix64 (Steele, Lea & Flood, Fast splittable pseudorandom number generators, 2014): one-to-one, so
what was distinct stays so.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLY_1, _MULTIPLY_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The next number of the generator whose state each number is."""
    out = numbers + _STEP
    out ^= out >> np.uint64(30)
    out *= _MULTIPLY_1
    out ^= out >> np.uint64(27)
    out *= _MULTIPLY_2
    out ^= out >> np.uint64(31)
    return out


@lru_cache(maxsize=256, typed=True)
def salt(*numbers: float) -> NDArray[np.uint64]:
    """One number, in an array, that stands for several; add it to others before they are mixed."""
    state = np.zeros(1, np.uint64)
    for number in numbers:
        whole = isinstance(number, int)
        bits = np.array([number % 2**64], np.uint64) if whole else bits_of(np.array([number], np.float64))
        state = mixed(state ^ bits)
    state.flags.writeable = False
    return state


def bits_of(numbers: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Floats as whole numbers; equal ones give the same."""
    return (numbers + 0.0).view(np.uint64)  # + 0.0: there is a -0.0, too


def fractions(numbers: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Numbers from 0 to below 1, in the same order to 53 bits."""
    return (numbers >> np.uint64(11)).astype(np.float64) * 2.0**-53
