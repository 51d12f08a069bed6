"""Which of these hosts are on a private network?  Checked before a crawl is made, to warn early."""

import socket
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from threading import Thread

from sought.fetch.guard import AddressGuard

_PATIENCE = 5.0  # seconds for all names together
_THREADS = 16


def private_addresses(hosts: Iterable[str], patience: float = _PATIENCE) -> dict[str, list[str]]:
    """The addresses of each host that the crawler refuses unless their network is allowed.

    Hosts without such addresses, and names that cannot be resolved in time, are left out.
    """
    guard, names = AddressGuard(), dict.fromkeys(hosts)
    found: dict[str, list[str]] = {}
    waiting = deque(names)
    threads = [Thread(target=_look_up, args=(waiting, found), daemon=True) for _ in range(min(_THREADS, len(names)))]
    for thread in threads:
        thread.start()
    end = time.monotonic() + patience
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    refused = {name: [each for each in found.get(name, ()) if not guard.permits(each)] for name in names}
    return {name: addresses for name, addresses in refused.items() if addresses}


def network(address: str) -> str:
    """The network of a single address, for `[fetch] allow_networks`.

    >>> network("127.0.0.1"), network("::1")
    ('127.0.0.1/32', '::1/128')
    """
    found = ip_address(address)
    return f"{found}/{found.max_prefixlen}"


def _look_up(waiting: deque[str], found: dict[str, list[str]]) -> None:
    """Runs in a daemon thread, which may hang in the system's resolver."""
    while waiting:
        with suppress(IndexError, OSError, UnicodeError):
            name = waiting.popleft()
            infos = socket.getaddrinfo(name.strip("[]"), None, type=socket.SOCK_STREAM)
            found[name] = list(dict.fromkeys(str(info[4][0]).partition("%")[0] for info in infos))
