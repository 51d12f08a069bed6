"""What is written is WARC 1.1 that other readers accept, and comes back as it was."""

import gzip
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from sought.archive import Archive, Original, Record
from sought.web.errors import BadURL
from sought.web.message import Failure, RequestPurpose, Response

PAGE = Response(
    "http://www.example.com/a?b=1",
    200,
    "OK",
    (("Content-Type", "text/html"), ("Transfer-Encoding", "chunked"), ("X-Ünï", "ä"), ("content-length", "99")),
    b"<p>hello</p>" * 20,
    b"decoded",
    (("User-Agent", "Sought/0.1 (+https://example.org/bot)"),),
    1_700_000_000.123456,
    0.25,
    "192.0.2.7",
)


def kept(folder: Path, *responses: Response, original: Original | None = None) -> list[Record]:
    """The responses, written and read back."""
    with Archive.open(folder, software="Sought/0.1") as archive:
        for response in responses:
            archive.append(response, original)
        return list(archive.records())


def answer(record: Record) -> Response:
    assert record.response is not None
    return record.response


def read_by_warcio(path: Path) -> Iterator[Any]:
    iterate: Any = ArchiveIterator
    with path.open("rb") as file:
        yield from iterate(file)


def read_by_fastwarc(path: Path) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # importing it subclasses its own deprecated classes
        from fastwarc.warc import ArchiveIterator as FastIterator
    with path.open("rb") as file:
        yield from FastIterator(file, parse_http=True)


