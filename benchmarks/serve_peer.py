"""The same search by SQLite's full-text index (FTS5), behind the same web server: what one would write without Sought.

    python -m benchmarks.serve_peer FILE

Ten results by BM25 with a snippet each, and how many there are; stemmed, all words required; answers are kept for when
they are asked for again, as many as Sought keeps.  Serves on a free port, which it prints, until it is told to end.
"""

import asyncio
import sqlite3
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sought.console.answer_cache import MOST
from sought.console.serving import address, listen

_TABLE = "CREATE VIRTUAL TABLE pages USING fts5(url UNINDEXED, title, body, tokenize='porter unicode61')"
_BEST = """SELECT url, title, snippet(pages, 2, '<b>', '</b>', '…', 40) FROM pages WHERE pages MATCH ?
    AND rank MATCH 'bm25(0.0, 2.0, 1.0)' ORDER BY rank LIMIT 10"""  # twice as fast as ORDER BY bm25(…)
_COUNT = "SELECT count(*) FROM pages WHERE pages MATCH ?"
_THREADS = 2  # SQLite searches without Python's lock
_mine = threading.local()


def make(file: Path, texts: Iterable[tuple[str, str, str]]) -> None:
    """An index of pages (address, title, text), all in one piece, as it is searched fastest."""
    with sqlite3.connect(file) as connection:
        connection.execute(_TABLE)
        connection.executemany("INSERT INTO pages VALUES (?, ?, ?)", texts)
        connection.execute("INSERT INTO pages(pages) VALUES ('optimize')")
    connection.close()


def _connected(file: str) -> sqlite3.Connection:
    """One for each thread."""
    if not hasattr(_mine, "connection"):
        _mine.connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        _mine.connection.execute("PRAGMA mmap_size = 4000000000")
    connection: sqlite3.Connection = _mine.connection
    return connection


def make_app(file: str) -> Starlette:
    threads = ThreadPoolExecutor(_THREADS)

    kept: OrderedDict[str, bytes] = OrderedDict()

    def answer(query: str) -> bytes:
        words = " ".join(f'"{word}"' for word in query.replace('"', " ").split())
        connection = _connected(file)
        (total,) = connection.execute(_COUNT, (words,)).fetchone()
        hits = [{"url": u, "title": t, "snippet": s} for u, t, s in connection.execute(_BEST, (words,))]
        return msgspec.json.encode({"user_query": query, "total": total, "hits": hits})

    async def search(request: Request) -> Response:
        query = request.query_params.get("q", "")
        if query not in kept:
            found = await asyncio.get_running_loop().run_in_executor(threads, answer, query)
            kept[query] = found
        kept.move_to_end(query)
        if len(kept) > MOST:
            kept.popitem(last=False)
        return Response(kept[query], media_type="application/json")

    return Starlette(routes=[Route("/api/search", search)])


def main(file: str) -> None:
    listening = listen("127.0.0.1", 0)
    sys.stdout.write(msgspec.json.encode({"address": address(listening)}).decode() + "\n")
    sys.stdout.flush()
    config = uvicorn.Config(make_app(file), loop="uvloop", http="httptools", lifespan="off", log_level="warning")
    uvicorn.Server(config).run([listening])


if __name__ == "__main__":
    main(*sys.argv[1:])
