"""Http against real servers on loopback: what an honest one sends arrives, what a hostile one does stays bounded."""

import asyncio
import gzip
import random
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from ipaddress import ip_network

import brotli
import pytest
from aiohttp import web as server
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sought.fetch.agent import user_agent
from sought.fetch.bounds import Bounds
from sought.fetch.guard import AddressGuard
from sought.fetch.http import Http
from sought.fetch.resolve import Resolver
from sought.web import zstd
from sought.web.message import Failure, Request, RequestPurpose, Response

AGENT = user_agent("you@example.org")
LOOPBACK = AddressGuard((ip_network("127.0.0.0/8"),))
PLAIN = Request("")
# Sizes are what these tests are about: no time limit strikes, however slow the machine …
SMALL = Bounds(total=600.0, connect=600.0, silence=600.0, page=200_000, sitemap=400_000, header_lines=64)
HASTY = replace(SMALL, total=0.5, silence=0.3)  # … but for servers that nothing else would end
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def http(bounds: Bounds = SMALL, guard: AddressGuard = LOOPBACK, names: dict[str, str] | None = None) -> Http:
    return Http(AGENT, bounds, guard, Resolver(names or {"*.test": "127.0.0.5"}), connections=20)


async def ask_raw(talk: Talk, request: Request = PLAIN, bounds: Bounds = SMALL) -> Response:
    """One request to a server that does whatever `talk` does with its socket."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.5", 0)
    port = listening.sockets[0].getsockname()[1]
    async with listening, http(bounds) as web:
        url = f"http://raw.test:{port}/{request.url}"
        return await web.get(Request(url, request.etag, request.last_modified, request.purpose))


def says(*parts: bytes) -> Talk:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in parts:
            writer.write(part)
            await writer.drain()

    return talk


def endless(start: bytes, part: bytes, pause: float = 0.0) -> Talk:
    async def talk(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        while True:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)

    return talk


def answer(talk: Talk, purpose: RequestPurpose = RequestPurpose.PAGE, bounds: Bounds = SMALL) -> Response:
    return asyncio.run(ask_raw(talk, Request("", purpose=purpose), bounds))


def with_length(body: bytes, head: bytes = HTML, extra: bytes = b"") -> bytes:
    return head + extra + b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_an_honest_answer_arrives_whole() -> None:
    """Status, headers in the server's order and spelling, body, peer address and what was sent are all there."""
    response = answer(says(with_length(b"<p>hi", extra=b"x-ODD: \xe3\x83\x84\r\nx-odd: caf\xe9\r\n")))
    assert (response.status, response.reason, response.failure, response.detail) == (200, "OK", None, "")
    assert response.body == response.raw == b"<p>hi"
    assert response.headers[:3] == (("Content-Type", "text/html"), ("x-ODD", "ツ"), ("x-odd", "café"))
    assert response.address == "127.0.0.5"
    assert response.elapsed > 0
    sent = dict(response.sent)
    assert sent["User-Agent"] == AGENT
    assert sent["From"] == "you@example.org"
    assert sent["Accept-Encoding"] == "gzip, br, zstd, deflate"
    assert sent["Host"].startswith("raw.test:")
    assert "Cookie" not in sent


