"""How are random choices made that depend only on a key?

Only `Random.random()` is used: Python guarantees its sequence for a seed across versions, but not that of `choice`,
`shuffle` or `sample`.
"""

import hashlib
import math
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def dice(*key: object) -> Random:
    """A generator seeded by `key`."""
    return Random("/".join(map(str, key)))  # noqa: S311 - reproducible on purpose, nothing here is secret


def rolls(*key: object) -> Iterator[int]:
    """Ninety-six bytes from `key`: far cheaper than a generator, and enough for a paragraph or a link."""
    return iter(hashlib.shake_128("/".join(map(str, key)).encode()).digest(96))


def fraction(random_bytes: Iterator[int]) -> float:
    """A number from 0 to below 1 out of the next two bytes."""
    return (next(random_bytes) << 8 | next(random_bytes)) / 65536


def pick(rng: Random, choices: Sequence[T]) -> T:
    return choices[int(rng.random() * len(choices))]


def waiting_time(rng: Random, rate: float) -> float:
    """Time to the next event of a Poisson process."""
    return -math.log(1.0 - rng.random()) / rate


def digest(*key: object) -> str:
    """Sixteen hexadecimal digits from `key`."""
    return hashlib.blake2b("/".join(map(str, key)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def index(n: int, *key: object) -> int:
    """A number below `n` from `key`."""
    return int(digest(*key), 16) % n
