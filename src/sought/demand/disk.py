"""How do bytes get onto the disk, and what is said when it is full?"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sought.web.errors import StorageFull

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_through(path: Path, data: bytes | memoryview) -> None:
    """Write a file; it is on disk when this returns."""
    with space_for(path), path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def space_for(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        why = f"no space left for {path}: free some and do the same again; what the log had is not lost"
        raise StorageFull(why) from error
