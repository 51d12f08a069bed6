"""What is a record of the archive, and where is it?"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from sought.web.message import Response

Kind = Literal["response", "revisit", "failure", "note"]


class Position(NamedTuple):
    """A boundary between records; positions compare in the order of writing."""

    file: int
    offset: int


@dataclass(frozen=True, slots=True)
class Place:
    """The position of one record."""

    file: int
    offset: int
    length: int

    @property
    def end(self) -> Position:
        return Position(self.file, self.offset + self.length)


@dataclass(frozen=True, slots=True)
class Original:
    """An earlier response that a revisit repeats: its URL, its time and its payload digest (`sha1:BASE32`)."""

    url: str
    time: float
    digest: str


@dataclass(frozen=True, slots=True)
class Stored:
    """How a response was stored; `digest` is that of the payload, empty if unknown."""

    place: Place
    digest: str
    revisit: bool


class Capture(NamedTuple):
    """One answered fetch of a URL; sorts by time."""

    time: float
    kind: Kind
    place: Place


@dataclass(frozen=True, slots=True)
class Record:
    """One outcome, as read back.

    A `note` has a body and no response.  A response has `raw` but not `body` and `sent`: the caller decodes the body,
    and the request record has the headers sent.  Times have microseconds: `round(time, 6)`.
    """

    kind: Kind
    place: Place
    uri: str
    time: float
    response: Response | None = None
    body: bytes = b""
    content_type: str = ""
    digest: str = ""
    original: Original | None = None

    @property
    def end(self) -> Position:
        """The position after this record, where the next one starts."""
        return self.place.end
