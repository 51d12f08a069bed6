"""Searches over HTTP, from a process of its own: how many, and how long did each wait?

    python -m benchmarks.serve_load PORT SECONDS FIRST FILE RATE

Each of some tens of connections stays open and asks its next query when the last is answered: at once if RATE is 0, or
else when somebody comes who wants to know, RATE of them a second, at random.  Who comes while all connections are busy
waits for one, and that counts.  The queries are the lines of FILE from FIRST on; all connections share them.  Prints
figures as JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote_plus

import numpy as np
import uvloop

CONNECTIONS = 20
_SEED = 7
_HEAD = "GET /api/search?q={} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n"


class _Asking(asyncio.Protocol):
    """One connection.  An answer is its head and as many bytes behind as the head says."""

    def __init__(
        self, requests: Iterator[bytes], moments: Iterator[float], waited: list[float], errors: list[bytes]
    ) -> None:
        self.requests, self.moments, self.waited, self.errors = requests, moments, waited, errors
        self.loop = asyncio.get_running_loop()
        self.ended = self.loop.create_future()
        self.stopping = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but its class
        self._ask()

    def _ask(self) -> None:
        self.got, self.size, self.began = b"", -1, next(self.moments)
        early = self.began - time.perf_counter()
        if early > 0.0:
            self.loop.call_later(early, self._send)
        else:
            self._send()

    def _send(self) -> None:
        if self.stopping:
            self.transport.close()
        else:
            self.transport.write(next(self.requests))

    def data_received(self, data: bytes) -> None:
        self.got += data
        if self.size < 0 and (end := self.got.find(b"\r\n\r\n")) >= 0:
            self.size = end + 4 + _length(self.got[:end])
        if 0 <= self.size <= len(self.got):
            self._answered()

    def _answered(self) -> None:
        self.waited.append(time.perf_counter() - self.began)
        if not self.got.startswith(b"HTTP/1.1 200"):
            self.errors.append(self.got[:80])
        if self.stopping:
            self.transport.close()
        else:
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.stopping:
            self.errors.append(b"connection lost")
        self.ended.set_result(None)


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])


def moments(rate: float) -> Iterator[float]:
    """When the next search is due: now, or at random, `rate` a second."""
    at, rng = time.perf_counter(), np.random.default_rng(_SEED)
    while True:
        at = at + rng.exponential(1.0 / rate) if rate else time.perf_counter()
        yield at


async def load(port: int, seconds: float, requests: Iterator[bytes], rate: float) -> dict[str, Any]:
    """Figures of so many seconds, after a start that is not counted; `answered` counts it, too."""
    waited: list[float] = []
    errors: list[bytes] = []
    loop, due = asyncio.get_running_loop(), moments(rate)
    asking = [
        (await loop.create_connection(lambda: _Asking(requests, due, waited, errors), "127.0.0.1", port))[1]
        for _ in range(CONNECTIONS)
    ]
    await asyncio.sleep(min(1.0, seconds / 5))
    early, began, cpu = len(waited), time.perf_counter(), time.process_time()
    await asyncio.sleep(seconds)
    took, cpu, found = time.perf_counter() - began, time.process_time() - cpu, np.array(waited[early:])
    for each in asking:
        each.stopping = True
    await asyncio.wait([each.ended for each in asking], timeout=10)
    p50, p99 = (1000 * np.quantile(found, [0.5, 0.99])).tolist() if len(found) else (None, None)
    return {
        "answered": len(waited),
        "searches": len(found),
        "searches_per_s": len(found) / took,
        "p50_ms": p50,
        "p99_ms": p99,
        "errors": len(errors),
        **({"first_error": errors[0].decode("latin-1")} if errors else {}),
        "client_cores": cpu / took,
    }


def main(port: str, seconds: str, first: str, file: str, rate: str) -> None:
    queries = Path(file).read_text().splitlines()
    queries = queries[int(first) % len(queries) :] + queries[: int(first) % len(queries)]
    requests = (_HEAD.format(quote_plus(query)).encode() for query in cycle(queries))
    sys.stdout.write(json.dumps(uvloop.run(load(int(port), float(seconds), requests, float(rate)))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
