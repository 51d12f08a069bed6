"""When does a page change?

Each page follows one law, chosen by hash.  A law maps a key to the times (toy days) at which the text changes; the
version of a page is how many of them have passed.  Rates, phases and times differ from page to page; pages of one
section share their bursts.
"""

from bisect import bisect_right
from enum import StrEnum
from functools import lru_cache

from sought.toyweb.dice import dice, pick, waiting_time

LAST_DAY = 3650.0  # time stops after ten years, which bounds the cost of every call
HORIZON = 64.0  # change times are computed this many days ahead and cached
RATES = (1 / 60, 1 / 20, 1 / 7, 1 / 2, 2.0)  # changes per day
WEEK = 7.0


class Law(StrEnum):
    """How a page changes."""

    STATIC = "static"  # never
    POISSON = "poisson"  # at random times, at one of RATES
    DAILY = "daily"  # all of it, once a day
    WEEKLY = "weekly"  # all of it, once a week
    CHURN = "churn"  # the advertisement at every interval, the text never
    SCROLL = "scroll"  # a list in which new items push out old ones
    BURSTS = "bursts"  # together with its section, several times within one week


SHARES = (
    (Law.STATIC, 0.34),
    (Law.POISSON, 0.32),
    (Law.DAILY, 0.05),
    (Law.WEEKLY, 0.06),
    (Law.CHURN, 0.09),
    (Law.SCROLL, 0.06),
    (Law.BURSTS, 0.08),
)


def law_at(share: float) -> Law:
    """The law for a number between 0 and 1, by SHARES."""
    for law, width in SHARES:
        share -= width
        if share < 0:
            return law
    return Law.STATIC


def changes(law: Law, page: str, section: str, t: float) -> tuple[float, ...]:
    """Times of all changes up to `t`, for the page and section with these keys."""
    until = HORIZON * (t // HORIZON + 1)
    times = _changes(law, page, section, until)
    return times[: bisect_right(times, t)]


@lru_cache(maxsize=8192)
def _changes(law: Law, page: str, section: str, until: float) -> tuple[float, ...]:
    if law is Law.POISSON:
        return _poisson(page, pick(dice("rate", page), RATES), until)
    if law is Law.SCROLL:
        return _poisson(page, pick(dice("rate", page), (0.5, 2.0, 6.0)), until)
    if law in (Law.DAILY, Law.WEEKLY):
        return _periodic(page, 1.0 if law is Law.DAILY else WEEK, until)
    if law is Law.BURSTS:
        return _bursts(page, section, until)
    return ()


def _poisson(page: str, rate: float, until: float) -> tuple[float, ...]:
    rng = dice("poisson", page)
    times: list[float] = []
    at = waiting_time(rng, rate)
    while at <= until:
        times.append(at)
        at += waiting_time(rng, rate)
    return tuple(times)


def _periodic(page: str, period: float, until: float) -> tuple[float, ...]:
    phase = dice("phase", page).random() * period
    return tuple(phase + k * period for k in range(int((until - phase) // period) + 1))


def _bursts(page: str, section: str, until: float) -> tuple[float, ...]:
    """A week of five changes every six weeks or so; the week is the section's, the hours are the page's."""
    starts = _poisson(section, 1 / 42, until)
    times = {start + WEEK * dice("burst", page, k, i).random() for k, start in enumerate(starts) for i in range(5)}
    return tuple(sorted(at for at in times if at <= until))
