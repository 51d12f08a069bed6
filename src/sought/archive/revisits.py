"""Which body does a revisit refer to?"""

from collections.abc import Callable
from dataclasses import replace

from sought.archive.record import Capture, Place, Record
from sought.web.message import Response

Captures = Callable[[str], list[Capture]]
Read = Callable[[Place], Record]


def complete(record: Record, captures: Captures, read: Read) -> Response | None:
    """The response with the body that it repeats; None if that is not in the archive."""
    response, source = record.response, record
    while source.kind == "revisit":
        capture = _repeated(source, captures)
        if capture is None:
            return None
        source = read(capture.place)
    if source is record or response is None or source.response is None:
        return response
    if response.status == 304:  # "not modified" (RFC 9110, 15.4.5)
        own = {name: getattr(response, name) for name in ("time", "elapsed", "address", "why")}
        return replace(source.response, **own)
    return replace(response, raw=source.response.raw) if source.digest == record.digest else None


def _repeated(revisit: Record, captures: Captures) -> Capture | None:
    """The capture that a revisit names, else the last response before it; chains of revisits go back in time only."""
    original = revisit.original
    if original is None:
        earlier = [c for c in captures(revisit.uri) if c.time < revisit.time and c.kind == "response"]
        return earlier[-1] if earlier else None
    named = [c for c in captures(original.url) if c.time == original.time]
    fit = [c for c in named if c.kind == "response" or c.time < revisit.time]
    return fit[0] if fit else None
