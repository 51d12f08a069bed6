"""Who supplies which belief?"""

from collections.abc import Callable
from typing import Any

from sought.crawl.supply.cash import Cash
from sought.crawl.supply.forward_links import LinksAhead
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.hops import Distances
from sought.crawl.supply.learned import Combination
from sought.crawl.supply.likeness import Alike
from sought.crawl.supply.locations import Locations
from sought.crawl.supply.named import NamedRows
from sought.crawl.supply.prospects import Prospects
from sought.crawl.supply.ranks import Ranks
from sought.crawl.supply.search_impact import SearchImpacts
from sought.crawl.supply.supplier import Supplier
from sought.crawl.supply.walks import Walks
from sought.policy import ForwardLinks, Learned, Location, Opic, PageRank, Prospect, RandomWalk, SearchImpact
from sought.policy.supplied import Supplied
from sought.policy.topic import Hops, Likeness, Named

SUPPLIERS: dict[type[Supplied], Callable[[Any, Holdings], Supplier]] = {
    ForwardLinks: LinksAhead,
    Hops: Distances,
    Learned: Combination,
    Likeness: Alike,
    Location: Locations,
    Named: NamedRows,
    Opic: Cash,
    PageRank: Ranks,
    Prospect: Prospects,
    RandomWalk: Walks,
    SearchImpact: SearchImpacts,
}


def supplier_of(belief: Supplied, holdings: Holdings) -> Supplier:
    return SUPPLIERS[type(belief)](belief, holdings)
