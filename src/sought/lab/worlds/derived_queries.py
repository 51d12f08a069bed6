"""Queries for a world without recorded ones, from its titles and anchors.

A page's weight is split: 60 % over its titles (each whole, and without the name of the site), 40 % over the six
anchors that most pages use for it; equal strings are added up.  Weights are page views, where they are known, or the
number of pages that link to a page, in which case the strings are ranked by weight × log-normal noise and asked by
Zipf's law.  Such demand compares policies; it is no evidence of what people really ask.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sought.lab.worlds.world import World, WorldDemand
from sought.web.errors import BadInput, BadURL
from sought.web.url import canonical, hostname

Weighting = Literal["zipf", "views"]
ANCHORS, TITLES_SHARE = 6, 0.6
WHOLE_SHARE = 1 / 3  # of a title's weight, if there is a shorter form of it
SEARCHES = 1_000_000.0
FLAT, EXPONENT, NOISE = 30.0, 0.75, 1.0  # count = SEARCHES / (rank + FLAT) ** EXPONENT
_SUFFIX = re.compile(r"\s(?:\||-|–|—|·|::|»)\s")
_SITE_SHARE = 0.1  # of a host's titles that end so: then it is the name of the site
_SHORTEST, _LONGEST = 2, 100


@dataclass
class _Phrase:
    """A possible query: its weight, and the time since when it appears."""

    weight: float = 0.0
    since: float = np.inf


def derive(
    world: World,
    weighting: Weighting = "zipf",
    count: int = 10_000,
    seed: int = 0,
    views: Mapping[str, float] | None = None,
) -> tuple[WorldDemand, dict[str, Any]]:
    """Queries, and notes that say how they were made.  `views` are shares by canonical URL."""
    if (weighting == "views") != (views is not None):
        raise BadInput("page views (--views FILE) are needed for the weighting 'views', and only for it")
    anchors = _Anchors(world)
    weights = anchors.pointing.astype(np.float64) if views is None else _viewed(world, views)
    phrases: defaultdict[str, _Phrase] = defaultdict(_Phrase)
    for text, weight, since in _spread(world, anchors, weights):
        phrase = phrases[text]
        phrase.weight += weight
        phrase.since = min(phrase.since, since)
    tallies = _tallies(phrases, weighting, count, seed)
    notes: dict[str, Any] = {
        "from": "titles and anchors",
        "weighting": weighting,
        "seed": seed,
        "queries": len(tallies),
    }
    notes["known"] = "ranks are by the titles and links of the whole period"
    notes["shares"] = {"titles": TITLES_SHARE, "anchors": 1 - TITLES_SHARE, "anchors_a_page": ANCHORS}
    if views is None:
        notes["law"] = f"{SEARCHES:.0f} / (rank + {FLAT:.0f})^{EXPONENT}, ranked by links × log-normal noise ({NOISE})"
    else:
        notes["views_on_pages_of_the_world"] = round(float(weights.sum()) / (sum(views.values()) or 1.0), 4)
    return tallies, notes


def read_views(file: Path, world: World) -> dict[str, float]:
    """Shares of page views by URL, from lines `url<TAB>share` after a heading; paths are those of the world's seed."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or error
        raise BadInput(f"cannot read {file}: {reason}") from None
    if not lines or lines[0].split("\t") != ["url", "share"]:
        raise BadInput(f"{file}, line 1: the heading must be url<TAB>share")
    views: dict[str, float] = {}
    for number, line in enumerate(lines[1:], 2):
        url, _, share = line.partition("\t")
        try:
            value, key = float(share), canonical(url, world.seeds[0])
        except (ValueError, BadURL):
            raise BadInput(f"{file}, line {number}: not a URL and a share: {line[:80]!r}") from None
        if not 0 <= value < np.inf:
            raise BadInput(f"{file}, line {number}: not a share: {share[:40]!r}")
        views[key] = views.get(key, 0.0) + value
    return views


def phrase(text: str) -> str:
    """A title or an anchor as people would type it; empty if it cannot be a query."""
    words = " ".join(text.lower().split())
    fits = _SHORTEST <= len(words) <= _LONGEST and any(character.isalnum() for character in words)
    return words if fits else ""


