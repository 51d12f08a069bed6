"""The search page and its API over real HTTP: what is answered, what is recorded, what is refused."""

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route

from sought.console import search_api
from sought.console.openapi import DOCUMENT
from sought.console.search_service import SearchService
from sought.demand import Search
from tests.testing.console_site import Served, crawl_lighthouses, event, served
from tests.testing.demand_site import write_config


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_lighthouses(tmp_path_factory.mktemp("console") / "crawl")


@pytest.fixture(scope="module")
def server(crawl: Path) -> Iterator[Served]:
    with served(crawl, "search.example") as running:
        yield running


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(write_config(tmp_path_factory.mktemp("console") / "fresh")) as running:
        yield running


def unrecorded(server: Served, **parameters: Any) -> Any:
    return server.get("/api/search", **parameters, record="false").data


# ---- what is answered


@pytest.mark.slow
def test_the_page_shows_what_was_found(server: Served) -> None:
    """Title, address, snippet with the words marked, when it was fetched, how many there are."""
    page = server.get("/", q="lighthouse keepers").text
    assert "<title>lighthouse keepers – Sought</title>" in page
    assert len(re.findall(r'<a href="http://127\.0\.0\.1:\d+/[\w-]+/\w+" rel="noreferrer" data-rank=', page)) == 10
    assert "<mark>lighthouse</mark>" in page
    assert re.search(r'<time datetime="20\d\d-\d\d-\d\dT[\d:]{8}Z" title="\d+ \w+ 20\d\d, [\d:]{8} UTC">just now', page)
    total = unrecorded(server, q="lighthouse keepers")["total"]
    assert f'<p class="count">{total} results</p>' in page


def test_the_page_and_the_api_agree_with_the_library(server: Served) -> None:
    """The same results in the same order; limit and offset walk through them."""
    import sought

    expected = [hit.url for hit in sought.open(server.path).search("lighthouse", 32).hits]
    assert [hit["url"] for hit in unrecorded(server, q="lighthouse", limit=32)["hits"]] == expected
    part = unrecorded(server, q="lighthouse", limit=5, offset=20)
    assert part["query_response_hit_ids"] == expected[20:25]
    assert [hit["position"]["ordinal"] for hit in part["hits"]] == [21, 22, 23, 24, 25]
    for number in (1, 2, 4):
        page = server.get("/", q="lighthouse", page=number, headers={"DNT": "1"}).text
        links = re.findall(r'<a href="([^"]+)" rel="noreferrer"', page)
        assert links == expected[10 * (number - 1) : 10 * number]


def test_when_there_is_nothing_to_show_the_page_says_what_to_do(server: Served, fresh: Served) -> None:
    """No query, no result, no page with all words, no further results, nothing crawled: each has its words."""
    assert "34 searchable pages" in server.get("/").text
    assert "34 searchable pages" in server.get("/", q="  ").text
    assert "No results for" in server.get("/", q="zzyzx").text
    assert "No results for" in server.get("/", q="?!").text
    assert "No page has all of these words" in server.get("/", q="lamp zzyzx").text
    assert "No more results" in server.get("/", q="lighthouse", page=50).text
    for page in (fresh.get("/"), fresh.get("/", q="lamp")):
        assert page.status == 200
        assert "Nothing has been crawled yet" in page.text
    assert fresh.get("/api/search", q="lamp").data["pages"] == 0
    assert not (fresh.path / "queries").exists()


def test_every_page_says_what_is_kept_and_for_how_long(server: Served) -> None:
    """`[demand] keep` of sought.toml, here seven days."""
    for page in (server.get("/"), server.get("/", q="lamp"), server.get("/", q="zzyzx")):
        assert "are kept for 7 days" in page.text
        assert "Do Not Track" in page.text


# ---- what is recorded


