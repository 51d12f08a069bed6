"""Which features does a page have?  Numbers that are not scaled yet.

From what the crawl keeps: counts of a page and of the version before (versions.py), its address, the words that people
ask for on it, and its table row.  Linkage is as of the page's last fetch.

Departures from Tan & Mitra 2010, §3: words are those people ask for, because the crawl counts no others; the similarity
of two versions is that of their shingles, not of their words; the top-level domains are the six most frequent.  Before
a page has been fetched twice, its dynamic features are 0.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.addresses import read_addresses
from sought.beliefs.clusters.collection import PageCollection, Rows, Singles, lacking, numbers_of, places, vectors_of
from sought.beliefs.clusters.feature_names import DOMAINS, KEYWORDS, Group
from sought.beliefs.clusters.keywords import rank_features
from sought.beliefs.clusters.scaling import changes
from sought.beliefs.clusters.versions import NUMBERS, PageVersions, Records
from sought.beliefs.clusters.words import address_rows, occurrences, page_rows
from sought.beliefs.holdings import Holdings
from sought.index.vectors import Vectors
from sought.record.observations import HTML, OTHER, TEXT

_BATCH = 1 << 15


class Described:
    """Features of rows by one collection."""

    def __init__(self, holdings: Holdings, collection: PageCollection) -> None:
        self.holdings, self.collection = holdings, collection
        self.domains = collection.domain_hashes
        self.terms = self.keywords = np.zeros(0, np.int64)
        self.lacking = np.zeros(0, np.bool_)
        self.look()

    def look(self) -> bool:
        """Look up the collection's words in the present vocabulary; returns whether their numbers may have changed.

        So it is, too, when all pages have been looked through for words that some had not been.
        """
        words, measuring = (self.collection.terms, self.collection.spelled), self.holdings.measuring
        if not any(words):
            return False
        before = self.terms, self.keywords, self.lacking
        self.terms, self.keywords = (numbers_of(each, measuring) for each in words)
        self.lacking = lacking([*words[0], *words[1]], measuring)
        return not all(map(np.array_equal, before, (self.terms, self.keywords, self.lacking)))

    def of(self, rows: Rows, groups: tuple[Group, ...]) -> Singles:
        """A row of features for each of these rows, which ascend; group after group, in the order of `names_of`."""
        parts = [rows[at : at + _BATCH] for at in range(0, max(len(rows), 1), _BATCH)]
        return np.concatenate([_Some(self, part).features(groups) for part in parts])


class _Some:
    """Some rows; what several groups need is read once."""

    def __init__(self, described: Described, rows: Rows) -> None:
        self.described, self.rows = described, rows
        self.holdings, self.collection = described.holdings, described.collection

    @cached_property
    def records(self) -> Records:
        return self.holdings.shared(PageVersions).of(self.rows)

    @cached_property
    def vectors(self) -> Vectors:
        return vectors_of(self.holdings.measuring, self.rows)

    def features(self, groups: tuple[Group, ...]) -> Singles:
        made: dict[Group, Callable[[], list[NDArray[np.floating]]]] = {
            "content": self._content,
            "address": self._address,
            "links": self._links,
            "dynamic": self._dynamic,
            "ranking": self._ranking,
        }
        columns = [column for group in groups for column in made[group]()]
        return np.column_stack(columns).astype(np.float32)

    def _content(self) -> list[NDArray[np.floating]]:
        kind = self.records["kind"]
        is_kind = np.stack([kind == HTML, kind == TEXT, kind == OTHER], axis=1).astype(np.float32)
        return [self._word_distances(), self._now("images", "tables", "words", "text bytes"), is_kind]

    def _word_distances(self) -> Singles:
        if not self.collection.terms:
            return np.zeros((len(self.rows), self.collection.dims), np.float32)
        return self.collection.pages.of(
            page_rows(self.vectors, places(self.described.terms), self.collection.term_weights)
        )

    def _address(self) -> list[NDArray[np.floating]]:
        addresses = read_addresses(self.holdings.store.spellings(self.rows.tolist()))
        distances = self.collection.addresses.of(address_rows(addresses, self.collection.words))
        domains = np.zeros((len(self.rows), DOMAINS), np.float32)
        domains[:, : len(self.described.domains)] = addresses.domain[:, None] == self.described.domains
        return [distances, addresses.depth[:, None].astype(np.float32), domains]

    def _links(self) -> list[NDArray[np.floating]]:
        return [self._now("PageRank", "in-links", "out-links", "e-mails")]

    def _dynamic(self) -> list[NDArray[np.floating]]:
        content = self._changes("images", "tables", "text bytes", "words")
        links = self._changes("PageRank", "in-links", "out-links", "e-mails")
        table = self.holdings.table
        fetches, changed = (table[name][self.rows].astype(np.float64) for name in ("fetches", "changes"))
        often = np.minimum(changed / np.maximum(fetches - 1.0, 1.0), 1.0)
        columns = np.column_stack([self.records["alike"], content, links, often])
        columns[self.records["versions"] < 2] = 0.0
        return [columns]

    def _ranking(self) -> list[NDArray[np.floating]]:
        if not self.collection.keywords:
            return [np.zeros((len(self.rows), KEYWORDS), np.float32)]
        place = places(self.described.keywords, self.collection.spelled_for)
        scores = occurrences(self.vectors, place, len(self.collection.keywords))
        return [rank_features(self.collection.best, scores, self.holdings.table["key"][self.rows])]

    def _now(self, *names: str) -> Singles:
        columns: Singles = self.records["now"][:, [NUMBERS.index(name) for name in names]]
        return columns

    def _changes(self, *names: str) -> NDArray[np.float64]:
        at = [NUMBERS.index(name) for name in names]
        return changes(self.records["now"][:, at], self.records["before"][:, at])
