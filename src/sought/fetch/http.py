"""How is the live Web fetched?  Through one method, `get`.

Redirects are not followed but returned: the crawl decides, and robots.txt and politeness apply to the target.
"""

import asyncio
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import aiohttp

from sought.fetch.agent import mail_address
from sought.fetch.bounds import Bounds
from sought.fetch.exchange import PeerResponse, exchange
from sought.fetch.guard import AddressGuard
from sought.fetch.resolve import Resolver
from sought.web.message import Request, Response

_KEEP_ALIVE = 5.0  # seconds: longer than the usual delay between two requests, but bounds open sockets


class Http:
    """The live Web.  `get` is a `Web`.  An asynchronous context manager, which also closes its resolver."""

    def __init__(
        self,
        agent: str,
        bounds: Bounds,
        guard: AddressGuard,
        resolver: Resolver,
        connections: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._bounds = bounds
        self._guard = guard
        self._resolver = resolver
        self._connections = connections
        self._now = now
        self._headers = _default_headers(agent)

    async def __aenter__(self) -> Self:
        bounds = self._bounds
        self._places = asyncio.Semaphore(self._connections)
        self._session = aiohttp.ClientSession(
            connector=self._connector(),
            headers=self._headers,
            timeout=aiohttp.ClientTimeout(total=bounds.total, sock_connect=bounds.connect, sock_read=bounds.silence),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            max_line_size=bounds.header_line,
            max_field_size=bounds.header_line,
            max_headers=bounds.header_lines,
            response_class=PeerResponse,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()
        await self._resolver.close()

    async def get(self, request: Request) -> Response:
        """Fetch once.  Errors of the server or the network do not raise."""
        async with self._places:
            return await exchange(self._session, request, self._bounds, self._now())

    def _connector(self) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(
            limit=0,  # `_places` bounds them, so that waiting for one does not count as the server's time
            resolver=self._resolver,
            use_dns_cache=False,
            keepalive_timeout=_KEEP_ALIVE,
            # Checked here and not in the resolver, which does not see IP literals.
            socket_factory=self._guard.open_socket,
        )


def _default_headers(agent: str) -> dict[str, str]:
    headers = {
        "User-Agent": agent,
        "Accept": "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1",
        "Accept-Encoding": "gzip, br, zstd, deflate",
    }
    mail = mail_address(agent)
    return headers | {"From": mail} if mail else headers
