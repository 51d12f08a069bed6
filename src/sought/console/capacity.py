"""Which connection is closed when there are too many?  The one that has waited longest for its client.

A connection waits for its client while a request arrives, between two requests, and while an answer is not read.  An
ordinary client is quick, so one that opens many connections and is slow on all of them loses its own.
Limits per address would not help: behind a proxy all clients have the same one.
"""

import resource
from typing import Protocol

MOST = 1_000


class Client(Protocol):
    """What is known of a connection here."""

    def evict(self) -> None: ...


def most_connections() -> int:
    """At most half of the files that the process may have open: answers need some, too."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft // 2))


class Capacity:
    """The open connections of a server; those that wait for their client are in the order in which they began to."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[Client] = set()
        self._waiting: dict[Client, None] = {}

    def enter(self, client: Client) -> bool:
        """Make room for one more; returns whether there is any."""
        self._open.add(client)
        if len(self._open) <= self._most:
            return True
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.evict()
        return True

    def leave(self, client: Client) -> None:
        self._open.discard(client)
        self._waiting.pop(client, None)

    def waits(self, client: Client) -> None:
        """It waits for its client from now on."""
        self._waiting.pop(client, None)
        if client in self._open:
            self._waiting[client] = None

    def works(self, client: Client) -> None:
        """Its client waits for us."""
        self._waiting.pop(client, None)
