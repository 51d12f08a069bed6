"""Which pages of a world are about a topic, and which topics suit it?

Hot is a page with all words of the topic in its title, or each at least ten times in its body (J. Cho, H.
Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §5).  Words are those of the search index.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from sought.beliefs.topic_distance import Hops
from sought.beliefs.topic_words import Topic, counted
from sought.index.analysis import LANGUAGES, terms
from sought.index.fields import WORDED
from sought.index.vectors import Vocabulary
from sought.lab.studies.cho_1998.hot_pages import Crawls, Marks
from sought.lab.worlds.world import NOTHING, Numbers, World

SHARES = (0.02, 0.1)  # of pages that are hot: topics that are neither rare nor what all of a site is about
_RARE = 0.25  # of the least share: in how many titles a word is at least that other pages may be about too
_WORD = re.compile(r"\b[a-z]{4,}\b")
_TITLE, _BODY = WORDED.index("title"), WORDED.index("body")


class Worded:
    """The words of some pages, at the start of a world."""

    def __init__(self, world: World, pages: Numbers) -> None:
        self.vectors = world.vectors.at(world.live(world.start)[pages].tolist())
        self.vocabulary = Vocabulary(world.terms)

    def hot(self, topic: str, least: int = Hops.count) -> Marks:
        """Which of the pages are hot."""
        counts = counted(self.vectors, Topic(topic), self.vocabulary)
        return counts.everywhere(_TITLE, 1) | counts.everywhere(_BODY, least)


def topics_for(world: World, count: int = 2) -> list[str]:
    """The words in most titles that make a share of pages within SHARES hot; as titles have them, in small letters.

    A word is four letters or more.  Of words that make mostly the same pages hot only the first is taken.
    """
    live = world.live(world.start)
    pages = np.flatnonzero(np.where(live == NOTHING, False, world.is_page[live]))
    worded, chosen = Worded(world, pages), dict[str, Marks]()
    for word in _words([world.versions.title[version] for version in live[pages].tolist()]):
        hot = worded.hot(word)
        if SHARES[0] <= float(hot.mean()) <= SHARES[1] and not any(_alike(hot, other) for other in chosen.values()):
            chosen[word] = hot
        if len(chosen) == count:
            break
    return list(chosen)


def _alike(one: Marks, other: Marks) -> bool:
    """Whether more than half of the fewer pages are the same."""
    return bool(2 * np.count_nonzero(one & other) > min(one.sum(), other.sum()))


def _words(titles: Sequence[str]) -> Iterator[str]:
    """Those in many titles, but not in so many that too much would be hot; the most frequent first."""
    counts = Counter(word for title in titles for word in set(_WORD.findall(title.lower())))
    for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if _RARE * SHARES[0] <= count / len(titles) <= SHARES[1]:
            yield word


def named_pages(crawls: Crawls, topic: str) -> Marks:
    """Which pages are called by the topic, in their address or in an anchor of some page that was crawled."""
    world, is_named = crawls.world, np.zeros(len(crawls.world.urls), np.bool_)
    live, lists = world.live(world.start)[crawls.pages], world.link_lists
    for language, versions in _by_language(world, live):
        wanted = set(Topic(topic).terms(LANGUAGES[language]))
        links = np.unique(np.concatenate([lists[version] for version in versions.tolist()])).astype(np.int64)
        links = links[world.targets[links] != NOTHING]
        names: dict[str, bool] = {}
        for target, number in zip(world.targets[links].tolist(), links.tolist(), strict=True):
            anchor = world.links[number].anchor
            if anchor not in names:
                names[anchor] = wanted <= set(terms(anchor, LANGUAGES[language]))
            is_named[target] |= names[anchor]
        for page in world.versions.page[versions].tolist():
            is_named[page] |= wanted <= set(terms(world.urls[page].partition("://")[2], LANGUAGES[language]))
    return is_named[crawls.pages]


def _by_language(world: World, versions: Numbers) -> Iterator[tuple[int, Numbers]]:
    vectors = world.vectors.at(versions.tolist())
    held = np.diff(vectors.bounds) > 0
    spoken = np.full(len(versions), -1)
    spoken[held] = vectors.data[vectors.bounds[:-1][held]]
    for language in np.unique(spoken[held]).tolist():
        yield language, versions[spoken == language]
