"""Which healthy sites and pages are there, and in which state at a time?

A site has `slots`; each has one page after another: a page is born, changes by its law, may move to a new address once,
may die, and some days later its slot gets a new page.  Page n is generation n // slots of slot n % slots, so the web
never runs out of pages and its size is bounded.  Invariant: born < moves < dies, unless
a page never moves.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sought.toyweb.dice import dice, pick, waiting_time
from sought.toyweb.laws import Law, changes, law_at
from sought.toyweb.vocabulary import SUBJECTS, Subject
from sought.toyweb.words import FOREIGN, Voice, slug, title, voice

DOMAIN = "toy.test"
CODINGS = ("gzip", "identity", "br", "zstd", "deflate")
VALIDATORS = (("etag", "last-modified"), ("etag",), ("last-modified",), ())
GENRES = ("", "-journal", "-club", "-almanac", "-school", "-market")
SECTIONS = 5
ADVERT = 1 / 144  # an advertisement stands for ten toy minutes
_PAGE_PATH = re.compile(r"/[a-z0-9-]+/(?:archive/)?[a-z0-9-]+-(\d{1,6})")


@dataclass(frozen=True)
class ToyPage:
    """One article of a site; times are toy days, `inf` is never."""

    site: "ToySite"
    number: int
    born: float
    moves: float
    dies: float
    law: Law
    language: str
    encoding: str

    @cached_property
    def key(self) -> str:
        return f"{self.site.key}/{self.number}"

    @cached_property
    def section(self) -> str:
        return self.site.sections[self.number % self.site.slots % SECTIONS]

    @cached_property
    def voice(self) -> Voice:
        return voice(self.site.subject, self.language, self.key)

    @cached_property
    def title(self) -> str:
        return title(self.voice, self.key)

    @cached_property
    def _name(self) -> str:
        return f"{slug(self.title if self.language == 'en' else self.voice.place)}-{self.number}"

    @property
    def first_path(self) -> str:
        return f"/{self.section}/{self._name}"

    @property
    def later_path(self) -> str:
        return f"/{self.section}/archive/{self._name}"

    def path(self, t: float) -> str:
        return self.later_path if t >= self.moves else self.first_path

    def lives(self, t: float) -> bool:
        return self.born <= t < self.dies

    def changed(self, t: float) -> tuple[float, ...]:
        """Times of the changes of the text from birth to `t`."""
        times = changes(self.law, self.key, f"{self.site.key}/{self.section}", min(t, self.dies))
        return times[bisect_right(times, self.born) :]

    def modified(self, t: float) -> float:
        """When the bytes last changed: the text or, for churn, the advertisement."""
        if self.law is Law.CHURN:
            return t // ADVERT * ADVERT
        return max(self.changed(t), default=self.born)


@dataclass(frozen=True)
class ToySite:
    """A well-behaved host about one subject."""

    seed: int
    number: int
    slots: int

    @cached_property
    def key(self) -> str:
        return f"{self.seed}/{self.number}"

    @property
    def subject(self) -> Subject:
        return SUBJECTS[self.number % len(SUBJECTS)]

    @cached_property
    def host(self) -> str:
        genre, series = self.number // len(SUBJECTS) % len(GENRES), self.number // (len(SUBJECTS) * len(GENRES))
        return f"{self.subject.name}{GENRES[genre]}{series or ''}.{DOMAIN}"

    @cached_property
    def name(self) -> str:
        return self.host.removesuffix(f".{DOMAIN}").replace("-", " ").title()

    @cached_property
    def sections(self) -> tuple[str, ...]:
        return tuple(f"{noun}s" for noun in self.subject.nouns[:SECTIONS])

    @property
    def coding(self) -> str:
        return CODINGS[self.number % len(CODINGS)]

    @property
    def validators(self) -> tuple[str, ...]:
        return VALIDATORS[self.number % len(VALIDATORS)]

    @property
    def has_sitemap(self) -> bool:
        return self.number % 3 != 2

    @property
    def has_feed(self) -> bool:
        """Every eighth site has a feed, which its home page announces."""
        return self.number % 8 == 5

    @property
    def is_atom(self) -> bool:
        """Whether its feed is Atom, and listed in robots.txt."""
        return self.number % 16 == 13

    def pages(self, t: float) -> Iterator[ToyPage]:
        """Every page born until `t`, dead ones too."""
        for slot in range(self.slots):
            yield from _born(self, slot, t)

    def live(self, t: float, section: str = "") -> list[ToyPage]:
        """Live pages (of a section), most recent first."""
        pages = [p for p in self.pages(t) if p.lives(t) and section in ("", p.section)]
        return sorted(pages, key=lambda p: (-p.born, p.number))

    def holder(self, slot: int, t: float) -> ToyPage | None:
        """The current or latest page of a slot at `t`; None if the first is not born yet."""
        held = _born(self, slot, t)
        return held[-1] if held else None

    def find(self, path: str, t: float) -> ToyPage | None:
        """The page that has or had this address at `t`."""
        match = _PAGE_PATH.fullmatch(path)
        number = int(match[1]) if match else 0
        for page in _born(self, number % self.slots, t) if match else ():
            if page.number == number and path in (page.first_path, page.path(t)):
                return page
        return None

    def listing_changed(self, t: float, section: str = "", with_moves: bool = True) -> list[float]:
        """Times at which the list of live pages (of a section) changed, up to `t`."""
        pages = [p for p in self.pages(t) if section in ("", p.section)]
        times = [p.born for p in pages] + [p.dies for p in pages] + [p.moves for p in pages if with_moves]
        return sorted(at for at in times if 0 < at <= t)


def _born(site: ToySite, slot: int, t: float) -> tuple[ToyPage, ...]:
    pages = _generations(site, slot, 128.0 * (t // 128.0 + 1))
    return pages if not pages or pages[-1].born <= t else tuple(p for p in pages if p.born <= t)


@lru_cache(maxsize=65536)
def _generations(site: ToySite, slot: int, until: float) -> tuple[ToyPage, ...]:
    pages: list[ToyPage] = []
    page = _page(site, slot)
    while page.born <= until:
        pages.append(page)
        vacancy = 1 + 9 * dice("vacancy", page.key).random()
        page = _page(site, page.number + site.slots, page.dies + vacancy)
    return tuple(pages)


@lru_cache(maxsize=65536)
def _page(site: ToySite, number: int, born: float | None = None) -> ToyPage:
    """Page `number`; a first generation is mostly older than the web's day 0."""
    rng = dice("page", site.key, number)
    law, mortal, moving, age, foreign = (rng.random() for _ in range(5))
    if born is None:
        born = 30 * (1 - age / 0.15) if age < 0.15 else -365 * age
    start = max(born, 0.0)
    dies = start + 2 + waiting_time(rng, 1 / 60) if mortal < 0.4 else math.inf
    moves = start + 1 + 40 * rng.random() if moving < 0.06 else math.inf
    language = pick(rng, tuple(FOREIGN)) if foreign < 0.06 else "en"
    encoding = pick(rng, FOREIGN[language].encodings) if language in FOREIGN else "utf-8"
    return ToyPage(site, number, born, moves if moves < dies else math.inf, dies, law_at(law), language, encoding)
