"""Which pages are alike in all that may tell how they change?"""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from sought.policy.checks import check_choice, check_whole
from sought.policy.supplied import Supplied
from sought.web.expression import brief

Features = Literal["url", "content", "static", "dynamic", "static+dynamic", "all"]
MAX_CLUSTERS = 10_000


@brief
@dataclass(frozen=True)
class _Clustering(Supplied):
    k: int = 100
    features: Features = "static+dynamic"

    goes_by_demand: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_whole(f"{type(self).__name__}: k", self.k, 1, MAX_CLUSTERS)
        check_choice(f"{type(self).__name__}: features", self.features, get_args(Features))


@brief
@dataclass(frozen=True)
class Cluster(_Clustering):
    """The number of a page's cluster; -1 if it has none, for it was never fetched.

    Q. Tan, P. Mitra, Clustering-Based Incremental Web Crawling, ACM TOIS 2010: repeated bisection of `features` of all
    pages into `k` clusters.
    """


@brief
@dataclass(frozen=True)
class Closeness(_Clustering):
    """How close a page is to the centre of its cluster: the cosine; -1 if it has none."""
