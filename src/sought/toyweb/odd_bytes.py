"""Which oddities of bytes are there?  Answers that are damaged, huge, endless or mislabelled; a host for each."""

import gzip
import zlib
from dataclasses import replace
from functools import lru_cache

from sought.toyweb.answer import Behaviour, Headers, ToyAnswer, compress
from sought.toyweb.oddity import Oddity, OddRequest, Respond, essay, essay_text

HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
BOMB_BYTES = 1 << 30  # what a bomb expands to
NESTING = 200_000
PIECES = 16  # copies of an endless body that are sent at once, to reach a bound of some megabytes soon
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 32


def _odd(name: str, note: str, respond: Respond) -> Oddity:
    return Oddity(name, f"/{name}", note, respond)


def _raw(lines: str, body: bytes = b"", status: int = 200) -> ToyAnswer:
    """Exactly these header lines and this body, then the end of the connection."""
    head = f"HTTP/1.1 {status} OK\r\nContent-Type: text/html; charset=utf-8\r\n{lines}\r\n"
    return ToyAnswer(status, body=head.encode() + body, behaviour=Behaviour.RAW)


def _text(request: OddRequest) -> bytes:
    return essay_text(request, request.path).encode()


def _length(factor: float) -> Respond:
    """A Content-Length that is `factor` times the correct one."""
    return lambda request: _raw(f"Content-Length: {int(len(_text(request)) * factor)}\r\n", _text(request))


