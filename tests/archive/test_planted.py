"""A page that holds whole records of its own cannot get them into the archive, whatever is damaged."""

import gzip
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import sought
from sought.archive import Archive
from sought.archive.encode import MAGIC, outcome, packed
from sought.operate.view import View
from sought.web.message import Response
from tests.testing.damaged_crawl import called
from tests.testing.demand_site import write_config

PLANTED = "http://127.0.0.1/planted"


def noise(size: int, seed: int) -> bytes:
    """What deflate stores as it is."""
    return random.Random(seed).randbytes(size)


def planted() -> bytes:
    """A whole record in a member that nothing was done to, as an attacker would make it."""
    text = b"<html><title>Planted</title><body>comet telescope</body></html>"
    record = outcome(Response(PLANTED, 200, "OK", (("Content-Type", "text/html"),), text, text, time=2e9), None).record
    return gzip.compress(gzip.decompress(record), mtime=0)


@contextmanager
def serving(body: bytes) -> Iterator[str]:
    """A page with these bytes, at every address but that of robots.txt."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            is_page = not self.path.endswith("robots.txt")
            self.send_response(200 if is_page else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body) if is_page else 0))
            self.end_headers()
            self.wfile.write(body if is_page else b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_page_with_records_in_it_cannot_plant_one(tmp_path: Path) -> None:
    """Its own record is damaged in front of them: repair, rebuild and readers find nothing of what it brought."""
    body = noise(400_000, 1) + planted() * 3 + noise(150_000, 2)  # far enough in to be stored as it is
    with serving(body) as home:
        path = write_config(tmp_path / "crawl", home, "127.0.0.1")
        assert sought.open(path).crawl(fetches=1).outcomes == {"200": 1}
        archive = Archive.open(path / "archive", software="test", writable=False)
        [page] = [record for record in archive.records() if record.uri == home]
        file = path / "archive/crawl-00000001.warc.gz"
        data = bytearray(file.read_bytes())
        data[page.place.offset + 1000] ^= 0xFF
        file.write_bytes(data)
        assert called("check", path, "--repair")[0] == 3
        assert called("rebuild", path)[0] == 0
    after = Archive.open(path / "archive", software="test", writable=False, on_damage=lambda _: None)
    assert {record.uri for record in after.records()}.isdisjoint({PLANTED, home})
    with View(path) as view:
        assert view.row(PLANTED) < 0
        assert view.row(home) >= 0
    assert sought.open(path).search("comet telescope").total == 0


PIECES = st.one_of(
    st.sampled_from([MAGIC, MAGIC[:3], MAGIC[:2], MAGIC[1:], b"\x08\x00", b"\x00", planted(), MAGIC * 40]),
    st.builds(noise, st.sampled_from([1, 3, 0x6FFD, 0x6FFE, 0x6FFF, 0x7000, 0x74E0, 70_000]), st.integers(0, 3)),
)


@given(st.lists(PIECES, max_size=9), st.booleans(), st.sampled_from([0, 1]))
def test_no_member_seems_to_begin_within_another(pieces: list[bytes], is_large: bool, level: int) -> None:
    """Every reader of gzip gets the content back, and the first bytes of a member are at its start alone."""
    content = b"".join([noise(400_000 * is_large, 9), *pieces])
    member = packed(content, level)
    assert gzip.decompress(member) == content
    assert member.startswith(MAGIC)
    assert member[:-8].find(MAGIC, 1) < 0  # the last eight bytes are a checksum and a size


def test_a_page_that_is_nothing_but_first_bytes_is_packed() -> None:
    """A page of 131,072 of them is kept, in at most three times its size."""
    rng = random.Random(1)
    content = b"".join(MAGIC + rng.randbytes(4) for _ in range(1 << 17))
    member = packed(content, 1)
    assert gzip.decompress(member) == content
    assert member[:-8].find(MAGIC, 1) < 0
    assert len(member) < 3 * len(content)
