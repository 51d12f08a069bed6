"""Columns of pages for tests of Worth, with beliefs learned from a log."""

from dataclasses import replace

import numpy as np

from sought.beliefs.belief import Supplied
from sought.beliefs.presence import Presence, SearchValue
from sought.beliefs.prospect import MainQuery
from sought.lab.replay.samples import NOW
from sought.policy.worth.worth import Worth
from sought.web.pages import Links, Pages
from sought.web.policy import beliefs_of

DAY = 86400.0
YEAR = 365.25 * DAY


def learners():
    """Of all that is learned, having seen nothing yet."""
    return {each: each.learner() for each in beliefs_of(Worth()) if not isinstance(each, Supplied)}


def crawl(rows, log=(), links=None, pace=0.0, supplied=None, learned=None, **columns):
    """Live pages fetched a hundred days ago, but for what is said of them; what can be learned is learned from the log.

    Of what is supplied, the search value of every page is 1 and half of it would be lost without the page.
    """

    def column(value, kind=np.float64):
        return np.broadcast_to(np.asarray(value, kind), rows).copy()

    plain = {
        "key": np.random.default_rng(0).permutation(rows).astype(np.uint64),
        "host": column(0, np.uint32),
        "depth": column(0, np.uint16),
        "found": column(NOW - 2 * YEAR),
        "last_fetch": column(NOW - 100 * DAY),
        "last_change": column(-np.inf),
        "fetches": column(1, np.uint16),
        "changes": column(0, np.uint16),
        "inlinks": column(0, np.uint32),
        "signal": column(-np.inf),
        "live": column(True, np.bool_),
        "linked": column(-np.inf),
        "unlinked": column(-np.inf),
    }
    plain |= {name: column(each, plain[name].dtype) for name, each in columns.items()}
    plain["live"] &= ~np.isneginf(plain["last_fetch"])
    known = {each: np.zeros(rows) for each in beliefs_of(Worth()) if isinstance(each, Supplied)}
    known |= {SearchValue(): 1.0 * plain["live"], Presence(): 0.5 * plain["live"], MainQuery(): column(-1.0)}
    known |= {name: column(each) for name, each in (supplied or {}).items()}
    pages = Pages(**plain, pace=pace, links=links, beliefs=known)
    learned = learned or learners()
    for some in log:
        for learner in learned.values():
            learner.learn(some)
    return replace(pages, beliefs={**known, **{each: learner.column(pages) for each, learner in learned.items()}})


def lists(**rows):
    """Links by name of row: r0=[1, 2]."""
    by_row = sorted((int(name[1:]), targets) for name, targets in rows.items())
    bounds = np.append(0, np.cumsum([len(targets) for _, targets in by_row])).astype(np.int64)
    targets = np.array([target for _, some in by_row for target in some], np.uint32)
    return Links(np.array([row for row, _ in by_row], np.uint32), bounds, targets)
