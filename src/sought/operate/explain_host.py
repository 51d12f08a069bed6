"""Hosts explained: their pages, their share in the answers, and how politely they are treated."""

import difflib
from typing import Any

import numpy as np

from sought.beliefs.presence import Presence, SearchValue
from sought.fetch.politeness import HostManners
from sought.operate.known import HostReport, HostSummary
from sought.operate.view import View
from sought.record.directory import manners
from sought.record.hosts import Host
from sought.record.table import Reason, State
from sought.web.errors import BadInput
from sought.web.url import hostname


def all_hosts(view: View, limit: int = 100) -> list[HostSummary]:
    """The hosts with the most URLs first."""
    counts = _by_host(view, np.ones(len(view.table)))
    live = _by_host(view, view.table["state"] == State.LIVE)
    order = np.argsort(-counts, kind="stable")[:limit]
    return [
        HostSummary(
            origin=view.hosts[number].origin,
            known=int(counts[number]),
            searchable=int(live[number]),
            fetched=view.hosts[number].fetched,
            **_manners(view, view.hosts[number]),
        )
        for number in order.tolist()
    ]


def explain_host(view: View, origin: str) -> HostReport:
    """The pages of a host by state and reason, their share in the answers, and how politely the host is treated."""
    host = view.hosts.by_origin.get(origin.rstrip("/"))
    if host is None:
        raise BadInput(f"{origin} is not a host of this crawl; {_instead(view, origin)}")
    rows = np.flatnonzero(view.table["host"] == host.number)
    search_value, presence = _shares(view, rows)
    states, reasons = (np.bincount(view.table[name][rows]) for name in ("state", "reason"))
    return HostReport(
        origin=host.origin,
        known=len(rows),
        fetched=host.fetched,
        states={State(k).name.lower(): int(n) for k, n in enumerate(states) if n},
        reasons={Reason(k).name.lower().replace("_", "-"): int(n) for k, n in enumerate(reasons) if n and k},
        outcomes=host.outcomes,
        refused=host.refused,
        robots=host.robots_kind or "not read yet",
        **_manners(view, host),
        sitemaps=tuple(sorted(host.sitemaps)),
        share_of_search_value=search_value,
        share_of_presence=presence,
    )


def _instead(view: View, name: str) -> str:
    """A hint for a name that is not an origin of this crawl."""
    origins = list(view.hosts.by_origin)
    named = [each for each in origins if name.rstrip("/") in (hostname(f"{each}/"), each.partition("://")[2])]
    near = named[:3] or difflib.get_close_matches(name, origins, 1, 0.6)
    return f"did you mean {' or '.join(near)}?" if near else "'sought hosts DIR' lists them"


def _shares(view: View, rows: np.ndarray[Any, np.dtype[np.int64]]) -> tuple[float | None, float | None]:
    """Its share of what searchers find, and of what the answers would lose without it; None without queries."""
    if view.measuring.measure is None:
        return None, None
    search_value, presence = (view.believed(belief) for belief in (SearchValue(), Presence()))
    return _share(search_value, rows), _share(presence, rows)


def _share(column: np.ndarray[Any, np.dtype[np.float64]], rows: np.ndarray[Any, np.dtype[np.int64]]) -> float:
    return float(column[rows].sum() / (column.sum() or 1.0))


def _manners(view: View, host: Host) -> dict[str, Any]:
    """How polite the crawl is to a host, as of the last commit."""
    state = view.hosts.manners.get(host.name) or HostManners()
    return {
        "delay": manners(view.config).rest(state.crawl_delay),
        "crawl_delay": state.crawl_delay,
        "next_request_at": state.next_at or None,
        "troubles_in_a_row": state.troubles,
    }


def _by_host(view: View, weights: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.bincount(view.table["host"], weights, len(view.hosts)).astype(np.float64)