def checked_by_warcio(*paths: Path) -> "subprocess.CompletedProcess[str]":
    command = [str(Path(sys.executable).with_name("warcio")), "check", "-v", *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def variety(folder: Path) -> list[Record]:
    """An archive with a record of every kind."""
    with Archive.open(folder, software="Sought/0.1") as archive:
        archive.note("urn:sought:seeds", b"http://www.example.com/\n", "text/plain", 1.7e9)
        first = archive.append(PAGE)
        original = Original(PAGE.url, PAGE.time, first.digest)
        archive.append(replace(PAGE, time=PAGE.time + 60), original)
        archive.append(replace(PAGE, time=PAGE.time + 120, status=304, reason="Not Modified", raw=b""), original)
        archive.append(replace(PAGE, time=PAGE.time + 180, failure=Failure.TOO_LARGE, detail="more than\r\n10 MB"))
        archive.append(Response(PAGE.url, time=1.7e9 + 500, failure=Failure.DNS, detail="no such host"))
        archive.append(replace(PAGE, url="https://example.com/empty", raw=b"", headers=()))
        archive.append(
            replace(PAGE, url="https://example.com/robots.txt", purpose=RequestPurpose.ROBOTS, raw=b"\r\n\r\n\0")
        )
        return list(archive.records())


def test_warcio_accepts_every_kind_of_record(tmp_path: Path) -> None:
    """`warcio check` finds every digest right."""
    variety(tmp_path)
    checked = checked_by_warcio(tmp_path / "crawl-00000001.warc.gz")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.count("digest pass") == 12  # all but the two revisits
    (tmp_path / "wrong.warc.gz").write_bytes(
        gzip.compress(gzip.decompress(first_response(tmp_path)).replace(b"p>h", b"p>H"))
    )
    assert checked_by_warcio(tmp_path / "wrong.warc.gz").returncode == 1


def first_response(folder: Path) -> bytes:
    with Archive.open(folder, software="x", writable=False) as archive:
        place = next(r.place for r in archive.records() if r.kind == "response")
    data = (folder / "crawl-00000001.warc.gz").read_bytes()
    return data[place.offset : place.offset + place.length]


def test_other_readers_see_the_same_payloads(tmp_path: Path) -> None:
    """warcio and fastwarc read the payloads, types and URLs that were appended."""
    ours = [(r.uri, answer(r).raw) for r in variety(tmp_path) if r.kind == "response"]
    path = tmp_path / "crawl-00000001.warc.gz"
    warcio = [
        (record.rec_headers.get_header("WARC-Target-URI"), record.raw_stream.read())
        for record in read_by_warcio(path)
        if record.rec_type == "response"
    ]
    fast = [
        (record.headers["WARC-Target-URI"], record.reader.read())
        for record in read_by_fastwarc(path)
        if record.headers["WARC-Type"] == "response"
    ]
    assert ours == warcio == fast
    assert len(ours) == 3


def test_records_say_what_the_standard_asks(tmp_path: Path) -> None:
    """Each record is its own gzip member, with date, address, digests, and requests that point to their responses."""
    variety(tmp_path)
    records = [record.rec_headers for record in read_by_warcio(tmp_path / "crawl-00000001.warc.gz")]
    kinds = [r.get_header("WARC-Type") for r in records]
    assert kinds[:8] == ["warcinfo", "resource", "response", "request", "revisit", "request", "revisit", "request"]
    assert kinds[8:] == ["metadata", "metadata", "response", "request", "response", "request"]
    response, request, same, _, unchanged = records[2:7]
    assert request.get_header("WARC-Concurrent-To") == response.get_header("WARC-Record-ID")
    assert response.get_header("WARC-Date") == "2023-11-14T22:13:20.123456Z"
    assert response.get_header("WARC-IP-Address") == "192.0.2.7"
    assert response.get_header("Sought-Purpose") == "page"
    assert response.get_header("Sought-Elapsed") == "0.250000"
    assert re.fullmatch(r"sha1:[A-Z2-7]{32}", response.get_header("WARC-Payload-Digest"))
    assert same.get_header("WARC-Profile").endswith("/identical-payload-digest")
    assert unchanged.get_header("WARC-Profile").endswith("/server-not-modified")
    assert same.get_header("WARC-Refers-To-Target-URI") == PAGE.url
    assert same.get_header("WARC-Refers-To-Date") == response.get_header("WARC-Date")
    assert len({r.get_header("WARC-Record-ID") for r in records}) == len(records)


def test_the_request_is_what_was_sent(tmp_path: Path) -> None:
    """The request record has the path, the host and the headers that went out."""
    kept(tmp_path, PAGE)
    text = gzip.decompress((tmp_path / "crawl-00000001.warc.gz").read_bytes())
    head, block = text[text.index(b"WARC-Type: request") :].split(b"\r\n\r\n", 1)
    assert f"Content-Length: {len(block) - 4}".encode() in head
    assert block == (
        b"GET /a?b=1 HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: Sought/0.1 (+https://example.org/bot)\r\n\r\n\r\n\r\n"
    )


def test_a_response_comes_back_whole(tmp_path: Path) -> None:
    """All fields return; chunking is gone, the length is true, and decoding is left to the caller."""
    (record,) = kept(tmp_path, PAGE)
    headers = (("Content-Type", "text/html"), ("X-_n_", "ä"), ("content-length", "240"))
    assert record.response == replace(PAGE, headers=headers, body=b"", sent=())
    assert record.kind == "response"
    assert record.end == record.place.end


def test_bodies_of_any_size_come_back(tmp_path: Path) -> None:
    """Bodies that fill many buffers, squeezed to nothing or not at all, return whole, in order and by place."""
    bodies = [os.urandom(3_000_000), bytes(20_000_000), b"", os.urandom(1 << 14), b"<p>" * 400_000]
    with Archive.open(tmp_path, software="x") as archive:
        places = [archive.append(replace(PAGE, raw=body)).place for body in bodies]
        assert [answer(record).raw for record in archive.records()] == bodies
        assert [archive.read(place).raw for place in reversed(places)] == bodies[::-1]


def test_a_failure_comes_back_with_what_was_heard(tmp_path: Path) -> None:
    """A failure keeps its reason and, where the server had begun to answer, status and headers."""
    failures = [answer(record) for record in variety(tmp_path) if record.kind == "failure"]
    heard, mute = failures
    assert (heard.failure, heard.detail, heard.status) == (Failure.TOO_LARGE, "more than  10 MB", 200)
    assert heard.header("content-type") == "text/html"
    assert mute == Response(PAGE.url, time=1.7e9 + 500, failure=Failure.DNS, detail="no such host")


def test_revisits_name_their_original(tmp_path: Path) -> None:
    """A repeated payload and a 304 are revisits that lead to the original; neither repeats the body."""
    _, first, same, unchanged, *_ = variety(tmp_path)
    original = Original(PAGE.url, PAGE.time, first.digest)
    assert [(r.kind, r.original, answer(r).raw) for r in (same, unchanged)] == [("revisit", original, b"")] * 2
    assert answer(unchanged).status == 304


def test_another_payload_is_no_revisit(tmp_path: Path) -> None:
    """An original whose digest differs leaves a plain response."""
    (record,) = kept(tmp_path, PAGE, original=Original(PAGE.url, 1.0, "sha1:" + "A" * 32))
    assert (record.kind, record.original) == ("response", None)


def test_notes_come_back(tmp_path: Path) -> None:
    """A note keeps its URI, body, type and time."""
    note = variety(tmp_path)[0]
    assert (note.kind, note.uri, note.content_type, note.time) == ("note", "urn:sought:seeds", "text/plain", 1.7e9)
    assert note.body == b"http://www.example.com/\n"
    assert note.response is None


@pytest.mark.parametrize("url", ["", "http://example.com/a b", "http://example.com/\r\nX: y", "http://exämple.com/"])
def test_an_address_cannot_break_a_record(tmp_path: Path, url: str) -> None:
    """An address that is not plain ASCII is refused before anything is written."""
    with Archive.open(tmp_path, software="x") as archive:
        end = archive.end
        with pytest.raises(BadURL):
            archive.append(replace(PAGE, url=url))
        assert archive.end == end


NAMES = st.sampled_from(["Content-Length", "Transfer-Encoding", "Set-Cookie", "Set-Cookie", "X-A"]) | st.text(
    max_size=8
)
VALUES = st.text(max_size=20) | st.binary(max_size=20).map(lambda b: b.decode("utf-8", "surrogateescape"))
BODIES = st.binary(max_size=200) | st.just(b"HTTP/1.1 200 OK\r\n\r\n\r\n\r\nWARC/1.1\r\n")
RESPONSES = st.builds(
    Response,
    url=st.sampled_from(["http://a.example/", "https://b.example:8443/x/y?z=%00"]),
    status=st.integers(100, 599).filter(lambda status: status != 304),
    reason=VALUES,
    headers=st.lists(st.tuples(NAMES, VALUES), max_size=6).map(tuple),
    raw=BODIES,
    sent=st.lists(st.tuples(NAMES, VALUES), max_size=3).map(tuple),
    time=st.floats(0, 4e9).map(lambda t: round(t, 6)),
    elapsed=st.floats(0, 1e5).map(lambda t: round(t, 6)),
    purpose=st.sampled_from(RequestPurpose),
)
TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]")


