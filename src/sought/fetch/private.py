"""Which of these hosts are on a private network?  Asked before there is a crawl, so that nobody is surprised later."""

import socket
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from threading import Thread

from sought.fetch.guard import AddressGuard

_PATIENCE = 5.0  # seconds for all names together: to know more is not worth a longer wait
_THREADS = 16


def private_addresses(hosts: Iterable[str], patience: float = _PATIENCE) -> dict[str, list[str]]:
    """Of each host, as a URL spells it, the addresses that a crawler refuses unless their network is allowed.

    Hosts without such an address are left out, and so are names that cannot be resolved, or not in time.
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
    """The network of one address alone, as `[fetch] allow_networks` has it.

    >>> network("127.0.0.1"), network("::1")
    ('127.0.0.1/32', '::1/128')
    """
    found = ip_address(address)
    return f"{found}/{found.max_prefixlen}"


def _look_up(waiting: deque[str], found: dict[str, list[str]]) -> None:
    """In a thread, which may be stuck in the system's resolver and must not keep the program from ending."""
    while waiting:
        with suppress(IndexError, OSError, UnicodeError):
            name = waiting.popleft()
            infos = socket.getaddrinfo(name.strip("[]"), None, type=socket.SOCK_STREAM)
            found[name] = list(dict.fromkeys(str(info[4][0]).partition("%")[0] for info in infos))
