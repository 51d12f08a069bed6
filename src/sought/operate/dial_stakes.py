"""What can be lost?  Of pages that are known, who tells of whom; and of pages that are born."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.rate_history import YEAR
from sought.policy.worth import parts
from sought.policy.worth.hubs import told
from sought.policy.worth.page_state import PageState
from sought.web.mixing import mixed
from sought.web.pages import Floats, Links, Pages, Rows

PAGES, LINKS = 10_000, 8  # looked at, and links to each; where there are more they are drawn, and weighted up
_WITHIN = 86400.0  # of the beginning: what is found then was there already


class TimeSpan(NamedTuple):
    """The time of a record, and the time ahead of which is spoken; between fetches of a page lies `least` or more."""

    since: float
    now: float
    ahead: float = YEAR / 2.0
    least: float = 86400.0

    @property
    def past(self) -> float:
        return max(self.now - self.since, _WITHIN)


class Stakes(NamedTuple):
    """Of known pages: each stands for `weight` of them; 0: it is only there for its links."""

    weight: Floats
    age: Floats  # of a copy that was not fetched again since the record began
    edit: Floats
    edits: Floats
    lost: Floats  # a second, while nobody knows that it has gone
    death: Floats
    needed: Floats
    tells: Floats  # what is lost of the pages it tells of, itself among them, shared with all who do
    finds: Floats  # what the unknown pages bring that it will link to, a second each second
    source: Rows  # links between these pages
    target: Rows
    stands_for: Floats  # so many of them

    def seen_by_links(self, fetches: Floats) -> Floats:
        """How often a second pages are fetched that link to each."""
        return np.bincount(self.target, self.stands_for * fetches[self.source], len(self.weight)).astype(np.float64)


class Births(NamedTuple):
    """Pages that were new since the record began, and those that have waited since before."""

    value: Floats
    lives: Floats
    waited: NDArray[np.bool_]
    a_second: float  # so often a page like each of those that have not waited is born


def stakes_of(s: PageState, pages: Pages, span: TimeSpan) -> Stakes:
    chosen = _sample(np.flatnonzero(s.live), pages)
    lost, count = np.where(s.live, s.shown - s.needed, 0.0), np.count_nonzero(s.live)
    source, target, stands_for = _links_to(chosen, pages)
    rows = np.union1d(chosen, source)
    tells, finds = (each[rows] for each in (_tells(lost, pages), _finds(s, pages)))
    return Stakes(
        weight=np.isin(rows, chosen) * (count / max(1, len(chosen))),
        age=span.now - np.clip(pages.found[rows], span.since, span.now),
        edit=s.edit[rows],
        edits=s.edits[rows],
        lost=lost[rows],
        death=s.death[rows],
        needed=s.needed[rows],
        tells=tells,
        finds=finds,
        source=np.searchsorted(rows, source),
        target=np.searchsorted(rows, target),
        stands_for=stands_for,
    )


def births_of(s: PageState, pages: Pages, span: TimeSpan) -> Births:
    """As many are born as were found lately; at most as many as pages fetched again are expected to lead to.

    A crawl that is still making its way through a site finds pages that were there before.
    """
    found = pages.found > span.since + _WITHIN
    rows = np.flatnonzero((found & (s.live | s.is_new)) | (s.is_new & ~found))
    came = int(np.count_nonzero(found[rows]))
    rate = min(came / span.past, float(s.finds[s.live].sum()))
    value = np.where(s.is_new, s.entry, s.needed)[rows]
    return Births(value, s.lives[rows], ~found[rows], rate / max(1, came))


def _sample(rows: Rows, pages: Pages) -> Rows:
    """By a hash of the URL, so that the same pages are asked about each time."""
    if len(rows) <= PAGES:
        return rows
    drawn: Rows = rows[np.argpartition(mixed(pages.key[rows]), PAGES)[:PAGES]]
    return drawn


def _links_to(rows: Rows, pages: Pages) -> tuple[Rows, Rows, Floats]:
    """From live pages to these: source, target, and for how many links each stands."""
    if pages.links is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    is_wanted = np.zeros(len(pages), np.bool_)
    is_wanted[rows] = True
    at = np.flatnonzero(is_wanted[pages.links.targets])
    source = pages.links.sources[np.searchsorted(pages.links.bounds, at, "right") - 1].astype(np.int64)
    target = pages.links.targets[at].astype(np.int64)
    kept = np.flatnonzero(pages.live[source] & (source != target))
    kept = kept[np.argsort(target[kept], kind="stable")]
    _, start, count = np.unique(target[kept], return_index=True, return_counts=True)
    step = -(-count // LINKS)
    is_drawn = (np.arange(len(kept)) - np.repeat(start, count)) % np.repeat(step, count) == 0
    stands_for = np.repeat(count / -(-count // step), count)
    return source[kept[is_drawn]], target[kept[is_drawn]], stands_for[is_drawn]


def _tells(lost: Floats, pages: Pages) -> Floats:
    if pages.links is None:
        return lost
    shared = lost / (np.bincount(pages.links.targets, minlength=len(lost)) + 1.0)
    return shared + told(pages.links, shared)


def _finds(s: PageState, pages: Pages) -> Floats:
    links: Links | None = pages.links
    linked = told(links, s.live.astype(np.float64)) if links else np.zeros(len(pages))
    return s.finds * parts.surplus(s, pages, linked, 0.0)
