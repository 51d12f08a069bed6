"""A world in place of the Web, and the parts of a crawl directory for it: archive, index, counter, leases.

Nothing is digested, archived or indexed again: URL and time of an answer identify its version.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.archive import Original, Place, Position, Record, Stored
from sought.index import Entry
from sought.index.analysis import stemming
from sought.index.analysis import terms as words_of
from sought.index.fields import WORDED
from sought.index.vectors import EACH, HEAD, Counter, Vectors, Vocabulary
from sought.lab.judge.judge import numbers_of
from sought.lab.replay.clock import VirtualClock
from sought.lab.replay.setting import Setting
from sought.lab.replay.signals import Signals
from sought.lab.worlds.restricted_vectors import completed
from sought.lab.worlds.world import NOTHING, Numbers, World
from sought.record.clock import Clock
from sought.record.config import FILE
from sought.record.directory import Directory
from sought.record.directory_parts import DirectoryParts
from sought.record.leases import Visit
from sought.web.message import Request, RequestPurpose, Response
from sought.web.url import hostname

_FOR_EVER = 30 * 365 * 86400  # seconds
_MARK = 1  # in place of the number of an archive's file


@dataclass
class RequestLog:
    """Every charged request, in order."""

    time: list[float] = field(default_factory=list)
    page: list[int] = field(default_factory=list)
    version: list[int] = field(default_factory=list)
    url: list[str] = field(default_factory=list)


class RecordedWeb:
    """Answers a crawl's requests; the clock determines which version is in force."""

    def __init__(
        self,
        world: World,
        clock: VirtualClock,
        signals: Signals,
    ) -> None:
        self.world = world
        self.clock = clock
        self.signals = signals
        self.observe: Callable[[int, int], None] = lambda page, version: None  # called for every page fetched
        self.asked = RequestLog()
        self.given: dict[int, int] = {}  # the version of each page in its latest answer
        self.files: dict[str, list[Response]] = {}
        for file in world.files:
            self.files.setdefault(file.url, []).append(file)

    async def get(self, request: Request) -> Response:
        """The answer at the present time, at once."""
        now = self.clock.now()
        if request.purpose is RequestPurpose.ROBOTS:
            return self._file(request, now)
        page = self.world.pages.get(request.url, NOTHING)
        version = NOTHING if page == NOTHING else self.world.version(page, now)
        answer = Response(request.url, 404, time=now) if version == NOTHING else self._page(version, now)
        if request.etag and request.etag == answer.header("etag"):  # even if a false signal: then the old copy stays
            answer, version = replace(answer, status=304), self.given.get(page, version)
        self.given[page] = version
        self._note(now, page, version, request.url)
        if request.purpose is RequestPurpose.SITEMAP:
            return self._file(request, now)
        if page != NOTHING:
            self.observe(page, version)
        return answer

    def _page(self, version: int, now: float) -> Response:
        answer = self.world.answer(version, now)
        simulated = self.signals.headers(self.world, version, now) if answer.status == 200 else {}
        kept = [each for each in answer.headers if each[0].lower() not in simulated]
        return replace(answer, headers=(*kept, *simulated.items())) if simulated else answer

    def forget(self) -> None:
        """Requests so far do not count."""
        self.asked = RequestLog()

    async def address_of(self, host: str) -> str:
        """The machine of a host, whose hosts share politeness; unknown: each host has its own."""
        return self.world.addresses.get(host, host)

    def _note(self, now: float, page: int, version: int, url: str) -> None:
        asked = self.asked
        asked.time.append(now)
        asked.page.append(page)
        asked.version.append(version)
        asked.url.append(url)

    def _file(self, request: Request, now: float) -> Response:
        """robots.txt and sitemaps: as recorded, or as the simulated signals have them."""
        absent = Response(request.url, 404, time=now, purpose=request.purpose)
        if self.signals.sitemap:
            return self.signals.file(self.world, request, now) or absent
        held = [file for file in self.files.get(request.url, ()) if file.time <= now]
        return replace(held[-1], time=now, purpose=request.purpose) if held else absent


