"""What the server refuses, and how it says so; what a browser may do with its answers."""

import asyncio
import re
import shutil
import socket
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from starlette.responses import Response
from tantivy import DocAddress

from sought.console.assets import asset
from sought.console.connection import MAX_HEAD
from sought.console.refusals import UnexpectedErrors
from sought.console.searcher import Searcher
from sought.index import Index
from tests.testing.console_site import Served, crawl_lighthouses, event, served
from tests.testing.demand_site import write_config


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(crawl_lighthouses(tmp_path_factory.mktemp("console") / "crawl"), "search.example") as running:
        yield running


BAD = [
    ("/api/search", "at least one word"),
    ("/api/search?q=%20?!", "at least one word"),
    ("/api/search?q=" + "x" * 1001, "A query may have at most 1,000 characters"),
    ("/api/search?q=a%00b", "control characters"),
    ("/api/search?q=a&limit=0", "limit is a whole number from 1 to 100"),
    ("/api/search?q=a&limit=101", "limit is a whole number"),
    ("/api/search?q=a&limit=1e1", "limit is a whole number"),
    ("/api/search?q=a&offset=1001", "offset is a whole number from 0 to 1,000"),
    ("/api/search?q=a&offset=-1", "offset is a whole number"),
    ("/api/search?q=a&record=no", "record must be true or false"),
    ("/api/search?q=a&query_id=7", "No search has such a query_id"),
]


@pytest.mark.parametrize(("where", "said"), BAD, ids=[where[:40] for where, _ in BAD])
def test_bad_requests_are_told_what_is_wrong(server: Served, where: str, said: str) -> None:
    """One sentence of JSON and the status 400."""
    answer = server.get(where)
    assert answer.status == 400
    assert said in answer.data["error"]
    assert answer.data["error"].endswith(".")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 50_000,
        b"\xff",
        b"7",
        event("nonsense"),
        event("sought-0000000000000001", "bought"),
        event("sought-0000000000000001", rank=-1),
        event("sought-0000000000000001", rank=10**30),
        event("sought-0000000000000001", url="", rank=0),
        [event("sought-0000000000000001")] * 101,
    ],
    ids=range(11),
)
def test_bad_events_are_refused_whole(server: Served, body: object) -> None:
    before = server.log.events().height
    answer = server.post("/api/events", body)
    assert answer.status == 400, answer
    assert answer.data["error"].endswith(".")
    assert server.log.events().height == before


def test_pages_say_what_is_wrong_too(server: Served) -> None:
    """A person reads it on a page with the field, and the right status is there for programs."""
    for where, status, said in [
        ("/?q=" + "x" * 1001, 400, "at most 1,000 characters"),
        ("/?q=a%00b", 400, "control characters"),
        ("/?q=a&page=0", 400, "page is a whole number"),
        ("/?q=a&page=101", 400, "page is a whole number"),
        ("/nowhere", 404, "No such page"),
        ("/static/style.css", 404, "No such file"),
        ("/static/../app.py", 404, "No such"),
    ]:
        answer = server.get(where)
        assert answer.status == status
        assert said in answer.text
        assert "<form" in answer.text
    assert server.get("/api/nowhere").data == {"error": "No such page."}
    assert server.ask("/api/events").status == 405


