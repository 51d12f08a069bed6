"""How often does a page change?  Estimators of rates of change, from the log of fetches."""

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.interval_rate import IntervalRate
from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.beliefs.moment_rate import MomentRate
from sought.beliefs.online_rate import OnlineRate
from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.significant_rate import SignificantRate, SignificantShare

RATES: dict[str, type] = {
    each.__name__: each
    for each in (
        BayesRate,
        IntervalRate,
        LastModifiedRate,
        MomentRate,
        OnlineRate,
        RegularRate,
        SignificantRate,
    )
}

__all__ = [
    "RATES",
    "BayesRate",
    "IntervalRate",
    "LastModifiedRate",
    "MomentRate",
    "OnlineRate",
    "RegularRate",
    "SignificantRate",
    "SignificantShare",
]
