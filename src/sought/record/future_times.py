"""What if stored times lie in the future, because the clock was ahead once or is behind now?

Within a run the clock never goes back (clock.py), but a run may begin earlier than the last one ended.  So at the start
of a crawl every stored time that is compared with the present is capped: an event of the future counts as happening
now, and a waiting time that begins in the future begins now.  The archive is not changed; the store keeps the times at
which this was done, for `sought check`.
"""

import numpy as np

from sought.fetch.robots import LIFETIMES
from sought.record.directory import Directory
from sought.record.host_files import SITEMAP_EVERY
from sought.record.retries import DAY

MOMENTS = "capped_at"  # in the store
_MAX_WAIT = 31 * DAY  # of any row (retries.py, buffer.py)
_ROBOTS = max(LIFETIMES.values())
_BATCH = 10_000
_KEPT = 100


def cap_times(directory: Directory, now: float) -> float:
    """Cap all stored times; returns how many seconds the latest fetch lies in the future."""
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
    rows = np.flatnonzero((ahead > 0.0) | (wait > now + _MAX_WAIT))
    for name in ("found", "linked"):  # these are read from other records at every opening
        np.minimum(table[name], now, out=table[name])
    if len(rows):
        moments = [*directory.store.meta(MOMENTS, []), now]
        directory.store.put_meta(MOMENTS, moments[-_KEPT:])
    for start in range(0, len(rows), _BATCH):
        batch = rows[start : start + _BATCH]
        repository.store_again(batch.tolist())
        wait[batch] = np.minimum(wait[batch] - ahead[batch], now + _MAX_WAIT)
        last[batch] = np.minimum(last[batch], now)
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
