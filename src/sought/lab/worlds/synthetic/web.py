"""A made-up web that evolves, and its demand; the same parameters and seed give the same web.

Pages are born, change, move and die; those that something happened to are answered anew, in order of time, with real
HTML.  The parts: lives (when), texts and words (what pages say), site (HTML, robots.txt, sitemaps), demand (what is
asked), and links, below.
"""

from collections.abc import Callable
from enum import IntEnum
from itertools import groupby

import numpy as np

from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder
from sought.lab.worlds.synthetic.demand import demand
from sought.lab.worlds.synthetic.lives import NOBODY, PageKind, PageLife, end_of, hubs_of, lives
from sought.lab.worlds.synthetic.shape import MONDAY, WebShape
from sought.lab.worlds.synthetic.site import SyntheticSite, host_files
from sought.lab.worlds.synthetic.texts import Texts
from sought.lab.worlds.synthetic.words import WordStock, dice

__all__ = ["WebShape", "generate"]


class _Event(IntEnum):
    """Events of a page, in their order at equal times."""

    DIES = 0
    BORN = 1
    CHANGES = 2
    ADVERTISES = 3


def generate(
    recorder: WorldRecorder, shape: WebShape, report: Callable[[int, int], None] = lambda _done, _total: None
) -> RecordedSpan:
    """Record a made-up web; crawls start at the front pages of its hosts."""
    pages, lexis = lives(shape), WordStock(shape)
    texts = Texts(shape, lexis, pages)
    asked = demand(shape, pages, texts.pools(), lexis)
    texts.stuff(asked)
    history = _History(recorder, shape, pages, texts, SyntheticSite(shape, lexis, pages, texts))
    history.run(report)
    for response in host_files(shape, pages, history.site.urls, history.site.sites):
        recorder.answer(response)
    for query in asked:
        recorder.ask(*query)
    return RecordedSpan(MONDAY, end_of(shape), tuple(f"{site}/" for site in history.site.sites))


class _History:
    """The state of the web at some time; `listed` has the pages that each hub lists."""

    def __init__(
        self, recorder: WorldRecorder, shape: WebShape, pages: list[PageLife], texts: Texts, site: SyntheticSite
    ) -> None:
        self.recorder, self.shape, self.pages, self.texts, self.site = recorder, shape, pages, texts, site
        self.linking = Linking(shape)
        self.links: dict[int, list[int]] = {}
        self.listed: dict[int, dict[int, None]] = {page.number: {} for page in pages if page.kind is PageKind.HUB}

    def run(self, report: Callable[[int, int], None]) -> None:
        events = _events(self.pages, end_of(self.shape))
        done = 0
        for time, group in groupby(events, lambda event: event[0]):
            happened = [(kind, self.pages[number]) for _, kind, number in group]
            for number in sorted(self._happen(happened)):
                self._answer(self.pages[number], time)
            done += len(happened)
            report(done, len(events))

    def _happen(self, events: list[tuple[_Event, PageLife]]) -> set[int]:
        """Apply the events of one moment; the pages that have changed."""
        touched = {page.number for _, page in events}
        for kind, page in events:
            if kind is _Event.DIES:
                self.linking.died(page)
                touched |= self._relist(page, is_born=False)
            elif kind is _Event.BORN:
                self.linking.born(page)
                touched |= self._relist(page, is_born=True)
        for kind, page in events:
            if kind is _Event.BORN:
                self._begin(page)
            elif kind is _Event.CHANGES:
                self.texts.change(page)
                self.links[page.number] = self._mended(page)
            elif kind is _Event.ADVERTISES:
                self.texts.advertise(page)
        return touched

    def _relist(self, page: PageLife, *, is_born: bool) -> set[int]:
        if page.hub not in self.listed:
            return set()
        if is_born:
            self.listed[page.hub][page.number] = None
        else:
            del self.listed[page.hub][page.number]
        return {page.hub}

    def _begin(self, page: PageLife) -> None:
        if page.like != NOBODY and self.pages[page.like].to == page.number:
            self.texts.go_on(self.pages[page.like], page)
            self.links[page.number] = list(self.links[page.like])
        elif page.kind is PageKind.DUPLICATE:
            self.links[page.number] = list(self.links.get(page.like, ()))
        elif page.kind not in (PageKind.HOME, PageKind.HUB, PageKind.TRAP):
            self.links[page.number] = self.linking.links(page, self.links)
        if page.has_advert:
            self.texts.advertise(page)

    def _mended(self, page: PageLife) -> list[int]:
        """The links of a page after its author repaired them: to the new URLs of moved pages, none to pages gone."""
        targets: dict[int, None] = {}
        for number in self.links[page.number]:
            while number != NOBODY and number not in self.linking.everywhere and number not in self.linking.spam:
                number = self.pages[number].to
            if number not in (NOBODY, page.number):
                targets[number] = None
        return list(targets)

    def _answer(self, page: PageLife, time: float) -> None:
        if time >= page.dies:
            self.recorder.answer(self.site.gone(page, time))
            return
        if page.kind is PageKind.HOME:
            links = list(hubs_of(self.shape, page.host))
        elif page.kind is PageKind.HUB:
            links = list(self.listed[page.number])
            if time > page.born:
                page.changes.append(time)  # sitemaps will tell
        else:
            links = self.links.get(page.number, [])
        self.recorder.answer(self.site.answer(page, links, time))


