"""Who links to whom in a made-up web: the copy model (Kumar et al., Stochastic models for the Web graph, 2000).

A new page takes some links of another page of its host and draws the others by chance.  Departures: hosts, of which
the drawn ones prefer their own; links point at pages that are there; spam links to spam.
"""

import numpy as np

from sought.lab.worlds.synthetic.lives import PageKind, PageLife
from sought.lab.worlds.synthetic.shape import WebShape
from sought.lab.worlds.synthetic.words import dice

_TRIES = 4  # for each link, to find one that is new


class Linking:
    """Draws the links of pages as they are born; it is told of all that are born and die."""

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
        host, found = self.on_host[page.host], dict[int, None]()
        model = of.get(host.any(rng), []) if host.items else []
        for _ in range(wanted * _TRIES):
            if len(found) >= wanted:
                break
            if page.kind is PageKind.SPAM:
                target = self.spam.any(rng)
            elif model and rng.random() < shape.copying:
                target = model[int(rng.integers(len(model)))]
            else:
                target = (host if rng.random() < shape.local and host.items else self.everywhere).any(rng)
            if target not in (page.number, -1):
                found[target] = None
        return list(found)


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