class RecordedArchive:
    """Stores nothing.  The place of an answer is the number of its version."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.end = Position(0, 0)

    def append(self, response: Response, original: Original | None = None) -> Stored:
        version = version_of(self.world, response)
        if version == NOTHING:
            return Stored(Place(_MARK, 0, 0), "", False)
        digest = self.world.versions.digest[version]
        same = response.status == 304 or (original is not None and original.digest == digest)
        return Stored(Place(_MARK, version, 1), digest, same)

    def note(self, uri: str, body: bytes, content_type: str, time: float) -> Place:
        return Place(_MARK, 0, 0)

    def flush(self, sync: bool) -> None:
        """Nothing is written."""

    def records(self, since: Position | None = None) -> Iterator[Record]:
        return iter(())

    def read(self, place: Place) -> Response:
        return self.world.answer(place.offset, float(self.world.versions.time[place.offset]))

    def close(self) -> None:
        """Nothing is open."""


class RecordedIndex:
    """Passes the words of versions to the counter, and remembers which row holds which version."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.held: dict[int, int] = {}
        self.anchors: dict[int, tuple[str, str]] = {}  # and their language

    @property
    def languages(self) -> Sequence[str]:
        return sorted({language for _, language in self.anchors.values()})

    def update(self, entries: Sequence[Entry], counter: Counter | None = None) -> None:
        for entry in entries:
            version = self.world.version(self.world.pages[entry.url], entry.time)
            self.held[entry.row] = version
            self.anchors[entry.row] = entry.anchors, stemming(entry.language)
            if isinstance(counter, RecordedCounter):
                counter.page(version, entry.anchors, stemming(entry.language))

    def delete(self, rows: Iterable[int]) -> None:
        for row in rows:
            self.held.pop(row, None)
            self.anchors.pop(row, None)

    def rows(self) -> NDArray[np.uint64]:
        return np.array(sorted(self.held), np.uint64)

    def holding(self, terms: Sequence[str]) -> NDArray[np.uint64]:
        """The rows of pages with any of these terms in their text or in anchors."""
        wanted = frozenset(terms)
        is_wanted = np.array([term in wanted for term in self.world.terms], np.bool_)
        return np.array([row for row in sorted(self.held) if self._holds(row, is_wanted, wanted)], np.uint64)

    def _holds(self, row: int, is_wanted: NDArray[np.bool_], wanted: frozenset[str]) -> bool:
        own = self.world.vectors[self.held[row]][HEAD::EACH]
        return bool(is_wanted[own].any()) or not wanted.isdisjoint(words_of(*self.anchors[row]))

    def commit(self) -> None:
        """All is visible already."""

    def close(self) -> None:
        """Nothing is open."""


class RecordedCounter(Counter):
    """Reads anchors only; the words of pages were counted when the world was recorded."""

    def __init__(self, world: World, vocabulary: Vocabulary, met: Callable[[int], None]) -> None:
        super().__init__(vocabulary, met)
        self.world = world
        self.terms = vocabulary
        self.numbers: NDArray[np.int32] = np.zeros(0, np.int32)
        self.known = -1
        self.versions: list[int] = []

    def page(self, version: int, anchors: str, language: str) -> None:
        for name in WORDED:
            self.read(anchors if name == "anchors" else "", language)
        self.end_page(language)
        self.versions.append(version)

    def take(self) -> Vectors:
        anchors = super().take()
        if self.known != len(self.terms):
            self.known = len(self.terms)
            self.numbers = numbers_of(self.world.terms, self.terms.numbers)
        versions: Numbers = np.array(self.versions, np.int64)
        self.versions = []
        return completed(self.world.vectors, versions, self.numbers, anchors, self.known)


class NoLeases:
    """A replay that is interrupted starts again."""

    def __init__(self) -> None:
        self.unanswered: list[Visit] = []

    def add(self, visit: Visit) -> None:
        """Nothing to remember."""

    def keep(self, visits: Iterable[Visit]) -> None:
        """Nothing to remember."""

    def close(self) -> None:
        """Nothing is open."""


def version_of(world: World, response: Response) -> int:
    """The version of an answer of a recorded web."""
    page = world.pages.get(response.url, NOTHING)
    return NOTHING if page == NOTHING else world.version(page, response.time)


def open_recorded(folder: Path, world: World, clock: VirtualClock, setting: Setting) -> Directory:
    """A crawl directory for a replay."""
    hosts = sorted({hostname(url) for url in world.urls})
    config = {
        "seeds": world.seeds,
        "agent": {"contact": "https://example.org/sought-lab"},
        "scope": {"hosts": hosts},
        "crawl": {
            "revisit_after": f"{_pause(world, setting)}s",
            "sitemaps": setting.signals.sitemap or bool(world.files),
        },
        "demand": {"scorer": setting.scorer},
        "fetch": {"connections": 1},
        "traps": dict.fromkeys(("queries_per_path", "dates_per_path"), 1000000),
    }
    (folder / FILE).write_text(_toml(config))
    return Directory.open(folder, recorded_parts(world, clock))


def recorded_parts(world: World, clock: Clock) -> DirectoryParts:
    """The parts of a crawl directory whose Web is a world."""
    return DirectoryParts(
        archive=lambda *_: RecordedArchive(world),
        index=lambda _: RecordedIndex(world),
        leases=lambda _: NoLeases(),
        digest=lambda response, _: world.document(version_of(world, response)),
        counter=partial(RecordedCounter, world),
        clock=clock,
    )


def _toml(config: dict[str, Any]) -> str:
    """Plain keys first, then sections; strings and lists look in TOML as they do in JSON."""
    plain = [f"{key} = {json.dumps(value)}" for key, value in config.items() if not isinstance(value, dict)]
    for name, section in config.items():
        if isinstance(section, dict):
            plain += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in section.items())]
    return "\n".join(plain)


def _pause(world: World, setting: Setting) -> int:
    """Seconds before a page may be fetched again: once in a unit; never when the replay starts at a frontier."""
    return _FOR_EVER if setting.start == "frontier" else int(world.unit / 2)
