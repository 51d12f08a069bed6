"""A process that runs out of disk in the middle of a commit."""

import os
import resource
import signal
from pathlib import Path

from sought.web.errors import StorageFull
from tests.testing.demand_site import Fate


def fill_the_disk(path: Path) -> None:
    """Fetch, and commit when the store's file cannot grow; exit code 7 if that is reported as StorageFull."""
    fate = Fate(path, 1)
    fate.directory.store.put_meta("filler", b"x" * 300_000)  # so that the store's file is longer than the archive's
    fate.directory.store.commit()
    for i in range(1, 8):
        fate.fetch(i, fate.body[i])
    fate.directory.store.put_meta("filler", b"x" * 300_000)
    longest = max(file.stat().st_size for file in (path / "store").glob("*.log"))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (longest + 100_000, longest + 100_000))
    try:
        fate.directory.writer.commit()
    except StorageFull:
        os._exit(7)
