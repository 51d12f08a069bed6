"""Sought: a web crawler and search engine that spends every download where it does most for searchers.

import sought

crawl = sought.init("my-crawl", ["https://example.org/"], contact="you@example.org")
crawl.crawl(fetches=1000)
for hit in crawl.search("what people look for").hits:
    ...
"""

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sought.api import Crawl, init, open  # noqa: A004  sought.open, like tarfile.open
    from sought.index import Answer, Hit
    from sought.policy import BreadthFirst, DemandFirst, RoundRobin, Split, UserCentric, Worth
    from sought.web.errors import SoughtError
    from sought.web.pages import Pages
    from sought.web.policy import Policy

__version__ = _version("sought")

__all__ = [
    "Answer",
    "BreadthFirst",
    "Crawl",
    "DemandFirst",
    "Hit",
    "Pages",
    "Policy",
    "RoundRobin",
    "SoughtError",
    "Split",
    "UserCentric",
    "Worth",
    "__version__",
    "init",
    "open",
]

# Loaded when first asked for: `import sought.web` must not load the search engine.
_HOMES = {
    "sought.api": ("Crawl", "init", "open"),
    "sought.index": ("Answer", "Hit"),
    "sought.policy": ("BreadthFirst", "DemandFirst", "Pages", "Policy", "RoundRobin", "Split", "UserCentric", "Worth"),
    "sought.web.errors": ("SoughtError",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'sought' has no attribute {name!r}")
