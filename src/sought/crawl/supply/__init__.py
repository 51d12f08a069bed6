"""Who supplies which belief?"""

from collections.abc import Callable
from typing import Any

from sought.crawl.supply.clusters.clustering import ClosenessToCentre, Clusters
from sought.crawl.supply.entry.values import EntryValues
from sought.crawl.supply.folders import Folders
from sought.crawl.supply.forward_links import LinksAhead
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.learned.combination import Combination
from sought.crawl.supply.location import Locations
from sought.crawl.supply.near_changed import Nearness
from sought.crawl.supply.opic import Cash
from sought.crawl.supply.page_rank import Ranks
from sought.crawl.supply.presence import Worth
from sought.crawl.supply.prospects import MainQueries, NewProspects
from sought.crawl.supply.random_walk import Walks
from sought.crawl.supply.search_impact.hybrid import SearchImpacts
from sought.crawl.supply.supplier import Supplier
from sought.crawl.supply.topic.hops import Distances
from sought.crawl.supply.topic.likeness import Alike
from sought.crawl.supply.topic.named import NamedRows
from sought.crawl.supply.views import Seen
from sought.policy import ForwardLinks, Learned, Location, Opic, PageRank, Prospect, RandomWalk, SearchImpact
from sought.policy.entry_value import EntryValue
from sought.policy.grouping.cluster import Closeness, Cluster
from sought.policy.grouping.folder import Folder
from sought.policy.main_query import MainQuery, MainShare
from sought.policy.presence import Presence, SearchValue
from sought.policy.sampling.near_changed import NearChanged
from sought.policy.supplied import Supplied
from sought.policy.topic import Hops, Likeness, Named
from sought.policy.views import Views

SUPPLIERS: dict[type[Supplied], Callable[[Any, Holdings], Supplier]] = {
    Closeness: ClosenessToCentre,
    Cluster: Clusters,
    EntryValue: EntryValues,
    Folder: lambda _, holdings: holdings.part(Folders),
    ForwardLinks: LinksAhead,
    Hops: Distances,
    Learned: lambda belief, holdings: Combination(belief, holdings, _made),
    Likeness: Alike,
    Location: lambda _, holdings: holdings.part(Locations),
    MainQuery: MainQueries,
    MainShare: MainQueries,
    Named: NamedRows,
    NearChanged: Nearness,
    Opic: Cash,
    PageRank: Ranks,
    Presence: Worth,
    Prospect: NewProspects,
    RandomWalk: Walks,
    SearchImpact: SearchImpacts,
    SearchValue: Worth,
    Views: Seen,
}


def supplier_of(belief: Supplied, holdings: Holdings) -> Supplier:
    return SUPPLIERS[type(belief)](belief, holdings)


def _made(holdings: Holdings, belief: Supplied) -> Supplier:
    """As a part that several share."""
    return supplier_of(belief, holdings)
