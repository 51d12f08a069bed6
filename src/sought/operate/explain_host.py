"""What is known of one host, and how is it treated?"""

import difflib
from typing import Any

import numpy as np

from sought.beliefs.presence import Presence, SearchValue
from sought.fetch.politeness import HostManners
from sought.operate.view import View
from sought.record.directory import manners
from sought.record.hosts import Host
from sought.record.table import Reason, State
from sought.web.errors import BadInput
from sought.web.url import hostname


def all_hosts(view: View, limit: int = 100) -> list[dict[str, Any]]:
    """Those with most URLs first."""
    counts = _by_host(view, np.ones(len(view.table)))
    live = _by_host(view, view.table["state"] == State.LIVE)
    order = np.argsort(-counts, kind="stable")[:limit]
    return [
        {
            "origin": view.hosts[number].origin,
            "known": int(counts[number]),
            "searchable": int(live[number]),
            "fetched": view.hosts[number].fetched,
            **_treated(view, view.hosts[number]),
        }
        for number in order.tolist()
    ]


def explain_host(view: View, origin: str) -> dict[str, Any]:
    """Its pages by state and reason, what they are worth in the answers, its answers, its robots.txt and its turn."""
    host = view.hosts.by_origin.get(origin.rstrip("/"))
    if host is None:
        raise BadInput(f"{origin} is not a host of this crawl; {_instead(view, origin)}")
    rows = np.flatnonzero(view.table["host"] == host.number)
    states, reasons = (np.bincount(view.table[name][rows]) for name in ("state", "reason"))
    return {
        "origin": host.origin,
        "known": len(rows),
        "fetched": host.fetched,
        "states": {State(k).name.lower(): int(n) for k, n in enumerate(states) if n},
        "reasons": {Reason(k).name.lower().replace("_", "-"): int(n) for k, n in enumerate(reasons) if n and k},
        "outcomes": host.outcomes,
        "refused": host.refused,
        "robots": host.robots_kind or "not read yet",
        **_treated(view, host),
        "sitemaps": sorted(host.sitemaps),
        **_worth(view, rows),
    }


def _instead(view: View, name: str) -> str:
    """What may have been meant by a name that is no origin."""
    origins = list(view.hosts.by_origin)
    named = [each for each in origins if name.rstrip("/") in (hostname(f"{each}/"), each.partition("://")[2])]
    near = named[:3] or difflib.get_close_matches(name, origins, 1, 0.6)
    return f"did you mean {' or '.join(near)}?" if near else "'sought hosts DIR' lists them"


def _worth(view: View, rows: np.ndarray[Any, np.dtype[np.int64]]) -> dict[str, float]:
    """What attention finds on it, as a share of all, and what the answers would lose without it."""
    if view.measuring.measure is None:
        return {}
    found = {"share_of_search_value": SearchValue(), "share_of_presence": Presence()}
    columns = {name: view.believed(belief) for name, belief in found.items()}
    return {name: float(each[rows].sum() / (each.sum() or 1.0)) for name, each in columns.items()}


def _treated(view: View, host: Host) -> dict[str, Any]:
    """How polite the crawl is to it, as of the last commit."""
    state = view.hosts.manners.get(host.name) or HostManners()
    return {
        "delay": manners(view.config).rest(state.crawl_delay),
        "crawl_delay": state.crawl_delay,
        "next_request_at": state.next_at or None,
        "troubles_in_a_row": state.troubles,
    }


def _by_host(view: View, weights: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.bincount(view.table["host"], weights, len(view.hosts)).astype(np.float64)
