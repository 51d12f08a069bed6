"""Giving an order: refused at once if it makes no sense, and given once however often somebody asks for it."""

import time
from collections.abc import Hashable
from pathlib import Path
from typing import NamedTuple

from sought.crawl.order_check import check_order
from sought.crawl.orders import (
    AddSeed,
    AnyOrder,
    BlockHost,
    FetchNow,
    Pause,
    Resume,
    UnblockHost,
    checked,
    give,
    waiting_orders,
)


class Placed(NamedTuple):
    """The id by which the audit log will name an order; `waits_already` if the same one was given before and waits."""

    id: str
    waits_already: bool


def place(path: Path, order: AnyOrder, who: str) -> Placed:
    """Give an order to a crawl, unless the last one that waits about the same says so already."""
    order = checked(order)
    about = [each for each in waiting_orders(path) if _subject(each[1]) == _subject(order)]
    if about and about[-1][1] == order:
        return Placed(about[-1][0], waits_already=True)
    check_order(path, order, time.time())
    return Placed(give(path, order, who), waits_already=False)


def _subject(order: AnyOrder) -> Hashable:
    """What an order is about: of two about the same the later one counts."""
    if isinstance(order, Pause | Resume):
        return "pause"
    if isinstance(order, BlockHost | UnblockHost):
        return "block", order.host
    if isinstance(order, AddSeed | FetchNow):
        return order
    return "budget"
