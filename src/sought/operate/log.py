"""The log of a running crawl, one event at a time: as JSON for programs, in words for people.

Every line of JSON has `time` (seconds since 1970), `level` and `event`, and what belongs to the event.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, TextIO

import msgspec

from sought.record.files import append_line, last_lines

_STOPPING = "stopping: waiting for requests in flight (Ctrl-C again: at once)"

# Each event: its level, what it means, and how it is put to people on their screen (empty: it is not, they see more).
EVENTS: dict[str, tuple[str, str, str]] = {
    "started": ("info", "a crawl begins: directory, process, policy, budget, paused", ""),
    "paused": ("info", "it rests, because it was told to", "paused; to resume: sought order {directory} resume"),
    "plan": ("info", "pages were chosen: chosen, hosts, known, seconds, price, to_gain", ""),
    "commit": ("info", "answers are on disk and in the tables: fetches, gain", ""),
    "trouble": ("warning", "a host did not answer as it should: host, url, what", ""),
    "damaged": (
        "warning",
        "part of the archive or of the query log cannot be read; the crawl goes on: what, remedy",
        "{what}; {remedy}",
    ),
    "clock": (
        "warning",
        "the clock is behind the last fetch: what is dated later counts as of now: seconds",
        "the clock is {seconds} s behind the last fetch: what is dated later counts as of now",
    ),
    "order-applied": ("info", "an order was carried out: id, who, order", "order by {who}: {order}: applied"),
    "order-refused": ("warning", "it was not: id, who, order, why", "order by {who}: {order}: {why}"),
    "unwritable": ("warning", "pulse, journal, audit log or settings cannot be written: what", "cannot write: {what}"),
    "stopping": ("info", "somebody asked it to stop: what is in flight ends", _STOPPING),
    "stopped": ("info", "the crawl has ended: ended, fetched, seconds, gain", ""),
    "failed": ("error", "it could not go on: what", ""),
}


class Log(Protocol):
    """Gets every event."""

    def __call__(self, event: str, **fields: Any) -> None: ...


def silent(event: str, **fields: Any) -> None:
    """Drops every event."""


def event_line(event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """An event that happens now, as JSON has it."""
    return {"time": round(time.time(), 3), "level": EVENTS[event][0], "event": event, **fields}


class JsonLog:
    """One object a line.  A stream that takes nothing more must not end a crawl."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __call__(self, event: str, **fields: Any) -> None:
        try:
            self.stream.write(msgspec.json.encode(event_line(event, fields)).decode() + "\n")
            self.stream.flush()
        except OSError:
            pass


class TextLog:
    """In words, what people should know beside the picture of a crawl that they see."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write

    def __call__(self, event: str, **fields: Any) -> None:
        if words := EVENTS[event][2]:
            self.write(words.format(**fields))


# ---- On disk: DIR/log.jsonl, the lines of `--log json`; older ones in log.1.jsonl
#
# Every live crawl keeps it, wherever else its log goes.  Of plans and commits, of which there
# may be some every second, one a minute is kept: else they would soon push out the warnings.


FILE = "log.jsonl"
_MOST = 4 << 20  # bytes of a file: more than a week of a crawl without trouble
_OFTEN = ("plan", "commit")
_APART = 60.0  # seconds between two of such events that are kept


class KeptLog:
    """Passes events to another log, and writes them to disk.  A full disk must not end a crawl."""

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
    """A value that changes when there are new events."""
    try:
        status = (path / FILE).stat()
    except OSError:
        return ""
    return f"{status.st_ino}-{status.st_size}"
