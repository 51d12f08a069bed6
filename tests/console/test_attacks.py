"""The server under attack, over real sockets: slow, oversized, broken and random requests."""

import json
import logging
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sought.console import connection, serving
from sought.console.assets import asset
from sought.console.capacity import MOST, Capacity
from sought.console.connection import MAX_BODY, MAX_HEAD
from tests.testing.console_site import Served, served
from tests.testing.demand_site import write_config

HOST = b"Host: localhost\r\n"
GET = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /api/events HTTP/1.1\r\n" + HOST


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_config(tmp_path_factory.mktemp("attacked") / "crawl")


@pytest.fixture(scope="module")
def server(path: Path) -> Iterator[Served]:
    with served(path) as running:
        yield running


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """No attack writes to the log."""
    yield
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


@contextmanager
def client(server: Served, sent: bytes = b"", *, end: bool = False) -> Iterator[socket.socket]:
    """A connection over which something was sent; `end`: and nothing more will be."""
    with socket.create_connection(("127.0.0.1", server.port), 60) as made:
        try:
            made.sendall(sent)
            if end:
                made.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # the server has had enough
        yield made


def heard(made: socket.socket) -> bytes:
    """All that the server says until it closes."""
    said = b""
    try:
        while data := made.recv(1 << 16):
            said += data
    except ConnectionError:
        pass
    return said


def answer(server: Served, sent: bytes, *, end: bool = False) -> bytes:
    with client(server, sent, end=end) as made:
        return heard(made)


def statuses(said: bytes) -> list[int]:
    return [int(each) for each in re.findall(rb"HTTP/1\.1 (\d{3}) ", said)]


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "waited for a minute"
        time.sleep(0.01)


def assert_own_form(said: bytes, status: int, *, for_program: bool = False) -> None:
    """One answer in the server's own form, with its headers, after which the connection was closed."""
    assert statuses(said) == [status], said[:300]
    head, _, body = said.partition(b"\r\n\r\n")
    assert b"\r\ncontent-security-policy: default-src 'none'; " in head
    assert b"\r\nx-content-type-options: nosniff" in head
    assert b"\r\nconnection: close" in head
    assert b"\r\ncontent-length: %d" % len(body) in head
    if for_program:
        assert b"\r\ncontent-type: application/json" in head
        assert json.loads(body)["error"].endswith(".")
    else:
        assert b"\r\ncontent-type: text/html" in head
        assert b'role="alert"' in body


# ---- slow


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [POST + b"Content-Length: 100\r\n\r\n{", b"GET / HTTP/1.1\r\nHo", b"", b"\r\n", GET + b"GET"],
    ids=["bodies", "heads", "nothing", "empty-lines", "second-requests"],
)
def test_slow_clients_keep_nobody_out(server: Served, sent: bytes) -> None:
    """More of them than the server has connections, all at once, and an ordinary client is answered at once."""
    with ExitStack() as slow:
        made = [slow.enter_context(client(server, sent)) for _ in range(MOST + 100)]
        for _ in range(3):
            assert server.get("/").status == 200
            assert server.get("/api/search", q="x").status == 200
        said = heard(made[0])  # who came first has waited longest
        if sent in (b"", b"\r\n"):
            assert said == b""
        else:
            assert statuses(said)[-1] == 408
    assert server.get("/").status == 200


def test_who_is_answered_is_not_closed_for_others() -> None:
    """Only connections that wait for their client are, the longest first."""
    closed: list[str] = []

    class Client:
        def __init__(self, name: str) -> None:
            self.name = name

        def evict(self) -> None:
            closed.append(self.name)

    capacity, clients = Capacity(3), [Client(name) for name in "abcdef"]
    a, b, c, d, e, f = clients
    for each in (a, b, c):
        assert capacity.enter(each)
        capacity.waits(each)
    capacity.works(a)
    capacity.waits(b)  # again: c has waited longer now
    assert capacity.enter(d)
    assert closed == ["c"]
    assert capacity.enter(e)
    assert closed == ["c", "b"]
    assert not capacity.enter(f)  # a, d and e work
    capacity.leave(f)
    capacity.waits(b)  # it has gone
    capacity.leave(a)
    assert capacity.enter(f)
    assert closed == ["c", "b"]


