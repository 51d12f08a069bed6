"""The same by JSON: search, suggestions, and what became of the results; openapi.py describes it.

Names are those of User Behavior Insights 1.3 where it has any (query_id, user_query, position.ordinal, action_name),
so events sent here and exports of `sought queries export` fit together.
"""

import time
from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sought.console.asking import MAX_LIMIT, MAX_OFFSET, Question, may_remember, number, query, search_id
from sought.console.openapi import DOCUMENT
from sought.console.search_service import SearchReply, SearchService
from sought.console.wording import moment
from sought.demand.rows import MAX_RANK, Action, Event, checked_event, written_id
from sought.index import Hit
from sought.web.errors import BadInput

MAX_EVENTS = 100
_FRESH = {"Cache-Control": "no-store"}
_encode = msgspec.json.Encoder().encode


class _Position(msgspec.Struct):
    ordinal: int = 0


class _Object(msgspec.Struct):
    object_id: str = ""


class _Attributes(msgspec.Struct):
    object: _Object = msgspec.field(default_factory=_Object)
    position: _Position = msgspec.field(default_factory=_Position)
    url: str = ""


class _SentEvent(msgspec.Struct):
    """An event as a client sends it; other fields are ignored."""

    action_name: Literal["view", "click"]
    query_id: str
    event_attributes: _Attributes


_decode_events = msgspec.json.Decoder(_SentEvent | list[_SentEvent]).decode


def routes(service: SearchService) -> list[BaseRoute]:
    async def search(request: Request) -> Response:
        return as_json(_reply(await service.ask(_question(request))))

    async def suggest(request: Request) -> Response:
        return as_json({"suggestions": await service.suggestions.starting(request.query_params.get("q", ""))})

    async def events(request: Request) -> Response:
        sent = _events(await request.body(), time.time())
        if may_remember(request):
            service.recorder.take(sent)
            service.tally.clicks += sum(each.action == Action.CLICK for each in sent)
        return Response(status_code=204, headers=_FRESH)

    async def describe(_: Request) -> Response:
        return as_json(DOCUMENT)

    return [
        Route("/api/search", search),
        Route("/api/suggest", suggest),
        Route("/api/events", events, methods=["POST"]),
        Route("/api/openapi.json", describe),
    ]


def as_json(data: Any, status: int = 200) -> Response:
    return Response(_encode(data), status, _FRESH, "application/json")


def _question(request: Request) -> Question:
    given, text = request.query_params, query(request)
    if not any(character.isalnum() for character in text):
        raise HTTPException(400, "The parameter q needs at least one word.")
    if given.get("record", "true") not in ("true", "false"):
        raise HTTPException(400, "The parameter record must be true or false.")
    return Question(
        text,
        number(request, "limit", 10, 1, MAX_LIMIT),
        number(request, "offset", 0, 0, MAX_OFFSET),
        search_id(given["query_id"]) if "query_id" in given else 0,
        given.get("record") != "false" and may_remember(request),
    )


def _reply(reply: SearchReply) -> dict[str, Any]:
    answer = reply.answer
    return {
        "query_id": written_id(reply.search) if reply.search else None,
        "user_query": reply.question.text,
        "object_id_field": "url",
        "query_response_hit_ids": [hit.url for hit in answer.hits],
        "total": answer.total,
        "pages": reply.pages,
        "relaxed": answer.relaxed,
        "elapsed": answer.elapsed,
        "hits": [_hit(rank, hit) for rank, hit in enumerate(answer.hits, reply.question.offset + 1)],
    }


def _hit(rank: int, hit: Hit) -> dict[str, Any]:
    return {
        "url": hit.url,
        "position": {"ordinal": rank},
        "title": hit.title,
        "snippet": hit.snippet,
        "highlights": hit.highlights,
        "score": hit.score,
        "fetched": found.replace(microsecond=0) if (found := moment(hit.time)) else None,
    }


def _events(body: bytes, now: float) -> list[Event]:
    """All of them, checked; or HTTPException for the first bad one."""
    try:
        sent = _decode_events(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"Invalid event: {error}.") from None
    several: Sequence[_SentEvent] = sent if isinstance(sent, list) else [sent]
    if len(several) > MAX_EVENTS:
        raise HTTPException(400, f"A request may have at most {MAX_EVENTS} events.")
    return [_event(each, now) for each in several]


def _event(sent: _SentEvent, now: float) -> Event:
    about = sent.event_attributes
    url, rank = about.object.object_id or about.url, about.position.ordinal
    if not 0 <= rank <= MAX_RANK:
        raise HTTPException(400, f"position.ordinal must be a number from 0 to {MAX_RANK:,}.")
    try:
        return checked_event(Event(search_id(sent.query_id), Action(sent.action_name), now, url, rank))
    except BadInput as error:
        raise HTTPException(400, f"Invalid event: {error}.") from None
