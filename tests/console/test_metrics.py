"""What Prometheus is told."""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.console.metrics import BOUNDS, METRICS, SERVER, ServerTally, exposition
from tests.testing.console_site import crawl_lighthouses, event, served

PULSE = {
    "running": True,
    "time": 1e9,
    "paused": False,
    "price": None,
    "budget": {"per": 600, "seconds": 3600.0, "left": 12},
    "progress": {"known": 7, "outcomes": {"200": 5, "timeout": 1}, "bytes": 9, "gain": 0.25},
    "demand": {"quality": 0.75, "to_gain": {"new": 1.5, "known": 0.5}},
}
LINE = re.compile(
    r'^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="([^"\\\n]|\\[\\"n])*"\})? (-?[0-9.e+-]+|[+-]Inf|NaN))$'
)


def told(text: str) -> dict[str, float]:
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line[0] != "#"}


def test_numbers_are_those_of_the_pulse():
    """What the pulse does not say is not told; a rate is told a day, whatever period it is kept in."""
    found = told(exposition(PULSE, ServerTally()))
    assert found["sought_crawl_running"] == 1
    assert found["sought_crawl_paused"] == 0
    assert found['sought_fetches_total{outcome="200"}'] == 5
    assert found["sought_budget_fetches_per_day"] == 14400
    assert found['sought_to_gain{pages="known"}'] == 0.5
    assert found["sought_quality_ratio"] == 0.75
    assert "sought_price" not in found
    assert "sought_queries" not in found


def test_searches_are_counted_by_their_time():
    """Buckets are cumulative, and a time on a bound is within it."""
    tally = ServerTally()
    for seconds in (0.0005, 0.001, 0.004, 9.0):
        tally.answered(seconds)
    tally.refused, tally.clicks = 2, 3
    found = told(exposition({}, tally))
    assert found['sought_search_seconds_bucket{le="0.001"}'] == 2
    assert found['sought_search_seconds_bucket{le="0.005"}'] == 3
    assert found['sought_search_seconds_bucket{le="2.5"}'] == 3
    assert found['sought_search_seconds_bucket{le="+Inf"}'] == found["sought_search_seconds_count"] == 4
    assert found["sought_search_seconds_sum"] == pytest.approx(9.0055)
    assert (found["sought_searches_refused_total"], found["sought_clicks_total"]) == (2, 3)
    assert len(tally.buckets) == len(BOUNDS)


@given(st.dictionaries(st.text(max_size=9), st.floats() | st.integers() | st.text() | st.none(), max_size=4))
def test_every_line_is_of_the_format(outcomes):
    """Whatever a host answers, or somebody writes into the pulse."""
    pulse = PULSE | {"progress": {"outcomes": outcomes}, "budget": None, "demand": "nothing"}
    lines = exposition(pulse, ServerTally()).removesuffix("\n").split("\n")
    assert all(LINE.match(line) for line in lines), [line for line in lines if not LINE.match(line)]


def test_the_dashboard_shows_what_is_told():
    """Every name in the Grafana file is one of ours, and every panel says what it shows."""
    dashboard = json.loads((files("sought.console") / "grafana.json").read_text())
    names = {metric.name for metric in METRICS} | set(SERVER)
    panels = dashboard["panels"]
    used = {
        name for panel in panels for target in panel["targets"] for name in re.findall(r"sought_\w+", target["expr"])
    }
    assert used
    assert {re.sub("_bucket$", "", name) for name in used} <= names
    assert all(panel["title"] and panel["description"] for panel in panels)


def test_every_name_is_documented():
    """In docs/reference/metrics.md, with the same words."""
    text = (Path(__file__).parents[2] / "docs" / "reference" / "metrics.md").read_text()
    documented = dict(re.findall(r"^\| `(sought_\w+)[^|]*\| (?:\w+) \| ([^|]+) \|$", text, re.MULTILINE))
    assert documented == {metric.name: metric.help for metric in METRICS} | SERVER


def test_searches_of_a_server_are_counted(tmp_path: Path):
    """As they are answered; clicks as they are recorded."""
    path = crawl_lighthouses(tmp_path / "crawl")
    with served(path) as server:
        found = json.loads(server.get("/api/search", q="lighthouse").body)
        server.post("/api/events", event(found["query_id"], url=found["hits"][0]["url"]))
        numbers = told(server.get("/metrics").body.decode())
    assert numbers["sought_searches_total"] == numbers["sought_search_seconds_count"] == 1
    assert numbers["sought_clicks_total"] == 1
    assert numbers["sought_crawl_running"] == 0
