"""Importers: every format, every kind of mistake in a file, and never half a file."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sought.demand import DAY, Format, QueryLog, Search, import_file
from sought.demand.frames import tallies_in_force
from sought.demand.values import today
from sought.web.errors import BadInput

NOW = 1_700_000_000.0  # 2023-11-14
TODAY = date(2023, 11, 14)
A, B = "https://example.org/a", "https://example.org/b"
MONDAY = date(2022, 1, 3)
THOROUGHLY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def log(tmp_path):
    return QueryLog(tmp_path / "queries")


@pytest.fixture
def file(tmp_path):
    """Write a file of this name."""

    def make(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def lines(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def test_a_plain_table(log, file):
    """query, count, from: a rate from that day on."""
    done = import_file(log, file("q.tsv", 'query\tcount\tfrom\nrunning "comets\t3\t2022-01-03\ntail\t2.5\t\n'), now=NOW)
    assert (done.format, done.rows, done.tallies, done.bad) == ("tsv", 2, 2, 0)
    assert log.tallies().rows() == [('running "comets', MONDAY, 3.0, "", 0.0), ("tail", TODAY, 2.5, "", 0.0)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", "query,count,from\ncomet,3,2022-01-03\n"),
        ("q.csv", '\ufeffFrom,Query,Other,COUNT\r\n2022-01-03,"comet",x,3\r\n'),
        ("q.csv", "query;count;from\ncomet;3;2022-01-03\n"),
        ("q.txt", "comet\t3\t2022-01-03\n"),
        ("q", "comet,3,2022-01-03T00:00:00\n"),
        ("q.csv", "query,count,from\n\n\r\ncomet,3,2022-01-03"),
        ("q.csv.gz", gzip.compress(b"query,count,from\ncomet,1,2022-01-03\ncomet,2,2022-01-03\n", mtime=0)),
        ("wrong-name.parquet", "query\tcount\tfrom\n\n comet \t3\t2022-01-03\n"),
    ],
)
def test_many_ways_to_write_a_table(log, file, name, content):
    """With or without a header, columns in any order, three separators, a byte order mark, compressed."""
    done = import_file(log, file(name, content), now=NOW)
    assert done.bad == 0
    assert log.tallies().rows() == [("comet", MONDAY, 3.0, "", 0.0)]


def test_lines_of_one_query_add_up(log, file):
    """Without a URL counts add up; with URLs the count is repeated and the clicks add up."""
    content = f"query,count,url,clicks\na,1,,\na,2,,\nb,10,{A},4\nb,10,{B},1\nb,9,{A},2\n"
    import_file(log, file("q.csv", content), now=NOW)
    expected = [("a", TODAY, 3.0, "", 0.0), ("b", TODAY, 10.0, A, 6.0), ("b", TODAY, 10.0, B, 1.0)]
    assert log.tallies().rows() == expected


def test_importing_twice_changes_nothing(log, file):
    """Tallies are statements, not increments."""
    path = file("q.csv", f"query,count,url,clicks\na,1,,\na,2,,\nb,10,{A},4\n")
    import_file(log, path, now=NOW)
    once, stamp = log.tallies(), log.stamp()
    import_file(log, path, now=NOW)
    assert log.tallies().equals(once)
    assert log.stamp() == stamp


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.csv", f"query,count,url,clicks\na,1,,\na,2,,\nb,10,{A},4\nb,10,{B},1\n"),
        ("q.csv", "query,count,from\na,3,\na,7,2023-11-01\nb,1,2022-01-03\nb,2,2023-01-03\nb,3,\n"),
        ("anything.csv", "Top queries,Clicks,Impressions,CTR,Position\ncomet,5,280,1.79%,3.4\n"),
    ],
)
def test_importing_on_another_day_changes_nothing(log, file, name, content):
    """A table that names no day is no news as long as it says what is in force; nor are the lines that do."""
    path = file(name, content)
    import_file(log, path, now=NOW)
    once, stamp = log.tallies(), log.stamp()
    for days in (1, 2, 50, 400):
        import_file(log, path, now=NOW + days * DAY)
    assert log.tallies().filter(pl.col("day") > TODAY).is_empty()
    assert in_force_on(log, NOW + 400 * DAY) == in_force_on(log, NOW)
    if "from" not in content:  # of dated lines some are forgotten by then
        assert log.tallies().equals(once)
        assert log.stamp() == stamp


def in_force_on(log, now):
    return tallies_in_force(log.tallies(), today(now)).rows()


def test_what_changed_in_a_table_without_dates_is_all_that_is_added(log, file):
    """A query with another count, or with other clicks, begins anew, with all its URLs; the others stay."""
    content = f"query,count,url,clicks\na,3,,\nb,10,{A},4\nb,10,{B},1\nc,5,{A},1\nc,5,{B},1\n"
    import_file(log, file("q.csv", content), now=NOW)
    once = log.tallies().rows()
    changed = content.replace(f"b,10,{B},1", f"b,10,{B},2").replace(f"c,5,{B},1\n", "")
    import_file(log, file("q.csv", changed), now=NOW + DAY)
    day = date(2023, 11, 15)
    added = [("b", day, 10.0, A, 4.0), ("b", day, 10.0, B, 2.0), ("c", day, 5.0, A, 1.0)]
    assert log.tallies().rows() == sorted([*once, *added])
    assert [len(pl.read_parquet(path)) for path in sorted(log.folder.glob("*tallies.parquet"))] == [5, 3]


def test_a_count_that_comes_back_is_news(log, file):
    """What is compared is what is in force, not what once was; a dated line stands for its day in any case."""
    for days, count in ((0, 3), (1, 5), (2, 3)):
        import_file(log, file("q.csv", f"query,count\na,{count}\n"), now=NOW + days * DAY)
    assert log.tallies()["count"].to_list() == [3.0, 5.0, 3.0]
    import_file(log, file("q.csv", "query,count,from\na,3,2023-11-18\n"), now=NOW + 4 * DAY)
    assert log.tallies()["count"].to_list() == [3.0, 5.0, 3.0, 3.0]


def test_the_file_itself_may_replace_what_was_in_force(log, file):
    """An undated line that repeats the log, but not a newer dated line beside it, is news."""
    import_file(log, file("q.csv", "query,count,from\na,3,2023-10-01\n"), now=NOW)
    import_file(log, file("q.csv", "query,count,from\na,7,2023-11-01\na,3,\n"), now=NOW)
    assert in_force_on(log, NOW) == [("a", 3.0)]


def test_history_that_would_be_forgotten_is_not_taken_in(log, file):
    """Importing it twice changes nothing, though the log does not keep all of it."""
    path = file("q.csv", "query,count,from\na,3,2020-01-01\na,4,2021-01-01\na,5,2023-11-01\na,6,2033-01-01\n")
    import_file(log, path, now=NOW)
    stamp = log.stamp()
    assert log.tallies()["count"].to_list() == [4.0, 5.0, 6.0]
    import_file(log, path, now=NOW)
    assert log.stamp() == stamp


QUERY = {
    "query_id": "q1",
    "user_query": "comet",
    "timestamp": "2023-11-14T00:00:00Z",
    "query_response_hit_ids": [A, "7"],
}
CLICK = {
    "action_name": "click",
    "query_id": "q1",
    "timestamp": "2023-11-14T00:00:10.5Z",
    "event_attributes": {"object": {"object_id": A, "object_id_field": "url"}, "position": {"ordinal": 1}},
}
MIDNIGHT = 1699920000.0


def test_ubi(log, file):
    """Queries and events join by the hash of the query id; who asked is nowhere in the log."""
    who = {"client_id": "SECRET", "session_id": "SECRET", "user_id": "SECRET", "query_attributes": {"ip": "SECRET"}}
    done = import_file(log, file("ubi.jsonl", lines({**QUERY, **who}, {**CLICK, **who, "message": "SECRET"})), now=NOW)
    assert (done.format, done.searches, done.events, done.bad) == ("ubi", 1, 1, 0)
    [(search, query, moment, shown)] = log.searches().rows()
    assert (query, moment, shown) == ("comet", MIDNIGHT, [A, "7"])
    assert log.events().rows() == [(search, "click", A, 1, MIDNIGHT + 10.5)]
    for path in log.folder.glob("*.parquet"):
        assert "SECRET" not in str(pl.read_parquet(path).to_dicts())
        assert "q1" not in str(pl.read_parquet(path).to_dicts())


@pytest.mark.parametrize(
    "query",
    [
        {"timestamp": 1699920000000},
        {"timestamp": 1699920000},
        {"timestamp": "1699920000000"},
        {"timestamp": "2023-11-14T00:00:00"},
        {"timestamp": "2023-11-14T01:00:00+01:00"},
        {"query_response_hit_ids": None, "query_response_objects_ids": [A, 7]},
        {"query_response_hit_ids": [A, 7], "more": {"deep": [1]}},
    ],
)
def test_ubi_is_read_leniently(log, file, query):
    """Times and ids as they occur in the wild, bare or as OpenSearch dumps documents."""
    document = {**QUERY, **query}
    if document["query_response_hit_ids"] is None:
        del document["query_response_hit_ids"]
    dumped = lines({"index": {"_id": "1"}}, {"_index": "ubi_queries", "_source": document})
    for content in (lines(document), dumped):
        import_file(log, file("ubi.jsonl", "\ufeff" + content), now=NOW)
        assert [row[1:] for row in log.searches().rows()] == [("comet", MIDNIGHT, [A, "7"])]


def test_ubi_in_two_files(log, file, tmp_path):
    """A folder with ubi_queries and ubi_events is one import; what is no view or click is no mistake."""
    (tmp_path / "dump").mkdir()
    file("dump/ubi_queries.jsonl", lines(QUERY))
    view, other = {**CLICK, "action_name": "impression"}, {"action_name": "login", "timestamp": 1}
    file("dump/ubi_events.jsonl.gz", gzip.compress(lines(CLICK, view, other, {"action_name": "click"}).encode()))
    done = import_file(log, tmp_path / "dump", now=NOW)
    assert (done.searches, done.events, done.other, done.bad) == (1, 2, 1, 1)
    assert done.first_bad == (("ubi_events.jsonl.gz", 4, "no query_id"),)


def test_a_search_without_an_id_counts_once_too(log, file):
    """It is known by what it is."""
    bare = {key: value for key, value in QUERY.items() if key != "query_id"}
    for content in (lines(bare), lines(bare, {**bare, "timestamp": "2023-11-14T00:00:01Z"})):
        import_file(log, file("ubi.jsonl", content), now=NOW)
    assert len(log.searches()) == 2


def test_searches_beyond_retention_are_not_taken_in(log, file):
    """What would be deleted at once is counted apart."""
    done = import_file(log, file("ubi.jsonl", lines(QUERY, {**QUERY, "query_id": "q2", "timestamp": 1e9})), now=NOW)
    assert (done.searches, done.expired, done.bad) == (1, 1, 0)
    assert len(log.searches()) == 1


def test_searches_of_the_future_are_bad_rows(log, file):
    """They would outlive the retention time; a clock or a zone may be a day off.  A tally may begin when it likes."""
    ahead = [{**QUERY, "query_id": str(days), "timestamp": NOW + days * DAY} for days in (0.9, 1.1, 3000)]
    content = lines(*ahead, CLICK, {**CLICK, "timestamp": "2033-01-01T00:00:00Z"})
    done = import_file(log, file("ubi.jsonl", content), now=NOW)
    assert (done.searches, done.events, done.bad) == (1, 1, 3)
    assert done.first_bad[-1] == ("ubi.jsonl", 5, "in the future: 2033-01-01")
    done = import_file(log, file("q.csv", "query,count,from\ncomet,3,2033-01-01\n"), now=NOW)
    assert (done.tallies, done.bad) == (1, 0)


CONSOLE = "Top queries,Clicks,Impressions,CTR,Position\ncomet,5,280,1.79%,3.4\ntail,0,28,0%,10\n"
GERMAN = 'Häufigste Suchanfragen,Klicks,Impressionen,CTR,Position\ncomet,5,280,"1,79 %","3,4"\ntail,0,28,0%,10\n'
DATES = "Date,Clicks,Impressions,CTR,Position\n2023-10-01,1,2,50%,1\n2023-10-28,1,2,50%,1\n"
COUNTRIES = "Land,Klicks,Impressionen,CTR,Position\nDeutschland,5,308,1%,3\n"
PAGES = f"Seiten,Klicks,Impressionen,CTR,Position\n{A},5,308,1%,3\n"


@pytest.mark.parametrize("table", [CONSOLE, GERMAN])
def test_search_console_table(log, file, table):
    """Known by its shape in any language; impressions of three months become a weekly rate."""
    done = import_file(log, file("anything.csv", table), now=NOW)
    assert (done.format, done.tallies, done.bad) == ("search-console", 2, 0)
    assert log.tallies().rows() == [("comet", TODAY, 280 / 13, "", 0.0), ("tail", TODAY, 28 / 13, "", 0.0)]


@pytest.mark.parametrize(
    "members",
    [
        {"Chart.csv": DATES, "Queries.csv": CONSOLE, "Countries.csv": COUNTRIES, "Filters.csv": "Filter,Value\n"},
        {"Länder.csv": "", "Diagramm.csv": DATES, "Suchanfragen.csv": GERMAN, "Seiten.csv": PAGES, "L.csv": COUNTRIES},
        {"Countries.csv": COUNTRIES, "Queries.csv": CONSOLE, "Dates.csv": DATES},
    ],
)
def test_search_console_zip(log, tmp_path, members):
    """The .zip says of which days its numbers are: the rate is known from the day after."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    done = import_file(log, tmp_path / "export.zip", now=NOW)
    assert (done.format, done.tallies, done.bad) == ("search-console", 2, 0)
    day = date(2023, 10, 29)
    assert log.tallies().rows() == [
        ("comet", day, pytest.approx(70.0), "", 0.0),
        ("tail", day, pytest.approx(7.0), "", 0.0),
    ]


