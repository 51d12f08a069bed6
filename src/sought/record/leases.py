"""Which requests were sent and have no recorded answer?  A file of 16 bytes a request, appended before it is sent.

After kill -9 the answers are lost, but the next run knows from this file which hosts were just asked, so it keeps the
delay, and how many fetches were spent, so it keeps the budget.
"""

import os
import struct
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sought.web.errors import CrawlDamaged, StorageFull
from sought.web.message import RequestPurpose

_LEASE = struct.Struct("<IId")  # host, row, time
# In the file, in place of a row:
_UNKNOWN_PAGE = 0xFFFFFFFD
_SITEMAP = 0xFFFFFFFE
_ROBOTS = 0xFFFFFFFF
_LATEST = 1e11  # seconds since 1970: no time of a request
_WHY_FULL = "no space left for {}: free some and run the same command again; nothing is lost"


class Visit(NamedTuple):
    """A request that was sent to a host (by its number) and has no recorded answer.

    `row` is that of the page; None for robots.txt (and for looking up the host's address), for a sitemap, and for a
    page that is no longer known after a rebuild.
    """

    host: int
    purpose: RequestPurpose
    sent: float
    row: int | None = None
    url: str = ""  # of a sitemap; it is not stored

    @property
    def is_charged(self) -> bool:
        """Whether it counts towards the budget."""
        return self.purpose is not RequestPurpose.ROBOTS


class Leases:
    """Append-only, replaced by a short file now and then.  Invariant: a request in flight has its lease in the file."""

    def __init__(self, path: Path) -> None:
        """`unanswered` are requests of an earlier run."""
        self.path = path
        if path.is_dir():
            raise CrawlDamaged(f"{path} is a directory: run 'sought check {path.parent} --repair'")
        data = path.read_bytes() if path.exists() else b""
        whole = len(data) - len(data) % _LEASE.size
        leases = _LEASE.iter_unpack(data[:whole])
        # NaN and the like are damage.
        self.unanswered = [_visit(*lease) for lease in leases if 0.0 <= lease[2] <= _LATEST]
        if whole < len(data):
            os.truncate(path, whole)  # a torn lease, so that the next one begins at a multiple of the size
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def add(self, visit: Visit) -> None:
        try:
            os.write(self.file, _packed(visit))
        except OSError as error:
            raise StorageFull(_WHY_FULL.format(self.path)) from error

    def keep(self, visits: Iterable[Visit]) -> None:
        """Forget all but these; the file is replaced in one step."""
        fresh = self.path.with_suffix(".new")
        try:
            fresh.write_bytes(b"".join(map(_packed, visits)))
        except OSError as error:
            raise StorageFull(_WHY_FULL.format(self.path)) from error
        fresh.replace(self.path)
        os.close(self.file)
        self.file = os.open(self.path, os.O_WRONLY | os.O_APPEND, 0o644)

    def close(self) -> None:
        os.close(self.file)


def _visit(host: int, row: int, sent: float) -> Visit:
    if row in (_ROBOTS, _SITEMAP):
        return Visit(host, RequestPurpose.ROBOTS if row == _ROBOTS else RequestPurpose.SITEMAP, sent)
    return Visit(host, RequestPurpose.PAGE, sent, None if row == _UNKNOWN_PAGE else row)


def _packed(visit: Visit) -> bytes:
    files = {RequestPurpose.ROBOTS: _ROBOTS, RequestPurpose.SITEMAP: _SITEMAP}
    row = files.get(visit.purpose, _UNKNOWN_PAGE) if visit.row is None else visit.row
    return _LEASE.pack(visit.host, row, visit.sent)
