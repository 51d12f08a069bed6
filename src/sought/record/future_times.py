"""What if the clock was ahead once, or is behind now?  Then what is stored says of times that are still to come.

The clock of a run never goes back (clock.py), but the next run may begin earlier than the last one ended.  So at the
start of a crawl every stored time that is compared with now is capped: what is said to have happened later counts as
happening now, and what was to wait from then on waits as long from now on.  The archive is not touched: `check` knows
the moments at which this was done.
"""

import numpy as np

from sought.fetch.robots import LIFETIMES
from sought.record.directory import Directory
from sought.record.host_files import SITEMAP_EVERY
from sought.record.outcome import DAY

MOMENTS = "capped_at"  # in the store
_LONGEST = 31 * DAY  # that any row waits (outcome.py, buffer.py)
_ROBOTS = max(LIFETIMES.values())
_AT_ONCE = 10_000
_KEPT = 100


def cap_times(directory: Directory, now: float) -> float:
    """Let nothing stored be later than now; returns by how many seconds the latest fetch was."""
    last = float(directory.repository.table["last_fetch"].max(initial=-np.inf))
    _cap_rows(directory, now)
    _cap_hosts(directory, now)
    hour, spent = int(now // 3600.0), directory.repository.fetches_by_hour
    for later in [each for each in spent if each > hour]:
        spent[hour] = spent.get(hour, 0) + spent.pop(later)
    leases = directory.leases
    leases.unanswered = [visit._replace(sent=min(visit.sent, now)) for visit in leases.unanswered]
    return max(0.0, last - now)


def _cap_rows(directory: Directory, now: float) -> None:
    repository = directory.repository
    table = repository.table
    last, wait = table["last_fetch"], table["not_before"]
    ahead = np.maximum(last - now, 0.0)
    rows = np.flatnonzero((ahead > 0.0) | (wait > now + _LONGEST))
    for name in ("found", "linked"):  # these are known again from what is stored at every opening
        np.minimum(table[name], now, out=table[name])
    if len(rows):
        moments = [*directory.store.meta(MOMENTS, []), now]
        directory.store.put_meta(MOMENTS, moments[-_KEPT:])
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        repository.store_again(some.tolist())
        wait[some] = np.minimum(wait[some] - ahead[some], now + _LONGEST)
        last[some] = np.minimum(last[some], now)
        directory.writer.commit()


def _cap_hosts(directory: Directory, now: float) -> None:
    hosts = directory.repository.hosts
    changed = directory.politeness.cap(now)
    for host in hosts.list:
        due = {url: min(time, now + SITEMAP_EVERY) for url, time in host.sitemaps.items()}
        until = min(host.robots_until, now + _ROBOTS)
        if due != host.sitemaps or until != host.robots_until or host.name in changed:
            host.sitemaps, host.robots_until = due, until
            directory.manners.remember(host)
