"""A site on loopback whose pages are edited all the time, and which grows a little."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_TEXT = """comet telescope harbour lighthouse keeper lamp storm garden bread river mountain music engine bridge forest
winter market island school window paper letter silver copper orange yellow quiet sudden early ancient narrow distant"""
WORDS = _TEXT.split()
PER_HUB = 50


class Pages:
    """Every page by its number; its text says how often it was edited.  Any thread may edit and read."""

    def __init__(self, count: int, seed: int) -> None:
        self.versions = [0] * count
        self.rng = random.Random(seed)
        self.asked = 0

    def edit(self) -> None:
        self.versions[self.rng.randrange(len(self.versions))] += 1

    def add(self) -> None:
        self.versions.append(0)

    def html(self, path: str) -> str | None:
        """Home leads to hubs, a hub to its pages."""
        if path == "/":
            return _html("Home", "", [f"/hub/{hub}" for hub in range(-(-len(self.versions) // PER_HUB))])
        kind, _, text = path[1:].partition("/")
        number = int(text) if text.isdigit() else -1
        if kind == "hub" and 0 <= number * PER_HUB < len(self.versions):
            of = range(number * PER_HUB, min(len(self.versions), (number + 1) * PER_HUB))
            return _html(f"Hub {number}", "", [f"/page/{each}" for each in of])
        if kind == "page" and 0 <= number < len(self.versions):
            rng = random.Random(f"{number} {self.versions[number]}")
            text = " ".join(rng.choices(WORDS, k=120))
            about = " ".join(random.Random(number).choices(WORDS, k=3))
            return _html(f"{about} {number}", text, ["/", f"/page/{number // 2}"])
        return None


def _html(title: str, text: str, links: list[str]) -> str:
    found = "".join(f'<a href="{where}">{where[1:]}</a> ' for where in links)
    return f"<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{found}</body></html>"


@contextmanager
def served(pages: Pages) -> Iterator[str]:
    """The origin of the site."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            pages.asked += 1
            html = pages.html(self.path)
            body = (html or "There is nothing here.").encode()
            self.send_response(200 if html else 404)
            self.send_header("Content-Type", "text/html" if html else "text/plain")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *given: object) -> None:  # noqa: A002  the name of the library
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
