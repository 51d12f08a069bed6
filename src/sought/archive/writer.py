"""How are records written to disk, completely or not at all?

`written` bytes of the file are complete records that the operating system has; pending records are in memory.  Writes
go to an explicit offset, so the next write overwrites one that stopped halfway because the disk was full.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sought.web.errors import StorageFull

BUFFER = 1 << 18
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def disk_full_errors(path: Path) -> Iterator[None]:
    """Turn the errors of a full disk into StorageFull."""
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        raise StorageFull(f"cannot write {path}: {error.strerror}; free some space and try again") from error


class FileWriter:
    """One file that grows at its end."""

    def __init__(self, path: Path, written: int) -> None:
        """Open or create `path` to continue at `written`; anything after that is cut off."""
        self.path, self.written = path, written
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        with disk_full_errors(path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
            os.ftruncate(self._file, written)
            _sync_folder(path.parent)

    @property
    def end(self) -> int:
        return self.written + self._pending_bytes

    def add(self, records: bytes) -> int:
        """Add complete records and return their offset.  If StorageFull is raised, they are not added."""
        start = self.end
        self._pending.append(records)
        self._pending_bytes += len(records)
        if self._pending_bytes >= BUFFER:
            try:
                self.flush(sync=False)
            except (StorageFull, OSError):
                self._pending.pop()
                self._pending_bytes -= len(records)
                raise
        return start

    def flush(self, *, sync: bool) -> None:
        """Write everything to the operating system, with `sync` to the disk.  On failure, records stay pending."""
        with disk_full_errors(self.path):
            if self._pending:
                self._write(b"".join(self._pending))
                self.written = self.end
                self._pending, self._pending_bytes = [], 0
            if sync:
                os.fsync(self._file)

    def _write(self, data: bytes) -> None:
        rest, offset = memoryview(data), self.written
        try:
            while rest:
                count = os.pwrite(self._file, rest, offset)
                rest, offset = rest[count:], offset + count
        except OSError:
            self._cut()
            raise

    def _cut(self) -> None:
        """Cut off an incomplete record.  If even that fails, the next write or `open` does it."""
        try:
            os.ftruncate(self._file, self.written)
        except OSError:
            pass

    def close(self) -> None:
        """Close the file; pending records are dropped, so flush first."""
        os.close(self._file)


def _sync_folder(folder: Path) -> None:
    """Sync the folder, so that a new file's name is durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
