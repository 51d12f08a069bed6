"""What has to be known about a host before its first page is fetched?  Its address and its robots.txt."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from itertools import chain, repeat

from sought.fetch.robots import RobotsFetch, fetch_robots
from sought.record.hosts import Host
from sought.record.stored_politeness import StoredPoliteness
from sought.record.writer import Writer
from sought.web.message import Failure, Request, Response, Web
from sought.web.url import hostname

_ADDRESS_FOR = 300.0  # as long as the resolver keeps an answer
_HOP_WAIT = 60.0  # seconds for which the host of a redirect is waited for

AddressOf = Callable[[str], Awaitable[str]]


class HostSetup:
    """Looks up addresses and reads robots.txt, politely.  Hosts that `is_blocked` are not asked."""

    def __init__(
        self,
        writer: Writer,
        manners: StoredPoliteness,
        web: Web,
        address_of: AddressOf,
        is_blocked: Callable[[str], bool],
    ) -> None:
        self.writer = writer
        self.manners, self.politeness = manners, manners.politeness
        self.clock = writer.clock
        self.web = web
        self.address_of = address_of
        self.is_blocked = is_blocked

    async def find_address(self, host: Host) -> None:
        """Look up the address of a host; politeness limits requests by address, too."""
        now = self.clock.now()
        try:
            host.address, host.address_until = await self.address_of(host.name), now + _ADDRESS_FOR
        except OSError:
            # The fetch itself reports the failure; the next request looks it up again.
            host.address, host.address_until = host.name, now + 1.0

    async def read_robots(self, host: Host) -> tuple[RobotsFetch, list[Response]]:
        """Fetch a host's robots.txt and obey it from now on; returns it with the answers it was read from."""
        address = host.address

        async def first(request: Request) -> Response:
            response = await self.web(request)
            self.politeness.ended(host.name, address, self.clock.now(), response)
            return response

        hops = chain([first], repeat(self._hop))
        fetched, responses = await fetch_robots(lambda request: next(hops)(request), host.origin)
        for response in responses:
            self.writer.record(-1, response)
        self.manners.hosts.set_robots(host, fetched)
        self.politeness.set_crawl_delay(host.name, host.robots.delay or 0.0 if host.robots else 0.0)
        self.manners.remember(host)
        return fetched, responses

    async def _hop(self, request: Request) -> Response:
        """Fetch what a robots.txt redirects to, when that host is ready; a failure if it is not ready soon."""
        name, now = hostname(request.url), self.clock.now()
        deadline = now + _HOP_WAIT
        while (ready := self.politeness.ready_at(name, "", now)) > now or self.is_blocked(name):
            if now > deadline or deadline < ready < math.inf or self.is_blocked(name):
                return Response(request.url, time=round(now, 6), failure=Failure.TIMEOUT, purpose=request.purpose)
            await self.clock.wait(asyncio.Event(), min(ready, now + 0.2), busy=False)
            now = self.clock.now()
        self.politeness.began(name, "", now)
        response = await self.web(request)
        self.politeness.ended(name, "", self.clock.now(), response)
        return response
