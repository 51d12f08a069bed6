"""How is a record decoded?  The inverse of `encode`."""

from collections.abc import Callable
from dataclasses import replace

from sought.archive.fields import Headers, instant, parsed_headers, parsed_why
from sought.archive.record import Kind, Original, Place, Record
from sought.web.coding import CodingError, decoded
from sought.web.message import Failure, RequestPurpose, Response

_NO_OUTCOME = (b"WARC/1.1\r\nWARC-Type: request\r\n", b"WARC/1.1\r\nWARC-Type: warcinfo\r\n")


def outcome(content: bytes, place: Place) -> Record | None:
    """The outcome in a record; None for kinds that have none.  Raises ValueError if it is not a WARC record."""
    if content.startswith(_NO_OUTCOME):
        return None
    end = content.find(b"\r\n\r\n")
    if end < 0 or not content.startswith(b"WARC/1."):
        raise ValueError("not a WARC record")
    lines = content[:end].decode("utf-8", "surrogateescape").split("\r\n")
    fields = {name.lower(): value for name, value in parsed_headers(lines[1:])}
    start, stop = end + 4, end + 4 + int(fields["content-length"])
    if stop > len(content):
        raise ValueError("a WARC record shorter than its Content-Length")
    reader = _READERS.get(fields["warc-type"])
    return reader(content, start, stop, fields, place) if reader else None


Fields = dict[str, str]


def _response(content: bytes, start: int, stop: int, fields: Fields, place: Place) -> Record:
    status, reason, headers, body = _http(content, start, stop)
    response = _answer(fields, status, reason, headers, raw=content[body:stop])
    return _outcome("response", response, fields, place)


def _revisit(content: bytes, start: int, stop: int, fields: Fields, place: Place) -> Record:
    status, reason, headers, _ = _http(content, start, stop)
    return _outcome("revisit", _answer(fields, status, reason, headers), fields, place)


def _failure(content: bytes, start: int, stop: int, fields: Fields, place: Place) -> Record | None:
    head, _, header_text = content[start:stop].decode("utf-8", "surrogateescape").partition("\r\n\r\n")
    failure_fields = dict(parsed_headers(head.split("\r\n")))
    if "failure" not in failure_fields:
        return None
    status, _, reason = failure_fields.get("status", "0").partition(" ")
    headers = parsed_headers(header_text.split("\r\n"))
    failure, detail = Failure(failure_fields["failure"]), failure_fields.get("detail", "")
    response = _answer(fields, int(status), reason, headers, failure=failure, detail=detail)
    return _outcome("failure", response, fields, place)


def _note(content: bytes, start: int, stop: int, fields: Fields, place: Place) -> Record:
    uri, time = fields["warc-target-uri"], instant(fields["warc-date"])
    return Record("note", place, uri, time, body=content[start:stop], content_type=fields.get("content-type", ""))


_READERS: dict[str, Callable[[bytes, int, int, Fields, Place], Record | None]] = {
    "response": _response,
    "revisit": _revisit,
    "metadata": _failure,
    "resource": _note,
}


def _http(content: bytes, start: int, stop: int) -> tuple[int, str, Headers, int]:
    """Status, reason, headers and the start of the body."""
    end = content.find(b"\r\n\r\n", start, stop)
    if end < 0:
        raise ValueError("an HTTP message whose headers do not end")
    lines = content[start:end].decode("utf-8", "surrogateescape").split("\r\n")
    status, _, reason = lines[0].partition(" ")[2].partition(" ")
    return int(status), reason, parsed_headers(lines[1:]), end + 4


def _answer(
    fields: Fields,
    status: int,
    reason: str,
    headers: Headers,
    *,
    raw: bytes = b"",
    failure: Failure | None = None,
    detail: str = "",
) -> Response:
    return Response(
        url=fields["warc-target-uri"],
        status=status,
        reason=reason,
        headers=headers,
        raw=raw,
        time=instant(fields["warc-date"]),
        elapsed=float(fields.get("sought-elapsed", 0.0)),
        address=fields.get("warc-ip-address", ""),
        failure=failure,
        detail=detail,
        purpose=RequestPurpose(fields.get("sought-purpose", RequestPurpose.PAGE)),
        why=parsed_why(fields.get("sought-why", "")),
    )


def _outcome(kind: Kind, response: Response, fields: Fields, place: Place) -> Record:
    digest = fields.get("warc-payload-digest", "")
    refers = fields.get("warc-refers-to-target-uri")
    original = Original(refers, instant(fields["warc-refers-to-date"]), digest) if refers else None
    return Record(kind, place, response.url, response.time, response, digest=digest, original=original)


_LIMIT = 64 << 20


def with_body(response: Response) -> Response:
    """The answer with its body; without one if the body cannot be decoded."""
    try:
        return replace(response, body=decoded(response.raw, response.header("content-encoding"), _LIMIT))
    except CodingError:
        return response
