"""What do leases of a crash mean after a rebuild?  They name hosts and rows by the numbers of the old tables."""

from sought.crawl.directory import Directory
from sought.crawl.hosts import Hosts
from sought.crawl.leases import LOST_PAGE, SITEMAP
from sought.crawl.store import Store
from sought.web.errors import SoughtError

Lease = tuple[int, int, float]


def renumbered(directory: Directory, leases: list[Lease]) -> list[Lease]:
    """The same by the numbers of new tables, which have taken in the whole archive.

    If the old tables cannot be read there are none: then a host may be asked a moment too early.
    """
    if not leases:
        return []
    try:
        named = _named(directory, leases)
    except (SoughtError, OSError, ValueError):  # msgspec's errors are ValueErrors
        return []
    hosts, row = directory.repository.hosts, directory.repository.discovery.row
    return [
        (hosts.at(origin).number, page if isinstance(page, int) else _known(row(page)), sent)
        for origin, page, sent in named
    ]


def _known(row: int) -> int:
    return row if row >= 0 else LOST_PAGE


def _named(directory: Directory, leases: list[Lease]) -> list[tuple[str, str | int, float]]:
    """Leases by origin and URL; what is asked for in place of a page stays a number."""
    store = Store(directory.path / "store", writable=False)
    try:
        table, hosts = store.load(), Hosts(directory.config.agent.name)
        hosts.load(store)
        return [
            (hosts[host].origin, row if row >= SITEMAP else store.url(row) if row < len(table) else LOST_PAGE, sent)
            for host, row, sent in leases
            if host < len(hosts)
        ]
    finally:
        store.close()
