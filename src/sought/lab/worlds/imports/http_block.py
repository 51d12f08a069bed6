"""Which answer does the block of a WARC record hold, as it came over the wire and whoever kept it?"""

import re

from sought.archive.fields import Headers, parsed_headers

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)? +(\d{3})(?: ([^\r\n]*))?\r?\n")
_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[^\r\n]{0,1000}\r?\n")


def http(block: bytes) -> tuple[int, Headers, bytes] | None:
    """Status, headers and body; None if it is not HTTP."""
    status = _STATUS.match(block)
    end = _END.search(block, status.end() - 2) if status else None
    if not status or not end:
        return None
    lines = block[status.end() : end.start()].decode("utf-8", "replace").split("\n")
    headers = parsed_headers([line.rstrip("\r") for line in lines])
    return int(status[1]), headers, _whole(headers, block[end.end() :])


def _whole(headers: Headers, body: bytes) -> bytes:
    """The body with its chunks joined (RFC 9112, 7.1); as it is where they were joined before it was kept."""
    chunked = any(name.lower() == "transfer-encoding" and "chunked" in value.lower() for name, value in headers)
    joined = _joined(body) if chunked else None
    return body if joined is None else joined


def _joined(body: bytes) -> bytes | None:
    parts, at = list[bytes](), 0
    while chunk := _CHUNK.match(body, at):
        size = int(chunk[1], 16)
        if not size:
            return b"".join(parts)
        part = body[chunk.end() : chunk.end() + size]
        if len(part) < size:
            return None
        parts.append(part)
        at = chunk.end() + size
        at += len(body[at : at + 2]) - len(body[at : at + 2].lstrip(b"\r\n"))
    return None
