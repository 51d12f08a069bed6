"""How does a long crawl give memory back?

Index, store and archive allocate in many threads.  glibc keeps eight heaps for each core, puts blocks of up to 32 MB
into them once such a block was freed, and gives little of what is freed back to the system.  In `make soak` a crawl of
1,100 pages grew by 40 MB a minute.
"""

import asyncio
import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_EVERY = 20.0  # seconds
_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1  # of malloc.h
_LARGE = 128 * 1024  # bytes: a block of its own, which goes back when it is freed


@cache
def _libc() -> ctypes.CDLL | None:
    """The C library, if it is glibc."""
    libc = ctypes.CDLL(None)
    return libc if hasattr(libc, "malloc_trim") and hasattr(libc, "mallopt") else None


def limit_heaps() -> None:
    """Let all threads share one heap, of small blocks only; threads that have allocated before keep theirs."""
    if libc := _libc():
        libc.mallopt(_ARENA_MAX, 1)
        libc.mallopt(_MMAP_THRESHOLD, _LARGE)
        libc.mallopt(_TRIM_THRESHOLD, _LARGE)


def free_memory() -> None:
    """Give what is free back to the system."""
    if libc := _libc():
        libc.malloc_trim(0)


@contextmanager
def freed_regularly() -> Iterator[None]:
    """While the block runs; called in an event loop."""

    async def work() -> None:
        while True:
            await asyncio.sleep(_EVERY)
            await asyncio.to_thread(free_memory)

    task = asyncio.create_task(work())
    try:
        yield
    finally:
        task.cancel()
