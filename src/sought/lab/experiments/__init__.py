"""Which experiments are there?  One file each; `EXPERIMENTS` has them by name."""

from sought.lab.experiments.bounds import BOUNDS
from sought.lab.experiments.frontier_learning import LEARNING
from sought.lab.experiments.frontier_omega import OMEGA
from sought.lab.experiments.frontier_quality import QUALITY
from sought.lab.experiments.frontier_ratios import RATIOS
from sought.lab.experiments.frontier_shares import FLAT_SHARES, SKEWED_SHARES
from sought.lab.experiments.impact_orders import IMPACT_ORDERS
from sought.lab.experiments.importance_and_impact import IMPORTANCE_AND_IMPACT
from sought.lab.experiments.losses import LOSSES
from sought.lab.experiments.needy_queries import NEEDY_QUERIES
from sought.lab.experiments.random_crawl import RANDOM_CRAWL
from sought.lab.experiments.sketch_budget import SKETCH_BUDGET
from sought.lab.experiments.small_site import SITE_BY_BACKLINKS, SITE_BY_RANK
from sought.lab.experiments.tail_topics import TAIL_TOPICS
from sought.lab.experiments.topic_crawls import BASIC, MODIFIED
from sought.lab.experiments.url_ordering import BY_BACKLINKS, BY_RANK, STOP, STRINGENT
from sought.lab.experiments.worst_case import WORST_CASE
from sought.lab.study import Study

__all__ = ["EXPERIMENTS"]

_URL_ORDERING = (STRINGENT, BY_BACKLINKS, STOP, BY_RANK, SITE_BY_BACKLINKS, SITE_BY_RANK, BASIC, MODIFIED)  # seed 001
_FRONTIER = (RATIOS, OMEGA, FLAT_SHARES, SKEWED_SHARES, QUALITY, LEARNING)  # seed 002
_IMPACT = (IMPORTANCE_AND_IMPACT, IMPACT_ORDERS, TAIL_TOPICS, NEEDY_QUERIES, SKETCH_BUDGET, WORST_CASE)  # seed 003

EXPERIMENTS: dict[str, Study] = {
    study.name: study for study in (RANDOM_CRAWL, BOUNDS, LOSSES, *_URL_ORDERING, *_FRONTIER, *_IMPACT)
}
