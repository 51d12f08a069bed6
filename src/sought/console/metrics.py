"""How does the crawl stand, for Prometheus?"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, float("inf"))  # seconds


@dataclass(slots=True)
class ServerTally:
    """Since the server was started."""

    searches: int = 0
    refused: int = 0
    clicks: int = 0
    seconds: float = 0.0
    buckets: list[int] = field(default_factory=lambda: [0] * len(BOUNDS))

    def answered(self, seconds: float) -> None:
        self.searches += 1
        self.seconds += seconds
        self.buckets[bisect_left(BOUNDS, seconds)] += 1


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = Mapping[str, str]
Values = Iterable[tuple[Labels, float]]
_NO_LABELS: Labels = {}


@dataclass(frozen=True)
class Metric:
    """A name of Prometheus, and where in a pulse its values are; none if the pulse lacks them."""

    name: str
    kind: Literal["counter", "gauge"]
    help: str
    values: Callable[[Mapping[str, Any]], Values]


def _at(pulse: Any, path: Iterable[str]) -> Any:
    for name in path:
        pulse = pulse.get(name) if isinstance(pulse, Mapping) else None
    return pulse


def _one(*path: str) -> Callable[[Mapping[str, Any]], Values]:
    """The number at a path."""

    def values(pulse: Mapping[str, Any]) -> Values:
        found = _at(pulse, path)
        return [(_NO_LABELS, float(found))] if isinstance(found, int | float) else []

    return values


def _each(label: str, *path: str) -> Callable[[Mapping[str, Any]], Values]:
    """The numbers of a mapping, by a label."""

    def values(pulse: Mapping[str, Any]) -> Values:
        found = _at(pulse, path)
        items = found.items() if isinstance(found, Mapping) else ()
        return [({label: str(name)}, float(value)) for name, value in items if isinstance(value, int | float)]

    return values


def _budget(pulse: Mapping[str, Any]) -> Values:
    budget = pulse.get("budget") or {}
    per, seconds = budget.get("per"), budget.get("seconds")
    return [(_NO_LABELS, per * 86400.0 / seconds)] if per and seconds else []


METRICS = (
    Metric("sought_crawl_running", "gauge", "1 while a crawl runs.", _one("running")),
    Metric("sought_crawl_paused", "gauge", "1 while the crawl is paused.", _one("paused")),
    Metric("sought_pulse_timestamp_seconds", "gauge", "Time of the crawl's last report.", _one("time")),
    Metric("sought_urls_known", "gauge", "Known URLs, fetched or not.", _one("progress", "known")),
    Metric(
        "sought_fetches_total", "counter", "Answers by status or failure.", _each("outcome", "progress", "outcomes")
    ),
    Metric("sought_received_bytes_total", "counter", "Bytes received over the network.", _one("progress", "bytes")),
    Metric("sought_requests_in_flight", "gauge", "Requests not yet answered.", _one("progress", "in_flight")),
    Metric(
        "sought_hosts_waiting",
        "gauge",
        "Hosts with pages to fetch whose delay is not over.",
        _one("progress", "hosts_waiting"),
    ),
    Metric("sought_budget_fetches_per_day", "gauge", "Budget in fetches a day.", _budget),
    Metric("sought_budget_left", "gauge", "Fetches left in the current period of the budget.", _one("budget", "left")),
    Metric("sought_price", "gauge", "Worth of the last fetch that a week's budget buys.", _one("price")),
    Metric("sought_measured_fetches_total", "counter", "Fetches with a measured gain.", _one("progress", "measured")),
    Metric("sought_gain_total", "counter", "Gain of all measured fetches.", _one("progress", "gain")),
    Metric(
        "sought_to_gain",
        "gauge",
        "Expected gain of all pages that may be fetched now.",
        _each("pages", "demand", "to_gain"),
    ),
    Metric("sought_quality_ratio", "gauge", "Quality of the answers, between 0 and 1.", _one("demand", "quality")),
    Metric("sought_unanswered_ratio", "gauge", "Share of searches without a result.", _one("demand", "unanswered")),
    Metric("sought_poor_ratio", "gauge", "Share of searches with fewer than ten results.", _one("demand", "poor")),
    Metric("sought_queries", "gauge", "Distinct queries by which fetches are measured.", _one("demand", "queries")),
    Metric("sought_disk_bytes", "gauge", "Size of the crawl directory.", _one("progress", "disk")),
)
SERVER = {
    "sought_searches_total": "Searches answered.",
    "sought_searches_refused_total": "Searches refused because too many were waiting.",
    "sought_clicks_total": "Clicks recorded.",
    "sought_search_seconds": "Seconds from a search to its answer.",
}


def exposition(pulse: Mapping[str, Any], tally: ServerTally) -> str:
    """All metrics in Prometheus's text format."""
    return "".join(f"{line}\n" for metric in METRICS for line in _lines(metric, pulse)) + "".join(
        f"{line}\n" for line in _of_server(tally)
    )


def _lines(metric: Metric, pulse: Mapping[str, Any]) -> Iterator[str]:
    values = list(metric.values(pulse))
    if values:
        yield from _head(metric.name, metric.help, metric.kind)
        yield from (f"{metric.name}{_labels(labels)} {_number(value)}" for labels, value in values)


def _of_server(tally: ServerTally) -> Iterator[str]:
    counts = (tally.searches, tally.refused, tally.clicks)
    for name, value in zip(SERVER, counts, strict=False):
        yield from _head(name, SERVER[name], "counter")
        yield f"{name} {value}"
    name, seen = "sought_search_seconds", 0
    yield from _head(name, SERVER[name], "histogram")
    for bound, count in zip(BOUNDS, tally.buckets, strict=True):
        seen += count
        yield f'{name}_bucket{{le="{_number(bound)}"}} {seen}'
    yield f"{name}_sum {_number(tally.seconds)}"
    yield f"{name}_count {tally.searches}"


def _head(name: str, text: str, kind: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"


def _labels(labels: Labels) -> str:
    text = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{text}}}" if text else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return f"{value:.15g}" if isfinite(value) else f"{value:+}".replace("inf", "Inf").replace("+nan", "NaN")
