"""What has the crawl said of itself lately?  DIR/log.jsonl, the lines of `--log json`; before that log.1.jsonl.

Every live crawl keeps it, whoever started it and wherever its log goes besides.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sought.crawl.lines import append_line, last_lines
from sought.crawl.log import Log, event_line

FILE = "log.jsonl"
_MOST = 4 << 20  # bytes of a file: some twenty thousand events


class KeptLog:
    """Tells another log, and keeps what it tells.  A disk that takes nothing more must not end a crawl."""

    def __init__(self, path: Path, log: Log) -> None:
        self.path = path
        self.log = log

    def __call__(self, event: str, **fields: Any) -> None:
        self.log(event, **fields)
        try:
            append_line(self.path / FILE, event_line(event, fields), _MOST)
        except OSError:
            pass


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a crawl directory, newest first."""
    return last_lines(path / FILE, dict[str, Any], _MOST)


def log_stamp(path: Path) -> str:
    """Something that is another one when there are more events."""
    try:
        found = (path / FILE).stat()
    except OSError:
        return ""
    return f"{found.st_ino}-{found.st_size}"
