"""What does a server answer, and how is the answer sent?"""

import gzip
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from enum import StrEnum

import brotli

from sought.web import zstd

DAY_ZERO = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
Headers = tuple[tuple[str, str], ...]


class Behaviour(StrEnum):
    """How an answer is sent; all behaviours but PLAIN end the connection."""

    PLAIN = "plain"  # status line, headers, body
    SLOW = "slow"  # the same after `ToyWeb.slow` seconds
    RAW = "raw"  # only the body is sent
    HANG = "hang"  # nothing for `ToyWeb.patience` seconds
    RESET = "reset"  # the connection is torn down at once
    DRIP = "drip"  # one byte at a time
    ENDLESS_BODY = "endless-body"  # the body, repeated
    ENDLESS_HEADERS = "endless-headers"  # the body, which is header lines, repeated


@dataclass(frozen=True, slots=True)
class ToyAnswer:
    """One answer.  `status` is 0 if none is sent."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    behaviour: Behaviour = Behaviour.PLAIN


def page(text: str, status: int = 200, headers: Headers = ()) -> ToyAnswer:
    return ToyAnswer(status, (("Content-Type", "text/html; charset=utf-8"), *headers), text.encode())


def plain(text: str, status: int = 200, headers: Headers = ()) -> ToyAnswer:
    return ToyAnswer(status, (("Content-Type", "text/plain; charset=utf-8"), *headers), text.encode())


def redirect(status: int, location: str) -> ToyAnswer:
    return ToyAnswer(status, (("Location", location), ("Content-Type", "text/plain")), b"It is elsewhere.\n")


def not_found(status: int = 404) -> ToyAnswer:
    return plain("There is nothing here.\n" if status == 404 else "It is gone for good.\n", status)


def http_date(t: float) -> str:
    """Toy time as an HTTP date."""
    return formatdate(DAY_ZERO + t * 86400, usegmt=True)


def iso_date(t: float) -> str:
    """Toy time as a date for sitemaps."""
    return datetime.fromtimestamp(DAY_ZERO + t * 86400, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def with_validators(
    answer: ToyAnswer, request_headers: Mapping[str, str], validators: tuple[str, ...], modified: float
) -> ToyAnswer:
    """The answer with the site's validators, or 304 if the client has it already (RFC 9110, 13.2.2)."""
    values = {
        "etag": f'"{hashlib.blake2b(answer.body, digest_size=8).hexdigest()}"',
        "last-modified": http_date(modified),
    }
    headers = tuple((name.title().replace("Etag", "ETag"), values[name]) for name in validators)
    if _already_known(request_headers, validators, values["etag"], modified):
        return ToyAnswer(304, headers)
    return replace(answer, headers=answer.headers + headers)


def _already_known(request_headers: Mapping[str, str], validators: tuple[str, ...], etag: str, modified: float) -> bool:
    if "etag" in validators and "if-none-match" in request_headers:
        known = [tag.strip().removeprefix("W/") for tag in request_headers["if-none-match"].split(",")]
        return etag in known or "*" in known
    if "last-modified" in validators and "if-modified-since" in request_headers:
        try:
            since = parsedate_to_datetime(request_headers["if-modified-since"])
        except ValueError:
            return False
        return since.replace(tzinfo=UTC).timestamp() >= int(DAY_ZERO + modified * 86400)
    return False


def with_coding(answer: ToyAnswer, request_headers: Mapping[str, str], coding: str) -> ToyAnswer:
    """The answer in a content coding, if the client accepts it."""
    accepted = {part.partition(";")[0].strip() for part in request_headers.get("accept-encoding", "").split(",")}
    if not answer.body or coding == "identity" or coding not in accepted:
        return answer
    headers = (*answer.headers, ("Content-Encoding", coding), ("Vary", "Accept-Encoding"))
    return replace(answer, headers=headers, body=compress(answer.body, coding))


def compress(body: bytes, coding: str) -> bytes:
    if coding == "gzip":
        return gzip.compress(body, 1, mtime=0)
    if coding == "br":
        return bytes(brotli.compress(body, quality=1))  # type: ignore[no-untyped-call]  # the library has no types
    if coding == "zstd":
        return zstd.compress(body, level=1)
    return zlib.compress(body, 1)
