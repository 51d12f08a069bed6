"""Which experiments are there?  One file each; `EXPERIMENTS` has them by name."""

from sought.lab.studies.bounds import BOUNDS
from sought.lab.studies.cho_1998.small_site import SITE_BY_BACKLINKS, SITE_BY_RANK
from sought.lab.studies.cho_1998.topic_crawls import BASIC, MODIFIED
from sought.lab.studies.cho_1998.url_ordering import BY_BACKLINKS, BY_RANK, STOP, STRINGENT
from sought.lab.studies.losses import LOSSES
from sought.lab.studies.pandey_olston_2005.gain_estimates import PIECES_OF_CURVES
from sought.lab.studies.pandey_olston_2005.gains_in_halves import HALVES
from sought.lab.studies.pandey_olston_2005.index_time import INDEX_TIME
from sought.lab.studies.pandey_olston_2005.refresh_budgets import CAUSAL_BUDGETS, IN_SAMPLE_BUDGETS
from sought.lab.studies.pandey_olston_2005.two_pages import TWO_PAGES
from sought.lab.studies.pandey_olston_2008.impact_orders import IMPACT_ORDERS
from sought.lab.studies.pandey_olston_2008.importance_and_impact import IMPORTANCE_AND_IMPACT
from sought.lab.studies.pandey_olston_2008.needy_queries import NEEDY_QUERIES
from sought.lab.studies.pandey_olston_2008.sketch_budget import SKETCH_BUDGET
from sought.lab.studies.pandey_olston_2008.tail_topics import TAIL_TOPICS
from sought.lab.studies.pandey_olston_2008.worst_case import WORST_CASE
from sought.lab.studies.random_crawl import RANDOM_CRAWL
from sought.lab.studies.refreshing.rates import RATES_FORETOLD
from sought.lab.studies.refreshing.rates_known import RATES_KNOWN
from sought.lab.studies.refreshing.refresh import REFRESH
from sought.lab.studies.refreshing.signals import REFRESH_SIGNALS
from sought.lab.studies.refreshing.theory import REFRESH_THEORY
from sought.lab.studies.study import Study
from sought.lab.studies.tan_mitra_2010.alike_intervals import ALIKE_INTERVALS
from sought.lab.studies.tan_mitra_2010.cluster_sizes import CLUSTER_SIZES
from sought.lab.studies.tan_mitra_2010.cycle_weights import CYCLE_WEIGHTS
from sought.lab.studies.tan_mitra_2010.feature_sets import FEATURE_SETS, RANKING_FEATURES
from sought.lab.studies.tan_mitra_2010.number_of_clusters import NUMBER_OF_CLUSTERS
from sought.lab.studies.tan_mitra_2010.policies import POLICIES_COMPARED
from sought.lab.studies.tan_mitra_2010.word_dimensions import WORD_DIMENSIONS
from sought.lab.studies.tran_2015.learning import LEARNING
from sought.lab.studies.tran_2015.omega import OMEGA
from sought.lab.studies.tran_2015.quality import QUALITY
from sought.lab.studies.tran_2015.ratios import RATIOS
from sought.lab.studies.tran_2015.shares import FLAT_SHARES, SKEWED_SHARES
from sought.lab.studies.worth.ablations import ABLATIONS
from sought.lab.studies.worth.clusters import CLUSTERS
from sought.lab.studies.worth.dial import BUDGET_DIAL
from sought.lab.studies.worth.entry import ENTRIES
from sought.lab.studies.worth.exploration import EXPLORATION
from sought.lab.studies.worth.headline import WORTH_STUDY
from sought.lab.studies.worth.index import INDEX
from sought.lab.studies.worth.multi_term import MULTI_TERM
from sought.lab.studies.worth.robustness import ROBUSTNESS
from sought.lab.studies.worth.signals import SIGNALS
from sought.lab.studies.worth.split import SPLIT

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
