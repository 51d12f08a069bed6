"""How is one request sent, and its answer read within bounds?

1. connect (the guard sees every socket), send, read the headers
2. judge the head: from status, purpose, type and length, whether and how much of the body to read
3. read it
4. decode the content coding; check that the body is text if the server named no type
5. return a Response; an expected failure is a Response, too, with as much of the head as there was
"""

import asyncio
import ssl
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.connector import Connection
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from sought.fetch.bounds import BodyAllowance, Bounds, body_allowance
from sought.fetch.guard import RefusedAddressError
from sought.web.coding import CodingError, decoded
from sought.web.message import Failure, Request, RequestPurpose, Response

_DECODE_ASIDE = 256 * 1024  # larger bodies are decoded in a thread, so as not to block the event loop
_SNIFFED = 1445  # WHATWG MIME Sniffing §5: the resource header
_BINARY = bytes({*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)})
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class PeerResponse(aiohttp.ClientResponse):
    """Keeps the peer's address: the connection may be back in the pool before it is asked."""

    peer = ""

    def start(self, connection: Connection) -> Coroutine[Any, Any, aiohttp.ClientResponse]:
        transport = connection.transport
        if transport is not None and (where := transport.get_extra_info("peername")):
            self.peer = where[0]
        return super().start(connection)


@dataclass(slots=True)
class _Record:
    """The parts of a Response received so far."""

    request: Request
    time: float
    clock: float
    sent: tuple[tuple[str, str], ...] = ()
    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes = b""
    body: bytes = b""
    elapsed: float = 0.0
    address: str = ""
    detail: str = ""

    def response(self, failure: Failure | None = None, detail: str = "") -> Response:
        return Response(
            url=self.request.url,
            status=self.status,
            reason=self.reason,
            headers=self.headers,
            raw=b"" if failure else self.raw,
            body=b"" if failure else self.body,
            sent=self.sent,
            time=self.time,
            elapsed=round(self.elapsed or time.perf_counter() - self.clock, 6),
            address=self.address,
            failure=failure,
            detail=detail or self.detail,
            purpose=self.request.purpose,
        )


async def exchange(session: aiohttp.ClientSession, request: Request, bounds: Bounds, now: float) -> Response:
    """Send one request through a session of `PeerResponse`s; expected failures do not raise."""
    record = _Record(request, round(now, 6), time.perf_counter())
    try:
        url = URL(request.url, encoded=True)
        async with session.get(url, headers=_validators(request), allow_redirects=False) as answer:
            _note_head(record, answer)
            room = body_allowance(bounds, request.purpose, record.status)
            has_type = _judge_head(answer, request.purpose, room, bounds)
            was_cut = await _read(record, answer, room)
        record.elapsed = time.perf_counter() - record.clock
        if "Content-Encoding" in answer.headers:
            was_cut = await _decode(record, ", ".join(answer.headers.getall("Content-Encoding")), room, was_cut)
        else:
            record.body = record.raw
        if was_cut:
            record.detail = f"cut off at {room.limit} bytes"
        if not has_type and not _looks_like_text(record.body):
            raise UnwantedError(Failure.TYPE, "no Content-Type, and the body is not text")
    except EXPECTED as error:
        return record.response(*failure_of(error))
    return record.response()


def _validators(request: Request) -> dict[str, str] | None:
    """The validators as headers; they came from a server, so unprintable ones are left out."""
    if not (request.etag or request.last_modified):
        return None
    validators = {"If-None-Match": request.etag, "If-Modified-Since": request.last_modified}
    return {name: value for name, value in validators.items() if value and value.isprintable()}


def _note_head(record: _Record, answer: aiohttp.ClientResponse) -> None:
    record.status = answer.status
    record.reason = answer.reason or ""
    record.sent = tuple(answer.request_info.headers.items())
    record.address = answer.peer if isinstance(answer, PeerResponse) else ""
    try:
        record.headers = tuple([(name.decode(), value.decode()) for name, value in answer.raw_headers])
    except UnicodeDecodeError:
        record.headers = tuple([(_text(name), _text(value)) for name, value in answer.raw_headers])


