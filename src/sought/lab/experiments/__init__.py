"""Which experiments are there?  One file each; `EXPERIMENTS` has them by name."""

from sought.lab.experiments.alike_intervals import ALIKE_INTERVALS
from sought.lab.experiments.bounds import BOUNDS
from sought.lab.experiments.cluster_sizes import CLUSTER_SIZES
from sought.lab.experiments.curve_pieces import PIECES_OF_CURVES
from sought.lab.experiments.cycle_weights import CYCLE_WEIGHTS
from sought.lab.experiments.dial import BUDGET_DIAL
from sought.lab.experiments.feature_sets import FEATURE_SETS, RANKING_FEATURES
from sought.lab.experiments.frontier_learning import LEARNING
from sought.lab.experiments.frontier_omega import OMEGA
from sought.lab.experiments.frontier_quality import QUALITY
from sought.lab.experiments.frontier_ratios import RATIOS
from sought.lab.experiments.frontier_shares import FLAT_SHARES, SKEWED_SHARES
from sought.lab.experiments.gains_in_halves import HALVES
from sought.lab.experiments.impact_orders import IMPACT_ORDERS
from sought.lab.experiments.importance_and_impact import IMPORTANCE_AND_IMPACT
from sought.lab.experiments.incremental_policies import POLICIES_COMPARED
from sought.lab.experiments.index_time import INDEX_TIME
from sought.lab.experiments.losses import LOSSES
from sought.lab.experiments.needy_queries import NEEDY_QUERIES
from sought.lab.experiments.number_of_clusters import NUMBER_OF_CLUSTERS
from sought.lab.experiments.random_crawl import RANDOM_CRAWL
from sought.lab.experiments.rates import RATES_FORETOLD
from sought.lab.experiments.rates_known import RATES_KNOWN
from sought.lab.experiments.refresh import REFRESH
from sought.lab.experiments.refresh_budgets import CAUSAL_BUDGETS, IN_SAMPLE_BUDGETS
from sought.lab.experiments.refresh_signals import REFRESH_SIGNALS
from sought.lab.experiments.refresh_theory import REFRESH_THEORY
from sought.lab.experiments.sketch_budget import SKETCH_BUDGET
from sought.lab.experiments.small_site import SITE_BY_BACKLINKS, SITE_BY_RANK
from sought.lab.experiments.tail_topics import TAIL_TOPICS
from sought.lab.experiments.topic_crawls import BASIC, MODIFIED
from sought.lab.experiments.two_pages import TWO_PAGES
from sought.lab.experiments.url_ordering import BY_BACKLINKS, BY_RANK, STOP, STRINGENT
from sought.lab.experiments.word_dimensions import WORD_DIMENSIONS
from sought.lab.experiments.worst_case import WORST_CASE
from sought.lab.experiments.worth import WORTH_STUDY
from sought.lab.experiments.worth_ablations import ABLATIONS
from sought.lab.experiments.worth_clusters import CLUSTERS
from sought.lab.experiments.worth_entry import ENTRIES
from sought.lab.experiments.worth_exploration import EXPLORATION
from sought.lab.experiments.worth_index import INDEX
from sought.lab.experiments.worth_multi_term import MULTI_TERM
from sought.lab.experiments.worth_robustness import ROBUSTNESS
from sought.lab.experiments.worth_signals import SIGNALS
from sought.lab.experiments.worth_split import SPLIT
from sought.lab.study import Study

__all__ = ["EXPERIMENTS"]

_REFRESH = (INDEX_TIME, HALVES, IN_SAMPLE_BUDGETS, CAUSAL_BUDGETS, TWO_PAGES, PIECES_OF_CURVES)  # seed 000
_URL_ORDERING = (STRINGENT, BY_BACKLINKS, STOP, BY_RANK, SITE_BY_BACKLINKS, SITE_BY_RANK, BASIC, MODIFIED)  # seed 001
_FRONTIER = (RATIOS, OMEGA, FLAT_SHARES, SKEWED_SHARES, QUALITY, LEARNING)  # seed 002
_IMPACT = (IMPORTANCE_AND_IMPACT, IMPACT_ORDERS, TAIL_TOPICS, NEEDY_QUERIES, SKETCH_BUDGET, WORST_CASE)  # seed 003
_CLUSTERS = (  # seed 004
    *(NUMBER_OF_CLUSTERS, CLUSTER_SIZES, WORD_DIMENSIONS, FEATURE_SETS, CYCLE_WEIGHTS),
    *(POLICIES_COMPARED, RANKING_FEATURES, ALIKE_INTERVALS),
)
_RULES = (REFRESH, REFRESH_SIGNALS, REFRESH_THEORY, RATES_FORETOLD, RATES_KNOWN)  # of all papers, and later ones
_WORTH = (  # ours
    *(WORTH_STUDY, ABLATIONS, INDEX, SPLIT, ENTRIES),
    *(MULTI_TERM, SIGNALS, EXPLORATION, CLUSTERS, ROBUSTNESS, BUDGET_DIAL),
)

EXPERIMENTS: dict[str, Study] = {
    study.name: study
    for study in (
        *(RANDOM_CRAWL, BOUNDS, LOSSES, *_WORTH, *_RULES),
        *(*_REFRESH, *_URL_ORDERING, *_FRONTIER, *_IMPACT, *_CLUSTERS),
    )
}
