"""How many fetches a day are enough?  What the dial of Worth reads off a crawl's own record."""

from typing import Any

import numpy as np

from sought.operate.dial_curve import curve
from sought.operate.dial_reading import LEVELS, DialReading, Estimate, ExpectedAndMeasured, reading, seen_of, too_little
from sought.operate.dial_stakes import TimeSpan
from sought.operate.view import View
from sought.policy.worth.worth import Worth
from sought.record.config import pace
from sought.record.expectations import KEPT, KINDS, noted
from sought.record.gains import gains_since
from sought.record.store import Store
from sought.web.pages import Pages

_DAY = 86400.0


def budget(view: View, now: float) -> dict[str, Any]:
    """What budgets bring; `why_not` in the place of numbers while there is too little on record."""
    record = record_of(view.store, gains_since(view.config.demand.scorer, view.store, view.table))
    told: dict[str, Any] = {"directory": str(view.path), "measured_fetches": len(record.time)}
    if why := too_little(record):
        hint = "Worth() puts on record what it expects of fetches, once people have asked for something"
        return told | {"why_not": f"{why}; {hint}"}
    span = TimeSpan(float(record.time.min()), now, least=max(view.config.revisit_after, 1.0))
    found = read_off(view.pages(Worth()), record, span)
    today = pace(view.config) * _DAY
    return told | {
        "days_on_record": span.past / _DAY,
        "days_ahead": span.ahead / _DAY,
        "days_between_fetches": span.least / _DAY,
        "budget": {"fetches_a_day": today, "quality": _told(found.quality(today / _DAY))},
        "without_fetches": _told(found.quality(0.0)),
        "levels": {f"{level:.2f}": _told(found.fetches_for(level), _DAY) for level in LEVELS},
        "curve": _points(found),
    }


def record_of(store: Store, since: float) -> ExpectedAndMeasured:
    """Of new and known pages for as long as there are both: rings forget."""
    kinds = [noted(store, kind, since) for kind in KINDS]
    begin = max(each["time"].min() if len(each) >= KEPT else -np.inf for each in kinds)
    kept = [each[each["time"] >= begin] for each in kinds]
    both = np.concatenate(kept)
    is_new = np.repeat([True, False], [len(each) for each in kept])
    told = np.isfinite(both["expected"]) & np.isfinite(both["gain"])
    time, expected, gain = (both[name][told] for name in ("time", "expected", "gain"))
    return ExpectedAndMeasured(time, expected, gain, is_new[told])


def read_off(pages: Pages, record: ExpectedAndMeasured, span: TimeSpan) -> DialReading:
    """From pages with the beliefs of Worth, and a record that says enough."""
    return reading(curve(pages, span), record, seen_of(pages, span.since), span.ahead)


def _points(found: DialReading) -> list[dict[str, float | None]]:
    """Of the curve, without those that add nothing."""
    _, first = np.unique(found.fetches, return_index=True)
    fetches = found.fetches[first]
    return [{"fetches_a_day": each * _DAY} | _told(found.quality(each)) for each in fetches.tolist()]


def _told(estimate: Estimate, times: float = 1.0) -> dict[str, float | None]:
    """As JSON has it: what is never reached is null."""
    return {name: value * times if np.isfinite(value) else None for name, value in estimate._asdict().items()}
