"""Crashes, damage and full disks: nothing finished is lost, nothing half is kept."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sought.archive import Archive
from sought.archive.members import walk
from sought.web.errors import CrawlDamaged
from sought.web.message import Failure, Response

NAME = "crawl-00000001.warc.gz"


def page(number: int) -> Response:
    return Response(f"http://a.example/{number}", 200, "OK", (("A", "b"),), b"%d" % number, time=1.7e9 + number)


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory if there is one: these tests open an archive at every byte, and each opening syncs."""
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if os.access(shm, os.W_OK) else None) as folder:
        yield Path(folder)


def sample(folder: Path) -> tuple[bytes, list[int]]:
    """The bytes of an archive with every kind of record, and where its records end."""
    with Archive.open(folder, software="x") as archive:
        archive.append(page(0))
        archive.note("urn:sought:seeds", b"seed", "text/plain", 1.7e9)
        archive.append(Response("http://a.example/", time=1.7e9, failure=Failure.DNS))
        archive.append(page(1))
    boundaries = [0] + [m.offset + m.length for m in walk(folder / NAME, 0, forgive_torn_tail=False)]
    return (folder / NAME).read_bytes(), boundaries


def reopened(folder: Path, data: bytes) -> tuple[int, list[str]]:
    """What opening makes of these bytes: bytes cut, and the URIs that are left after one more append."""
    for path in folder.iterdir():
        path.unlink()
    (folder / NAME).write_bytes(data)
    with Archive.open(folder, software="x") as archive:
        archive.append(page(2))
        return archive.repaired, [record.uri for record in archive.records()]


def test_a_cut_at_any_byte_keeps_every_whole_record(memory: Path) -> None:
    """However much of the file a crash left, opening cuts to the last whole record and writing goes on."""
    data, boundaries = sample(memory)
    uris = ["http://a.example/0", "urn:sought:seeds", "http://a.example/", "http://a.example/1"]
    outcome_ends = [boundaries[2], boundaries[4], boundaries[5], boundaries[6]]
    for size in range(len(data) + 1):
        whole = max(boundary for boundary in boundaries if boundary <= size)
        left = [uri for uri, end in zip(uris, outcome_ends, strict=True) if end <= size]
        assert reopened(memory, data[:size]) == (size - whole, [*left, "http://a.example/2"]), size


def test_an_unwritten_tail_is_cut(memory: Path) -> None:
    """Zeros or noise behind the last whole record, as a power cut leaves them, are cut off."""
    data, _ = sample(memory)
    for tail in (bytes(5000), os.urandom(50), b"\x1f\x8b\x08\x00" + bytes(400_000), b"\x1f", b"x" * 300_000):
        repaired, uris = reopened(memory, data + tail)
        assert (repaired, len(uris)) == (len(tail), 5)


def complaint(folder: Path, data: bytes) -> str:
    """What opening these bytes complains of: CrawlDamaged's message, `cut`, or nothing."""
    try:
        repaired, uris = reopened(folder, data)
    except CrawlDamaged as error:
        return str(error)
    assert len(uris) == 5  # the last record is a request, no outcome
    return "cut" if repaired else ""


def test_damage_anywhere_is_noticed(memory: Path) -> None:
    """A flipped bit never loses a finished record in silence: CrawlDamaged tells where, but for the last record."""
    data, boundaries = sample(memory)
    harmless = 0
    for at in range(boundaries[-3], len(data)):
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        start = max(boundary for boundary in boundaries if boundary <= at)
        told = complaint(memory, bytes(flipped))
        harmless += not told
        if told and start == boundaries[-2]:
            assert told == "cut"
        elif told:
            assert f"{NAME} is damaged at offset {start} " in told
    assert harmless <= 2 * 8  # time, flags and system of two gzip headers mean nothing


def test_readers_report_damage(tmp_path: Path) -> None:
    """Without write access nothing is mended: records up to the damage, then CrawlDamaged."""
    data, boundaries = sample(tmp_path)
    flipped = bytearray(data)
    flipped[boundaries[4] + 30] ^= 255
    (tmp_path / NAME).write_bytes(flipped)
    reader = Archive.open(tmp_path, software="x", writable=False)
    records = reader.records()
    assert [next(records).uri, next(records).uri] == ["http://a.example/0", "urn:sought:seeds"]
    with pytest.raises(CrawlDamaged, match=f"{NAME} is damaged at offset {boundaries[4]} "):
        next(records)


