"""The body of an archived answer, decoded as when it was fetched."""

from dataclasses import replace

from sought.web.coding import CodingError, decoded
from sought.web.message import Response

_LIMIT = 64 << 20


def with_body(response: Response) -> Response:
    """The answer with its body; without one if the body cannot be decoded."""
    try:
        return replace(response, body=decoded(response.raw, response.header("content-encoding"), _LIMIT))
    except CodingError:
        return response
