"""A measure: a value with a name that gives one number for every unit of a run."""

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sought.lab.replay.run import Moment, Run
from sought.lab.worlds.world import Numbers
from sought.web.errors import BadInput

Floats = NDArray[np.float64]
When = Literal["after", "before"]


class Measure(Protocol):
    """`name` is that of its column.  NaN where a unit has no value; a run has the mean of the others."""

    @property
    def name(self) -> str: ...

    def __call__(self, run: Run) -> Floats: ...


def held(moment: Moment, when: When) -> Numbers:
    """The repository before or after the fetches of a unit."""
    return moment.after if when == "after" else moment.before


def named(*parts: str) -> str:
    """A name of several parts, of which some may be empty."""
    return "_".join(filter(None, parts))


def check_choice(what: str, choice: str, choices: Sequence[str]) -> None:
    """Raises BadInput if it is none of these."""
    if choice not in choices:
        raise BadInput(f"{what} is {' or '.join(choices)}, not {choice!r}")


def check_share(what: str, share: float) -> None:
    """Raises BadInput if it is no share of something."""
    if not 0 < share <= 1:
        raise BadInput(f"{what} is a share of the pages, above 0 and at most 1, not {share}")


def check_depth(k: int) -> None:
    """Raises BadInput if no result can be among the first k."""
    if not isinstance(k, int) or k < 1:
        raise BadInput(f"k counts results: at least 1, not {k!r}")
