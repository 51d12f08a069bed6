"""Logs of fetches as estimators get them, with what does not matter filled in."""

from sought.record.fetches import Fetches


def fetches(row, time, gap, changed, gain=None, **more):
    """One item of each column a fetch."""
    known = more if gain is None else more | {"gain": gain}
    return Fetches.from_columns(row, time, gap, changed, **known)
