"""Which address does this name have?  One answer, cached: politeness and connection use the same address."""

import asyncio
import socket
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address
from math import inf

from aiohttp.abc import AbstractResolver, ResolveResult

NEGATIVE_TTL = 60.0
MAX_NAMES = 100_000
LOOKUP_SECONDS = 10.0
_THREADS = 32  # the system's resolver blocks; slow name servers must not hold up the rest


class NoAddressError(OSError):
    """The name does not resolve (an OSError, as the HTTP library expects of a resolver)."""


class Resolver(AbstractResolver):
    """Names to addresses: overrides first (`name`, then `*.suffix`, longest first), then the system's resolver.

    An answer is cached for `ttl` seconds, a failure for a minute.  Simultaneous lookups of one name are made once.
    """

    def __init__(self, overrides: Mapping[str, str] | None = None, ttl: float = 300.0) -> None:
        self._overrides = {name.lower(): address for name, address in (overrides or {}).items()}
        self._ttl = ttl
        self._known: dict[str, tuple[float, str]] = {}  # until when, and the address ("" for none)
        self._under_way: dict[str, asyncio.Task[str]] = {}
        self._threads: ThreadPoolExecutor | None = None

    async def address(self, host: str) -> str:
        """The address of a host (IPv6 in brackets); raises NoAddressError."""
        until, address = self._known.get(host, (-inf, ""))
        if until <= time.monotonic():
            address = self._without_lookup(host) or await self._look_up(host)
        if not address:
            raise NoAddressError(f"no address for {host}")
        return address

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The interface of aiohttp; `family` is ignored, for there is one address."""
        address = await self.address(host)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
        return [ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=flags)]

    async def close(self) -> None:
        for task in self._under_way.values():
            task.cancel()
        if self._threads is not None:
            self._threads.shutdown(wait=False, cancel_futures=True)
            self._threads = None

    def _without_lookup(self, host: str) -> str:
        try:
            return str(ip_address(host.strip("[]")))
        except ValueError:
            pass
        exact = self._overrides.get(host)
        if exact:
            return exact
        suffix = host
        while "." in suffix:
            suffix = suffix.partition(".")[2]
            if address := self._overrides.get(f"*.{suffix}"):
                return address
        return ""

    async def _look_up(self, host: str) -> str:
        task = self._under_way.get(host)
        if task is None:
            task = self._under_way[host] = asyncio.create_task(self._ask_system(host))
            task.add_done_callback(lambda _: self._under_way.pop(host, None))
        return await asyncio.shield(task)  # a cancelled caller must not cancel the lookup for others

    async def _ask_system(self, host: str) -> str:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="names")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(LOOKUP_SECONDS):
                address = await loop.run_in_executor(self._threads, _first_address, host)
        except (OSError, UnicodeError):  # TimeoutError is an OSError; UnicodeError: not a name at all
            address = ""
        self._remember(host, address)
        return address

    def _remember(self, host: str, address: str) -> None:
        if len(self._known) >= MAX_NAMES:
            del self._known[next(iter(self._known))]
        self._known.pop(host, None)  # re-inserted last, so that the first is the oldest
        self._known[host] = (time.monotonic() + (self._ttl if address else NEGATIVE_TTL), address)


def _first_address(host: str) -> str:
    # The system sorts by RFC 6724, so the first address is of a family this machine can reach.
    infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return str(infos[0][4][0]) if infos else ""
