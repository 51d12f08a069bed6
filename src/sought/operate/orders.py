"""Orders to a crawl: one small JSON file each, in DIR/orders.

Giving an order needs no connection to the crawl: it is applied within a second, or when the next crawl starts.  The
audit log has its outcome.  Anything else that lies in the folder is put aside, in orders/refused.
"""

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from sought.record.config import rate
from sought.record.files import replace_file
from sought.web.errors import BadInput
from sought.web.url import canonical, hostname

FOLDER = "orders"
ASIDE = "refused"
_LARGEST = 16 << 10  # bytes
_AT_ONCE = 100
_WAITING = 1000
_ASIDE = 100
_WHO = 200  # characters
_SETTLED = 2.0  # seconds after which the folder's time is a reliable sign that nothing has come


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="order"):
    """Something to do."""


class Pause(Order, frozen=True, tag="pause"):
    """Ask for nothing more; what is in flight ends."""


class Resume(Order, frozen=True, tag="resume"):
    """Go on."""


class SetBudget(Order, frozen=True, tag="budget"):
    """Another rate than that of sought.toml, as `5000 per day`; an empty one: that of sought.toml again."""

    budget: str


class AddSeed(Order, frozen=True, tag="seed"):
    """A page to start from, if scope and traps let it in."""

    url: str


class BlockHost(Order, frozen=True, tag="block"):
    """Never ask a host again; what was fetched stays searchable."""

    host: str


class UnblockHost(Order, frozen=True, tag="unblock"):
    """A host may be asked again."""

    host: str


class FetchNow(Order, frozen=True, tag="fetch"):
    """Fetch a page before all others of its host: with the next request to it, within robots.txt and the budget."""

    url: str


AnyOrder = Pause | Resume | SetBudget | AddSeed | BlockHost | UnblockHost | FetchNow


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order as its file has it: when it was given, and by whom."""

    time: float
    who: str
    order: AnyOrder


class WaitingOrder(NamedTuple):
    """A file in the folder; `given` is None if it is no order, and then `problem` says why."""

    file: Path
    given: Given | None
    problem: str = ""

    @property
    def id(self) -> str:
        """The name of the file, made printable."""
        return self.file.name.removesuffix(".json").encode("utf-8", "backslashreplace").decode()


def checked(order: AnyOrder) -> AnyOrder:
    """The order with its address, host or budget in canonical form; BadInput if it has none."""
    if isinstance(order, SetBudget):
        if order.budget:
            rate(order.budget)
        return SetBudget(" ".join(order.budget.split()))
    if isinstance(order, AddSeed | FetchNow):
        return type(order)(canonical(order.url))
    if isinstance(order, BlockHost | UnblockHost):
        return type(order)(_host(order.host))
    return order


def _host(text: str) -> str:
    """The name of a host.  One with a port or a path is refused: the order would be about more than was written."""
    address = text if "://" in text else f"http://{text}/"
    try:
        name = hostname(canonical(address))
    except BadInput:
        raise BadInput(f"not a host: {text[:200]!r} (write for example 'example.org')") from None
    authority, _, rest = re.sub(r"[/\\?#]", "/", address.partition("://")[2]).partition("/")
    if rest or re.search(r":\d*$", authority):
        raise BadInput(
            f"not the name of a host: {text[:200]!r}; the order is about a whole host, all its ports: {name}"
        )
    return name


def give(path: Path, order: AnyOrder, who: str) -> str:
    """Put an order into a crawl's directory; returns its id, by which the audit log will name it."""
    folder, now = path / FOLDER, time.time()
    given = Given(now, who[:_WHO], checked(order))
    folder.mkdir(exist_ok=True)
    if sum(1 for _ in _names(folder)) >= _WAITING:
        raise BadInput(f"{_WAITING:,} orders wait in {folder}: is the crawl running?")
    name = f"{int(now * 1e6):017d}-{secrets.token_hex(4)}"  # they are applied in the order of their names
    replace_file(folder / f"{name}.json", msgspec.json.encode(given))
    return name


def waiting_files(path: Path) -> list[WaitingOrder]:
    """All in a crawl's directory that no crawl has answered yet, oldest first."""
    folder = path / FOLDER
    try:
        names = sorted(_names(folder))
    except OSError:
        return []
    return [_read(folder / name) for name in names[:_WAITING]]


def waiting_orders(path: Path) -> list[tuple[str, AnyOrder]]:
    """The id of each order that waits, and the order itself, oldest first."""
    return [(each.id, each.given.order) for each in waiting_files(path) if each.given]


class Inbox:
    """The crawl's side of the folder.  A look costs one system call while nothing is there."""

    def __init__(self, path: Path) -> None:
        self.folder = path / FOLDER
        self.seen = -1  # the folder's time when nothing was left in it
        self.stuck: set[str] = set()  # names of files that cannot be taken away

    def look(self, now: float) -> list[WaitingOrder]:
        """The next orders, oldest first, and what is none; each must be `remove`d or `put_aside`."""
        try:
            changed = self.folder.stat().st_mtime_ns
            if changed == self.seen:
                return []
            names = sorted(name for name in _names(self.folder) if name not in self.stuck)[:_AT_ONCE]
        except OSError:
            return []
        if not names and now - changed / 1e9 > _SETTLED:  # a folder's time is coarse: one may come in the same moment
            self.seen = changed
        return [_read(self.folder / name) for name in names]

    def remove(self, waiting: WaitingOrder) -> None:
        """It has been applied, or refused."""
        try:
            waiting.file.unlink(missing_ok=True)
        except OSError:
            self.stuck.add(waiting.file.name)

    def put_aside(self, waiting: WaitingOrder) -> None:
        """Keep what is no order for a person to look at, the latest of it."""
        aside = self.folder / ASIDE
        try:
            aside.mkdir(exist_ok=True)
            for old in sorted(aside.iterdir())[:-_ASIDE]:
                old.unlink(missing_ok=True)
        except OSError:
            pass  # there is more of it than was meant to be, and it is out of the way
        try:
            waiting.file.replace(aside / f"{time.time_ns():020d}.json")
        except OSError:
            self.stuck.add(waiting.file.name)


def _names(folder: Path) -> Iterator[str]:
    """Those whose files are complete: others begin with a dot."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".json") and not entry.name.startswith("."):
                yield entry.name


def _read(file: Path) -> WaitingOrder:
    try:
        return WaitingOrder(file, msgspec.json.decode(_bytes(file), type=Given))
    except (OSError, ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
        return WaitingOrder(file, None, str(error)[:200] or type(error).__name__)


def _bytes(file: Path) -> bytes:
    """A plain and small file; nothing that leads elsewhere, or never ends."""
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        kind = os.fstat(opened)
        if not stat.S_ISREG(kind.st_mode) or kind.st_size > _LARGEST:
            raise ValueError("not a small file")
        return os.read(opened, _LARGEST)
    finally:
        os.close(opened)