class _Anchors:
    """Links between pages, with the number of pages that have each link and the time of the first."""

    def __init__(self, world: World) -> None:
        lists, v = world.link_lists, world.versions
        numbers = np.array([world.pages.get(link.url, -1) for link in world.links], np.int64)
        self.target = np.where([link.nofollow for link in world.links], -1, numbers) if len(numbers) else numbers
        shown = np.zeros(len(world.urls), np.bool_)
        shown[v.page[world.is_page]] = True
        source = np.repeat(np.arange(len(v)), np.diff(lists.bounds))
        link = lists.data.astype(np.int64)
        to, page = self.target[link], v.page[source].astype(np.int64)
        counts = world.is_page[source] & (to >= 0) & (to != page)
        counts[counts] &= shown[to[counts]]
        link, page, time = link[counts], page[counts], v.time[source[counts]]
        self.since = np.full(len(world.links), np.inf)
        np.minimum.at(self.since, link, time)
        pairs = np.unique(link * len(world.urls) + page)
        self.pages = np.bincount(pairs // len(world.urls), minlength=len(world.links))
        between = np.unique(to[counts] * len(world.urls) + page)
        self.pointing: NDArray[np.int64] = np.bincount(between // len(world.urls), minlength=len(world.urls))
        self.used = np.flatnonzero(self.pages)

    def of_pages(self, world: World) -> dict[int, list[tuple[str, int, float]]]:
        """The most frequent anchors of each page: words, number of pages that use them, since when."""
        by_page: defaultdict[int, dict[str, tuple[int, float]]] = defaultdict(dict)
        for link in self.used.tolist():
            if text := phrase(world.links[link].anchor):
                texts = by_page[int(self.target[link])]
                before, since = texts.get(text, (0, np.inf))
                texts[text] = before + int(self.pages[link]), min(since, float(self.since[link]))
        return {
            page: sorted(((text, *use) for text, use in texts.items()), key=lambda a: (-a[1], a[0]))[:ANCHORS]
            for page, texts in by_page.items()
        }


def _viewed(world: World, views: Mapping[str, float]) -> NDArray[np.float64]:
    return np.array([views.get(url, 0.0) for url in world.urls], np.float64)


def _spread(world: World, anchors: _Anchors, weights: NDArray[np.float64]) -> Iterator[tuple[str, float, float]]:
    """The strings of each page with their share of its weight."""
    titles, anchor_texts = _titles(world), anchors.of_pages(world)
    for page in range(len(world.urls)):
        named, linked = titles.get(page, {}), anchor_texts.get(page, [])
        for_titles = weights[page] * (TITLES_SHARE if linked else 1.0) * bool(named)
        for text, (share, since) in named.items():
            yield text, for_titles * share, since
        uses = sum(count for _, count, _ in linked)
        for text, count, since in linked:
            yield text, (weights[page] - for_titles) * count / uses, since


def _titles(world: World) -> dict[int, dict[str, tuple[float, float]]]:
    """The forms of the titles of each page: share of all, and since when."""
    sites = _sites(world)
    by_page: defaultdict[int, dict[str, tuple[float, float]]] = defaultdict(dict)
    pages, times = world.versions.page.tolist(), world.versions.time.tolist()
    for version in np.flatnonzero(world.is_page).tolist():
        page, title = pages[version], world.versions.title[version]
        short, name = _parts(title)
        is_site = name and (hostname(world.urls[page]), name) in sites
        forms = {phrase(title): WHOLE_SHARE if is_site else 1.0}
        if is_site:
            forms[phrase(short)] = 1 - WHOLE_SHARE
        for text, share in forms.items():
            if text and text not in by_page[page]:  # versions come in order of time
                by_page[page][text] = share, times[version]
    return {page: _whole(forms) for page, forms in by_page.items()}


def _whole(forms: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    total = sum(share for share, _ in forms.values())
    return {text: (share / total, since) for text, (share, since) in forms.items()}


def _parts(title: str) -> tuple[str, str]:
    """A title without its last part, and that part."""
    last = None
    for last in _SUFFIX.finditer(title):  # noqa: B007  the last one is wanted
        pass
    return (title[: last.start()], title[last.end() :]) if last else (title, "")


def _sites(world: World) -> set[tuple[str, str]]:
    """(host, last part of a title) where that is the name of the site."""
    pairs = {(int(page), title) for page, title in zip(world.versions.page, world.versions.title, strict=True) if title}
    hosts = [hostname(url) for url in world.urls]
    titles = Counter(hosts[page] for page, _ in pairs)
    ends = Counter((hosts[page], _parts(title)[1]) for page, title in pairs)
    return {(host, name) for (host, name), n in ends.items() if name and n > 1 and n >= _SITE_SHARE * titles[host]}


def _tallies(phrases: Mapping[str, _Phrase], weighting: Weighting, count: int, seed: int) -> WorldDemand:
    """The heaviest strings, heaviest first."""
    texts = sorted(text for text, each in phrases.items() if each.weight > 0)
    weights = np.array([phrases[text].weight for text in texts], np.float64)
    if weighting == "zipf":
        weights *= np.random.default_rng(seed).lognormal(0.0, NOISE, len(texts))
    order = np.argsort(-weights, kind="stable")[:count]
    if weighting == "zipf":
        weights[order] = (np.arange(len(order)) + FLAT) ** -EXPONENT
    asked = [texts[i] for i in order.tolist()]
    return WorldDemand(asked, SEARCHES * weights[order], np.array([phrases[text].since for text in asked], np.float64))
