"""A site on one host of loopback that a test rewrites while it is crawled."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from sought.record.recovery import open_directory

Answer = tuple[int, dict[str, str], str]


HTML = {"Content-Type": "text/html; charset=utf-8"}


_CONFIG = """
seeds = ["http://127.0.0.1:{port}/"]
[agent]
contact = "test@example.org"
[scope]
{scope}
[crawl]
policy = "Split()"
revisit_after = "0s"
[politeness]
delay = 0.0
max_delay = 0.1
latency_factor = 0.0
[fetch]
allow_networks = ["127.0.0.0/8"]
timeout = 300.0
"""


class Site:
    """What each path says now, and what was asked for."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers: dict[str, Answer] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked if path != "/robots.txt"]


@contextmanager
def serving() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            served.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
            status, headers, body = served.answers.get(self.path, (404, {}, "nothing"))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            payload = b"" if status == 304 else body.encode()
            if status != 304:
                self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def write_config(site: Site, path: Path, scope: str) -> Path:
    (path / "sought.toml").write_text(_CONFIG.format(port=site.port, scope=scope))
    return path


def due_now(path: Path) -> None:
    """Let every row be due at once, as if its time had come."""
    opened = open_directory(path)
    table = opened.repository.table
    table.columns["not_before"][: len(table)] = -float("inf")
    for row in range(len(table)):
        opened.repository._details(row)
    opened.close()