@pytest.mark.parametrize("last", ["2023-11-16", "9999-12-31"])
def test_search_console_of_the_future(log, tmp_path, last):
    """Nobody has measured the days to come: one line says so."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("Queries.csv", CONSOLE)
        archive.writestr("Dates.csv", DATES + f"{last},1,2,50%,1\n")
    with pytest.raises(BadInput, match=f"future.*{last}"):
        import_file(log, tmp_path / "export.zip", now=NOW)
    assert log.tallies().is_empty()


def test_parquet_table(log, tmp_path):
    """The columns of the plain table, whatever their types."""
    table = pl.DataFrame(
        {"query": ["comet", "tail", None], "count": [3, 2, 1], "from": [MONDAY, None, None], "x": [1, 2, 3]}
    )
    table.write_parquet(tmp_path / "q.parquet")
    done = import_file(log, tmp_path / "q.parquet", now=NOW)
    assert (done.format, done.tallies, done.first_bad) == ("parquet", 2, (("q.parquet", 3, "no query"),))
    assert log.tallies().rows() == [("comet", MONDAY, 3.0, "", 0.0), ("tail", TODAY, 2.0, "", 0.0)]


def test_bad_rows_are_counted_and_the_first_shown(log, file):
    """The good rows of a file are taken in; of the bad ones the first five are shown with their lines."""
    bad = ["comet,x,", ",3,", f"{'x' * 1001},3,", "comet,3,yesterday", "comet,-1,", "comet,3,,,", "comet", "comet,inf,"]
    content = b"query,count,from\ngood,1,\n" + "\n".join(bad).encode() + b"\nc\xf6met,1,\nbest,2,\n"
    done = import_file(log, file("q.csv", content), now=NOW)
    assert (done.rows, done.tallies, done.bad) == (11, 2, 9)
    assert [line for _, line, _ in done.first_bad] == [3, 4, 5, 6, 7]
    for (_, _, what), expected in zip(
        done.first_bad, ("count is no number: 'x'", "no query", "1,000", "date", "range"), strict=True
    ):
        assert expected in what
    assert log.tallies()["query"].to_list() == ["best", "good"]


def test_a_quote_left_open_costs_one_row(log, file):
    """A row is one line: whatever its quotes, the rows behind it are read."""
    rows = [f"query {number},1" for number in range(5000)]
    rows[10], rows[20], rows[4999] = '"comet,1', 'a,"1', '"'
    done = import_file(log, file("q.csv", "query,count\n" + "\n".join(rows)), now=NOW)
    assert (done.rows, done.tallies, done.bad) == (5000, 4997, 3)
    assert done.first_bad == tuple(("q.csv", line, "a quote is not closed") for line in (12, 22, 5001))


@pytest.mark.parametrize("separator", [",", ";"])
def test_quotes_of_a_spreadsheet(log, file, separator):
    """Separators and doubled quotes in quotes are part of the query; so are quotes inside of a word."""
    written = ['"a, b"', '"c; d"', '"say ""hi"", all"', '"""e"""', '5" nail', '"f" g']
    content = "\r\n".join(["query,count".replace(",", separator), *(f"{each}{separator}1" for each in written), ""])
    done = import_file(log, file("q.csv", content), now=NOW)
    assert (done.tallies, done.bad) == (6, 0)
    expected = ["a, b", "c; d", 'say "hi", all', '"e"', '5" nail', "f g"]
    assert sorted(log.tallies()["query"].to_list()) == sorted(expected)


TORN = gzip.compress(b"query\tcount\n" + random.Random(1).randbytes(20000).hex().encode(), mtime=0)[:-300]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("q.csv", "", "empty"),
        ("q.csv", "\ufeff\n", "empty"),
        ("q.csv", "word,number\na,b\n", "no column 'query'"),
        ("q.csv", "query,number\na,b\n", "no column 'count'"),
        ("q.tsv", "query\tcount\n".encode("utf-16"), "UTF-16"),
        (
            "q.tsv.gz",
            TORN,
            "cannot read",
        ),
        ("q.tsv.gz", b"\x1f\x8bnonsense", "cannot read"),
        ("q.parquet", b"PAR1" + b"x" * 100 + b"PAR1", "cannot read"),
        ("q.zip", b"PK\x03\x04nonsense", "no Search Console export"),
    ],
)
def test_a_file_that_cannot_be_read_changes_nothing(log, file, name, content, why):
    """One line says why, and the log is as it was."""
    log.record(Search("comet", NOW))
    before = log.stamp()
    with pytest.raises(BadInput, match=why):
        import_file(log, file(name, content), now=NOW)
    assert log.stamp() == before
    assert log.tallies().is_empty()


@pytest.mark.parametrize("form", Format)
def test_a_missing_file_is_said(log, tmp_path, form):
    """Whatever the format."""
    with pytest.raises(BadInput, match="nowhere"):
        import_file(log, tmp_path / "nowhere", form, NOW)
    with pytest.raises(BadInput, match="folder"):
        import_file(log, tmp_path, None, NOW)


def test_half_a_file_is_not_imported(log, file):
    """A file that breaks off in the middle leaves nothing, however much of it was good."""
    rows = "".join(f"query {number},{number}\n" for number in range(20_000)).encode()
    whole = gzip.compress(b"query,count\n" + rows, mtime=0)
    with pytest.raises(BadInput, match=r"cannot read .*: .*end"):
        import_file(log, file("q.csv.gz", whole[:-1000]), now=NOW)
    assert log.tallies().is_empty()
    assert not list(log.folder.glob("staging-*"))


def test_a_line_without_an_end_is_one_bad_row(log, file):
    """Lines are bounded."""
    content = b'{"user_query": "' + b"x" * (3 << 20) + b'"}\n' + lines(QUERY).encode()
    done = import_file(log, file("ubi.jsonl", content), now=NOW)
    assert (done.searches, done.bad, done.first_bad[0][1]) == (1, 1, 1)


IMPORTER = """
import os, signal, sys
from pathlib import Path
from sought.demand import Format, QueryLog, import_file, staging, store
staging._ROWS = 100
if sys.argv[3] == "commit":
    store.write_manifest = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