@pytest.mark.parametrize("busy", [True, False])
def test_a_full_server_says_so(path: Path, monkeypatch: pytest.MonkeyPatch, busy: bool) -> None:
    """503 in its own form, when all connections are being answered; not if one of them is idle."""
    monkeypatch.setattr(serving, "most_connections", lambda: 1)
    with served(path) as small, client(small) as first:
        first.sendall(b"GET /console/events HTTP/1.1\r\n" + HOST + b"\r\n" if busy else GET)
        assert first.recv(1000).startswith(b"HTTP/1.1 200")
        said = answer(small, GET, end=True)
        if busy:
            assert_own_form(said, 503)
            assert b"\r\nretry-after: 1\r\n" in said
            assert_own_form(answer(small, b"GET /api/search HTTP/1.1\r\n\r\n", end=True), 503, for_program=True)
        else:
            assert statuses(said) == [200]


@pytest.mark.parametrize(
    ("sent", "for_program"),
    [
        (b"GET / HTTP/1.1\r\nHo", False),
        (b"GET /api/search?q=", True),
        (b"POST /console HTTP/1.1\r\nContent-Length: 5\r\n\r\n1234", False),
        (POST + b"Content-Length: 5\r\n\r\n", True),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n12", True),
    ],
)
def test_a_request_has_to_arrive_in_time(
    server: Served, monkeypatch: pytest.MonkeyPatch, sent: bytes, for_program: bool
) -> None:
    """Head and body together; else 408."""
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.2)
    said = answer(server, sent)
    if b" HTTP" in sent:
        assert_own_form(said, 408, for_program=for_program)
    else:
        assert statuses(said) == [408]


@pytest.mark.parametrize("drip", [b"x", b"\r\n"])
def test_bytes_one_by_one_win_no_time(server: Served, monkeypatch: pytest.MonkeyPatch, drip: bytes) -> None:
    """The time is for the whole request, and empty lines are no request."""
    monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.2)
    with client(server, b"GET /" if drip == b"x" else GET) as made:
        made.settimeout(0.01)
        deadline, said, is_open = time.monotonic() + 60, b"", True
        while is_open:
            assert time.monotonic() < deadline
            try:
                made.sendall(drip)
                data = made.recv(1 << 16)
                said, is_open = said + data, bool(data)
            except TimeoutError:
                pass
            except ConnectionError:
                is_open = False
        assert statuses(said) in ([[408], []] if drip == b"x" else [[200]])


