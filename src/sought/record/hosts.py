"""What is known about every host?  A host is an origin: scheme, name and port."""

from dataclasses import dataclass, field

import msgspec

from sought.fetch.politeness import HostManners
from sought.fetch.robots import Robots, RobotsFetch
from sought.record.store import Store, row_key
from sought.web.url import hostname


class _HostRecord(msgspec.Struct, array_like=True):
    origin: str
    known: int
    fetched: int
    refused: dict[str, int]
    outcomes: dict[str, int]
    sitemaps: dict[str, float]
    manners: HostManners | None
    robots_until: float
    feeds: int = 0


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_HostRecord).decode
_decode_robots = msgspec.msgpack.Decoder(RobotsFetch).decode


@dataclass(slots=True)
class Host:
    """One host.

    `robots` is None until robots.txt has been read; from `robots_until` on it must be read again.  `sitemaps` says
    when each of its sitemaps and feeds is due; `feeds` of them were announced by its pages.  `refused` counts URLs that
    were not admitted, by reason.
    """

    number: int
    origin: str
    name: str
    known: int = 0
    fetched: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    sitemaps: dict[str, float] = field(default_factory=dict)
    feeds: int = 0
    robots: Robots | None = None
    robots_kind: str = ""
    robots_until: float = -float("inf")
    address: str = ""
    address_until: float = -float("inf")


class Hosts:
    """All hosts by number and by origin."""

    def __init__(self, agent: str) -> None:
        self.agent = agent
        self.list: list[Host] = []
        self.by_origin: dict[str, Host] = {}
        self.manners: dict[str, HostManners] = {}
        self.changed: set[int] = set()
        self.new_robots: dict[int, RobotsFetch] = {}

    def __len__(self) -> int:
        return len(self.list)

    def __getitem__(self, number: int) -> Host:
        return self.list[number]

    def at(self, origin: str) -> Host:
        """The host of an origin, made if it is new."""
        host = self.by_origin.get(origin)
        if host is None:
            host = Host(len(self.list), origin, hostname(origin + "/"))
            self._add(host)
            self.changed.add(host.number)
        return host

    def _add(self, host: Host) -> None:
        self.list.append(host)
        self.by_origin[host.origin] = host

    def count(self, host: Host, what: str) -> None:
        host.outcomes[what] = host.outcomes.get(what, 0) + 1
        self.changed.add(host.number)

    def refuse(self, host: Host, why: str) -> None:
        host.refused[why] = host.refused.get(why, 0) + 1
        self.changed.add(host.number)

    def set_robots(self, host: Host, fetched: RobotsFetch) -> None:
        host.robots = fetched.robots(self.agent)
        host.robots_kind = fetched.kind
        host.robots_until = fetched.expires_at
        self.new_robots[host.number] = fetched
        self.changed.add(host.number)

    def save(self, store: Store) -> None:
        """Put what has changed into the store's batch."""
        for number in self.changed:
            h = self.list[number]
            manners = self.manners.get(h.name)
            record = (
                *(h.origin, h.known, h.fetched, h.refused, h.outcomes, h.sitemaps),
                *(manners, h.robots_until, h.feeds),
            )
            store.put(row_key(b"h", number), _encode(record))
        for number, fetched in self.new_robots.items():
            store.put(row_key(b"r", number), _encode(fetched))
        self.changed.clear()
        self.new_robots.clear()

    def load(self, store: Store) -> None:
        for _, value in store.scan(b"h"):
            r = _decode(value)
            host = Host(len(self.list), r.origin, hostname(r.origin + "/"), r.known, r.fetched, r.refused, r.outcomes)
            host.sitemaps, host.robots_until, host.feeds = r.sitemaps, r.robots_until, r.feeds
            if r.manners:
                self.manners[host.name] = r.manners
            self._add(host)
        for key, value in store.scan(b"r"):
            fetched = _decode_robots(value)
            host = self.list[int.from_bytes(key[1:], "big")]
            host.robots, host.robots_kind = fetched.robots(self.agent), fetched.kind