import_file(QueryLog(Path(sys.argv[1])), Path(sys.argv[2]), Format.UBI)
"""


@pytest.mark.parametrize("moment", ["reading", "commit"])
def test_kill_during_an_import_leaves_the_log_as_it_was(log, tmp_path, moment):
    """kill -9 in the middle of the file or of the commit: not a row is seen, and the next write cleans up."""
    log.record(Search("comet", time.time()))
    before, stamp = log.searches(), log.stamp()
    pipe = tmp_path / "ubi.jsonl"
    os.mkfifo(pipe)
    process = subprocess.Popen([sys.executable, "-c", IMPORTER, str(log.folder), str(pipe), moment])
    with pipe.open("w") as file:
        for number in range(1000):
            file.write(lines({**QUERY, "query_id": number, "timestamp": time.time()}))
        file.flush()
        if moment == "reading":
            while len(list(log.folder.glob("staging-*/*.parquet"))) < 5:
                assert process.poll() is None
                time.sleep(0.01)
            process.kill()
            process.wait()
    assert process.wait() == -signal.SIGKILL
    assert list(log.folder.glob("staging-*" if moment == "reading" else "*.parquet"))
    assert log.searches().equals(before)
    assert log.stamp() == stamp
    with log.writing() as staging:
        staging.add(Search("tail", NOW, (), 3))
    assert len(log.searches()) == 2
    assert not list(log.folder.glob("staging-*"))
    assert len(list(log.folder.glob("*.parquet"))) == 1


def survives(folder, path, form):
    """An import ends with figures or with BadInput."""
    log = QueryLog(folder / "queries")
    try:
        done = import_file(log, path, form, NOW)
    except BadInput as error:
        assert str(path.parent) in str(error)
    else:
        assert done.kept + done.expired + done.other + done.bad == done.rows
        assert len(done.first_bad) == min(done.bad, 5)


@pytest.mark.slow
@THOROUGHLY
@given(content=st.binary(max_size=400), form=st.sampled_from([None, *Format]))
def test_any_bytes(tmp_path_factory, content, form):
    """No file can make an importer raise anything but BadInput."""
    folder = tmp_path_factory.mktemp("any")
    (folder / "file").write_bytes(content)
    survives(folder, folder / "file", form)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["q1", A, 1.7e9]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted({*CLICK, *QUERY})), inner, max_size=3)
    ),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(
    st.sampled_from(sorted({*CLICK, *QUERY, "_source", "index", "object", "position"})), VALUES, max_size=6
)


@THOROUGHLY
@given(documents=st.lists(DOCUMENTS, max_size=5))
def test_any_ubi(tmp_path_factory, documents):
    """Documents with the right names and anything in them."""
    folder = tmp_path_factory.mktemp("any")
    mixed = [{**QUERY, **each} if number % 2 else {**CLICK, **each} for number, each in enumerate(documents)]
    (folder / "file").write_text(lines(*documents, *mixed))
    survives(folder, folder / "file", Format.UBI)


@pytest.mark.slow
@THOROUGHLY
@given(
    rows=st.lists(
        st.lists(st.text(max_size=6) | st.sampled_from(["3", "1%", "2022-01-03", "9999-12-31", '"']), max_size=6),
        max_size=5,
    )
)
def test_any_table(tmp_path_factory, rows):
    """Tables with anything in them, in every format of tables and in a .zip."""
    folder = tmp_path_factory.mktemp("any")
    for delimiter, form in (("\t", Format.TSV), (",", Format.CSV), (",", Format.SEARCH_CONSOLE)):
        for header in ("", delimiter.join(("query", "count", "from", "url", "clicks")) + "\n", CONSOLE):
            text = header + "\n".join(delimiter.join(row) for row in rows)
            (folder / "file").write_bytes(text.encode("utf-8", "surrogatepass"))
            survives(folder, folder / "file", form)
    with zipfile.ZipFile(folder / "zip", "w") as archive:
        archive.write(folder / "file", "Queries.csv")
        archive.writestr("Dates.csv", "Date\n" + "\n".join(row[0] for row in rows if row))
    survives(folder, folder / "zip", Format.SEARCH_CONSOLE)


GOOD: dict[str, list] = {
    "kind": ["search", "event", "tally"],
    "id": [1, 1, None],
    "query": ["a", None, "b"],
    "time": [NOW, NOW, None],
    "shown": [["a"], None, None],
    "action": [None, "view", None],
    "rank": [None, 1, None],
    "count": [None, None, 3.0],
    "from": [None, None, MONDAY],
    "url": [None, "a", A],
    "clicks": [None, None, 1],
}
ODD: list[list] = [
    [None] * 3,
    ["search", "event", "tally"],
    [1.5, -1.0, float("nan")],
    [True, False, None],
    [[1], [], None],
    [{"a": 1}] * 3,
    [b"\xff"] * 3,
    [MONDAY] * 3,
    [-1, 0, 2**40],
]


@pytest.mark.slow
@settings(THOROUGHLY, max_examples=12)  # each starts a process
@given(
    column=st.sampled_from(list(GOOD)),
    values=st.sampled_from(ODD),
    damage=st.none() | st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)),
)
def test_any_parquet(tmp_path_factory, column, values, damage):
    """Columns of any type, and files with a damaged byte."""
    folder = tmp_path_factory.mktemp("any")
    path = folder / "file"
    pl.DataFrame({**GOOD, column: values}, strict=False).write_parquet(path)
    if damage:
        data = bytearray(path.read_bytes())
        data[int(damage[0] * len(data))] = damage[1]
        path.write_bytes(data)
    survives(folder, path, Format.PARQUET)


def test_a_file_over_which_the_reader_dies(log, file, monkeypatch, tmp_path):
    """The library that reads Parquet may end its process over a damaged file: it is not ours that it ends."""
    deadly = tmp_path / "deadly"
    deadly.write_text("#!/bin/sh\nkill -ABRT $$\n")
    deadly.chmod(0o755)
    monkeypatch.setattr("sought.demand.parquet.sys.executable", str(deadly))
    path = file("q.parquet", b"PAR1" + b"x" * 100 + b"PAR1")
    with pytest.raises(BadInput, match="damaged, or not a Parquet file"):
        import_file(log, path)


@pytest.mark.slow
def test_the_worlds_are_clean(log):
    """Every line of the worlds' queries.tsv is taken in."""
    if "SOUGHT_WORLDS" not in os.environ:
        pytest.skip("SOUGHT_WORLDS does not name the folder of the worlds")
    found = sorted(Path(os.environ["SOUGHT_WORLDS"]).glob("*/queries.tsv"))
    assert found
    for path in found:
        done = import_file(log, path)
        assert (done.bad, done.tallies) == (0, len(path.read_text().splitlines()) - 1)
