"""The archive answers by URL and time, across files, while it grows, and without its derived files."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.archive import Archive, Original, Position, Record
from sought.archive import cdxj as cdxj_room
from sought.archive.cdxj import surt_key
from sought.web.errors import BadInput, CrawlDamaged
from sought.web.message import Failure, Response


def page(number: int, time: float = 0.0, raw: bytes | None = None, url: str = "") -> Response:
    body = raw if raw is not None else f"page {number} ".encode() + os.urandom(300)
    headers = (("Content-Type", "Text/HTML; charset=utf-8"),)
    return Response(
        url or f"http://h{number % 7}.example/{number}", 200, "OK", headers, body, time=1.7e9 + number + time
    )


def answer(record: Record) -> Response:
    assert record.response is not None
    return record.response


def found(archive: Archive, url: str, at: float | None = None) -> Response:
    response = archive.find(url, at)
    assert response is not None
    return response


def filled(folder: Path, count: int = 40, max_bytes: int = 4000) -> tuple[Archive, list[Response]]:
    """An archive of several files and the pages in it."""
    pages = [page(number) for number in range(count)]
    archive = Archive.open(folder, software="x", max_bytes=max_bytes)
    for response in pages:
        archive.append(response)
    return archive, pages


def test_files_rotate_and_records_run_on(tmp_path: Path) -> None:
    """At max_bytes a new file begins with its own warcinfo; the records are one sequence over all files."""
    archive, pages = filled(tmp_path)
    with archive:
        assert [answer(record).raw for record in archive.records()] == [p.raw for p in pages]
        assert archive.end.file > 5
    for path in tmp_path.glob("*.warc.gz"):
        assert 0 < path.stat().st_size < 6000
    with Archive.open(tmp_path, software="x", writable=False) as reader:
        assert len(list(reader.records())) == len(pages)


def test_reading_goes_on_from_any_position(tmp_path: Path) -> None:
    """From a record's end the next record follows, also over the end of a file; from the archive's end, none."""
    archive, pages = filled(tmp_path)
    with archive:
        for index, record in enumerate(list(archive.records())):
            following = next(archive.records(record.end), None)
            assert (answer(following).raw if following else None) == (
                pages[index + 1].raw if index + 1 < len(pages) else None
            )
        end = archive.end
        assert list(archive.records(end)) == []
        archive.append(page(99))
        assert [answer(record).url for record in archive.records(end)] == [page(99).url]


def test_every_page_is_found_by_url(tmp_path: Path) -> None:
    """`find` and `read` return the body, from finished files and from the one being written."""
    archive, pages = filled(tmp_path)
    with archive:
        for response in pages:
            capture = found(archive, response.url)
            assert (capture.raw, capture.time, capture.status) == (response.raw, response.time, 200)
        last = archive.append(page(7000))
        assert archive.read(last.place).url == page(7000).url
        assert archive.find("http://h0.example/absent") is None


@settings(max_examples=60, deadline=None)
@given(times=st.lists(st.integers(0, 50), min_size=1, max_size=12), at=st.integers(-5, 60))
def test_time_travel(times: list[int], at: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The last capture at or before the moment; failing that, the first after it; without a moment, the latest."""
    folder = tmp_path_factory.mktemp("travel")
    url = "http://a.example/"
    with Archive.open(folder, software="x", max_bytes=3000) as archive:
        for time in times:
            archive.append(page(0, time / 7, str(time).encode(), url))
        before = [time for time in times if time <= at]
        expected = max(before) if before else min(times)
        assert found(archive, url, 1.7e9 + at / 7).raw == str(expected).encode()
        assert found(archive, url).raw == str(max(times)).encode()
        assert [c.time for c in archive.captures(url)] == [round(1.7e9 + t / 7, 6) for t in sorted(times)]


