"""The archive's nouns: where a record is, what was kept, what is read back."""

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
    """Where one record lies."""

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
    """What became of a response; `digest` is that of the payload, empty if none is known."""

    place: Place
    digest: str
    revisit: bool


class Capture(NamedTuple):
    """One visit to a URL that had an answer; sorts by time."""

    time: float
    kind: Kind
    place: Place


@dataclass(frozen=True, slots=True)
class Record:
    """One outcome, as read back.

    A `note` has a body and no response.  A response has its `raw` body and not `body` and `sent`: decoding is the
    caller's, and what was sent is the request record's.  Times are kept to the microsecond: `round(time, 6)`.
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
        """After this record; reading on from here gives the next outcome."""
        return self.place.end
