"""Simulated change signals: sitemaps (sitemaps.org), robots.txt that names them, ETags and Last-Modified dates."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import formatdate
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from sought.fetch.sitemaps import MAX_ENTRIES
from sought.lab.worlds.world import Numbers, World
from sought.web.errors import BadInput
from sought.web.message import Request, RequestPurpose, Response
from sought.web.mixing import bits_of, fractions, mixed, salt
from sought.web.url import fingerprint, origin

_PATH = re.compile(r"/sitemap(?:-([1-9]\d{0,5}))?\.xml")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def sitemap_part(url: str) -> int | None:
    """The number of a part of a sitemap; 0 for the whole, None for any other file."""
    match = _PATH.fullmatch(url[len(origin(url)) :])
    return None if match is None else int(match[1] or 0)


def robots_txt(site: str, files: Sequence[Response], time: float) -> bytes:
    """The recorded file with a line that names the sitemap; without a record everything is allowed."""
    url = f"{site}/robots.txt"
    held = [file for file in files if file.url == url and file.time <= time and file.purpose is RequestPurpose.ROBOTS]
    latest = max(held, key=lambda file: file.time, default=None)
    recorded = latest.body if latest and latest.status == 200 else b""
    return (recorded.rstrip() + b"\n" if recorded else b"") + f"Sitemap: {site}/sitemap.xml\n".encode()


def sitemap_xml(site: str, part: int, urls: Sequence[str], modified: NDArray[np.float64]) -> bytes:
    """The whole, if one file may hold it, else an index of parts; or a part, which is empty after the last."""
    if part == 0 and len(urls) > MAX_ENTRIES:
        parts = range(1, -(-len(urls) // MAX_ENTRIES) + 1)
        return _document("sitemapindex", [f"<sitemap><loc>{site}/sitemap-{n}.xml</loc></sitemap>" for n in parts])
    some = slice(max(0, part - 1) * MAX_ENTRIES, max(1, part) * MAX_ENTRIES)
    dates = np.datetime_as_string(np.floor(modified[some]).astype("datetime64[s]"), timezone="UTC").tolist()
    return _document(
        "urlset",
        [
            f"<url><loc>{escape(url)}</loc><lastmod>{date}</lastmod></url>"
            for url, date in zip(urls[some], dates, strict=True)
        ],
    )


def _document(kind: str, entries: Sequence[str]) -> bytes:
    return "\n".join([f'{_HEAD}<{kind} xmlns="{_SCHEMA}">', *entries, f"</{kind}>\n"]).encode()


# ---- The signals, and how far they are true.
#
# Signals come with the faults that real ones have (Busa-Fekete et al., Greedy crawling with noisy change signals, WWW
# 2025, model recall and noise; lag and liars are ours).  Each fault is a hash of the seed, the URL and what happened,
# so that it does not depend on how often, or in which order, one asks.


Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]

# Purposes of random numbers.
_LISTED, _TAGGED, _IS_FALSE, _FALSE_AT, _LIES, _TAG = range(6)
_UNITS_AT_ONCE, _CASTS_AT_ONCE = 64, 1 << 16


@dataclass(frozen=True)
class Signals:
    """Which signals there are (`sitemap`, `etag`, `dates`: Last-Modified), and how good they are.

    recall  share of changes that are announced, births among them
    noise   false announcements, per page and unit (at most one a unit)
    lag     seconds from a change until the sitemap announces it
    liars   share of hosts that always announce all pages as changed just now

    Announcements in sitemaps and in ETags are independent of each other; dates are of the same changes as ETags.
    """

    sitemap: bool = False
    etag: bool = False
    recall: float = 1.0
    noise: float = 0.0
    lag: float = 0.0
    liars: float = 0.0
    seed: int = 0
    dates: bool = False

    def __post_init__(self) -> None:
        for name in ("sitemap", "etag", "dates"):
            if type(getattr(self, name)) is not bool:
                raise BadInput(f"signals: {name} is True or False, not {getattr(self, name)!r}")
        for name, most in (("recall", 1.0), ("noise", 1.0), ("liars", 1.0), ("lag", math.inf)):
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0.0 <= value <= most or value == math.inf:
                raise BadInput(
                    f"signals: {name} is a number from 0{'' if most == math.inf else ' to 1'}, not {value!r}"
                )
        if type(self.seed) is not int:
            raise BadInput(f"signals: seed is a whole number, not {self.seed!r}")

    # ---- sitemaps

    def announced(self, world: World, time: float) -> tuple[Numbers, Floats]:
        """The pages a sitemap lists at a time, and when it says they last changed.

        That is the last announcement since the page was born, true or false.  Without any, a page is not listed; what
        is no page any more is not, either.  Nothing is false before the world's start.
        """
        live = world.at(time)
        pages = np.flatnonzero(np.where(live >= 0, world.is_page[live], False))
        current = live[pages]
        birth, latest = _births(world)[current], self._last_announced(world, time)[current]
        true = np.where(latest >= birth, world.versions.time[latest], -np.inf)
        since = np.maximum(true, world.versions.time[birth])
        modified = np.maximum(true, self._last_false(_LISTED, world, world.keys[pages], since, time - self.lag))
        modified[self._lies(world, pages)] = time
        listed = modified > -np.inf
        return pages[listed], modified[listed]

    def file(self, world: World, request: Request, time: float) -> Response | None:
        """robots.txt as recorded, with a line about the sitemap; or the sitemap; None for any other file."""
        site, part = origin(request.url), sitemap_part(request.url)
        if not self.sitemap or site not in world.sites[0]:
            return None
        if request.purpose is RequestPurpose.ROBOTS:
            body = robots_txt(site, world.files, time)
        elif part is not None:
            body = self.sitemap_of(world, site, time, part)
        else:
            return None
        return Response(request.url, 200, raw=body, body=body, time=time, purpose=request.purpose)

    def sitemap_of(self, world: World, site: str, time: float, part: int = 0) -> bytes:
        """The sitemap of an origin, or its numbered part; pages come in an order that says nothing about them."""
        names, sites = world.sites
        pages, modified = self.announced(world, time)
        here = np.flatnonzero(sites[pages] == names.index(site))
        here = here[np.argsort(world.keys[pages[here]])]
        return sitemap_xml(site, part, [world.urls[page] for page in pages[here].tolist()], modified[here])

    def _last_announced(self, world: World, time: float) -> Numbers:
        """For each version the last one up to it that the sitemap announces at this time; -1 if there is none."""
        v = world.versions
        announced = (
            world.is_page & (v.time + self.lag <= time) & self._are_announced(_LISTED, world.keys[v.page], v.time)
        )
        return np.maximum.accumulate(np.where(announced, np.arange(len(v)), -1))

    # ---- headers

    def headers(self, world: World, version: int, time: float) -> dict[str, str]:
        """The headers that date the last change, by lower-case name."""
        headers = {"etag": self.etag_of(world, version, time)} if self.etag else {}
        if self.dates:
            headers["last-modified"] = formatdate(self.changed_at(world, version, time)[0], usegmt=True)
        return headers

    def etag_of(self, world: World, version: int, time: float) -> str:
        """The validator of a version in force; it changes with each announced change, true or false."""
        changed = self.changed_at(world, version, time)
        key = world.keys[int(world.versions.page[version]) :][:1]
        return f'"{int(mixed(mixed(key ^ salt(self.seed, _TAG)) ^ bits_of(changed))[0]):016x}"'

    def changed_at(self, world: World, version: int, time: float) -> Floats:
        """The time of the last announced change of a version in force; one number."""
        v = world.versions
        page = int(v.page[version])
        start = int(world.first[page])
        gone = np.flatnonzero(v.status[start:version] != 200)
        birth = start + int(gone[-1]) + 1 if len(gone) else start
        key, times = world.keys[page : page + 1], v.time[birth : version + 1]
        announced = self._are_announced(_TAGGED, key, times)
        announced[0] = True
        changed = times[announced][-1:]
        changed = np.maximum(changed, self._last_false(_TAGGED, world, key, changed, time))
        if self._lies(world, np.array([page]))[0]:
            changed = np.array([time])
        return changed

    # ---- random numbers

    def _cast(self, what: int, signal: int, keys: Keys, event: Keys) -> Floats:
        """A number from 0 to below 1 for each key and event."""
        return fractions(mixed(mixed(keys ^ salt(self.seed, what, signal)) ^ event))

    def _are_announced(self, signal: int, keys: Keys, times: Floats) -> NDArray[np.bool_]:
        return self._cast(signal, signal, keys, bits_of(times)) < self.recall

    def _lies(self, world: World, pages: Numbers) -> NDArray[np.bool_]:
        if not self.liars:
            return np.zeros(len(pages), np.bool_)
        names, sites = world.sites
        some, which = np.unique(sites[pages], return_inverse=True)
        keys = np.array([fingerprint(names[site]) for site in some.tolist()], np.uint64)
        return (self._cast(_LIES, _LIES, keys, np.zeros(1, np.uint64)) < self.liars)[which]

    def _last_false(self, signal: int, world: World, keys: Keys, since: Floats, until: float) -> Floats:
        """When the last false announcement of each page was, after `since` and up to `until`; -inf if there was none.

        Units are looked at from the last one backwards, some at a time, for those pages that none was found for.
        """
        latest = np.full(len(keys), -np.inf)
        since = np.maximum(since, world.start)
        last = math.floor((until - world.start) / world.unit) if self.noise else -1
        rest = np.flatnonzero(since < until)
        while len(rest) and last >= 0:
            units = last - np.arange(max(1, min(_UNITS_AT_ONCE, _CASTS_AT_ONCE // len(rest), last + 1)))
            event, key = units.astype(np.uint64), keys[rest, None]
            when = world.start + world.unit * (units + self._cast(_FALSE_AT, signal, key, event))
            counts = self._cast(_IS_FALSE, signal, key, event) < self.noise
            counts &= (when > since[rest, None]) & (when <= until)
            latest[rest] = np.where(counts, when, -np.inf).max(axis=1)
            last = int(units[-1]) - 1
            rest = rest[np.isneginf(latest[rest]) & (since[rest] < world.start + world.unit * (last + 1))]
        return latest


def _births(world: World) -> Numbers:
    """For each version that is a page, the first of those that follow one another without a gap, up to it."""
    v, is_page = world.versions, world.is_page
    born = is_page.copy()
    born[1:] &= ~is_page[:-1] | (v.page[1:] != v.page[:-1])
    return np.maximum.accumulate(np.where(born, np.arange(len(v)), 0))
