"""A made-up web that evolves, and what is asked of it: all of it can be chosen, and the same seed gives the same web.

Pages are born, change, move and die; those that something happened to are answered anew, in order of time, with real
HTML.  The parts: lives (when), links (who links to whom), texts and words (what they say), site (how they look), demand
(what is asked), sitemaps (what hosts tell).
"""

from collections.abc import Callable
from enum import IntEnum
from itertools import groupby

from sought.lab.worlds.recorder import Taken, WorldRecorder
from sought.lab.worlds.synthetic.demand import demand
from sought.lab.worlds.synthetic.links import Linking
from sought.lab.worlds.synthetic.lives import NOBODY, PageKind, PageLife, end_of, hubs_of, lives
from sought.lab.worlds.synthetic.shape import MONDAY, WebShape
from sought.lab.worlds.synthetic.site import SyntheticSite
from sought.lab.worlds.synthetic.sitemaps import host_files
from sought.lab.worlds.synthetic.texts import Texts
from sought.lab.worlds.synthetic.words import WordStock

__all__ = ["WebShape", "generate"]


class _Event(IntEnum):
    """What happens to a page, in the order in which one moment has them."""

    DIES = 0
    BORN = 1
    CHANGES = 2
    ADVERTISES = 3


def generate(
    recorder: WorldRecorder, shape: WebShape, report: Callable[[int, int], None] = lambda _done, _total: None
) -> Taken:
    """Give a made-up web to the recorder; crawls start at the front pages of its hosts."""
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
    return Taken(MONDAY, end_of(shape), tuple(f"{site}/" for site in history.site.sites))


class _History:
    """What the web is like at some time; `listed` are the pages that each hub lists."""

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
        """Let a moment happen; returns the pages that are other than before."""
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
        """The links of a page whose author has looked after them: to where pages went, not to those that are gone."""
        found: dict[int, None] = {}
        for number in self.links[page.number]:
            while number != NOBODY and number not in self.linking.everywhere and number not in self.linking.spam:
                number = self.pages[number].to
            if number not in (NOBODY, page.number):
                found[number] = None
        return list(found)

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
    found = [(page.born, _Event.BORN, page.number) for page in pages]
    found += [(page.dies, _Event.DIES, page.number) for page in pages if page.dies <= end]
    found += [(time, _Event.CHANGES, page.number) for page in pages for time in page.changes]
    found += [(time, _Event.ADVERTISES, page.number) for page in pages for time in page.adverts]
    return sorted(found)
