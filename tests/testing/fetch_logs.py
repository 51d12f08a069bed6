"""Logs of fetches as estimators get them, with what does not matter filled in."""

import numpy as np

from sought.record.fetches import Fetches


def fetches(row, time, gap, changed, gain=None, **more):
    """One item of each column a fetch."""
    count = len(row)
    nothing = np.full(count, np.nan)
    changed = np.array(changed, bool)
    columns = {
        "gain": nothing if gain is None else gain,
        "difference": changed.astype(float),
        "modified": nothing,
        "signalled": np.zeros(count, bool),
        "base_gap": nothing,
        "drift": nothing,
        "fate": np.zeros(count),
        "doubted": np.zeros(count, bool),
        "seen_gap": gap,
        "found": np.zeros(count),
        "expected": nothing,
        "chance": nothing,
    } | more
    kinds = {"signalled": bool, "fate": np.uint8, "doubted": bool, "found": np.int64}
    return Fetches(
        np.array(row, np.int64),
        np.array(time, float),
        np.array(gap, float),
        changed,
        **{name: np.array(column, kinds.get(name, float)) for name, column in columns.items()},
    )
