"""How often does a page change?  Estimators of rates of change, from the log of fetches."""

from sought.policy.rates.bayes import BayesRate
from sought.policy.rates.interval import IntervalRate
from sought.policy.rates.last_modified import LastModifiedRate
from sought.policy.rates.moment import MomentRate
from sought.policy.rates.online import OnlineRate
from sought.policy.rates.regular import RegularRate
from sought.policy.rates.significant import SignificantRate, SignificantShare

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