def _text(octets: bytes) -> str:
    """Header text in UTF-8, or else in the historical Latin-1 (RFC 9110 §5.5)."""
    try:
        return octets.decode()
    except UnicodeDecodeError:
        return octets.decode("latin-1")


def _judge_head(answer: aiohttp.ClientResponse, purpose: RequestPurpose, room: BodyAllowance, bounds: Bounds) -> bool:
    """Raise UnwantedError if the body should not be read; return whether the server named an accepted type."""
    if not room.cut and (answer.content_length or 0) > room.limit:
        raise UnwantedError(Failure.TOO_LARGE, f"Content-Length {answer.content_length} is beyond {room.limit} bytes")
    if purpose is not RequestPurpose.PAGE or not 200 <= answer.status <= 299:
        return True
    media_type = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media_type and media_type not in bounds.types:
        raise UnwantedError(Failure.TYPE, f"content type {media_type[:80]}")
    return bool(media_type)


async def _read(record: _Record, answer: aiohttp.ClientResponse, room: BodyAllowance) -> bool:
    """Read the body; True if the rest was left unread."""
    parts: list[bytes] = []
    size = 0
    while part := await answer.content.readany():
        parts.append(part)
        size += len(part)
        if size > room.limit:
            answer.close()  # not returned to the pool: the server is still sending
            if not room.cut:
                raise UnwantedError(Failure.TOO_LARGE, f"body beyond {room.limit} bytes")
            break
    record.raw = b"".join(parts)[: room.limit]
    return size > room.limit


async def _decode(record: _Record, encoding: str, room: BodyAllowance, was_cut: bool) -> bool:
    """Decode the content coding; True if the decoded body is incomplete."""
    try:
        if len(record.raw) > _DECODE_ASIDE:
            record.body = await asyncio.to_thread(decoded, record.raw, encoding, room.limit)
        else:
            record.body = decoded(record.raw, encoding, room.limit)
    except CodingError as error:
        # A damaged robots.txt must not pass for a complete one, unless the bound cut it.
        is_expected_cut = was_cut or error.failure is Failure.EXPANSION or not 200 <= record.status <= 299
        if not (room.cut and is_expected_cut):
            raise
        record.body = error.start
        return True
    return was_cut


def _looks_like_text(body: bytes) -> bool:
    start = body[:_SNIFFED]
    return start.startswith(_UTF16) or len(start) == len(start.translate(None, _BINARY))


class UnwantedError(Exception):
    """An answer whose body is not read or not kept, because of its headers or first bytes."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


# First match wins: specific errors come before general ones.
_FAILURES: tuple[tuple[type[BaseException], Failure], ...] = (
    (RefusedAddressError, Failure.ADDRESS),
    (aiohttp.ClientConnectorDNSError, Failure.DNS),
    (aiohttp.InvalidURL, Failure.DNS),  # a host that cannot be resolved
    (aiohttp.ClientSSLError, Failure.TLS),
    (ssl.SSLError, Failure.TLS),
    (ssl.CertificateError, Failure.TLS),
    (aiohttp.ConnectionTimeoutError, Failure.CONNECT),
    (TimeoutError, Failure.TIMEOUT),
    (aiohttp.ClientPayloadError, Failure.CONNECT),
    (aiohttp.ClientResponseError, Failure.HEADERS),
    (HttpProcessingError, Failure.HEADERS),
    (aiohttp.ClientError, Failure.CONNECT),
    (OSError, Failure.CONNECT),
)
EXPECTED: tuple[type[BaseException], ...] = (UnwantedError, CodingError, *(kind for kind, _ in _FAILURES))


def failure_of(error: BaseException) -> tuple[Failure, str]:
    """The failure of an EXPECTED error, and one line about it."""
    if isinstance(error, UnwantedError | CodingError):
        return error.failure, error.detail
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    for kind, failure in _FAILURES:
        if isinstance(error, kind) or isinstance(cause, kind):
            return failure, " ".join(str(error).split())[:200] or type(error).__name__
    raise error  # not in EXPECTED
