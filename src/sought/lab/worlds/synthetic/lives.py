"""Births, deaths and changes of the pages of a made-up web.

Hosts differ in size and have a favourite subject.  A page that moves is two pages: the second is born with the words
of the first when that goes.  Times are whole seconds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from sought.lab.worlds.synthetic.shape import MONDAY, WebShape
from sought.lab.worlds.synthetic.words import Dice, dice
from sought.lab.worlds.world import WEEK

MAX_RATE = 14.0
NOBODY = -1
_FAVOURITE = 0.6  # of a host's pages are about its favourite subject
_MORTAL_KINDS = ("plain", "duplicate", "spam")


class PageKind(Enum):
    """The kinds of pages."""

    HOME = "home"
    HUB = "hub"
    PLAIN = "plain"
    EPHEMERAL = "ephemeral"
    DUPLICATE = "duplicate"
    SPAM = "spam"
    TRAP = "trap"


@dataclass
class PageLife:
    """The life of a page.  `hub` lists it, `like` is the page it is copied from, `to` the page it moves to."""

    number: int
    host: int
    kind: PageKind
    hub: int
    topic: int
    second: int
    born: float = MONDAY
    dies: float = np.inf
    like: int = NOBODY
    to: int = NOBODY
    rate: float = 0.0
    is_periodic: bool = False
    has_advert: bool = False
    changes: list[float] = field(default_factory=list)
    adverts: list[float] = field(default_factory=list)

    def is_live(self, time: float) -> bool:
        return self.born <= time < self.dies


def end_of(shape: WebShape) -> float:
    return MONDAY + shape.weeks * WEEK


def lives(shape: WebShape) -> list[PageLife]:
    """All pages that ever are, by number; front pages and hubs of the hosts come first."""
    made = _LivesMaker(shape)
    made.hosts()
    made.others()
    made.short_lives()
    made.come_and_go()
    made.traps()
    _give_changes(shape, made.pages)
    return made.pages


def hubs_of(shape: WebShape, host: int) -> range:
    """The numbers of a host's hubs; its front page comes just before."""
    first = host * (shape.hubs + 1) + 1
    return range(first, first + shape.hubs)


class _LivesMaker:
    def __init__(self, shape: WebShape) -> None:
        self.shape = shape
        self.pages: list[PageLife] = []
        self.rng = dice(shape, "lives")
        self.favourites = dice(shape, "favourites").integers(0, shape.topics, shape.hosts).tolist()
        sizes = 1.0 / np.sqrt(np.arange(shape.hosts) + 1.0)
        self.sizes = sizes / sizes.sum()

    def add(self, host: int, kind: PageKind, born: float = MONDAY, like: PageLife | None = None) -> PageLife:
        rng, hubs = self.rng, hubs_of(self.shape, host)
        first, second = rng.integers(0, self.shape.topics, 2).tolist()
        if rng.random() < _FAVOURITE:
            first = self.favourites[host]
        hub = (
            hubs[int(rng.integers(len(hubs)))]
            if kind not in (PageKind.HOME, PageKind.HUB, PageKind.TRAP)
            else hubs[0] - 1
        )
        page = PageLife(len(self.pages), host, kind, hub, first, second, born)
        if like is not None:
            page.topic, page.second, page.like = like.topic, like.second, like.number
        self.pages.append(page)
        return page

    def hosts(self) -> None:
        for host in range(self.shape.hosts):
            self.add(host, PageKind.HOME)
            for _ in range(self.shape.hubs):
                self.add(host, PageKind.HUB)

    def others(self) -> None:
        """At least two pages for each host, the rest by its size; duplicates come last."""
        shape, fixed = self.shape, len(self.pages)
        free = shape.pages - fixed - shape.hosts
        hosts = np.concatenate([np.arange(shape.hosts), self.rng.choice(shape.hosts, free, p=self.sizes)])
        kinds = [PageKind.DUPLICATE] * round(shape.duplicates * shape.pages)
        kinds += [PageKind.SPAM] * round(shape.spam * shape.pages) + [PageKind.EPHEMERAL] * round(
            shape.ephemeral * shape.pages
        )
        kinds = kinds[: len(hosts)] + [PageKind.PLAIN] * (len(hosts) - len(kinds))
        drawn = [(int(host), kinds[i]) for host, i in zip(hosts, self.rng.permutation(len(kinds)), strict=True)]
        for host, kind in drawn:
            if kind is not PageKind.DUPLICATE:
                self.add(host, kind)
        originals = [page for page in self.pages if page.kind is PageKind.PLAIN] or self.pages[:1]
        for host, kind in drawn:
            if kind is PageKind.DUPLICATE:
                self.add(host, kind, like=originals[int(self.rng.integers(len(originals)))])

    def short_lives(self) -> None:
        """Lives of random length, each followed by the next."""
        for page in [page for page in self.pages if page.kind is PageKind.EPHEMERAL]:
            while (dies := page.born + _at_least_a_minute(self.rng, self.shape.lifetime)) <= end_of(self.shape):
                page.dies = dies
                page = self.add(page.host, PageKind.EPHEMERAL, dies)

    def come_and_go(self) -> None:
        shape, rng = self.shape, self.rng
        mortal = [page for page in self.pages if page.kind.value in _MORTAL_KINDS]
        births = _moments(rng, shape.births * shape.pages, MONDAY, end_of(shape))
        deaths = _moments(rng, shape.deletes * shape.pages, MONDAY, end_of(shape))
        for time, is_birth in sorted([(time, True) for time in births] + [(time, False) for time in deaths]):
            if is_birth:
                mortal.append(self.add(int(rng.choice(shape.hosts, p=self.sizes)), PageKind.PLAIN, time))
            elif mortal:
                at = int(rng.integers(len(mortal)))
                mortal[at], mortal[-1] = mortal[-1], mortal[at]
                self._go(mortal, time)

    def _go(self, mortal: list[PageLife], time: float) -> None:
        """The last page of the list dies, or moves."""
        page = mortal[-1]
        if time <= page.born:
            return
        mortal.pop()
        page.dies = time
        if self.rng.random() < self.shape.moves:
            mortal.append(self.add(page.host, page.kind, time, like=page))
            page.to = mortal[-1].number

    def traps(self) -> None:
        shape = self.shape
        for host in dice(shape, "traps").permutation(shape.hosts)[: round(shape.traps * shape.hosts)].tolist():
            for _ in range(shape.trap_pages):
                self.add(host, PageKind.TRAP)


