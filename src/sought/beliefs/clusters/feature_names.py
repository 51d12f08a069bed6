"""What are the features of a page called, and of which kind is each?

The 68 of Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010, §3: 17 of content, 17 of the
address and 4 of links, which are static; 10 dynamic ones; 20 of ranking.
"""

from typing import Literal

from sought.beliefs.clusters.scaling import Kind

Features = Literal["url", "content", "static", "dynamic", "static+dynamic", "all"]
MAX_CLUSTERS = 10_000
DIMS = 10  # distances to clusters of words
DOMAINS = 6
KEYWORDS = 20

Group = str
GROUPS: dict[Features, tuple[Group, ...]] = {
    "url": ("address",),
    "content": ("content",),
    "static": ("content", "address", "links"),
    "dynamic": ("dynamic",),
    "static+dynamic": ("content", "address", "links", "dynamic"),
    "all": ("content", "address", "links", "dynamic", "ranking"),
}
_COUNTS = frozenset(
    ("images", "tables", "words", "text bytes", "depth", "PageRank", "in-links", "out-links", "e-mails")
)
_DYNAMIC = (
    *("alike", "change of images", "change of tables", "change of text bytes", "change of words", "change of PageRank"),
    *("change of in-links", "change of out-links", "change of e-mails", "change frequency"),
)


def names_of(group: Group, dims: int = DIMS) -> list[str]:
    """In the order of their columns."""
    return {
        "content": [
            *(f"distance to words {i}" for i in range(1, dims + 1)),
            *("images", "tables", "words", "text bytes", "is HTML", "is text", "is other"),
        ],
        "address": [
            *(f"distance to address words {i}" for i in range(1, dims + 1)),
            *("depth", *(f"domain {i}" for i in range(1, DOMAINS + 1))),
        ],
        "links": ["PageRank", "in-links", "out-links", "e-mails"],
        "dynamic": list(_DYNAMIC),
        "ranking": [f"rank for keyword {i}" for i in range(1, KEYWORDS + 1)],
    }[group]


def kind_of(name: str) -> Kind:
    """How a feature is scaled."""
    if name in _COUNTS:
        return "count"
    return "change" if name.startswith("change of ") else "plain"