def test_revisits_are_given_their_body(tmp_path: Path) -> None:
    """A repeated payload and a 304, even without a named original and over files, are found with the original body."""
    url, first = "http://a.example/", page(0, 0, b"body", "http://a.example/")
    unchanged = replace(first, status=304, reason="Not Modified", headers=(), raw=b"")
    with Archive.open(tmp_path, software="x", max_bytes=1) as archive:
        digest = archive.append(first).digest
        original = Original(url, first.time, digest)
        for stored in (
            archive.append(replace(first, time=first.time + 10), original),
            archive.append(replace(unchanged, time=first.time + 20), original),
            archive.append(replace(unchanged, time=first.time + 30)),
            archive.append(replace(unchanged, time=first.time + 40), Original(url, first.time + 10, digest)),
        ):
            assert stored.revisit
            assert archive.read(stored.place).raw == b""
        for seconds in (0, 10, 20, 30, 40):
            capture = found(archive, url, first.time + seconds)
            assert (capture.time, capture.status, capture.raw) == (first.time + seconds, 200, b"body")
        assert [c.kind for c in archive.captures(url)] == ["response"] + ["revisit"] * 4


def test_a_revisit_without_its_original_is_passed_over(tmp_path: Path) -> None:
    """A revisit that leads nowhere, or only to itself, never answers with an empty page."""
    first = page(0, 0, b"body", "http://a.example/")
    with Archive.open(tmp_path, software="x") as archive:
        digest = archive.append(replace(first, url="http://elsewhere.example/")).digest
        archive.append(first, Original("http://lost.example/", 1.0, digest))
        archive.append(replace(first, time=first.time + 1), Original(first.url, first.time + 1, digest))
        assert archive.find(first.url) is None


def test_failures_are_no_captures(tmp_path: Path) -> None:
    """A failed fetch is in the record and does not hide the page that was there before."""
    with Archive.open(tmp_path, software="x") as archive:
        archive.append(page(1))
        place = archive.append(replace(page(1, 10), failure=Failure.TIMEOUT)).place
        assert found(archive, page(1).url).time == page(1).time
        assert archive.read(place).failure is Failure.TIMEOUT


def test_cdxj_is_what_pywb_reads(tmp_path: Path) -> None:
    """Sorted lines: key, 14 digits, JSON whose offset and length cut the very record out of the named file."""
    archive, pages = filled(tmp_path, 12)
    archive.close()
    urls = set()
    for path in sorted(tmp_path.glob("*.cdxj")):
        lines = path.read_bytes().splitlines()
        assert lines == sorted(lines)
        assert lines[0].startswith(b"!meta ")
        for line in lines[1:]:
            surt, stamp, text = line.decode().split(" ", 2)
            fields = json.loads(text)
            assert (surt, fields["mime"], fields["status"]) == (surt_key(fields["url"]), "text/html", "200")
            assert (len(stamp), stamp[:8]) == (14, "20231114")
            assert set(map(type, fields.values())) == {str}
            data = (tmp_path / fields["filename"]).read_bytes()
            assert data[int(fields["offset"]) :].startswith(b"\x1f\x8b")
            urls.add(fields["url"])
    assert urls == {response.url for response in pages}


@pytest.mark.parametrize("mime", ["warc/revisit", "text/\ud800", "text/ä", "x" * 5000, ""])
def test_a_server_cannot_forge_a_line(tmp_path: Path, mime: str) -> None:
    """Whatever a server calls its page, the page is a response, is found, and has one sound line."""
    response = replace(page(1), headers=(("Content-Type", mime),))
    with Archive.open(tmp_path, software="x") as archive:
        archive.append(response)
        assert [capture.kind for capture in archive.captures(response.url)] == ["response"]
        assert found(archive, response.url).raw == response.raw
    _, line = (tmp_path / "crawl-00000001.cdxj").read_bytes().splitlines()
    assert json.loads(line.split(b" ", 2)[2])["mime"] == "unk"


def test_lost_cdxj_files_come_back(tmp_path: Path) -> None:
    """CDXJ files that are missing, foreign, stale or cut are rebuilt from the WARC files, byte for byte."""
    archive, pages = filled(tmp_path)
    archive.close()
    good = {path: path.read_bytes() for path in sorted(tmp_path.glob("*.cdxj"))}
    missing, foreign, stale, cut, *_ = good
    missing.unlink()
    foreign.write_bytes(b"")
    stale.write_bytes(good[stale].replace(b'"size":', b'"size":9'))
    cut.write_bytes(good[cut][:-1])
    with Archive.open(tmp_path, software="x", writable=False) as reader:
        assert all(found(reader, response.url).raw == response.raw for response in pages)
    assert not missing.exists()
    Archive.open(tmp_path, software="x").close()
    assert {path: path.read_bytes() for path in sorted(tmp_path.glob("*.cdxj"))} == good


