"""How are the tables stored?  In one RocksDB, with keys of a letter and big-endian numbers.

    u first-row          a block of newly found URLs: their birth columns and their spellings
    p row                a row that was fetched, signalled or unlinked: LIFE columns, then Details
    s host               when each sitemap of a host was read, and rows that it no longer lists (links.py)
    s host file          rows that one of its sitemaps lists, ascending; a file is the key of its URL
    d row                how often a searchable page contains the terms that people ask for (a vector)
    l row                target rows of the page's links, in order
    a row hash           one anchor text that points at the row
    o row time           one fetch of the row and what came of it
    e row                what was known about the row before its first fetch, and the gain of that fetch
    i row row            the search value that the first row, never fetched, inherits from the second, which moved there
    f row                features of the row before its first fetch, for orderings that learn from them
    v row                a few numbers about the page at its last two fetches, for clusters that use them
    c content            the first row seen with this text
    n band               the first row seen with this band of the near-duplicate sketch
    x kind place         the expected and the measured gain of one of the latest fetches
    h host               politeness, counters and sitemaps of a host
    r host               its robots.txt
    t shape              how many URLs of this shape were admitted (traps)
    m name               where the archive and the index have been applied up to, counters

One `commit` is one atomic write: after a crash either all of it is there or none.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray
from rocksdict import AccessType, DBCompressionType, Options, Rdict, WriteBatch

from sought.record.table import BIRTH, BIRTH_ROW, LIFE, LIFE_ROW, State, Table
from sought.web.errors import CrawlBusy, CrawlDamaged, SoughtError, StorageFull
from sought.web.readonly_cache import ShadowFolder

_BLOCK = 128
_BATCH = 100_000
_MADE_BY_READERS = ("LOG", "LOCK", "rocksdict-config.json")
_LOCKED = re.compile("lock hold by|While lock file")  # "block" is in other messages
_REMEDY = "run 'sought check {0} --repair', or 'sought rebuild {0}' to make all tables again"
_COUNT = 4  # bytes of the number of rows in a block
_LAYOUT = [*BIRTH, *LIFE]  # what packed records hold
_FORMAT = 1  # of everything else


def row_key(letter: bytes, row: int) -> bytes:
    return letter + row.to_bytes(4, "big")


def hash_key(letter: bytes, value: int) -> bytes:
    return letter + value.to_bytes(8, "big")


def meta_pair(name: str, value: Any) -> tuple[bytes, bytes]:
    """The pair that `Store.meta` reads."""
    return b"m" + name.encode(), _encode(value)


class Details(msgspec.Struct, array_like=True, omit_defaults=True):
    """What is kept about a fetched page beside its columns."""

    etag: str = ""
    last_modified: str = ""
    digest: str = ""
    place: tuple[int, int, int] = (0, 0, 0)
    body_time: float = 0.0
    content: int = 0
    sketch: bytes = b""
    language: str = ""
    title: str = ""
    counts: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    base: bytes = b""  # the sketch of a version that later ones are compared with
    base_time: float = 0.0
    points: int = 0  # the number of these
    kind: int = 0  # of content (observations.py)
    links_time: float = 0.0  # when its links were last seen while it was LIVE; 0: those on its list never were


class SitemapFile(msgspec.Struct, array_like=True, frozen=True):
    """When a sitemap was last read, how many rows it listed, and how often it has failed since."""

    read: float = -np.inf
    rows: int = 0
    failures: int = 0


class Sitemaps(msgspec.Struct, array_like=True):
    """What is kept about a host's sitemaps beside their lists."""

    files: dict[int, SitemapFile] = {}
    missing: bytes = b""  # records of links.py


_encode = msgspec.msgpack.Encoder().encode
_decode_details = msgspec.msgpack.Decoder(Details).decode
_decode_sitemaps = msgspec.msgpack.Decoder(Sitemaps).decode


