"""How is an answer encoded?  As WARC 1.1 records (ISO 28500:2017), one gzip member each.

| answer                               | record                                    | block                           |
|--------------------------------------|-------------------------------------------|---------------------------------|
| a body not seen before               | response                                  | status line, headers, raw body  |
| 304                                  | revisit, profile server-not-modified      | status line, headers            |
| the payload of an earlier response   | revisit, profile identical-payload-digest | status line, headers            |
| a failure                            | metadata                                  | failure, detail, headers        |
| none (seeds and other ways in)       | resource                                  | the body                        |

The outcome comes first and its `request` record follows, with WARC-Concurrent-To: a crash between the two loses only
the request.  `Sought-Purpose`, `Sought-Elapsed` and `Sought-Why` are extension fields, which other readers skip.  The
body keeps its content coding, but is not chunked: Transfer-Encoding is dropped and Content-Length corrected.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from isal import isal_zlib

from sought.archive.fields import checked_uri, date, digest, encoded, header_lines, one_line, record_id, why_line
from sought.archive.record import Kind, Original
from sought.web.errors import BadInput
from sought.web.message import Response

MAX_BLOCK = 1 << 30
MAX_DETAIL = 2000

IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"

_CHEAPEST, _SMALL = 0, 1


class EncodedOutcome(NamedTuple):
    """The gzip members of the outcome of a fetch."""

    kind: Kind
    digest: str
    record: bytes
    request: bytes


def outcome(response: Response, original: Original | None) -> EncodedOutcome:
    checked_uri(response.url)
    if response.failure is not None:
        return EncodedOutcome("failure", "", _failure(response), b"")
    when, target = date(response.time), record_id()
    request = _request(response, when, target)
    if response.status == 304:
        known = original.digest if original else ""
        return EncodedOutcome(
            "revisit", known, _revisit(response, when, target, NOT_MODIFIED, known, original), request
        )
    payload = digest(response.raw)
    if original is not None and original.digest == payload:
        return EncodedOutcome(
            "revisit", payload, _revisit(response, when, target, IDENTICAL_PAYLOAD, payload, original), request
        )
    block = _http_head(response, len(response.raw)) + response.raw
    fields = f"WARC-Payload-Digest: {payload}\r\n{_extensions(response)}"
    level = _CHEAPEST if response.header("content-encoding") else _SMALL  # compressed bodies do not get smaller
    return EncodedOutcome(
        "response", payload, _record("response", response.url, when, block, fields, target, level=level), request
    )


def resource(uri: str, body: bytes, content_type: str, time: float) -> bytes:
    return _record("resource", checked_uri(uri), date(time), body, content_type=one_line(content_type))


def warcinfo(filename: str, software: str, time: float) -> bytes:
    block = (
        f"software: {one_line(software)}\r\nformat: WARC File Format 1.1\r\n"
        "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
    )
    fields = f"WARC-Filename: {filename}\r\n"
    return _record("warcinfo", "", date(time), encoded(block), fields, content_type="application/warc-fields")


def _request(response: Response, when: str, target: str) -> bytes:
    host, _, path = response.url.partition("://")[2].partition("/")
    named = any(name.lower() == "host" for name, _ in response.sent)
    lines = header_lines(response.sent if named else (("Host", host), *response.sent))
    block = encoded(f"GET /{path} HTTP/1.1\r\n{lines}\r\n")
    fields = f"WARC-Concurrent-To: {target}\r\n"
    content_type = "application/http; msgtype=request"
    return _record("request", response.url, when, block, fields, content_type=content_type, level=_CHEAPEST)


def _revisit(
    response: Response, when: str, target: str, profile: str, payload: str, original: Original | None
) -> bytes:
    fields = f"WARC-Profile: {profile}\r\n"
    if original is not None:
        fields += (
            f"WARC-Refers-To-Target-URI: {checked_uri(original.url)}\r\nWARC-Refers-To-Date: {date(original.time)}\r\n"
        )
    if payload:
        fields += f"WARC-Payload-Digest: {one_line(payload)}\r\n"
    length = None if profile == NOT_MODIFIED else len(response.raw)
    block = _http_head(response, length)
    return _record("revisit", response.url, when, block, fields + _extensions(response), target)


def _failure(response: Response) -> bytes:
    lines = [f"failure: {response.failure}\r\n", f"detail: {one_line(response.detail[:MAX_DETAIL])}\r\n"]
    if response.status:
        received = header_lines(response.headers)
        lines.append(f"status: {response.status} {one_line(response.reason)}\r\n\r\n{received}")
    block = encoded("".join(lines))
    content_type = "application/warc-fields"
    return _record(
        "metadata", response.url, date(response.time), block, _extensions(response), content_type=content_type
    )


def _extensions(response: Response) -> str:
    address = f"WARC-IP-Address: {one_line(response.address)}\r\n" if response.address else ""
    why = f"Sought-Why: {one_line(why_line(response.why)[:MAX_DETAIL])}\r\n" if response.why else ""
    return f"{address}Sought-Purpose: {response.purpose}\r\nSought-Elapsed: {response.elapsed:.6f}\r\n{why}"


def _http_head(response: Response, length: int | None) -> bytes:
    """Status line and headers for a body of `length` bytes; None keeps the server's Content-Length."""
    kept = []
    stated = length is None
    for name, value in response.headers:
        lower = name.lower()
        if lower == "content-length" and length is not None:
            if not stated:
                kept.append((name, str(length)))
            stated = True
        elif lower != "transfer-encoding":
            kept.append((name, value))
    if not stated:
        kept.append(("Content-Length", str(length)))
    return encoded(f"HTTP/1.1 {response.status:03d} {one_line(response.reason)}\r\n{header_lines(kept)}\r\n")