def harmless(name: str, value: str) -> tuple[str, str]:
    return "".join(c if TOKEN.match(c) else "_" for c in name) or "_", one_line(value).strip(" \t")


def one_line(text: str) -> str:
    return text.replace("\0", " ").replace("\r", " ").replace("\n", " ")


def framed(response: Response) -> list[tuple[str, str]]:
    """The headers as they should return."""
    lengths = [name for name, _ in response.headers if name == "Content-Length"][:1] or ["Content-Length"]
    others = [harmless(*h) for h in response.headers if h[0] not in ("Transfer-Encoding", "Content-Length")]
    return sorted([*others, (lengths[0], str(len(response.raw)))])


@settings(max_examples=150, deadline=None)
@given(st.lists(RESPONSES, min_size=1, max_size=3))
def test_any_response_survives(responses: list[Response]) -> None:
    """Whatever a server sends, the same number of records returns with equal bodies and harmless headers."""
    with tempfile.TemporaryDirectory() as folder:
        records = kept(Path(folder), *responses)
        path = Path(folder) / "crawl-00000001.warc.gz"
        theirs = [r.raw_stream.read() for r in read_by_warcio(path) if r.rec_type == "response"]
    assert theirs == [r.raw for r in responses]
    for response, record in zip(responses, records, strict=True):
        assert sorted(answer(record).headers) == framed(response)
        same = replace(response, headers=answer(record).headers, reason=one_line(response.reason), sent=())
        assert record.response == same


def test_half_characters_do_not_stop_the_archive(tmp_path: Path) -> None:
    """Text that no decoder makes (a lone surrogate) is stored as U+FFFD."""
    (record,) = kept(tmp_path, replace(PAGE, headers=(("X-A", "a\ud800b\udcff"),), detail="\ud800"))
    assert answer(record).header("x-a") == "a\ufffdb\udcff"
