"""Can an order be carried out?  What is known when it is given is checked then; the crawl decides in the end."""

import difflib
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sought.operate.orders import (
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
from sought.operate.typed_report import TypedReport
from sought.operate.view import running_process
from sought.record.admission import REASONS, Admission
from sought.record.config import Config
from sought.record.hosts import Hosts
from sought.record.settings import crawl_config, load_settings
from sought.record.store import Store
from sought.web.errors import BadInput, CrawlBusy, CrawlDamaged
from sought.web.url import fingerprint, hostname, origin


class _Known(NamedTuple):
    """A crawl directory, read without opening it for writing; the store is None before the first crawl."""

    path: Path
    config: Config
    store: Store | None
    hosts: Hosts


def check_order(path: Path, order: AnyOrder, now: float) -> None:
    """Raise BadInput with the reason if an order cannot be carried out, as far as is known now."""
    order = checked(order)
    if isinstance(order, BlockHost | UnblockHost | AddSeed | FetchNow):
        blocked = _blocked(path)
        with _opened(path) as known:
            _check(order, known, blocked, now)


def _check(
    order: BlockHost | UnblockHost | AddSeed | FetchNow, known: _Known, blocked: frozenset[str], now: float
) -> None:
    if isinstance(order, UnblockHost):
        if order.host not in blocked:
            raise BadInput(f"{order.host} is not blocked{_instead(order.host, sorted(blocked))}")
    elif isinstance(order, BlockHost):
        _check_host(order.host, known)
    else:
        _check_url(order.url, known, blocked)
        if isinstance(order, FetchNow):
            _check_robots(order.url, known, now)


def _check_host(name: str, known: _Known) -> None:
    names = {host.name for host in known.hosts.list}
    if name not in names and not Admission(known.config, known.store).scope.covers(name):
        more = _instead(name, sorted(names)) or f"; 'sought hosts {known.path}' lists those that are known"
        raise BadInput(f"{name} is no host of this crawl, and outside its scope{more}")


def _check_url(url: str, known: _Known, blocked: frozenset[str]) -> None:
    if hostname(url) in blocked:
        raise BadInput(f"{hostname(url)} is blocked; first: sought order {known.path} unblock {hostname(url)}")
    where = origin(url)
    host = known.hosts.by_origin.get(where)
    why = Admission(known.config, known.store).look(url, where, host, 0)[0]
    if why and not _is_known(url, known):
        raise BadInput(f"{url} is not admitted: {REASONS[why]}")


def _check_robots(url: str, known: _Known, now: float) -> None:
    host = known.hosts.by_origin.get(origin(url))
    if host and host.robots and host.robots_until > now and not host.robots.allows(url):
        raise BadInput(f"robots.txt forbids {url}")


def _is_known(url: str, known: _Known) -> bool:
    """Reads the whole table, so this comes last."""
    if known.store is None:
        return False
    return int(known.store.load().find(np.array([fingerprint(url)], np.uint64))[0]) >= 0


def _blocked(path: Path) -> frozenset[str]:
    """The hosts that will be blocked once the waiting orders are applied.

    Orders are read before the settings, so that an order that is applied in between is not missed.
    """
    waiting = waiting_orders(path)
    blocked = set(load_settings(path).blocked)
    for _, order in waiting:
        if isinstance(order, BlockHost):
            blocked.add(order.host)
        elif isinstance(order, UnblockHost):
            blocked.discard(order.host)
    return frozenset(blocked)


@contextmanager
def _opened(path: Path) -> Iterator[_Known]:
    config = crawl_config(path)
    hosts, store = Hosts(config.agent.name), None
    if (path / "store").exists():
        try:
            store = Store(path / "store", writable=False)
            hosts.load(store)
        except (CrawlBusy, CrawlDamaged):
            pass  # an order can be given all the same
    try:
        yield _Known(path, config, store, hosts)
    finally:
        if store:
            store.close()


def _instead(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 1, 0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


# ---- Giving an order: checked first, and given once however often it is asked for


@dataclass(frozen=True)
class PlacedOrder(TypedReport):
    """An order that was given: the id by which the audit log names it, and the process that crawls now.

    `waits_already`: the same order was given before and still waits.
    """

    id: str
    running: int | None
    waits_already: bool


def place(path: Path, order: AnyOrder, who: str) -> PlacedOrder:
    """Give an order to a crawl, unless the last order that waits about the same thing is this one."""
    order = checked(order)
    about = [each for each in waiting_orders(path) if _subject(each[1]) == _subject(order)]
    if about and about[-1][1] == order:
        return PlacedOrder(about[-1][0], running_process(path), waits_already=True)
    check_order(path, order, time.time())
    return PlacedOrder(give(path, order, who), running_process(path), waits_already=False)


def _subject(order: AnyOrder) -> Hashable:
    """What an order is about; of two orders about the same thing the later one counts."""
    if isinstance(order, Pause | Resume):
        return "pause"
    if isinstance(order, BlockHost | UnblockHost):
        return "block", order.host
    if isinstance(order, AddSeed | FetchNow):
        return order
    return "budget"