class Store:
    """Key-value pairs in batches.  Writers collect changes with `put`/`delete`; `commit` makes them durable."""

    def __init__(self, path: Path, *, writable: bool) -> None:
        self.path = path
        self.writable = writable
        options = Options(raw_mode=True)
        options.create_if_missing(writable)
        options.set_compression_type(DBCompressionType.lz4())
        options.set_write_buffer_size(16 << 20)
        options.set_max_write_buffer_number(2)
        options.set_max_total_wal_size(128 << 20)
        if writable and path.is_dir() and any(path.glob("MANIFEST-*")) and not (path / "CURRENT").exists():
            raise _explained(FileNotFoundError("CURRENT is missing"), path)  # else RocksDB would begin an empty one
        try:
            access = AccessType.read_write() if writable else AccessType.read_only()
            self._shadow = ShadowFolder(path, _MADE_BY_READERS) if not writable else None
            self.db = Rdict(str(self._shadow.path if self._shadow else path), options, access_type=access)
        except SoughtError:
            raise
        except Exception as error:  # noqa: BLE001  rocksdict raises nothing narrower
            raise _explained(error, path) from None
        self.batch = WriteBatch(raw_mode=True)
        self.blocks: list[int] = [int.from_bytes(k[1:], "big") for k, _ in self.scan(b"u")]

    def put(self, key: bytes, value: bytes) -> None:
        self.batch.put(key, value)

    def delete(self, key: bytes) -> None:
        self.batch.delete(key)

    def get(self, key: bytes) -> bytes | None:
        try:
            value: bytes | None = self.db.get(key)
        except Exception as error:  # noqa: BLE001  rocksdict raises nothing narrower
            raise _explained(error, self.path) from None
        return value

    def commit(self) -> None:
        """Write the batch.  It is not synced: after a power cut, what is missing is replayed from the archive."""
        batch, self.batch = self.batch, WriteBatch(raw_mode=True)
        try:
            self.db.write(batch)
        except Exception as error:  # noqa: BLE001  rocksdict raises nothing narrower
            raise _explained(error, self.path) from None

    def write(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Make pairs durable at once, beside what waits for the next commit."""
        waiting, self.batch = self.batch, WriteBatch(raw_mode=True)
        try:
            for key, value in pairs:
                self.put(key, value)
            self.commit()
        finally:
            self.batch = waiting

    def scan(self, prefix: bytes) -> Iterator[tuple[bytes, bytes]]:
        for key, value in self._from(prefix):
            if not key.startswith(prefix):
                return
            yield key, value

    def between(self, first: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Keys from `first` on that come before `stop`."""
        return takewhile(lambda pair: pair[0] < stop, self._from(first))

    def _from(self, first: bytes) -> Iterator[tuple[bytes, bytes]]:
        """All keys from `first` on.

        An iterator of RocksDB ends at a damaged block as if it were the end; only a seek reports the damage.
        """
        key = first
        try:
            pairs = cast("Iterator[tuple[bytes, bytes]]", self.db.items(from_key=first))  # raw mode: bytes only
            for key, value in pairs:
                yield key, value
            rest = self.db.iter()
            rest.seek(key)
            if rest.valid():
                rest.next()
            rest.status()
        except GeneratorExit:
            raise
        except Exception as error:  # noqa: BLE001  rocksdict raises nothing narrower
            raise _explained(error, self.path) from None

    def meta(self, name: str, default: Any = None) -> Any:
        value = self.get(b"m" + name.encode())
        return default if value is None else msgspec.msgpack.decode(value)

    def put_meta(self, name: str, value: Any) -> None:
        self.put(*meta_pair(name, value))

    def put_urls(self, first: int, birth: dict[str, NDArray[Any]], urls: list[str]) -> None:
        """Store newly found URLs, rows `first`, `first + 1`, …"""
        if not self.blocks:
            self.put_meta("layout", _LAYOUT)
            self.put_meta("format", _FORMAT)
        records = np.empty(len(urls), BIRTH_ROW)
        for name in BIRTH:
            records[name] = birth[name]
        for start in range(0, len(urls), _BLOCK):
            texts = [u.encode() for u in urls[start : start + _BLOCK]]
            births = records[start : start + _BLOCK]
            lengths = np.fromiter(map(len, texts), np.uint16, len(texts))
            head = len(texts).to_bytes(_COUNT, "big")
            self.put(row_key(b"u", first + start), b"".join([head, births.tobytes(), lengths.tobytes(), *texts]))
            self.blocks.append(first + start)

    def url(self, row: int) -> str:
        """The URL of a row."""
        block = self.blocks[bisect_right(self.blocks, row) - 1]
        value = self.get(row_key(b"u", block))
        if value is None:
            raise CrawlDamaged(f"no URL for row {row} in {self.path}; run 'sought rebuild'")
        return _spelling(value, row - block)

    def spellings(self, rows: Sequence[int]) -> list[str]:
        """The URLs of rows (ascending); each block is read once."""
        urls: list[str] = []
        block, spellings = -1, [""]
        for row in rows:
            first = self.blocks[bisect_right(self.blocks, row) - 1]
            if first != block:
                block, spellings = first, _spellings(self.get(row_key(b"u", first)) or b"")
            urls.append(spellings[row - first])
        return urls

    def urls(self) -> Iterator[tuple[int, list[str]]]:
        """All URLs, block by block: (first row, its URLs)."""
        for key, value in self.scan(b"u"):
            yield int.from_bytes(key[1:], "big"), _spellings(value)

    def spelled(self, since: int) -> Iterator[tuple[NDArray[np.uint16], bytes]]:
        """Blocks of URLs as they are stored, from one that begins with a row on: lengths, and all URLs joined."""
        for _, value in self.between(row_key(b"u", since), b"v"):
            count = int.from_bytes(value[:_COUNT], "big")
            at = _COUNT + count * BIRTH_ROW.itemsize
            yield np.frombuffer(value, np.uint16, count, at), value[at + 2 * count :]

    def put_page(self, row: int, life: bytes, details: Details) -> None:
        self.put(row_key(b"p", row), life + _encode(details))

    def details(self, row: int) -> Details:
        value = self.get(row_key(b"p", row))
        return Details() if value is None else _decode_details(value[LIFE_ROW.itemsize :])

    def places(self) -> Iterator[tuple[int, tuple[int, int, int]]]:
        """Each row that has a copy in the archive, with its place: file, offset, length."""
        for key, value in self.scan(b"p"):
            place = _decode_details(value[LIFE_ROW.itemsize :]).place
            if place[0]:
                yield int.from_bytes(key[1:], "big"), place

    def links(self, row: int) -> NDArray[np.uint32]:
        return np.frombuffer(self.get(row_key(b"l", row)) or b"", np.uint32)

    def put_sitemaps(self, host: int, sitemaps: Sitemaps) -> None:
        self.put(row_key(b"s", host), _encode(sitemaps))

    def sitemaps(self, host: int) -> Sitemaps:
        value = self.get(row_key(b"s", host))
        return Sitemaps() if value is None else _decode_sitemaps(value)

    def load(self) -> Table:
        """The table as of the last commit."""
        if self.blocks and (self.meta("layout") != _LAYOUT or self.meta("format", _FORMAT) != _FORMAT):
            path = self.path.parent
            raise CrawlDamaged(f"the tables of {path} are of another version of sought; run 'sought rebuild {path}'")
        table = Table()
        for key, value in self.scan(b"u"):
            first, records = int.from_bytes(key[1:], "big"), _births(value)
            if first != len(table):
                raise CrawlDamaged(f"the table in {self.path} has a gap at row {len(table)}; run 'sought rebuild'")
            table.append({name: records[name] for name in BIRTH})
        counted = np.full(len(table), -np.inf)
        pages = self.scan(b"p")
        while some := list(islice(pages, _BATCH)):
            rows, values = _rows(some), [value for _, value in some]
            records = np.frombuffer(b"".join(value[: LIFE_ROW.itemsize] for value in values), LIFE_ROW)
            table.set_life(rows, records)
            counted[rows] = _links_times(records, values)
        links = self.scan(b"l")
        while some := list(islice(links, _BATCH)):
            targets = np.frombuffer(b"".join(v for _, v in some), np.uint32)
            table["inlinks"][:] += np.bincount(targets, minlength=len(table)).astype(np.uint32)
            sizes = np.fromiter((len(v) // targets.itemsize for _, v in some), np.int64, len(some))
            np.maximum.at(table["linked"], targets, np.repeat(counted[_rows(some)], sizes))
        for time, listed in self._listed():
            table["linked"][listed] = np.maximum(table["linked"][listed], time)
        return table

    def _listed(self) -> Iterator[tuple[float, NDArray[np.uint32]]]:
        """When each sitemap was read, and its rows."""
        files: dict[int, SitemapFile] = {}
        for key, value in self.scan(b"s"):
            file = key[len(row_key(b"s", 0)) :]
            if not file:  # its host begins here
                files = _decode_sitemaps(value).files
            else:
                yield files[int.from_bytes(file, "big")].read, np.frombuffer(value, np.uint32)

    def close(self) -> None:
        """Close the database; errors of writing were raised when they occurred."""
        with suppress(Exception):  # rocksdict raises nothing narrower
            self.db.close()
        if self._shadow:
            self._shadow.close()


def _rows(pairs: Sequence[tuple[bytes, bytes]]) -> NDArray[np.int64]:
    """The rows of keys that are a letter and a row."""
    return np.frombuffer(b"".join(key[1:] for key, _ in pairs), ">u4").astype(np.int64)


def _links_times(records: NDArray[Any], values: Sequence[bytes]) -> NDArray[np.float64]:
    """`links_time` of pages; details are read only if it may differ from the last fetch."""
    times = np.where(records["fetches"] > 0, records["last_fetch"], -np.inf)
    other = (records["fetches"] > 0) & ((records["state"] != State.LIVE) | (records["failures"] > 0))
    for at in np.flatnonzero(other).tolist():
        times[at] = _decode_details(values[at][LIFE_ROW.itemsize :]).links_time or -np.inf
    return times


def _births(value: bytes) -> NDArray[Any]:
    count = int.from_bytes(value[:_COUNT], "big")
    return np.frombuffer(value, BIRTH_ROW, count, _COUNT)


def _spellings(value: bytes) -> list[str]:
    count = int.from_bytes(value[:_COUNT], "big")
    at = _COUNT + count * BIRTH_ROW.itemsize
    lengths = np.frombuffer(value, np.uint16, count, at)
    ends = (np.cumsum(lengths, dtype=np.int64) + at + 2 * count).tolist()
    starts = [at + 2 * count, *ends[:-1]]
    return [value[a:b].decode() for a, b in zip(starts, ends, strict=True)]


def _spelling(value: bytes, number: int) -> str:
    """One URL of a block, without the others."""
    count = int.from_bytes(value[:_COUNT], "big")
    at = _COUNT + count * BIRTH_ROW.itemsize
    lengths = np.frombuffer(value, np.uint16, number + 1, at)
    end = at + 2 * count + int(lengths.sum(dtype=np.int64))
    return value[end - int(lengths[number]) : end].decode()


def _explained(error: Exception, path: Path) -> Exception:
    text = str(error)
    if _LOCKED.search(text):
        return CrawlBusy(f"{path.parent} is in use by another process; wait for it or stop it")
    if "No space left" in text or "File too large" in text or "quota" in text.lower():
        return StorageFull(f"no space left for {path}: free some and run the same command again; nothing is lost")
    return CrawlDamaged(f"cannot use {path}: {text[:200]}; {_REMEDY.format(path.parent)}")