def test_an_idle_connection_is_closed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before its first request and after an answer, without a word."""
    monkeypatch.setattr(serving, "_KEEP_ALIVE", 0.2)
    with served(path) as hurried:
        monkeypatch.setattr(connection, "REQUEST_SECONDS", 0.2)
        assert answer(hurried, b"") == b""
        assert statuses(answer(hurried, GET)) == [200]
        assert statuses(answer(hurried, GET + b"\r\n")) == [200]


@pytest.mark.slow
@pytest.mark.parametrize("where", [asset("vendor/uplot.min.js").encode(), b"/console/events"])
def test_an_answer_that_nobody_reads_is_given_up(path: Path, monkeypatch: pytest.MonkeyPatch, where: bytes) -> None:
    """The connection is closed, and the server ends without waiting for it."""
    capacity = Capacity(MOST)
    monkeypatch.setattr(serving, "Capacity", lambda _: capacity)
    monkeypatch.setattr(connection, "WRITE_SECONDS", 2.0)
    request = b"GET " + where + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    many = b"GET " + asset("vendor/uplot.min.js").encode() + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    with served(path) as hurried, client(hurried, many * 500 + request) as made:
        until(lambda: capacity._open)  # it has been accepted
        until(lambda: not capacity._open)
        assert len(statuses(heard(made))) < 500


def test_the_server_ends_while_clients_are_slow(path: Path) -> None:
    """Whatever they are about."""
    with served(path) as ending, ExitStack() as slow:
        for sent in (
            b"",
            GET,
            b"GET /",
            POST + b"Content-Length: 9\r\n\r\n1",
            b"GET /console/events HTTP/1.1\r\n" + HOST,
        ):
            slow.enter_context(client(ending, sent))
        file = asset("vendor/uplot.min.js").encode()
        slow.enter_context(client(ending, b"GET %s HTTP/1.1\r\n%s\r\n" % (file, HOST) * 500))
        assert ending.get("/").status == 200


# ---- large


def test_large_bodies_are_refused(server: Served) -> None:
    """By the length they claim, by the chunks that come, and wherever they are sent; the largest allowed is not."""
    large = b"x" * (MAX_BODY + 1)
    chunk = b"%x\r\n%s\r\n" % (len(large), large)
    for method in (b"POST", b"GET", b"PUT"):
        for where in (b"/api/events", b"/", b"/console", b"/nowhere"):
            start = method + b" " + where + b" HTTP/1.1\r\n" + HOST
            for_program = where == b"/api/events"
            for claimed in (MAX_BODY + 1, 10**12, 10**18):
                said = answer(server, start + b"Content-Length: %d\r\n\r\n" % claimed)
                assert_own_form(said, 413, for_program=for_program)
            said = answer(server, start + b"Transfer-Encoding: chunked\r\n\r\n" + chunk)
            assert_own_form(said, 413, for_program=for_program)
    allowed = POST + b"Content-Length: %d\r\n\r\n" % MAX_BODY + b" " * MAX_BODY
    assert statuses(answer(server, allowed, end=True)) == [400]


def test_who_sends_a_large_body_all_at_once_reads_why(server: Served) -> None:
    """Though the server does not read it."""
    for _ in range(5):
        assert server.post("/api/events", b"x" * 1_000_000).status == 413


def test_wasteful_chunks_are_refused(server: Served) -> None:
    """A body of few bytes in many; trailing fields without end."""
    start = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    assert_own_form(answer(server, start + b"1;%s\r\nx\r\n" % (b"a" * 200) * 5000), 413, for_program=True)
    assert_own_form(answer(server, start + b"0\r\nX: " + b"a" * 1_000_000), 413, for_program=True)


def test_large_heads_are_refused(server: Served) -> None:
    """In the request line, in one field or in many; a line that never ends, too."""
    for head in (
        b"GET /%s HTTP/1.1\r\n\r\n" % (b"x" * MAX_HEAD),
        b"GET / HTTP/1.1\r\nX: " + b"x" * MAX_HEAD + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * (MAX_HEAD // 2) + b"\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000,
        b"GET /" + b"x" * 100_000,
    ):
        assert_own_form(answer(server, head), 431)
    assert statuses(answer(server, b"GET / HTTP/1.1\r\nConnection: close\r\nHost: " + b"x" * 20_000 + b"\r\n\r\n")) == [
        421
    ]


# ---- odd


def test_bodies_where_none_is_expected_are_passed_over(server: Served) -> None:
    """And the next request of the connection is found behind them."""
    for body in (b"Content-Length: 3\r\n\r\nabc", b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"):
        assert statuses(answer(server, (b"GET / HTTP/1.1\r\n" + HOST + body) * 2, end=True)) == [200, 200]


def test_requests_in_one_piece_are_answered_in_order(server: Served) -> None:
    """Bodies and all; what is wrong with one is said after the answers to those before it."""
    refused = POST + b"Content-Length: 2\r\n\r\n{}"
    many = GET + refused + b"GET /nowhere HTTP/1.1\r\n" + HOST + b"\r\n"
    assert statuses(answer(server, many * 20, end=True)) == [200, 400, 404] * 20
    assert statuses(answer(server, GET * 3 + b"garbage\r\n\r\n" + GET)) == [200, 200, 200, 400]
    assert statuses(answer(server, GET + POST + b"Content-Length: 100000\r\n\r\n")) == [200, 413]
    assert statuses(answer(server, GET * 400 + b"GET / HTTP/1.1\r\nHost: localh", end=True)) == [200] * 400


def test_a_request_may_come_in_pieces(server: Served) -> None:
    """Byte by byte, with a body, and with a pause for the server to agree to it."""
    with client(server) as made:
        for byte in POST + b"Content-Length: 2\r\nConnection: close\r\n\r\n{}":
            made.sendall(bytes([byte]))
        assert statuses(heard(made)) == [400]
    with client(server, POST + b"Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n") as made:
        assert made.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        made.sendall(b"{}")
        assert statuses(heard(made)) == [400]
    said = answer(server, POST + b"Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n")
    assert_own_form(said, 413, for_program=True)


GARBAGE = [
    b"garbage\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
    b"\x00" * 100,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    b"GET \xff\xfe HTTP/1.1\r\n\r\n",
    b"GET http:// HTTP/1.1\r\n\r\n",
    b"BREW / HTTP/1.1\r\n\r\n",
    b"CONNECT example.org:443 HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nX: a\x00b\r\n\r\n",
]


@pytest.mark.parametrize("sent", GARBAGE, ids=range(len(GARBAGE)))
def test_what_is_not_http_is_refused(server: Served, sent: bytes) -> None:
    """In the server's own form, and not in the log."""
    assert_own_form(answer(server, sent), 400)


