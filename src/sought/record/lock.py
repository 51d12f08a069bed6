"""How is it made sure that only one process writes to a crawl?"""

import fcntl
import os
from pathlib import Path
from typing import IO

from sought.web.errors import BadInput, CrawlBusy, CrawlDamaged


class Lock:
    """One writer at a time; the system releases it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        if path.is_dir():
            raise CrawlDamaged(f"{path} is a directory: run 'sought check {path.parent} --repair'")
        try:
            self.file: IO[str] = path.open("a+")
        except OSError as error:
            raise BadInput(
                f"cannot write in {path.parent}: {error.strerror}; a crawl can be read there, but a command that "
                "writes to it (also to check or to mend it) needs a folder that it may write to"
            ) from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.seek(0)
            owner = self.file.read(32).strip() or "unknown"
            self.file.close()
            raise CrawlBusy(f"{path.parent} is in use by process {owner}; wait for it or stop it") from None
        self.file.truncate(0)
        self.file.write(str(os.getpid()))
        self.file.flush()

    def release(self) -> None:
        self.file.close()