def test_validators_make_the_request_conditional() -> None:
    """If-None-Match and If-Modified-Since are sent; a 304 is an answer without a body."""
    request = Request("", etag='"v1"', last_modified="Sun, 06 Nov 1994 08:49:37 GMT")
    response = asyncio.run(ask_raw(says(b"HTTP/1.1 304 Not Modified\r\n\r\n"), request))
    assert (response.status, response.body, response.failure) == (304, b"", None)
    assert dict(response.sent)["If-None-Match"] == '"v1"'
    assert dict(response.sent)["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT"


def test_validators_cannot_smuggle_headers() -> None:
    """A stored ETag with a line break in it is not sent."""
    response = asyncio.run(ask_raw(says(with_length(b"x")), Request("", etag='"a"\r\nEvil: yes')))
    assert response.failure is None
    assert "If-None-Match" not in dict(response.sent)


def test_cookies_and_redirects_are_left_alone() -> None:
    """A redirect is an answer; a cookie is never sent back, though the connection is kept."""
    asked: list[dict[str, str]] = []

    async def page(request: server.Request) -> server.Response:
        asked.append(dict(request.headers))
        return server.Response(status=302, headers={"Location": "http://127.0.0.1/", "Set-Cookie": "a=b"})

    async def run() -> list[Response]:
        application = server.Application()
        application.router.add_get("/{path:.*}", page)
        runner = server.AppRunner(application)
        await runner.setup()
        site = server.TCPSite(runner, "127.0.0.5", 0)
        await site.start()
        port = runner.addresses[0][1]
        async with http() as web:
            answers = [await web.get(Request(f"http://a.test:{port}/%7e/?q=%2F")) for _ in range(2)]
        await runner.cleanup()
        return answers

    for response in asyncio.run(run()):
        assert (response.status, response.header("location")) == (302, "http://127.0.0.1/")
    assert len(asked) == 2
    assert all("Cookie" not in headers for headers in asked)


CODED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@pytest.mark.parametrize("coding", CODED)
def test_compressed_bodies_are_kept_raw_and_decoded(coding: str) -> None:
    """`raw` is what came, `body` what it means."""
    page = b"<p>" + b"words " * 1000
    raw = CODED[coding](page)
    response = answer(says(with_length(raw, extra=b"Content-Encoding: %s\r\n" % coding.encode())))
    assert response.failure is None
    assert (response.raw, response.body) == (raw, page)


@pytest.mark.parametrize("coding", CODED)
def test_a_bomb_goes_off_harmlessly(coding: str) -> None:
    """A small body that decodes to a huge one ends as EXPANSION."""
    bomb = CODED[coding](b"\0" * 5_000_000)
    response = answer(says(with_length(bomb, extra=b"Content-Encoding: %s\r\n" % coding.encode())))
    assert response.failure is Failure.EXPANSION
    assert response.body == b""


def coded(value: bytes) -> bytes:
    return with_length(b"x" * 50, extra=b"Content-Encoding: " + value + b"\r\n")


HOSTILE: list[tuple[str, Talk, Failure]] = [
    ("endless body", endless(HTML + b"\r\n", b"x" * 65536), Failure.TOO_LARGE),
    (
        "endless chunks",
        endless(HTML + b"Transfer-Encoding: chunked\r\n\r\n", b"4000\r\n" + b"x" * 0x4000 + b"\r\n"),
        Failure.TOO_LARGE,
    ),
    ("announced too large", says(HTML + b"Content-Length: 200001\r\n\r\n"), Failure.TOO_LARGE),
    ("endless header lines", endless(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n" * 100), Failure.HEADERS),
    ("endless header line", endless(b"HTTP/1.1 200 OK\r\nX-A: ", b"b" * 10_000), Failure.HEADERS),
    ("endless status line", endless(b"HTTP/1.1 200 ", b"O" * 10_000), Failure.HEADERS),
    ("endless continue", endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50, 0.01), Failure.TIMEOUT),
    ("slow drip of body", endless(HTML + b"\r\n", b"x", 0.05), Failure.TIMEOUT),
    ("slow drip of headers", endless(b"HTTP/1.1 200 OK\r\nX-A: ", b"b", 0.05), Failure.TIMEOUT),
    ("silence", endless(b"", b"", 1.0), Failure.TIMEOUT),
    ("silence after the head", endless(HTML + b"Content-Length: 9\r\n\r\n", b"", 1.0), Failure.TIMEOUT),
    ("closed at once", says(b""), Failure.CONNECT),
    ("closed in the head", says(b"HTTP/1.1 200 OK\r\nConte"), Failure.CONNECT),
    ("shorter than announced", says(HTML + b"Content-Length: 100\r\n\r\nshort"), Failure.CONNECT),
    ("closed in a chunk", says(HTML + b"Transfer-Encoding: chunked\r\n\r\nff\r\nshort"), Failure.CONNECT),
    ("bad chunk size", says(HTML + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nbody\r\n0\r\n\r\n"), Failure.HEADERS),
    ("not HTTP", says(b"SSH-2.0-OpenSSH_9.6\r\n" * 10), Failure.HEADERS),
    ("two lengths", says(HTML + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"), Failure.HEADERS),
    ("negative length", says(HTML + b"Content-Length: -5\r\n\r\nabc"), Failure.HEADERS),
    ("NUL in header", says(b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"), Failure.HEADERS),
    ("other type", endless(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n", b"x" * 65536), Failure.TYPE),
    ("unnamed binary", says(b"HTTP/1.1 200 OK\r\n\r\n\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Failure.TYPE),
    ("unknown coding", says(coded(b"rot13")), Failure.CODING),
    ("not what it is called", says(coded(b"gzip")), Failure.CODING),
    ("a hundred codings", says(coded(b", ".join([b"gzip"] * 100))), Failure.CODING),
]


@pytest.mark.slow
@pytest.mark.parametrize(("talk", "failure"), [case[1:] for case in HOSTILE], ids=[case[0] for case in HOSTILE])
def test_hostile_servers_end_in_a_failure(talk: Talk, failure: Failure) -> None:
    """Whatever a server does with its socket, the answer says which bound it broke, and holds no body."""
    response = answer(talk, bounds=HASTY if failure is Failure.TIMEOUT else SMALL)
    assert response.failure is failure, response.detail
    assert response.detail
    assert (response.raw, response.body) == (b"", b"")


def test_a_failure_in_the_body_keeps_the_head() -> None:
    """Status, headers and address of an answer survive the failure of its body."""
    response = answer(endless(HTML + b"\r\n", b"x" * 65536))
    assert (response.status, response.header("content-type"), response.address) == (200, "text/html", "127.0.0.5")


def test_an_unnamed_page_is_known_by_its_start() -> None:
    """Without a Content-Type, text is taken."""
    response = answer(says(b"HTTP/1.0 200 OK\r\n\r\n<!doctype html><p>ok"))
    assert (response.failure, response.body) == (None, b"<!doctype html><p>ok")


@pytest.mark.parametrize("status", [b"404 Not Found", b"302 Found", b"500 Oops"])
def test_bodies_of_other_answers_are_cut_off_silently(status: bytes) -> None:
    """An endless error page is no failure; its first 64 KiB are kept, whatever its type."""
    response = answer(endless(b"HTTP/1.1 " + status + b"\r\nContent-Type: image/png\r\n\r\n", b"x" * 65536))
    assert response.failure is None
    assert (len(response.raw), response.detail) == (64 * 1024, "cut off at 65536 bytes")


def test_a_damaged_error_page_is_still_an_answer() -> None:
    """A 404 whose body cannot be decoded is a 404."""
    response = answer(says(with_length(b"junk", b"HTTP/1.1 404 No\r\n", b"Content-Encoding: br\r\n")))
    assert (response.status, response.failure) == (404, None)


def test_robots_are_cut_off_not_failed() -> None:
    """The first 512,000 bytes of an endless robots.txt are kept, compressed or not."""
    plain = answer(endless(HTML + b"\r\n", b"Disallow: /a\n" * 5000), RequestPurpose.ROBOTS)
    assert (plain.failure, len(plain.body)) == (None, 512_000)
    large = gzip.compress(b"Disallow: /a\n" * 100_000)
    small = answer(says(with_length(large, extra=b"Content-Encoding: gzip\r\n")), RequestPurpose.ROBOTS)
    assert (small.failure, len(small.body)) == (None, 512_000)


def test_half_a_robots_file_is_a_failure() -> None:
    """Damaged data could hide rules: it must not pass for the whole file."""
    half = gzip.compress(b"User-agent: *\nDisallow: /\n" * 100)[:-20]
    response = answer(says(with_length(half, extra=b"Content-Encoding: gzip\r\n")), RequestPurpose.ROBOTS)
    assert response.failure is Failure.CODING


def test_sitemaps_have_their_own_bound_and_any_type() -> None:
    """A sitemap may be larger than a page."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n"
    assert answer(says(with_length(b"x" * 300_000, head)), RequestPurpose.SITEMAP).failure is None
    assert answer(says(with_length(b"x" * 400_001, head)), RequestPurpose.SITEMAP).failure is Failure.TOO_LARGE


async def get_once(url: str, guard: AddressGuard = LOOPBACK, bounds: Bounds = SMALL) -> Response:
    async with http(bounds, guard) as web:
        return await web.get(Request(url))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "10.0.0.1", "169.254.169.254", "inner.test"]
)
def test_no_address_goes_around_the_guard(host: str) -> None:
    """Literals (for which no resolver is asked), mapped addresses and names that resolve inside are all refused."""
    response = asyncio.run(get_once(f"http://{host}:9/", guard=AddressGuard()))
    assert response.failure is Failure.ADDRESS, response.detail


def test_nothing_is_sent_to_a_refused_address() -> None:
    """The guard acts before the connection: a listening server never hears of us."""
    heard: list[bool] = []

    async def run() -> Response:
        listening = await asyncio.start_server(lambda *_: heard.append(True), "127.0.0.5", 0)
        async with listening:
            return await get_once(f"http://raw.test:{listening.sockets[0].getsockname()[1]}/", guard=AddressGuard())

    assert asyncio.run(run()).failure is Failure.ADDRESS
    assert heard == []


def test_a_name_without_address_is_a_dns_failure() -> None:
    """Names that cannot be names do not reach the network, and fail as DNS."""
    for host in ("a..b", "x" * 64 + ".org"):
        response = asyncio.run(get_once(f"http://{host}/"))
        assert response.failure is Failure.DNS, (host, response.detail)


def test_nobody_listening_is_a_connect_failure() -> None:
    """A refused connection is CONNECT."""

    async def run() -> Response:
        listening = await asyncio.start_server(lambda *_: None, "127.0.0.5", 0)
        port = listening.sockets[0].getsockname()[1]
        listening.close()
        await listening.wait_closed()
        return await get_once(f"http://raw.test:{port}/")

    assert asyncio.run(run()).failure is Failure.CONNECT


@pytest.mark.parametrize(("reply", "failure"), [(b"HTTP/1.1 400 No\r\n\r\n", Failure.TLS), (b"", Failure.CONNECT)])
def test_no_trustworthy_encryption_is_a_failure(reply: bytes, failure: Failure) -> None:
    """A server that does not speak TLS on an https address is TLS; one that never answers the handshake is CONNECT."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.read(10)
            writer.write(reply)
            await (writer.drain() if reply else reader.read())
        except (OSError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            writer.close()

    async def run() -> Response:
        listening = await asyncio.start_server(serve, "127.0.0.5", 0)
        async with listening:
            # Who never answers is given up soon; who answers has all the time it needs.
            bounds = SMALL if reply else replace(SMALL, connect=0.5)
            return await get_once(f"https://raw.test:{listening.sockets[0].getsockname()[1]}/", bounds=bounds)

    assert asyncio.run(run()).failure is failure


def test_cancellation_passes() -> None:
    """A caller that gives up gets its CancelledError, not a Failure."""

    async def run() -> None:
        asked = asyncio.Event()

        async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
            asked.set()
            await reader.read()

        task = asyncio.create_task(ask_raw(silent))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


_PIECES = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 ", b"HTTP/9.9 999 \r\n", b"HTTP/1.1 101 Up\r\n", b"Content-Length: ", b"5",
        b"-1", b"99999999999999999999", b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"\r\n",
        b"Content-Type: ", b"text/html", b"\r\n\r\n", b"\n", b"\r", b":", b"\0", b"\xff\xfe", b"0\r\n", b"<p>body",
        b"5\r\nhello\r\n0\r\n\r\n", b"Connection: upgrade\r\nUpgrade: websocket\r\n", b"Set-Cookie: \x80=;;=\r\n",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_PIECES | st.binary(max_size=8), max_size=12))
def test_no_bytes_make_it_raise(pieces: list[bytes]) -> None:
    """Any answer, however mangled, becomes a Response."""
    response = answer(says(*pieces))
    assert isinstance(response, Response)
    assert response.failure or response.status


def test_mutations_of_a_good_answer_never_make_it_raise() -> None:
    """Flipped, cut and repeated bytes of a valid exchange (seeded) become Responses too."""
    good = with_length(gzip.compress(b"<p>hello" * 20), extra=b'Content-Encoding: gzip\r\nETag: "x"\r\n')
    luck = random.Random(20)

    def mutated() -> bytes:
        data = bytearray(good)
        for _ in range(luck.randint(1, 6)):
            at = luck.randrange(len(data))
            match luck.randrange(3):
                case 0:
                    data[at] = luck.randrange(256)
                case 1:
                    del data[at : at + luck.randint(1, 9)]
                case _:
                    data[at:at] = data[at : at + luck.randint(1, 9)]
        return bytes(data)

    async def run() -> list[Response]:
        return [await ask_raw(says(mutated())) for _ in range(150)]

    answers = asyncio.run(run())
    assert {response.failure for response in answers} >= {None, Failure.CODING}