def _record(
    kind: str,
    uri: str,
    when: str,
    block: bytes,
    fields: str = "",
    identity: str = "",
    *,
    content_type: str = "application/http; msgtype=response",
    level: int = _SMALL,
) -> bytes:
    if len(block) > MAX_BLOCK:
        raise BadInput(f"{uri or kind}: {len(block)} bytes are too many for one record (at most {MAX_BLOCK})")
    target = f"WARC-Target-URI: {uri}\r\n" if uri else ""
    head = encoded(
        f"WARC/1.1\r\nWARC-Type: {kind}\r\n{target}WARC-Date: {when}\r\n"
        f"WARC-Record-ID: {identity or record_id()}\r\n{fields}WARC-Block-Digest: {digest(block)}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return packed(b"".join((head, block, b"\r\n\r\n")), level)


# ---- One record becomes one gzip member, inside which no other member seems to start.
#
# After damage, readers search for the first bytes of a member.  A page may contain such bytes and a forged record after
# them, which deflate may store as they are.  If the page's own record were damaged, the forged one would be taken for a
# record of the archive.  So a member that contains these bytes anywhere but at its start is written in stored blocks,
# with a block boundary within every `1f 8b 08`.


MAGIC = b"\x1f\x8b\x08\x00"  # deflate, no optional fields: the start of every member in the archive
_GZIP = 31
_HEAD = MAGIC + bytes(5) + b"\xff"
_SPLIT, _KEPT = MAGIC[:3], 2
_BLOCK = 0x7000  # bytes; in the headers of blocks this short only the first byte can be 1f or 8b


def packed(content: bytes, level: int) -> bytes:
    """The gzip member of a record: compressed, or stored if its bytes could be mistaken for another member."""
    member: bytes = isal_zlib.compress(content, level, _GZIP)
    return member if member.find(MAGIC, 1) < 0 else _stored(content)


def _stored(content: bytes) -> bytes:
    blocks = list(_blocks(content))
    parts = [_HEAD]
    for number, block in enumerate(blocks, 1):
        parts += [struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF), block]
    parts.append(struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF))
    return b"".join(parts)


def _blocks(content: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(content):
        position = content.find(_SPLIT, start, start + _BLOCK)
        stop = min(position + _KEPT if position >= 0 else start + _BLOCK, len(content))
        yield content[start:stop]
        start = stop
