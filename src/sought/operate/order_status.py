"""Giving orders to a crawl, and listing them with what came of each: first those that wait, then those answered."""

import getpass
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from sought.operate.audit import APPLIED, read_audit
from sought.operate.order_check import PlacedOrder, place
from sought.operate.orders import (
    AddSeed,
    AnyOrder,
    BlockHost,
    FetchNow,
    Pause,
    Resume,
    SetBudget,
    UnblockHost,
    waiting_files,
)
from sought.operate.typed_report import HtmlTable, TypedReport
from sought.record.settings import crawl_config

WAITING = "waiting for the crawl"
_SHOWN = 20


@dataclass(frozen=True)
class OrderStatus(TypedReport):
    """An order: when it was given and by whom, in words, and its outcome."""

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


def orders_given(path: Path, limit: int = _SHOWN) -> list[OrderStatus]:
    """The newest first."""
    waiting = [
        OrderStatus(each.id, each.given.time, each.given.who, _words(msgspec.to_builtins(each.given.order)), WAITING)
        for each in waiting_files(path)
        if each.given
    ]
    answered = [
        OrderStatus(each.id, each.given or each.time, each.who, _words(each.order), each.outcome)
        for each in read_audit(path, limit)
    ]
    return [*waiting[::-1], *answered][:limit]


def _words(order: dict[str, Any] | None) -> str:
    return " ".join(str(each) for each in order.values()) if order else "(unreadable)"


class CrawlOrders(HtmlTable):
    """The orders of a crawl, running or not: give them, and iterate over those given, the newest first.

    A running crawl applies an order within a second, the next one when it starts.  An order that is known to be
    impossible is refused at once (BadInput, with the reason); one that waits already is not given twice.
    """

    def __init__(self, path: Path, who: str | None = None) -> None:
        self.path = path
        self.who = who or user_name()

    def pause(self) -> PlacedOrder:
        """Send no more requests."""
        return self.give(Pause())

    def resume(self) -> PlacedOrder:
        """Continue after a pause."""
        return self.give(Resume())

    def budget(self, rate: str) -> PlacedOrder:
        """Another rate than that of sought.toml, such as "5000 per day"; "" restores it."""
        return self.give(SetBudget(rate))

    def seed(self, url: str) -> PlacedOrder:
        """A page to start from."""
        return self.give(AddSeed(url))

    def block(self, host: str) -> PlacedOrder:
        """Send no more requests to a host; what was fetched stays searchable."""
        return self.give(BlockHost(host))

    def unblock(self, host: str) -> PlacedOrder:
        """Requests to a host are allowed again."""
        return self.give(UnblockHost(host))

    def fetch(self, url: str) -> PlacedOrder:
        """Fetch a page with the next request to its host."""
        return self.give(FetchNow(url))

    def give(self, order: AnyOrder) -> PlacedOrder:
        """Any order."""
        crawl_config(self.path)  # says what is wrong with the directory
        return place(self.path, order, self.who)

    def listed(self, limit: int = _SHOWN) -> list[OrderStatus]:
        """The newest first, each with its outcome."""
        return orders_given(self.path, limit)

    def __iter__(self) -> Iterator[OrderStatus]:
        return iter(self.listed())

    def to_json(self) -> list[dict[str, Any]]:
        """The listed orders."""
        return [each.to_json() for each in self.listed()]


def user_name() -> str:
    """Who gives orders from this process."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, in a container
        return "somebody"
