"""What is exported can be imported again, and is what the formats' own rules say."""

import json
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.demand import Action, Event, Format, QueryLog, Search, Tally, export_file, import_file
from sought.demand.formats import format_for
from sought.demand.rows import checked
from sought.web.errors import BadInput

NOW = 1_700_000_000.0
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12) | st.sampled_from(['"a, b"', "=1+1", "a;b", "'"])
HITS = st.text(max_size=8) | st.sampled_from(["https://example.org/ü?a=b", "https://example.org/" + "x" * 300, "7"])
TIMES = st.floats(NOW - 80 * 86400, NOW)
DAYS = st.dates(date(1970, 1, 1), date(2100, 1, 1))
SEARCHES = st.builds(Search, TEXTS, TIMES, st.lists(HITS, max_size=4).map(tuple), st.integers(1, 2**64 - 1))
EVENTS = st.builds(Event, st.integers(1, 2**64 - 1), st.sampled_from(Action), TIMES, HITS, st.integers(0, 100))
TALLIES = st.builds(Tally, TEXTS, st.floats(0, 1e9), DAYS, HITS, st.integers(0, 1000).map(float))
OFTEN = settings(max_examples=25, deadline=None)


def filled(folder, rows):
    log = QueryLog(folder)
    with log.writing() as staging:
        for row in rows:
            try:
                staging.add(checked(row))
            except BadInput:
                continue
    log.forget(NOW)  # tallies that were replaced long ago are not taken in again
    return log


def content(log):
    return log.searches().rows(), log.events().sort(pl_all).rows(), log.tallies().rows()


pl_all = ["id", "action", "url", "rank", "time"]


def round_trip(folder, log, form, name):
    export_file(log, folder / name, form)
    copy = QueryLog(folder / f"{name}.queries")
    done = import_file(copy, folder / name, form, NOW)
    assert (done.bad, done.expired, done.other) == (0, 0, 0)
    return content(copy)


@pytest.mark.slow
@settings(OFTEN, max_examples=8)  # each starts a process
@given(st.lists(SEARCHES, max_size=12), st.lists(EVENTS, max_size=12), st.lists(TALLIES, max_size=12))
def test_parquet_carries_everything(tmp_path_factory, searches, events, tallies):
    """import(export(x)) == x."""
    folder = tmp_path_factory.mktemp("log")
    log = filled(folder / "queries", [*searches, *events, *tallies])
    assert round_trip(folder, log, Format.PARQUET, "all.parquet") == content(log)


@OFTEN
@given(st.lists(SEARCHES, max_size=4), st.lists(EVENTS, max_size=4))
def test_ubi_carries_searches_and_events(tmp_path_factory, searches, events):
    """import(export(x)) == x for all but tallies; importing the export where it came from changes nothing."""
    folder = tmp_path_factory.mktemp("log")
    log = filled(folder / "queries", [*searches, *events])
    before = content(log)
    assert round_trip(folder, log, Format.UBI, "ubi") == before
    import_file(log, folder / "ubi", now=NOW)
    assert content(log) == before


@pytest.mark.slow
@OFTEN
@given(st.lists(TALLIES, min_size=1, max_size=6))
def test_tables_carry_tallies(tmp_path_factory, tallies):
    """import(export(x)) == x, to the last bit of a count, for all but searches and events."""
    folder = tmp_path_factory.mktemp("log")
    log = filled(folder / "queries", tallies)
    assert round_trip(folder, log, Format.TSV, "q.tsv") == content(log)
    assert round_trip(folder, log, Format.CSV, "q.csv") == content(log)


def test_ubi_is_written_strictly(tmp_path):
    """Every line obeys schema/1.3.0: names, types, lengths, required fields."""
    long = "https://example.org/" + "x" * 300
    log = filled(
        tmp_path / "queries",
        [
            Search("comet", NOW + 0.5, ("https://example.org/a", long), 5),
            Search("tail", NOW, (), 2**64 - 1),
            Event(5, Action.VIEW, NOW, "https://example.org/a", 1),
            Event(5, Action.CLICK, NOW, long, 2),
            Event(5, Action.CLICK, NOW, "", 3),
            Event(5, Action.CLICK, NOW, "b", 0),
        ],
    )
    assert export_file(log, tmp_path / "ubi", Format.UBI) == {"searches": 2, "events": 4, "tallies": 0, "left_out": 0}
    queries = [json.loads(line) for line in (tmp_path / "ubi" / "ubi_queries.jsonl").read_text().splitlines()]
    events = [json.loads(line) for line in (tmp_path / "ubi" / "ubi_events.jsonl").read_text().splitlines()]
    assert queries[1] == {
        "application": "sought",
        "query_id": "sought-0000000000000005",
        "user_query": "comet",
        "object_id_field": "url",
        "timestamp": "2023-11-14T22:13:20.500Z",
        "query_response_hit_ids": ["https://example.org/a", long],
    }
    for query in queries:
        assert all(isinstance(hit, str) for hit in query["query_response_hit_ids"])
        assert datetime.fromisoformat(query["timestamp"]).utcoffset() == timedelta(0)
    for event in events:
        assert event.keys() == {"application", "action_name", "query_id", "timestamp", "event_attributes"}
        assert event["action_name"] in ("view", "click")
        assert event["event_attributes"].keys() <= {"object", "position", "url"}
        assert event["event_attributes"]["position"].keys() == {"ordinal"}
        thing = event["event_attributes"].get("object", {"object_id": ""})
        assert isinstance(thing["object_id"], str)
        assert len(thing["object_id"]) <= 256


def test_an_export_says_what_it_leaves_out(tmp_path):
    """A format without a place for something says so; a file without a single row is not written."""
    log = filled(tmp_path / "queries", [Search("comet", NOW, (), 5), Tally("tail", 3, date(2022, 1, 3))])
    assert export_file(log, tmp_path / "q.csv", Format.CSV) == {"searches": 0, "events": 0, "tallies": 1, "left_out": 1}
    assert (tmp_path / "q.csv").read_text() == "query,count,from,url,clicks\ntail,3,2022-01-03,,\n"
    log.remove("tail")
    with pytest.raises(BadInput, match="choose ubi or parquet"):
        export_file(log, tmp_path / "none.csv", Format.CSV)
    with pytest.raises(BadInput, match="can be read"):
        export_file(log, tmp_path / "none.csv", Format.SEARCH_CONSOLE)
    assert not (tmp_path / "none.csv").exists()


def test_the_name_tells_the_format(tmp_path):
    """A folder is UBI; what nobody knows is refused."""
    assert [format_for(tmp_path / name) for name in ("a.TSV", "a.csv", "a.parquet", "a")] == [
        "tsv",
        "csv",
        "parquet",
        "ubi",
    ]
    with pytest.raises(BadInput, match="format"):
        format_for(tmp_path / "a.xlsx")
