"""Who told the crawl to do what, and what came of it: DIR/audit.jsonl, a line an order."""

from pathlib import Path
from typing import Any

import msgspec

from sought.crawl.lines import append_line, read_lines

FILE = "audit.jsonl"
APPLIED = "applied"
_LAST = 4 << 20  # bytes that are looked through for the latest lines


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
    append_line(path / FILE, what)


def read_audit(path: Path, limit: int = 200) -> list[Audited]:
    """The latest, newest first."""
    return list(read_lines(path / FILE, Audited, _LAST))[: -limit - 1 : -1]
