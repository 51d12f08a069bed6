"""How is a page represented in tantivy?  The fields, and checks of texts and numbers.

Texts are analysed before (`analysis`) and enter the index as terms separated by spaces.  What a hit shows is stored
separately, as one record of bytes.
"""

from collections.abc import Callable
from urllib.parse import unquote

import msgspec
from tantivy import Document, Schema, SchemaBuilder

from sought.index.analysis import clip, reading, stemming
from sought.index.entry import Entry
from sought.index.tidy import tidy
from sought.web.errors import BadInput
from sought.web.url import MAX_LENGTH, hostname

PHRASED = ("title", "body", "anchors")
WORDED = (*PHRASED, "address")

_MAX_TITLE = 1_000  # characters shown
_MAX_KEPT = 20_000  # characters of the body stored for snippets
_MAX_ANCHORS = 1 << 16  # bytes of anchors that are analysed
_MAX_LABELS = 8


class StoredPage(msgspec.Struct, array_like=True, frozen=True):
    """What is stored of a page to show it."""

    row: int
    url: str
    title: str
    body: str
    language: str
    time: float


_ENCODE = msgspec.msgpack.Encoder().encode
_DECODE = msgspec.msgpack.Decoder(StoredPage).decode


def schema() -> Schema:
    builder = SchemaBuilder()
    builder.add_unsigned_field("row", indexed=True, fast=True)
    for name in PHRASED:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("address", tokenizer_name="whitespace", index_option="freq")
    builder.add_text_field("language", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("site", tokenizer_name="whitespace", index_option="basic")
    builder.add_bytes_field("record", stored=True)
    return builder.build()


def number(entry: Entry) -> int:
    """The row of an entry; BadInput if it is no unsigned 64-bit number."""
    row = int(entry.row)  # rows often come out of NumPy columns
    if not 0 <= row < 1 << 64:
        raise BadInput(f"row {row} of {entry.url!r} is not an unsigned 64-bit number")
    return row


def document(entry: Entry, read: Callable[[str, str], str] = reading) -> Document:
    """An entry as a tantivy document.  `read` is called with the texts of WORDED in this order, and the language."""
    language = stemming(entry.language)
    result = Document()
    result.add_unsigned("row", number(entry))
    for name, text in zip(WORDED, texts(entry), strict=True):
        result.add_text(name, read(text, language))
    result.add_text("language", language)
    result.add_text("site", " ".join(sites(entry.url)))
    result.add_bytes("record", _ENCODE(_record(entry, language)))
    return result


def texts(entry: Entry) -> tuple[str, str, str, str]:
    """The searchable texts of a page, as the fields of WORDED."""
    address = unquote(entry.url[:MAX_LENGTH].partition("://")[2])
    return entry.title[:_MAX_TITLE], entry.body, clip(entry.anchors, _MAX_ANCHORS), address


def sites(url: str) -> list[str]:
    """The host of a URL and its parent domains: values of `site:`."""
    try:
        host = hostname(url[:MAX_LENGTH])
    except ValueError:
        return []
    if not host.isascii() or " " in host:
        return []  # no canonical URL: such a page is found by its words only
    if host.startswith("[") or host.replace(".", "").isdigit():
        return [host]
    labels = host.split(".")[-_MAX_LABELS:]
    return [host, *(".".join(labels[i:]) for i in range(1, len(labels)))]


def record(stored: Document) -> StoredPage:
    """The stored record of a page."""
    (kept,) = stored.get_all("record")
    return _DECODE(kept)


def _record(entry: Entry, language: str) -> StoredPage:
    return StoredPage(
        int(entry.row),
        tidy(entry.url[:MAX_LENGTH]),
        tidy(entry.title[:_MAX_TITLE]),
        tidy(entry.body[:_MAX_KEPT]),
        language,
        float(entry.time),
    )