def _closed_early(request: OddRequest) -> ToyAnswer:
    body = _text(request)
    return _raw(f"Content-Length: {len(body)}\r\n", body[: len(body) // 2])


def _chunks(chunk: bytes) -> Respond:
    return lambda request: _raw("Transfer-Encoding: chunked\r\n", b"10\r\n<p>sixteen bytes\r\n" + chunk)


def _coded(coding: str, mangle: str) -> Respond:
    def respond(request: OddRequest) -> ToyAnswer:
        body = _text(request)
        bodies = {
            "plain": body,
            "truncated": gzip.compress(body, mtime=0)[:-40],
            "raw": zlib.compress(body)[2:-4],
            "twice": gzip.compress(gzip.compress(body, mtime=0), mtime=0),
        }
        return ToyAnswer(200, (*HTML, ("Content-Encoding", coding)), bodies[mangle])

    return respond


@lru_cache(maxsize=8)
def bomb(coding: str) -> bytes:
    """A gigabyte in a megabyte or less: one block, compressed once and repeated validly."""
    piece = b"<p>boom" * ((16 << 20) // 7)
    repeats = BOMB_BYTES // len(piece)
    if coding == "zstd":
        return compress(piece, "zstd") * repeats
    # A deflate block that ends with a full flush does not refer to earlier data, so it can be repeated.  The checksum
    # at the end is wrong, but no client should read so far.
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = deflate.compress(piece) + deflate.flush(zlib.Z_FULL_FLUSH)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block * repeats + b"\x03\0" + bytes(8)


@lru_cache(maxsize=1)
def _brotli_bomb() -> bytes:
    return compress(b"<p>boom" * ((128 << 20) // 7), "br")


def _bomb(coding: str) -> Respond:
    return lambda request: ToyAnswer(
        200, (*HTML, ("Content-Encoding", coding)), _brotli_bomb() if coding == "br" else bomb(coding)
    )


def _html(body: bytes) -> Respond:
    return lambda request: ToyAnswer(200, HTML, body)


def _typed(content_type: str | None, body: bytes = b"") -> Respond:
    headers: Headers = () if content_type is None else (("Content-Type", content_type),)
    return lambda request: ToyAnswer(200, headers, body or _text(request))


def _drip(request: OddRequest) -> ToyAnswer:
    return replace(essay(request, request.path), behaviour=Behaviour.DRIP)


def _silent(behaviour: Behaviour) -> Respond:
    return lambda request: ToyAnswer(0, behaviour=behaviour)


BYTES = (
    _odd("closed-early", "half of what Content-Length promises", _closed_early),
    _odd("length-too-long", "Content-Length promises three times the body", _length(3)),
    _odd("length-too-short", "Content-Length promises half of the body", _length(0.5)),
    _odd("length-negative", "Content-Length below zero", _length(-1)),
    _odd("bad-chunks", "a chunk whose size is not a number", _chunks(b"zz\r\nnonsense\r\n0\r\n\r\n")),
    _odd("huge-chunk", "a chunk that promises 16 exabytes", _chunks(b"ffffffffffffffff\r\n" + b"x" * 4096)),
    _odd("cut-chunks", "chunks without an end", _chunks(b"10\r\n<p>only")),
    _odd("endless-body", "a body that does not end", lambda request: ToyAnswer(
        200, HTML, _text(request) * PIECES, Behaviour.ENDLESS_BODY)),
    _odd("endless-headers", "headers that do not end", lambda request: ToyAnswer(
        200, HTML, b"X-More: and more\r\n" * 512, Behaviour.ENDLESS_HEADERS)),
    _odd("huge-header", "one header of a megabyte",
         lambda request: _raw(f"X-Huge: {'h' * (1 << 20)}\r\n", _text(request))),
    _odd("slow-drip", "one byte at a time", _drip),
    _odd("hang", "accepts and says nothing", _silent(Behaviour.HANG)),
    _odd("reset", "tears the connection down", _silent(Behaviour.RESET)),
    _odd("not-http", "garbage instead of HTTP", lambda request: ToyAnswer(0, body=PNG, behaviour=Behaviour.RAW)),
    _odd("gzip-bomb", "a megabyte that becomes a gigabyte", _bomb("gzip")),
    _odd("brotli-bomb", "a few hundred bytes that become 128 MB", _bomb("br")),
    _odd("zstd-bomb", "some kilobytes that become a gigabyte", _bomb("zstd")),
    _odd("unknown-coding", "a content coding nobody knows", _coded("vacuum", "plain")),
    _odd("damaged-gzip", "gzip that breaks off", _coded("gzip", "truncated")),
    _odd("plain-called-gzip", "text that is called gzip", _coded("gzip", "plain")),
    _odd("raw-deflate", "deflate without its wrapper", _coded("deflate", "raw")),
    _odd("gzip-twice", "gzip within gzip", _coded("gzip, gzip", "twice")),
    _odd("nesting-bomb", "200,000 elements within each other", _html(
        b"<!doctype html><title>deep</title>" + b"<div>" * NESTING)),
    _odd("attribute-bomb", "an element with 200,000 attributes", _html(
        b"<!doctype html><p " + b" ".join(b"a%d=1" % n for n in range(NESTING)) + b">text</p>")),
    _odd("link-bomb", "100,000 links on one page", _html(
        b"<!doctype html>" + b"".join(b'<a href="/%d">x</a>' % n for n in range(100_000)))),
    _odd("nul-bytes", "NULs within text", lambda request: ToyAnswer(200, HTML, _text(request).replace(b" ", b" \0"))),
    _odd("bad-utf8", "bytes that are not UTF-8",
         lambda request: ToyAnswer(200, HTML, _text(request).replace(b" ", b" \xff\xc0"))),
    _odd("wrong-charset", "Russian in koi8-r, called utf-8", _typed(
        "text/html; charset=utf-8", "<title>Маяк</title><p>Старый маяк стоит у моря. ".encode("koi8-r") * 40)),
    _odd("unknown-charset", "a charset nobody knows", _typed("text/html; charset=klingon-9")),
    _odd("no-content-type", "no Content-Type", _typed(None)),
    _odd("bad-content-type", "a Content-Type that is none", _typed(";;=/html?")),
    _odd("html-as-text", "HTML that is called plain text", _typed("text/plain")),
    _odd("binary-as-html", "an image that is called HTML", _typed("text/html", PNG)),
    _odd("image", "an image", _typed("image/png", PNG)),
    _odd("pdf", "a PDF", _typed("application/pdf", b"%PDF-1.7\n" + PNG)),
)  # fmt: skip
