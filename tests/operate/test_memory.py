"""A long crawl gives memory back."""

import asyncio
import ctypes
import subprocess
import sys
import threading

import pytest

from sought.operate import memory

PROGRAM = """
import ctypes, threading
from pathlib import Path
from sought.operate.memory import free_memory, limit_heaps

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
limit_heaps()

def work():
    blocks = [libc.malloc(60_000) for _ in range(2_000)]
    for block in blocks:
        ctypes.memset(block, 1, 60_000)
    kept.append(blocks.pop())  # so that the heap does not shrink by itself
    for block in blocks:
        libc.free(block)

kept = []
for _ in range(4):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
before = resident()
free_memory()
print(before, resident())
"""


@pytest.mark.skipif(memory._libc() is None, reason="no glibc")
def test_what_threads_have_freed_is_given_back() -> None:
    """Memory that was freed below a block in use stays resident until `free_memory`."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300, check=True)
    before, after = map(int, done.stdout.split())
    assert before - after > 50_000_000


def test_a_crawl_frees_regularly(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it runs, and no longer."""
    calls, enough = [], threading.Event()

    def note() -> None:
        calls.append(1)
        if len(calls) == 3:
            enough.set()

    monkeypatch.setattr(memory, "_EVERY", 0.01)
    monkeypatch.setattr(memory, "free_memory", note)

    async def work() -> None:
        with memory.freed_regularly():
            assert await asyncio.to_thread(enough.wait, 300)
        await asyncio.sleep(0.05)
        ended = len(calls)
        await asyncio.sleep(0.1)
        assert len(calls) == ended

    asyncio.run(work())


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing happens, and nothing fails."""
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    memory._libc.cache_clear()
    try:
        memory.limit_heaps()
        memory.free_memory()
    finally:
        memory._libc.cache_clear()