def test_readers_follow_a_writer(tmp_path: Path) -> None:
    """A reader opened before sees what is flushed, in growing, rotated and reopened files, and no half record."""
    with Archive.open(tmp_path, software="x", max_bytes=3000) as writer:
        reader = Archive.open(tmp_path, software="x", writable=False)
        for number in range(12):
            writer.append(page(number))
            writer.flush(sync=False)
            assert found(reader, page(number).url).time == page(number).time
            assert reader.end == writer.end
    assert reader.end == (end := reader.end)
    with Archive.open(tmp_path, software="x") as writer:
        writer.append(page(50))
        writer.flush(sync=False)
        assert reader.find(page(50).url) is not None
        with (tmp_path / f"crawl-{writer.end.file:08d}.warc.gz").open("ab") as torn:
            torn.write(b"\x1f\x8b\x08\x00half a record")
        assert reader.end == writer.end > end
        assert len(list(reader.records())) == 13
    reader.close()


def test_reopening_goes_on_in_the_last_file(tmp_path: Path) -> None:
    """A closed archive opens again without repair, keeps its captures and appends where it ended."""
    archive, pages = filled(tmp_path, 3, 1 << 20)
    archive.close()
    end = Archive.open(tmp_path, software="x", writable=False).end
    with Archive.open(tmp_path, software="x") as archive:
        assert (archive.repaired, archive.end) == (0, end)
        archive.append(page(3))
        assert found(archive, pages[0].url).raw == pages[0].raw
    assert len(list(Archive.open(tmp_path, software="x", writable=False).records())) == 4


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    """A lost file, a position that was promised and is not there, and a missing folder are told with their names."""
    archive, _ = filled(tmp_path)
    archive.close()
    reader = Archive.open(tmp_path, software="x", writable=False)
    with pytest.raises(CrawlDamaged, match=r"crawl-00000001.*999999"):
        list(reader.records(Position(1, 999999)))
    with pytest.raises(CrawlDamaged, match=r"crawl-00000099.*missing"):
        list(reader.records(Position(99, 0)))
    (tmp_path / "crawl-00000003.warc.gz").unlink()
    for broken in (lambda: list(reader.records()), lambda: Archive.open(tmp_path, software="x")):
        with pytest.raises(CrawlDamaged, match=r"crawl-00000003\.warc\.gz is missing"):
            broken()
    with pytest.raises(BadInput, match="no such directory"):
        Archive.open(tmp_path / "nowhere", software="x", writable=False)
    with pytest.raises(BadInput, match="not open for writing"):
        reader.append(page(1))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://www.example.com/", "com,example)/"),
        ("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"),
        ("https://www2.Archive.org:8080/Goo", "org,archive:8080)/goo"),
        ("https://example.com:443/a//b/", "com,example)/a/b"),
        ("http://192.0.2.1/%7Euser/%2520x", "1,2,0,192)/~user/%20x"),
        ("http://[2001:db8::1]:81/", "2001:db8::1:81)/"),
        ("http://example.com/?a-b=1&a=2", "com,example)/?a=2&a-b=1"),
        ("urn:sought:Seeds", "urn:sought:seeds"),
    ],
)
def test_keys_are_those_pywb_asks_for(url: str, expected: str) -> None:
    """SURT keys as the `surt` package makes them."""
    assert surt_key(url) == expected


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(st.binary(min_size=1, max_size=6).map(lambda b: b.hex().encode()), max_size=30),
    start=st.binary(min_size=1, max_size=3),
)
def test_binary_search_finds_what_a_scan_finds(
    lines: list[bytes], start: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Searching the mapped file equals filtering all its lines."""
    path = tmp_path_factory.mktemp("cdxj") / "a.cdxj"
    part = cdxj_room.Lines(list(lines))
    part.write(path, "a", 0)
    prefix = start.hex().encode()
    index = cdxj_room.SortedFile(path)
    expected = sorted(line for line in lines if line.startswith(prefix))
    assert list(index.starting(prefix)) == list(part.starting(prefix)) == expected
    index.close()