def test_a_search_is_recorded_with_what_was_shown(crawl: Path) -> None:
    """By the page and by the API alike: the query in one line, and the results in their order."""
    with served(crawl) as server:
        page = server.get("/", q=" Bell   Rock ").text
        told = server.get("/api/search", q="seals at low tide", limit=3).data
    [search] = re.findall('data-search="(sought-[0-9a-f]{16})"', page)
    rows = {f"sought-{row['id']:016x}": row for row in server.log.searches().to_dicts()}
    assert rows[search]["query"] == "Bell Rock"
    assert rows[search]["shown"] == re.findall(r'<a href="([^"]+)" rel="noreferrer"', page)
    assert rows[told["query_id"]]["shown"] == told["query_response_hit_ids"]
    assert len(told["hits"]) == 3


def test_further_pages_are_views_of_the_same_search(crawl: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Page 2 adds views with the ranks 11 to 20 and no search; without the search's id it leaves no trace."""
    with served(crawl) as server:
        before = server.log.events().height
        first = server.get("/", q="lighthouse tides").text
        [second] = re.findall(r'href="([^"]*page=2[^"]*)" rel="next"', first)
        page = server.get(second.replace("&amp;", "&")).text
        server.get("/", q="lighthouse tides", page=2)
        server.get("/", q="lighthouse tides", page=2, search="sought-nonsense")
        assert server.get("/api/search", q="lighthouse tides", offset=5).data["query_id"] is None
    [search] = re.findall('data-search="sought-([0-9a-f]{16})"', first)
    assert re.findall('data-search="sought-([0-9a-f]{16})"', page) == [search]
    assert server.log.searches()["query"].to_list().count("lighthouse tides") == 1
    events = server.log.events().to_dicts()
    views = sorted((row["rank"], row["action"], row["url"]) for row in events if row["id"] == int(search, 16))
    shown = re.findall(r'<a href="([^"]+)" rel="noreferrer"', page)
    assert views == [(rank, "view", url) for rank, url in enumerate(shown, 11)]
    assert len(events) == before + len(shown)
    assert not caplog.records


@pytest.mark.slow
@pytest.mark.parametrize(
    "headers",
    [
        {"DNT": "1"},
        {"Sec_GPC": "1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Purpose": "prefetch;prerender"},
        {"DNT": "0", "Sec_GPC": "1"},
    ],
)
def test_who_objects_is_not_recorded(crawl: Path, tmp_path: Path, headers: dict[str, str]) -> None:
    """Nor what nobody asked: requests of other sites, and prefetching.  The answer is the same, without an id."""
    own = shutil.copytree(crawl, tmp_path / "own")  # what other tests asked may be recorded only now
    with served(own) as server:
        before = server.log.stamp()
        assert "data-search" not in server.get("/", headers, q="lamp").text
        told = server.get("/api/search", headers, q="lamp").data
        assert (told["query_id"], told["total"]) == (None, 14)
        click = event("sought-00000000000000aa")
        if headers.get("Sec_Fetch_Site") is None:
            assert server.post("/api/events", click, **headers).status == 204
        assert server.ask("/?q=lamp", "HEAD").status == 200
        assert server.get("/api/search", q="lamp", record="false").data["query_id"] is None
    assert server.log.stamp() == before


def test_events_are_recorded_under_their_search(crawl: Path) -> None:
    """One or several, in UBI's form; when they happened is for the server to say."""
    with served(crawl) as server:
        search = server.get("/api/search", q="harbour ferries").data["query_id"]
        assert server.post("/api/events", event(search)).status == 204
        several = [event(search, "view", rank=rank) for rank in (1, 2)]
        assert server.post("/api/events", several).status == 204
    rows = [row for row in server.log.events().to_dicts() if row["id"] == int(search[7:], 16)]
    assert sorted((row["action"], row["rank"]) for row in rows) == [("click", 1), ("view", 1), ("view", 2)]
    assert all(abs(row["time"] - time.time()) < 600 for row in rows)


def test_what_has_outlived_its_time_is_deleted_when_the_server_starts(tmp_path: Path) -> None:
    """The page's promise holds without a crawl."""
    path = write_config(tmp_path / "crawl")
    log = Served(path, 0).log
    log.record(Search("new", time.time()))
    log.record(Search("old", time.time() - 8 * 86400))
    with served(path):
        deadline = time.monotonic() + 300
        while log.searches()["query"].to_list() != ["new"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def test_suggestions_are_what_several_searches_asked(tmp_path: Path) -> None:
    """Three searches or a tally, most frequent first, at most eight, in the most frequent spelling."""
    path = write_config(tmp_path / "crawl")
    log = Served(path, 0).log
    for query, times in {"Comet tail": 3, "comet TAIL": 1, "comet mine only": 2, "comets": 5, "cobalt": 3}.items():
        for _ in range(times):
            log.record(Search(query, time.time()))
    for number in range(10):
        for _ in range(4):
            log.record(Search(f"zebra {number}", time.time()))
    with served(path) as server:
        assert server.get("/api/suggest", q="COM").data == {"suggestions": ["comets", "Comet tail"]}
        assert server.get("/api/suggest", q="comet ").data["suggestions"] == ["Comet tail"]
        assert server.get("/api/suggest", q="  zebra").data["suggestions"] == [f"zebra {n}" for n in range(8)]
        assert server.get("/api/suggest").data["suggestions"] == []
        assert server.get("/api/suggest", q="x" * 5000).data["suggestions"] == []


# ---- what is documented


def test_the_openapi_document_describes_every_route_and_no_other(server: Served) -> None:
    routes = [route for route in search_api.routes(SearchService(server.path)) if isinstance(route, Route)]
    methods = {route.path: {m.lower() for m in route.methods or ()} - {"head"} for route in routes}
    document = server.get("/api/openapi.json").data
    assert {path: set(item) for path, item in document["paths"].items()} == methods
    assert document["openapi"].startswith("3.1")
    assert document == DOCUMENT


def test_answers_have_the_documented_fields(server: Served) -> None:
    """Exactly those of the schema, of the documented types."""
    answer = server.get("/api/search", q="lamp").data
    schemas = DOCUMENT["components"]["schemas"]
    check(answer, schemas["Answer"])
    assert len(answer["hits"]) == 10
    check(server.get("/api/search").data, schemas["Error"])


def check(value: object, schema: dict) -> None:
    """As much of JSON Schema as the document uses."""
    if "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    kinds: dict[str, Any] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "array": list,
        "object": dict,
    }
    if "const" in schema:
        assert value == schema["const"]
        return
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    assert any(isinstance(value, kinds[name]) for name in names), (value, schema)
    if isinstance(value, dict):
        assert value.keys() == schema["properties"].keys()
        for name, each in value.items():
            check(each, schema["properties"][name])
    elif isinstance(value, list):
        for each in value:
            check(each, schema["items"])


def test_every_documented_parameter_is_understood(server: Served) -> None:
    """Each bound of the document is one of the server: the last value is taken, the next is not."""
    for parameter in DOCUMENT["paths"]["/api/search"]["get"]["parameters"]:
        name, schema = parameter["name"], parameter["schema"]
        if "maximum" in schema:
            assert server.get("/api/search", q="lamp", record="false", **{name: schema["maximum"]}).status == 200
            assert server.get("/api/search", q="lamp", record="false", **{name: schema["maximum"] + 1}).status == 400


def test_the_documents_examples_run(crawl: Path) -> None:
    """Every `curl` of docs/reference/search-page.md is answered, and the answer shown has the fields of a real one."""
    text = (Path(__file__).parents[2] / "docs" / "reference" / "search-page.md").read_text()
    commands = re.findall(r"^\$ curl -s '([^']+)'(.*)$", text, re.M)
    assert len(commands) == 5
    with served(crawl) as server:
        for address, options in commands:
            where = address.removeprefix("http://127.0.0.1:8080")
            sent = re.search("-d '(.*)'$", options)
            answer = server.post(where, sent[1].encode()) if sent else server.get(where)
            assert answer.status == (204 if sent else 200), answer
        [shown] = re.findall(r"```json\n(.*?)```", text, re.S)
        check(json.loads(shown), DOCUMENT["components"]["schemas"]["Answer"])
    assert "click" in server.log.events()["action"].to_list()
