"""How do bytes get onto the disk, and what is said when it is full?"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sought.web.errors import StorageFull

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


PRIVATE = 0o600  # queries are personal: files of the log are their owner's alone
PRIVATE_FOLDER = 0o700


def open_private(path: str, flags: int) -> int:
    """An opener of files that nobody else may read."""
    return os.open(path, flags, PRIVATE)


def restrict_access(folder: Path) -> None:
    """Make a folder and its files their owner's alone; those of somebody else stay as they are."""
    for path in (folder, *folder.iterdir()):
        allowed = PRIVATE_FOLDER if path.is_dir() else PRIVATE
        if not path.is_symlink() and path.stat().st_mode & 0o777 & ~allowed:
            with suppress(PermissionError, FileNotFoundError):
                path.chmod(allowed)


def write_through(path: Path, data: bytes | memoryview) -> None:
    """Write a file of the log; it is on disk when this returns."""
    with disk_full_errors(path), open(path, "wb", opener=open_private) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def disk_full_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        why = f"no space left for {path}: free some and do the same again; what the log had is not lost"
        raise StorageFull(why) from error
