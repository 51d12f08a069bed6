"""What refresh rules believe survives the end of a process."""

import numpy as np
import pytest

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.interval_rate import IntervalRate
from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.beliefs.moment_rate import MomentRate
from sought.beliefs.online_rate import OnlineRate
from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.significant_rate import SignificantRate
from sought.operate.view import View
from sought.policy import OptimalFreshness
from sought.web.policy import beliefs_of
from tests.testing.counted_anew import ask
from tests.testing.demand_site import QUERIES, WORDS
from tests.testing.linked_site import LinkedSite, watched
from tests.testing.refresh_rules import refresh_rules

RULES = refresh_rules()
RATES = [BayesRate, IntervalRate, LastModifiedRate, MomentRate, OnlineRate, RegularRate, SignificantRate]
RATE_RULES = [OptimalFreshness(rate=rate()) for rate in RATES]
MORE = [OptimalFreshness(rate=BayesRate(prior="cluster")), OptimalFreshness(rate=LastModifiedRate(corrected=False))]
DAY = 86400.0


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A crawl of ten weeks in which some pages change, seen by all rules at once."""
    site = LinkedSite(tmp_path_factory.mktemp("crawl") / "crawl", 40)
    rules = [*RULES, *RATE_RULES, *MORE]
    wanted = tuple(dict.fromkeys(belief for rule in rules for belief in beliefs_of(rule)))
    dice = np.random.default_rng(0)
    ask(site.path, *QUERIES)
    with site.open() as directory:
        beliefs = watched(directory, _Reads(wanted))
        site.fetch(directory, range(40))
        for _ in range(10):
            site.clock += 7 * DAY
            for page in dice.choice(40, 8, replace=False).tolist():
                site.texts[page] += f" {WORDS[int(dice.integers(len(WORDS)))]}" * int(dice.integers(1, 20))
            site.fetch(directory, sorted(dice.choice(40, 20, replace=False).tolist()))
            beliefs.pages()  # as at every plan
        site.fetch(directory, range(40))
        live = {belief: np.array(column) for belief, column in beliefs.pages().beliefs.items()}
    return site, wanted, live


class _Reads:
    """A policy that reads everything."""

    def __init__(self, beliefs):
        self.beliefs = beliefs

    def __call__(self, pages, now):
        return np.zeros(len(pages))


def test_beliefs_are_the_same_after_a_restart(crawl):
    """Every belief of every refresh rule: as it was kept up during the crawl, and as it is made from the store alone.

    Sums over pages are rounded in another order.
    """
    site, wanted, live = crawl
    with View(site.path) as view:
        for belief in wanted:
            np.testing.assert_allclose(view.believed(belief), live[belief], rtol=1e-9, err_msg=repr(belief))


def test_something_was_believed(crawl):
    """Otherwise the test above would say nothing."""
    _, wanted, live = crawl
    dull = {type(belief).__name__ for belief in wanted if len(np.unique(live[belief])) < 2}
    assert dull <= {"SignalRecall", "FalseSignals", "ProbedGain", "ProbeShare", "Folder"}  # one host, one directory