def _events(pages: list[PageLife], end: float) -> list[tuple[float, _Event, int]]:
    events = [(page.born, _Event.BORN, page.number) for page in pages]
    events += [(page.dies, _Event.DIES, page.number) for page in pages if page.dies <= end]
    events += [(time, _Event.CHANGES, page.number) for page in pages for time in page.changes]
    events += [(time, _Event.ADVERTISES, page.number) for page in pages for time in page.adverts]
    return sorted(events)


# ---- Who links to whom in a made-up web: the copy model (Kumar et al., Stochastic models for the Web graph, 2000).
#
# A new page takes some links of another page of its host and draws the others by chance.  Departures: hosts, of which
# the drawn ones prefer their own; links point at pages that are there; spam links to spam.


_TRIES = 4  # for each link, to find one that is new


class Linking:
    """Draws the links of new pages; `born` and `died` must be called for all pages."""

    def __init__(self, shape: WebShape) -> None:
        self.shape = shape
        self.rng = dice(shape, "links")
        self.everywhere = _Pool()
        self.spam = _Pool()
        self.on_host = [_Pool() for _ in range(shape.hosts)]

    def born(self, page: PageLife) -> None:
        if page.kind is PageKind.SPAM:
            self.spam.add(page.number)
        elif page.kind not in (PageKind.HOME, PageKind.HUB, PageKind.TRAP):
            self.everywhere.add(page.number)
            self.on_host[page.host].add(page.number)

    def died(self, page: PageLife) -> None:
        for pool in (self.spam, self.everywhere, self.on_host[page.host]):
            pool.remove(page.number)

    def links(self, page: PageLife, of: dict[int, list[int]]) -> list[int]:
        """The links of a new page, given those of all others."""
        shape, rng = self.shape, self.rng
        wanted = int(rng.poisson(shape.out_links))
        host, targets = self.on_host[page.host], dict[int, None]()
        model = of.get(host.any(rng), []) if host.items else []
        for _ in range(wanted * _TRIES):
            if len(targets) >= wanted:
                break
            if page.kind is PageKind.SPAM:
                target = self.spam.any(rng)
            elif model and rng.random() < shape.copying:
                target = model[int(rng.integers(len(model)))]
            else:
                target = (host if rng.random() < shape.local and host.items else self.everywhere).any(rng)
            if target not in (page.number, -1):
                targets[target] = None
        return list(targets)


class _Pool:
    """A set from which any member can be drawn."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.places: dict[int, int] = {}

    def add(self, number: int) -> None:
        self.places[number] = len(self.items)
        self.items.append(number)

    def remove(self, number: int) -> None:
        if number in self.places:
            at, last = self.places.pop(number), self.items.pop()
            if last != number:
                self.items[at], self.places[last] = last, at

    def __contains__(self, number: int) -> bool:
        return number in self.places

    def any(self, rng: np.random.Generator) -> int:
        return self.items[int(rng.integers(len(self.items)))] if self.items else -1
