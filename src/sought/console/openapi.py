"""What can a program ask?  The OpenAPI 3.1 document of the JSON API; a test compares it with the routes."""

from typing import Any

_TEXT, _WHOLE, _NUMBER, _YES_NO = ({"type": name} for name in ("string", "integer", "number", "boolean"))


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _parameter(name: str, schema: dict[str, Any], description: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema, "description": description}


def _json(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _whole(least: int, most: int, default: int) -> dict[str, Any]:
    return {**_WHOLE, "minimum": least, "maximum": most, "default": default}


_WRONG = {"400": _json("What is wrong, in one sentence.", {"$ref": "#/components/schemas/Error"})}
_BUSY = {"503": _json("Too many searches; Retry-After says when to try again.", {"$ref": "#/components/schemas/Error"})}

_HIT = _object(
    url=_TEXT,
    position=_object(ordinal={**_WHOLE, "minimum": 1}),
    title=_TEXT,
    snippet={**_TEXT, "description": "Plain text, not HTML."},
    highlights=_list({**_list(_WHOLE), "description": "Start and end of a word in the snippet that was asked for."}),
    score=_NUMBER,
    fetched={"type": ["string", "null"], "format": "date-time"},
)
_ANSWER = _object(
    query_id={"type": ["string", "null"], "description": "For events, and further results; null if not recorded."},
    user_query=_TEXT,
    object_id_field={"const": "url"},
    query_response_hit_ids=_list(_TEXT),
    total=_WHOLE,
    pages={**_WHOLE, "description": "Searchable pages; 0 if nothing has been crawled yet."},
    relaxed={**_YES_NO, "description": "No page has all that was asked for, so these have some of it."},
    elapsed={**_NUMBER, "description": "Seconds."},
    hits=_list({"$ref": "#/components/schemas/Hit"}),
)
_EVENT = _object(
    action_name={"enum": ["view", "click"]},
    query_id=_TEXT,
    event_attributes={
        "type": "object",
        "properties": {
            "object": {"type": "object", "properties": {"object_id": {**_TEXT, "description": "The result's URL."}}},
            "position": {"type": "object", "properties": {"ordinal": _WHOLE}},
            "url": {**_TEXT, "description": "In place of object_id, which UBI bounds to 256 characters."},
        },
    },
)
_EVENT_SCHEMA = {"$ref": "#/components/schemas/Event"}

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "Sought",
        "version": "1",
        "description": "Search what was crawled. Fields follow User Behavior Insights 1.3 where it names them.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    },
    "paths": {
        "/api/search": {
            "get": {
                "summary": "The pages that answer a query, best first.",
                "parameters": [
                    _parameter(
                        "q", {**_TEXT, "maxLength": 1000}, "Words, phrases in quotes, site:NAME.", required=True
                    ),
                    _parameter("limit", _whole(1, 100, 10), "How many results."),
                    _parameter("offset", _whole(0, 1000, 0), "How many to skip."),
                    _parameter("query_id", _TEXT, "With offset: the search of which these are further results."),
                    _parameter("record", {**_YES_NO, "default": True}, "Whether the query log may keep this search."),
                ],
                "responses": {"200": _json("The answer.", {"$ref": "#/components/schemas/Answer"}), **_WRONG, **_BUSY},
            }
        },
        "/api/suggest": {
            "get": {
                "summary": "At most eight queries that start so and were asked by others, most frequent first.",
                "parameters": [_parameter("q", _TEXT, "The beginning of a query.")],
                "responses": {"200": _json("The queries.", _object(suggestions=_list(_TEXT)))},
            }
        },
        "/api/events": {
            "post": {
                "summary": "Tell that results of a recorded search were seen or clicked.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {"anyOf": [_EVENT_SCHEMA, {**_list(_EVENT_SCHEMA), "maxItems": 100}]}
                        }
                    },
                },
                "responses": {
                    "204": {"description": "Taken, or passed over if the sender objects to records."},
                    **_WRONG,
                },
            }
        },
        "/api/openapi.json": {
            "get": {"summary": "This document.", "responses": {"200": _json("OpenAPI 3.1.", {"type": "object"})}}
        },
    },
    "components": {
        "schemas": {"Answer": _ANSWER, "Hit": _HIT, "Event": _EVENT, "Error": _object(error=_TEXT)},
    },
}
