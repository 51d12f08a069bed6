"""What does a server say, and how does it bring itself to say it?"""

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
    """How an answer is sent; all that is not PLAIN ends the connection."""

    PLAIN = "plain"  # status line, headers, body
    SLOW = "slow"  # the same after `ToyWeb.slow` seconds
    RAW = "raw"  # the body is all that is sent
    HANG = "hang"  # nothing for `ToyWeb.patience` seconds
    RESET = "reset"  # the connection is torn down at once
    DRIP = "drip"  # one byte at a time
    ENDLESS_BODY = "endless-body"  # the body again and again
    ENDLESS_HEADERS = "endless-headers"  # the body, header lines, again and again


@dataclass(frozen=True, slots=True)
class ToyAnswer:
    """One answer.  `status` is 0 where none is sent."""

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
    """Toy time as HTTP writes dates."""
    return formatdate(DAY_ZERO + t * 86400, usegmt=True)


def iso_date(t: float) -> str:
    """Toy time as sitemaps write dates."""
    return datetime.fromtimestamp(DAY_ZERO + t * 86400, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def with_validators(
    answer: ToyAnswer, asked: Mapping[str, str], validators: tuple[str, ...], modified: float
) -> ToyAnswer:
    """The answer with the validators a site gives, or 304 if the asker has it already (RFC 9110, 13.2.2)."""
    given = {
        "etag": f'"{hashlib.blake2b(answer.body, digest_size=8).hexdigest()}"',
        "last-modified": http_date(modified),
    }
    headers = tuple((name.title().replace("Etag", "ETag"), given[name]) for name in validators)
    if _already_known(asked, validators, given["etag"], modified):
        return ToyAnswer(304, headers)
    return replace(answer, headers=answer.headers + headers)


def _already_known(asked: Mapping[str, str], validators: tuple[str, ...], etag: str, modified: float) -> bool:
    if "etag" in validators and "if-none-match" in asked:
        known = [tag.strip().removeprefix("W/") for tag in asked["if-none-match"].split(",")]
        return etag in known or "*" in known
    if "last-modified" in validators and "if-modified-since" in asked:
        try:
            since = parsedate_to_datetime(asked["if-modified-since"])
        except ValueError:
            return False
        return since.replace(tzinfo=UTC).timestamp() >= int(DAY_ZERO + modified * 86400)
    return False


def with_coding(answer: ToyAnswer, asked: Mapping[str, str], coding: str) -> ToyAnswer:
    """The answer in a content coding, if the asker accepts it."""
    accepted = {part.partition(";")[0].strip() for part in asked.get("accept-encoding", "").split(",")}
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