def _at_least_a_minute(rng: Dice, weeks: float) -> float:
    return max(60.0, float(np.floor(rng.exponential(weeks) * WEEK)))


def _moments(rng: Dice, a_week: float, start: float, end: float) -> list[float]:
    """A Poisson process on (start, end]."""
    count = rng.poisson(a_week * (end - start) / WEEK)
    times: list[float] = np.unique(np.ceil(start + (end - start) * (1 - rng.random(count)))).tolist()
    return times


def _ticks(rng: Dice, a_week: float, start: float, end: float) -> list[float]:
    period = max(WEEK / a_week, 60.0)
    times: list[float] = np.floor(np.arange(start + (0.01 + 0.99 * rng.random()) * period, end, period)).tolist()
    return times


def _common_draws(shape: WebShape) -> Callable[[PageLife, float], float]:
    """Mixes a page's own random number with those of its host and its subject."""
    hosts = dice(shape, "rates of hosts").standard_normal(shape.hosts)
    topics = dice(shape, "rates of topics").standard_normal(shape.topics)
    own = max(0.0, 1.0 - shape.by_host - shape.by_topic) ** 0.5

    def drawn(page: PageLife, draw: float) -> float:
        return float(own * draw + shape.by_host**0.5 * hosts[page.host] + shape.by_topic**0.5 * topics[page.topic])

    return drawn


def _give_changes(shape: WebShape, pages: list[PageLife]) -> None:
    """The changes of each page and of its advert; a moved page keeps its rates."""
    kinds, adverts, common = dice(shape, "rates"), dice(shape, "adverts"), _common_draws(shape)
    rng, end, middle = dice(shape, "changes"), end_of(shape), shape.rate_sigma**2 / 2
    for page in pages:
        draw, is_periodic, has_advert = float(kinds.standard_normal()), kinds.random(), adverts.random()
        if page.kind in (PageKind.HOME, PageKind.HUB, PageKind.TRAP):
            continue
        before = pages[page.like] if page.like != NOBODY and pages[page.like].to == page.number else None
        if before:
            page.rate, page.is_periodic, page.has_advert = before.rate, before.is_periodic, before.has_advert
        else:
            is_changing = shape.rate > 0 and page.kind is not PageKind.DUPLICATE
            draw = common(page, draw)
            page.rate = min(shape.rate * float(np.exp(shape.rate_sigma * draw - middle)), MAX_RATE) * is_changing
            page.is_periodic, page.has_advert = is_periodic < shape.periodic, has_advert < shape.adverts
        until = min(page.dies, end)
        if page.rate > 0:
            process = _ticks if page.is_periodic else _moments
            page.changes = [time for time in process(rng, page.rate, page.born, until) if page.born < time < page.dies]
        if page.has_advert:
            page.adverts = [
                time for time in _moments(adverts, shape.advert_rate, page.born, until) if page.born < time < page.dies
            ]
