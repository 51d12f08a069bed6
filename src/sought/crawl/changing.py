"""How does a page change?  What was seen of it, how often that happens, and which pages are like it."""

from typing import Any, get_args

from sought.crawl.beliefs import Beliefs
from sought.crawl.outcome import Finished
from sought.crawl.supply.clusters.clustering import Clustering
from sought.crawl.supply.clusters.model import stored_names
from sought.crawl.supply.clusters.names import DIMS
from sought.crawl.view import View
from sought.policy.grouping.cluster import Cluster, Features
from sought.policy.rates import BayesRate


def change(view: View, beliefs: Beliefs, row: int) -> dict[str, Any]:
    """Observed changes, the rate with its uncertainty, and clusters: those on record, and those of a policy's beliefs.

    The policy's columns have been asked for.
    """
    return {
        "observed": observed(view, row),
        "rate": _rate(view, row),
        "clusters": _clusters(view, beliefs, row),
    }


def observed(view: View, row: int) -> list[dict[str, Any]]:
    """When a page was found to be another than before, and by how much."""
    fetches = [Finished(row, outcome, 0.0) for outcome in view.history(row)]
    seen = [each for each in fetches if each.is_observation]
    return [
        {"time": each.outcome.time, "kind": each.outcome.kind, "difference": each.difference}
        for each in seen[1:]
        if each.changed
    ]


def _rate(view: View, row: int) -> dict[str, Any]:
    """None is told of a page that was never fetched."""
    if not view.table["fetches"][row]:
        return {}
    beliefs = view.beliefs((BayesRate(),))
    beliefs.pages()
    return beliefs.terms(row).get(repr(BayesRate()), {})


def _clusters(view: View, beliefs: Beliefs, row: int) -> dict[str, Any]:
    wanted = {(each.k, each.features, DIMS) for each in beliefs.suppliers if isinstance(each, Cluster)}
    wanted |= set(filter(None, map(_parsed, stored_names(view.store))))
    told = {}
    for k, features, dims in sorted(wanted):
        found = beliefs.holdings.part(Clustering, k, features, dims).place(row)
        if found:
            told[repr(Cluster(k, features))] = found
    return told


def _parsed(name: str) -> tuple[int, Features, int] | None:
    """None for what another version of the program may have stored."""
    known: dict[str, Features] = {each: each for each in get_args(Features)}
    k, features, dims = (*name.split(" "), "", "")[:3]
    return (int(k), known[features], int(dims)) if features in known and (k + dims).isdecimal() else None
