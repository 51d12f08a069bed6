"""Which requests were sent and not yet recorded: 16 bytes a request, appended before it is sent.

After kill -9 this is how the next run knows which hosts were just asked (the delay is kept) and what was spent (the
budget is kept), although the answers are lost.
"""

import os
import struct
from pathlib import Path

from sought.web.errors import CrawlDamaged, StorageFull

_LEASE = struct.Struct("<IId")

# In place of a row: what else is asked for.
LOST_PAGE = 0xFFFFFFFD  # charged; a rebuild knows the page no more
SITEMAP = 0xFFFFFFFE  # charged, like a page
ROBOTS = 0xFFFFFFFF  # not charged
_LATEST = 1e11  # seconds since 1970: no time of a request
_WHY_FULL = "no space left for {}: free some and run the same command again; nothing is lost"


class Leases:
    """Append-only, replaced by a short file now and then.  Invariant: a request in flight has its line here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise CrawlDamaged(f"{path} is a directory: run 'sought check {path.parent} --repair'")
        data = path.read_bytes() if path.exists() else b""
        whole = len(data) - len(data) % _LEASE.size
        leases: list[tuple[int, int, float]] = list(_LEASE.iter_unpack(data[:whole]))
        self.found = [lease for lease in leases if 0.0 <= lease[2] <= _LATEST]  # NaN and the like are damage
        if whole < len(data):
            os.truncate(path, whole)  # what is appended next must begin where a lease begins
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def add(self, host: int, row: int, time: float) -> None:
        try:
            os.write(self.file, _LEASE.pack(host, row, time))
        except OSError as error:
            raise StorageFull(_WHY_FULL.format(self.path)) from error

    def keep(self, in_flight: list[tuple[int, int, float]]) -> None:
        """Forget all but these.  The new file takes the old one's place in one step."""
        fresh = self.path.with_suffix(".new")
        try:
            fresh.write_bytes(b"".join(_LEASE.pack(*lease) for lease in in_flight))
        except OSError as error:
            raise StorageFull(_WHY_FULL.format(self.path)) from error
        fresh.replace(self.path)
        os.close(self.file)
        self.file = os.open(self.path, os.O_WRONLY | os.O_APPEND, 0o644)

    def close(self) -> None:
        os.close(self.file)
