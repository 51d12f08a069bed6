"""The audit log: every order, who gave it, and its outcome.  DIR/audit.jsonl, one line each; older: audit.1.jsonl."""

from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from sought.record.files import append_line, last_lines

FILE = "audit.jsonl"
APPLIED = "applied"
_MOST = 1 << 20  # bytes of a file: some five thousand orders


class Audited(msgspec.Struct, frozen=True):
    """One order: when it was given, by whom, when the crawl answered, and "applied", or why it was not.

    `order` is what was asked, as the order's file had it; None if that could not be read.
    """

    time: float
    id: str
    outcome: str
    who: str = ""
    given: float = 0.0
    order: dict[str, Any] | None = None


def note(path: Path, what: Audited) -> None:
    """Append to the audit log of a crawl directory."""
    append_line(path / FILE, what, _MOST)


def read_audit(path: Path, limit: int = 200) -> list[Audited]:
    """The latest, newest first."""
    return list(islice(last_lines(path / FILE, Audited, _MOST), limit))
