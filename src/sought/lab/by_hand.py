"""Runs that no policy made: the repository is in whatever states one likes."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sought.lab.judge import Judge
from sought.lab.run import Log, Run
from sought.lab.world import NOTHING, Numbers

Floats = NDArray[np.float64]


def hand_made(judge: Judge, moments: Floats, states: Sequence[Numbers], copies: Numbers | None = None) -> Run:
    """A run whose repository is in these states after the fetches of each unit, however many that takes."""
    urls, rows = judge.world.urls, []
    held = start = np.full(len(urls), NOTHING) if copies is None else copies
    for unit, state in enumerate(states):
        pages = np.flatnonzero(state != held)
        rows.append((np.full(len(pages), unit), np.full(len(pages), moments[unit]), pages, state[pages]))
        held = state
    none = (np.zeros(0, np.int64),) * 4
    units, times, pages, versions = (np.concatenate(column) for column in zip(none, *rows, strict=True))
    log = Log(units.astype(np.int32), times.astype(np.float64), pages, versions, [urls[p] for p in pages.tolist()])
    return Run(judge, log, moments, start)
