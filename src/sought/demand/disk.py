"""How are private files of the log written, and what if the disk is full?"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sought.web.errors import StorageFull

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


PRIVATE = 0o600  # queries are personal: only the owner may read files of the log
PRIVATE_FOLDER = 0o700


def open_private(path: str, flags: int) -> int:
    """An opener for files that only the owner may read."""
    return os.open(path, flags, PRIVATE)


def restrict_access(folder: Path) -> None:
    """Restrict a folder and its files to their owner; files of other owners stay as they are."""
    for path in (folder, *folder.iterdir()):
        allowed = PRIVATE_FOLDER if path.is_dir() else PRIVATE
        if not path.is_symlink() and path.stat().st_mode & 0o777 & ~allowed:
            with suppress(PermissionError, FileNotFoundError):
                path.chmod(allowed)


def write_through(path: Path, data: bytes | memoryview) -> None:
    """Write and sync a file of the log."""
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
        why = f"no space left for {path}: free some space and try again; nothing in the log is lost"
        raise StorageFull(why) from error