def test_refusals_of_the_application_have_the_same_headers(server: Served) -> None:
    """Wrong names, methods, hosts and sites."""
    for start, headers, status in [
        (b"GET /", b"Host: evil.example\r\n", 421),
        (b"GET /", b"", 421),
        (b"GET /", HOST + b"Host: evil.example\r\n", 400),
        (b"POST /api/events", HOST + b"Origin: http://evil.example\r\n", 403),
        (b"POST /", HOST, 405),
        (b"DELETE /console", HOST, 405),
        (b"GET /api/events", HOST, 405),
        (b"GET /nowhere", HOST, 404),
        (b"GET /api/nowhere", HOST, 404),
        (b"POST /console/control/enter", HOST, 404),
        (b"GET /static/nothing.css", HOST, 404),
    ]:
        said = answer(server, start + b" HTTP/1.1\r\nConnection: close\r\n" + headers + b"\r\n")
        assert_own_form(said, status, for_program=b"/api/" in start)


def test_other_protocols_are_not_spoken(server: Served) -> None:
    """An offer to change is an ordinary request, and the last of its connection."""
    offer = b"GET / HTTP/1.1\r\n" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert statuses(answer(server, offer + GET)) == [200]


def test_fields_after_a_body_change_nothing(server: Served) -> None:
    """A name there is not the name of the request."""
    sent = b"POST /api/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: localhost\r\n\r\n"
    assert statuses(answer(server, sent, end=True)) == [421]


def test_who_has_said_all_is_answered(server: Served) -> None:
    """A client that closes its half of the connection still reads."""
    assert statuses(answer(server, GET, end=True)) == [200]


# ---- random

_PIECES = st.sampled_from(
    [
        *GARBAGE,
        GET,
        POST,
        HOST,
        b"GET ",
        b"/",
        b"/api/search?q=a%00&limit=",
        b"/console/url?u=",
        b"/console/log?page=",
        b"/console/events",
        b" HTTP/1.1\r\n",
        b"\r\n",
        b"\r\n\r\n",
        b"Content-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"5\r\nhello\r\n",
        b"0\r\n\r\n",
        b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
        b"Expect: 100-continue\r\n",
        b"Cookie: sought-control=\xff\r\n",
        b"Content-Type: application/x-www-form-urlencoded\r\n",
        b"%" * 10,
        b"x" * 5000,
    ]
)
_REQUESTS = st.lists(_PIECES | st.binary(max_size=20), max_size=12).map(b"".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_REQUESTS)
def test_any_bytes_are_answered_or_refused(server: Served, sent: bytes) -> None:
    """Never with a server's error, and nothing is logged (`quiet`)."""
    said = answer(server, sent, end=True)
    assert not said or statuses(said)
    assert all(status < 500 for status in statuses(said)[:1])
    assert b"Traceback" not in said
    if statuses(said) and statuses(said)[0] != 100:
        assert b"content-security-policy" in said
