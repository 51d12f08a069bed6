"""What has the crawl been told, and what came of it?  Orders that wait, then those that were answered."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sought.operate.audit import APPLIED, read_audit
from sought.operate.orders import waiting_files

WAITING = "waits for the crawl"
_SHOWN = 20


@dataclass(frozen=True)
class OrderStatus:
    """An order as the console lists it."""

    id: str
    time: float
    who: str
    words: str
    outcome: str

    @property
    def is_refused(self) -> bool:
        return self.outcome not in (APPLIED, WAITING)

    @property
    def waits(self) -> bool:
        return self.outcome == WAITING


def orders_given(path: Path) -> list[OrderStatus]:
    """The newest first."""
    waiting = [
        OrderStatus(each.id, each.given.time, each.given.who, _words(msgspec.to_builtins(each.given.order)), WAITING)
        for each in waiting_files(path)
        if each.given
    ]
    known = read_audit(path, _SHOWN)
    answered = [
        OrderStatus(each.id, each.given or each.time, each.who, _words(each.order), each.outcome) for each in known
    ]
    return [*waiting[::-1], *answered][:_SHOWN]


def _words(order: dict[str, Any] | None) -> str:
    return " ".join(str(each) for each in order.values()) if order else "(could not be read)"
