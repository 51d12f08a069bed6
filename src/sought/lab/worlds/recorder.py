"""Makes a world from answers, one at a time."""

import hashlib
from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from sought.fetch.directives import header_directives
from sought.index import Entry
from sought.index.analysis import stemming
from sought.index.fields import texts
from sought.index.vectors import Counter, Vectors, Vocabulary
from sought.lab.worlds.world import Headers, Ragged, Versions, World, WorldDemand
from sought.web.digest import AGENT, digest
from sought.web.document import Document, Link
from sought.web.errors import BadInput
from sought.web.message import RequestPurpose, Response
from sought.web.url import hostname

_KEPT = ("content-type", "location", "etag", "last-modified", "retry-after", "x-robots-tag", "content-language")
_AT_ONCE = 256  # pages counted together


class RecordedSpan(NamedTuple):
    """What an importer returns: times of the first and the last snapshot, seeds, and how many pages they reach."""

    start: float
    end: float
    seeds: tuple[str, ...]
    reached: int | None = None  # where it was counted


class WorldRecorder:
    """Takes the answers of each URL in order of time; an answer equal to the one before makes no version."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.texts: list[str] = []
        self.pages: dict[str, int] = {}
        self.latest: dict[int, tuple[float, str]] = {}
        self.headers: dict[Headers, int] = {}
        self.links: dict[Link, int] = {}
        self.link_lists: list[list[int]] = []
        self.sketches: list[Any] = []
        self.vocabulary = Vocabulary()
        self.counter = Counter(self.vocabulary, grows=True)
        self.vectors: list[Vectors] = []
        self.files: list[Response] = []
        self.queries: list[tuple[str, float, float]] = []
        self.addresses: dict[str, str] = {}

    def answer(self, response: Response, document: Document | None = None) -> bool:
        """Record the answer from `response.time` on; whether it is a new version.  Pages are digested, if not yet."""
        if response.address:
            self.addresses.setdefault(hostname(response.url), response.address)
        if response.purpose is not RequestPurpose.PAGE:
            self.files.append(response)
            return True
        page = self.pages.setdefault(response.url, len(self.pages))
        key = _version_key(response, document)
        time, before = self.latest.get(page, (-np.inf, ""))
        if response.time <= time:
            raise BadInput(f"{response.url}: an answer of {response.time} comes after one of {time}")
        if key == before:
            return False
        self.latest[page] = response.time, key
        brings_page = 200 <= response.status < 300 and not response.failure
        if brings_page and document is None:
            document = digested(response)
        self._add(page, response, document or Document(), key)
        return True

    def ask(self, query: str, count: float, since: float) -> None:
        """A query is asked `count` times a week from this time on."""
        self.queries.append((query, count, since))

    def finish(self, name: str, seeds: Sequence[str], start: float, end: float, unit: float, **notes: Any) -> World:
        """The world of all recorded answers and queries."""
        if not self.rows:
            raise BadInput(f"{name}: no pages")
        self._count()
        order = sorted(range(len(self.rows)), key=lambda i: (self.rows[i]["page"], self.rows[i]["time"]))
        self.texts = [self.texts[i] for i in order]
        vectors = [each[i] for each in self.vectors for i in range(len(each))]
        ragged = {
            "link_lists": _ragged([np.array(self.link_lists[i], np.uint32) for i in order]),
            "sketches": _ragged([self.sketches[i] for i in order]),
        }
        counted = _ragged([vectors[i] for i in order])
        return World(
            name,
            start,
            end,
            unit,
            tuple(seeds),
            list(self.pages),
            _columns([self.rows[i] for i in order]),
            list(self.headers),
            list(self.links),
            vectors=Vectors(counted.data, counted.bounds),
            terms=list(self.vocabulary.numbers),
            files=sorted(self.files, key=lambda f: (f.url, f.time)),
            tallies=_tallies(self.queries),
            addresses=self.addresses,
            notes=notes,
            **ragged,
        )

    def _add(self, page: int, response: Response, document: Document, key: str) -> None:
        kept = tuple((k, v) for k, v in response.headers if k.lower() in _KEPT)
        noindex, nofollow = header_directives(response, AGENT)
        self.rows.append(
            {
                "page": page,
                "time": response.time,
                "status": response.status,
                "headers": self.headers.setdefault(kept, len(self.headers)),
                "size": document.size or len(response.raw),
                "content": document.content,
                "digest": hashlib.blake2b(key.encode(), digest_size=16).hexdigest(),
                "failure": str(response.failure or ""),
                "language": document.language,
                "title": document.title,
                "headings": list(document.headings),
                "canonical": document.canonical,
                "refused": document.refused,
                "noindex": document.noindex or noindex,
                "nofollow": document.nofollow or nofollow,
                "has_text": bool(document.text),
                "counts": [getattr(document.counts, each.name) for each in fields(document.counts)],
            }
        )
        body = document.main or document.text
        self.texts.append(body)
        self.link_lists.append([self.links.setdefault(link, len(self.links)) for link in document.links])
        self.sketches.append(document.sketch)
        language = stemming(document.language)
        title = document.title or (document.headings[0] if document.headings else "")
        for text in texts(Entry(0, response.url, title, body)):
            self.counter.read(text, language)
        self.counter.end_page(language)
        if len(self.rows) % _AT_ONCE == 0:
            self._count()

    def _count(self) -> None:
        self.vectors.append(self.counter.take())


def _version_key(response: Response, document: Document | None) -> str:
    """What distinguishes versions: equal keys are one version."""
    body = hashlib.blake2b(response.body, digest_size=16)
    if document is not None:
        body.update(repr((document.content, document.title, document.links)).encode())
    kept = " ".join([response.header("location"), response.header("etag"), *response.all_headers("x-robots-tag")])
    return f"{response.status} {response.failure or ''} {kept} {body.hexdigest()}"


def digested(response: Response) -> Document:
    """The digest of a page; a page that cannot be digested must not stop the import, as it does not stop a crawl."""
    try:
        return digest(response)
    except Exception:  # noqa: BLE001  any failure concerns this page only
        return Document(refused="digest-failed", size=len(response.body))


def _ragged(lists: Sequence[Any]) -> Ragged:
    bounds = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(each) for each in lists], out=bounds[1:])
    return Ragged(np.concatenate([np.zeros(0, np.uint32), *lists]), bounds)


def _columns(rows: list[dict[str, Any]]) -> Versions:
    kinds = {
        "page": np.uint32, "time": np.float64, "status": np.uint16, "headers": np.uint32, "size": np.uint32,
        "content": np.uint64, "noindex": np.bool_, "nofollow": np.bool_, "has_text": np.bool_, "counts": np.int32,
    }  # fmt: skip
    columns: dict[str, Any] = {each.name: [row[each.name] for row in rows] for each in fields(Versions)}
    return Versions(**{n: np.array(c, kinds[n]) if n in kinds else c for n, c in columns.items()})


def _tallies(queries: list[tuple[str, float, float]]) -> WorldDemand:
    texts, counts, since = zip(*queries, strict=True) if queries else ((), (), ())
    return WorldDemand(list(texts), np.array(counts, np.float64), np.array(since, np.float64))