def test_sizes_are_bounded(server: Served) -> None:
    """A body beyond 64 KiB, a head beyond 32 KiB in one piece or in many, a body that lies about its length."""
    assert server.post("/api/events", b"[" + b" " * (64 << 10) + b"]").status == 413
    assert server.get("/", headers={"X_Long": "x" * (MAX_HEAD + 1)}).status == 431
    assert server.get("/", headers={"X_Long": "x" * (MAX_HEAD // 2)}).status == 200
    with socket.create_connection(("127.0.0.1", server.port), 20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Endless: ")
        try:
            for _ in range(1000):
                connection.sendall(b"x" * 1024)
                time.sleep(0)
            answer = connection.recv(100)
        except ConnectionError:
            answer = b"HTTP/1.1 431"  # the server closed before it was read
    assert answer.startswith(b"HTTP/1.1 431")
    assert server.get("/").status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "", "127.0.0.1.evil.example", "[::2]", "localhost."]
)
def test_other_names_are_not_answered(server: Served, host: str) -> None:
    """Against DNS rebinding: a name that leads here is not enough."""
    answer = server.get("/api/search?q=lamp", headers={"Host": host.format(port=server.port)})
    assert answer.status == 421
    assert "--allow-host" in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:{port}", "127.0.0.1", "[::1]:{port}", "search.example"])
def test_its_own_names_are_answered(server: Served, host: str) -> None:
    assert server.get("/", headers={"Host": host.format(port=server.port)}).status == 200


def test_other_sites_cannot_send_events(server: Served) -> None:
    """What a browser sends on behalf of another site is refused, by either header that says so."""
    good = event("sought-0000000000000001")
    for headers in [{"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Origin": "http://evil.example"},
                    {"Origin": "null"}]:  # fmt: skip
        assert server.post("/api/events", good, **headers).status == 403
    own = {"Origin": server.url, "Sec_Fetch_Site": "same-origin"}
    assert server.post("/api/events", good, **own, DNT="1").status == 204


def test_every_answer_carries_the_policy(server: Served) -> None:
    """Pages, data, files, complaints and refusals: nothing foreign runs, nothing is sniffed, framed or referred."""
    for answer in [
        server.get("/"),
        server.get("/", q="lamp"),
        server.get("/api/search", q="lamp", record="false"),
        server.get(asset("search.js")),
        server.get("/nowhere"),
        server.get("/", headers={"Host": "evil.example"}),
    ]:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers


def test_files_can_be_kept_for_ever_and_answers_cannot(server: Served) -> None:
    """A file's name changes with its content; a page may be shown again to who comes back to it, but not otherwise."""
    page = server.get("/").text
    for where in re.findall(r'(?:href|src)="(/static/[^"]+)"', page):
        answer = server.get(where)
        assert answer.status == 200
        assert "immutable" in answer.headers["cache-control"]
    assert server.get("/").headers["cache-control"] == "private, no-cache"
    assert server.get("/api/suggest").headers["cache-control"] == "no-store"


def test_a_hostile_page_is_shown_as_text(server: Served) -> None:
    """Title, snippet and address that try to be HTML come out escaped."""
    page = server.get("/", q="evil words").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>" not in page
    assert "<img" not in page
    assert not re.search(r'href="(?!http://127|/)', page)
    [hit] = server.get("/api/search", q='"evil words"', record="false").data["hits"]
    assert "<script>alert(1)</script>" in hit["title"]


def test_a_search_that_takes_too_long_is_told_when_to_try_again(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """503 with Retry-After, for people and programs."""
    monkeypatch.setattr("sought.console.search_service.Searcher", partial(Searcher, seconds=0.0))
    with served(server.path) as hurried:
        page, data = hurried.get("/", q="lamp"), hurried.get("/api/search", q="keepers")
    assert (page.status, page.headers["retry-after"], "took too long" in page.text) == (503, "1", True)
    assert (data.status, data.headers["retry-after"], "took too long" in data.data["error"]) == (503, "1", True)
    assert not caplog.records


def test_trouble_is_for_the_operator(server: Served, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A damaged index is status 503; the log names it, the answer names no folder."""
    path = write_config(tmp_path / "crawl")
    shutil.copytree(server.path / "index", path / "index")
    (path / "index" / "meta.json").write_text("damage")
    with served(path) as damaged:
        answer = damaged.get("/api/search", q="lamp")
    assert (answer.status, "DIR/index" in answer.text) == (503, True)
    assert str(tmp_path) not in answer.text
    assert str(tmp_path) in caplog.text


@pytest.mark.slow
def test_trouble_on_the_console_is_told_alike(server: Served, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Settings that cannot be read: the log says which, pages of the console name no folder."""
    path = shutil.copytree(server.path, tmp_path / "crawl")
    (path / "settings.json").write_text("damage")
    with served(path) as damaged:
        for where in ("/console/budget", "/console/host?h=a.example"):
            answer = damaged.get(where)
            assert (answer.status, "DIR/settings.json" in answer.text, str(path) in answer.text) == (503, True, False)
        answer = damaged.get("/console")
        assert (answer.status, "DIR/settings.json" in answer.text, str(path) in answer.text) == (200, True, False)
    assert str(path / "settings.json") in caplog.text


def test_an_unexpected_error_is_an_ordinary_answer(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Status 500 with all headers and nothing of what happened, which is in the log; the server goes on."""
    monkeypatch.setattr(Searcher, "search", lambda *_: 1 // 0)
    page, data = server.get("/", q="surprising lamp"), server.get("/api/search", q="surprising lamp")
    for answer in (page, data):
        assert (answer.status, "Internal error" in answer.text, "division" in answer.text) == (500, True, False)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert data.headers["content-type"] == "application/json"
    assert caplog.text.count("ZeroDivisionError") >= 2
    monkeypatch.undo()
    assert server.get("/", q="surprising lamp").status == 200


def test_an_unexpected_error_is_one_entry_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever is asked for: a path cannot make up another."""

    async def surprising(*_: object) -> None:
        raise ZeroDivisionError

    async def nothing(*_: object) -> None:
        pass

    scope = {"type": "http", "path": "/x\nERROR all is lost\x1b[2J"}
    asyncio.run(UnexpectedErrors(surprising, lambda _: Response())(scope, nothing, nothing))  # type: ignore[arg-type]  # no server
    [entry] = caplog.records
    assert entry.getMessage() == r"'/x\nERROR all is lost\x1b[2J': unexpected error"


def test_a_panic_of_the_search_engine_is_one_too(
    server: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What a library in Rust raises then is no `Exception`."""

    async def panics(*_: object) -> None:
        index = Index.open(server.path / "index", writable=False)
        index._index.searcher().doc(DocAddress(99, 0))

    monkeypatch.setattr(Searcher, "search", panics)
    monkeypatch.setattr(Searcher, "pages", panics)
    for answer in (server.get("/", q="panic"), server.get("/api/search", q="panic"), server.get("/")):
        assert (answer.status, "Internal error" in answer.text, "bounds" in answer.text) == (500, True, False)
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "PanicException" in caplog.text
    monkeypatch.undo()
    assert server.get("/api/search", q="panic").status == 200