def test_only_the_last_file_may_be_torn(tmp_path: Path) -> None:
    """A finished file that stops within a record is damage, on reading and on rebuilding its CDXJ."""
    with Archive.open(tmp_path, software="x", max_bytes=1) as archive:
        for number in range(3):
            archive.append(page(number))
    os.truncate(tmp_path / NAME, (tmp_path / NAME).stat().st_size - 1)
    with pytest.raises(CrawlDamaged, match=NAME):
        list(Archive.open(tmp_path, software="x", writable=False).records())
    with pytest.raises(CrawlDamaged, match=NAME):
        Archive.open(tmp_path, software="x")


WRITE_FOR_EVER = """
import itertools, os, sys
from pathlib import Path
from sought.archive import Archive
from sought.web.message import Response
archive = Archive.open(Path(sys.argv[1]), software="x", max_bytes=200_000)
for number in itertools.count():
    archive.append(Response(f"http://a.example/{number}", 200, "OK", (), os.urandom(3000), time=1.7e9 + number))
    if number % 5 == 4:
        archive.flush(sync=False)
        print(number, flush=True)
"""


def test_kill_9_loses_nothing_flushed(tmp_path: Path) -> None:
    """After SIGKILL in the midst of writing, every flushed page is there, in order, and the archive goes on."""
    for _ in range(2):
        writer = subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, tmp_path], stdout=subprocess.PIPE, text=True)
        with writer:
            assert writer.stdout is not None
            flushed = [int(writer.stdout.readline()) for _ in range(60)][-1]
            writer.send_signal(signal.SIGKILL)
        with Archive.open(tmp_path, software="x") as archive:
            urls = [record.uri for record in archive.records()]
            last = max(index for index, url in enumerate(urls) if url == "http://a.example/0")
            assert urls[last:] == [f"http://a.example/{number}" for number in range(len(urls) - last)]
            assert len(urls) - last > flushed
            assert archive.find(f"http://a.example/{flushed}") is not None
    paths = sorted(str(path) for path in tmp_path.glob("*.warc.gz"))
    command = [str(Path(sys.executable).with_name("warcio")), "check", *paths]
    assert subprocess.run(command, check=False).returncode == 0


FILL_THEN_FREE = """
import os, resource, sys
from pathlib import Path
from sought.archive import Archive
from sought.web.errors import StorageFull
from sought.web.message import Response

def page(number: int) -> Response:
    return Response(f"http://a.example/{number}", 200, "OK", (), os.urandom(20_000), time=1.7e9 + number)

def fill(archive, number):
    while True:
        try:
            archive.append(page(number))
        except StorageFull as error:
            assert "\\n" not in str(error) and "free some space" in str(error), error
            return number
        number += 1

folder, limit, max_bytes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if limit == "size":
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, hard))
    free = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
else:
    (folder / "filler").write_bytes(bytes(1_500_000))
    free = (folder / "filler").unlink
archive = Archive.open(folder, software="x", max_bytes=max_bytes)
number = fill(archive, 0)
assert fill(archive, number) == number
reader = Archive.open(folder, software="x", writable=False)
assert reader.end.offset == max(folder.glob("*.warc.gz")).stat().st_size, "half a record is left"
on_disk = [r.uri for r in reader.records()]
assert on_disk == [f"http://a.example/{n}" for n in range(len(on_disk))] and on_disk
free()
archive.append(page(number))
archive.close()
reader = Archive.open(folder, software="x")
assert reader.repaired == 0
assert [r.uri for r in reader.records()] == [f"http://a.example/{n}" for n in range(number + 1)]
print("went on at", number)
"""


def filled_then_freed(folder: Path, limit: str, max_bytes: int = 1 << 30) -> int:
    command = [sys.executable, "-W", "error", "-c", FILL_THEN_FREE, str(folder), limit, str(max_bytes)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.split()[-1])


def test_a_file_size_limit_is_survived(tmp_path: Path) -> None:
    """EFBIG becomes StorageFull; the half record is cut; when the limit is lifted writing goes on with nothing lost."""
    assert filled_then_freed(tmp_path, "size") > 20


@pytest.mark.parametrize("max_bytes", [1 << 30, 50_000, 1])
def test_a_full_disk_is_survived(tmp_path: Path, max_bytes: int) -> None:
    """ENOSPC on a real, tiny file system, in one file or at a rotation: StorageFull, then on when space is freed."""
    command = ["mount", "-t", "tmpfs", "-o", "size=2500k", "sought-test", str(tmp_path)]
    try:
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if mounted.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}")
    try:
        assert filled_then_freed(tmp_path, "disk", max_bytes) > 20
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
