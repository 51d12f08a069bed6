"""How is User Behavior Insights 1.3.0 read and written?  ubi_queries and ubi_events as JSON lines.

Schema: github.com/o19s/ubi, schema/1.3.0.  Reading is lenient: one file or two, kinds mixed; documents as OpenSearch
dumps them (`_source`, bulk action lines); times in ISO 8601 or epoch; object ids as text or numbers; the 1.0 name of
the hits.  client_id, session_id, user_id, messages and free attributes are not read.  Writing is strict: only fields of
the schema, within its bounds.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from sought.demand import values
from sought.demand.query_format import QueryFormat
from sought.demand.rows import Action, Event, Row, Search, source_id, written_id
from sought.demand.text import ParsedRow, lines, open_bytes, parse_row
from sought.web.errors import BadInput

QUERIES, EVENTS = "ubi_queries.jsonl", "ubi_events.jsonl"
MAX_OBJECT_ID = 256
_ACTIONS = {
    "view": Action.VIEW,
    "impression": Action.VIEW,
    "click": Action.CLICK,
    "click_through": Action.CLICK,
}
_BULK = ({"index"}, {"create"})


def files(path: Path) -> list[Path]:
    """The files of an import: one, or those of a folder."""
    if not path.is_dir():
        return [path]
    return sorted([*path.glob("ubi_queries*"), *path.glob("ubi_events*")], reverse=True)


def read(path: Path) -> Iterator[ParsedRow]:
    for file in files(path):
        with open_bytes(file) as source:
            for number, line in enumerate(lines(source), 1):
                if line.strip():
                    yield ParsedRow(file.name, number, parse_row(_row, line))


def _row(line: bytes) -> Row | None:
    try:
        document = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise BadInput("not a JSON object")
    if document.keys() in _BULK:
        return None
    source = _inside(document, "_source") or document
    return _event(source) if "action_name" in source else _search(source)


def _search(source: dict[str, Any]) -> Search:
    hits = source.get("query_response_hit_ids", source.get("query_response_objects_ids")) or []
    if not isinstance(hits, list):
        raise BadInput("query_response_hit_ids is no list")
    query, time = values.text(source.get("user_query"), "user_query"), values.moment(source.get("timestamp"))
    shown = tuple(values.text(hit, "hit id") for hit in hits)
    source_query_id = source.get("query_id")
    return Search(
        query, time, shown, _derived_id(query, time, shown) if source_query_id in (None, "") else _id(source_query_id)
    )


def _event(source: dict[str, Any]) -> Event | None:
    action = _ACTIONS.get(str(source["action_name"]).strip().lower())
    if action is None:
        return None
    attributes = _inside(source, "event_attributes")
    url = _inside(attributes, "object").get("object_id", attributes.get("url"))
    rank = _inside(attributes, "position").get("ordinal")
    return Event(
        _id(source.get("query_id")),
        action,
        values.moment(source.get("timestamp")),
        "" if url is None else values.text(url, "object_id"),
        0 if rank is None else values.whole(rank, "position.ordinal"),
    )


def _inside(source: dict[str, Any], name: str) -> dict[str, Any]:
    inner = source.get(name)
    return inner if isinstance(inner, dict) else {}


def _id(value: Any) -> int:
    return source_id(values.text(value, "query_id"))


def _derived_id(query: str, time: float, shown: tuple[str, ...]) -> int:
    """An id from the search itself, so that it counts once when it is imported twice."""
    identity = "\0".join((repr(time), query, *shown)).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(identity, digest_size=8).digest(), "little")


def query_line(search: int, query: str, time: float, shown: list[str]) -> bytes:
    return _line(
        application="sought",
        query_id=written_id(search),
        user_query=query,
        object_id_field="url",
        timestamp=_iso(time),
        query_response_hit_ids=shown,
    )


def event_line(search: int, action: str, url: str, rank: int, time: float) -> bytes:
    """Ordinal 0: the rank is not known (a position is required, and the schema does not bound it).

    An address that is too long for an object_id becomes an attribute `url`, which the schema allows.
    """
    attributes: dict[str, Any] = {"position": {"ordinal": rank}}
    if len(url) > MAX_OBJECT_ID:
        attributes["url"] = url
    elif url:
        attributes["object"] = {"object_id": url, "object_id_field": "url"}
    return _line(
        application="sought",
        action_name=action,
        query_id=written_id(search),
        timestamp=_iso(time),
        event_attributes=attributes,
    )


def _line(**fields: Any) -> bytes:
    return msgspec.json.encode(fields) + b"\n"


def _iso(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


UBI = QueryFormat("ubi", "User Behavior Insights: JSON lines, or a folder of them.", lambda path, _day: read(path))
