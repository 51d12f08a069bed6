"""How well is one query answered, and what would improve that?"""

from typing import Any

import numpy as np

from sought.beliefs.prospect import MainQuery, Prospect
from sought.index import Index, normal
from sought.index.ideal import ideal_scores
from sought.operate.explain import needs
from sought.operate.searches import improved_searches, searches_a_week
from sought.operate.view import View
from sought.record.outcome import said
from sought.record.swap import part_for_reading
from sought.record.table import State
from sought.web.errors import BadInput
from sought.web.policy import Policy

_RESULTS = 10


def explain_query(view: View, query: str, policy: Policy, now: float, limit: int = 10) -> dict[str, Any]:
    """What is shown for a query, how old that is, what a page made for it would add, and which fetches may help it."""
    measure, asked = view.measuring.measure, view.measuring.asked
    wanted = normal(query)
    places = [place for place, text in enumerate(asked.texts) if normal(text) == wanted and asked.rate[place] > 0]
    if measure is None or not places:
        raise BadInput(f"nobody has asked {query!r} so far, or not often enough to be measured by")
    [place, *_] = places
    made = ideal_scores(measure)[place : place + 1]
    to_gain = float(measure.weights[place] * measure.lists.entry(np.array([place], np.uint32), made)[0])
    results, held_out = int(measure.lists.counts[place]), bool(asked.held_out[place])
    fit = float(measure.lists.best[place] / made[0]) if made[0] > 0.0 else 1.0
    report = view.measuring.report()
    return {
        "query": asked.texts[place],
        "a_week": float(asked.rate[place]),
        "held_out": held_out,
        "results": results,
        "why": needs(results, fit, held_out=held_out),
        "to_gain": to_gain,
        "to_gain_searches_a_week": improved_searches(to_gain, float(asked.rate[place]), report),
        "shown": [_with_searches(each, "expected_gain", report) for each in _shown(view, query, policy, now)],
        "would_help": [_with_searches(each, "prospect", report) for each in _helpers(view, place, limit)],
    }


def _with_searches(each: dict[str, Any], gain: str, report: dict[str, Any]) -> dict[str, Any]:
    """The gain of that name in searches a week, too."""
    return each | {f"{gain}_searches_a_week": searches_a_week(each[gain], report)}


def _shown(view: View, query: str, policy: Policy, now: float) -> list[dict[str, Any]]:
    """The first results as they are served; what a fetch of each is expected to gain, for all queries."""
    if not (view.path / "index").exists():
        return []
    index = Index.open(part_for_reading(view.path, "index"), writable=False)
    try:
        hits = index.search(query, _RESULTS).hits
    finally:
        index.close()
    expected = view.ranking(policy, now).gains
    return [
        {
            "url": hit.url,
            "title": hit.title,
            "score": hit.score,
            "fetched": hit.time,
            "expected_gain": None if expected is None else said(float(expected[hit.row])),
        }
        for hit in hits
        if hit.row < len(view.table)  # the index may be ahead of what was read of the table
    ]


def _helpers(view: View, place: int, limit: int) -> list[dict[str, Any]]:
    """Pages without a copy that would bring most for this query, to judge by their names."""
    prospect, query = view.believed(Prospect()), view.believed(MainQuery())
    state = view.table["state"]
    rows = np.flatnonzero((query == place) & (prospect > 0.0) & (state != State.LIVE) & (state != State.DEAD))
    best = rows[np.argsort(-prospect[rows], kind="stable")][:limit]
    return [
        {"url": view.store.url(row), "prospect": float(prospect[row]), "state": State(state[row]).name.lower()}
        for row in best.tolist()
    ]
