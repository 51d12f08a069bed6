"""What has the crawl said of itself lately?  DIR/log.jsonl, the lines of `--log json`; before that log.1.jsonl.

Every live crawl keeps it, whoever started it and wherever its log goes besides.  Of plans and commits, of which there
may be some every second, one a minute is kept: else they would soon push out the warnings.
"""

from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from sought.crawl.lines import append_line, last_lines
from sought.crawl.log import Log, event_line

FILE = "log.jsonl"
_MOST = 4 << 20  # bytes of a file: more than a week of a crawl without trouble
_OFTEN = ("plan", "commit")
_APART = 60.0  # seconds between two of such events that are kept


class KeptLog:
    """Tells another log, and keeps what it tells.  A disk that takes nothing more must not end a crawl."""

    def __init__(self, path: Path, log: Log) -> None:
        self.path = path
        self.log = log
        self._kept_at = dict.fromkeys(_OFTEN, -inf)  # by a clock that is never set

    def __call__(self, event: str, **fields: Any) -> None:
        self.log(event, **fields)
        if event in _OFTEN and not self._is_due(event):
            return
        try:
            append_line(self.path / FILE, event_line(event, fields), _MOST)
        except OSError:
            pass

    def _is_due(self, event: str) -> bool:
        now = monotonic()
        if now - self._kept_at[event] < _APART:
            return False
        self._kept_at[event] = now
        return True


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
