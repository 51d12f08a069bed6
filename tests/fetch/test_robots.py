"""robots.txt as RFC 9309 has it, and as people write it."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego  # the independent second opinion

from sought.fetch.robots import ALLOW_ALL, DENY_ALL, HOUR, MAX_WILDCARDS, Robots, RobotsFetch, fetch_robots
from sought.web.message import Failure, Request, RequestPurpose, Response
from tests.testing.robots_cases import RFC_CASES, STAR

AGENT = "sought/0.1 (+you@example.org)"


def allows(text: str | bytes, path: str) -> bool:
    body = text if isinstance(text, bytes) else text.encode()
    return Robots.parse(body, AGENT).allows(f"http://example.org{path}")


@pytest.mark.parametrize(("text", "path", "allowed"), [case[1:] for case in RFC_CASES], ids=[c[0] for c in RFC_CASES])
def test_rfc_9309(text: str, path: str, allowed: bool) -> None:
    """Each rule of the RFC (and each habit of webmasters) that we promise to understand."""
    assert allows(text, path) is allowed


def test_octets_are_compared_not_characters() -> None:
    """A byte order mark is dropped; a Latin-1 file speaks of Latin-1 addresses; one bad byte harms one line."""
    assert not allows(b"\xef\xbb\xbfUser-agent: *\nDisallow: /a\n", "/a")
    assert not allows(b"User-agent: *\nDisallow: /caf\xe9\n", "/caf%E9")
    assert not allows(b"User-agent: *\nDisallow: /\xff\xfe\nDisallow: /a\n", "/a")
    assert not allows("User-agent: *\nDisallow: /à\n".encode(), "/%C3%A0")


def test_half_a_mebibyte_is_read_and_no_half_lines() -> None:
    """Rules behind 512,000 bytes do not count, and a rule cut in half is not another rule."""
    filler = b"# filler\n" * (500_000 // 9)
    assert not allows(b"User-agent: *\n" + filler + b"Disallow: /a\n", "/a")
    assert allows(b"User-agent: *\n" + filler * 2 + b"Disallow: /a\n", "/a")
    head = b"User-agent: *\n" + filler
    cut = head + b"#" * (512_000 - len(head) - 12) + b"\nDisallow: /abcdef\n"
    assert len(cut) > 512_000
    assert cut[:512_000].endswith(b"Disallow: /")
    assert allows(cut, "/x")


def test_delays_and_sitemaps() -> None:
    """The delay of our group, junk ignored; sitemaps of the whole file, canonical, at most fifty."""
    text = (
        "Sitemap: HTTP://Example.org:80/a.xml\nSitemap: /relative\nSitemap: ftp://x/\n"
        "User-agent: *\nCrawl-delay: 9\nUser-agent: sought\nCrawl-delay: 2.5\nCrawl-delay: x\nCrawl-delay: -1\n"
        "Crawl-delay: inf\nDisallow: /x\n"
    )
    robots = Robots.parse(text.encode(), AGENT)
    assert robots.delay == 2.5
    assert robots.sitemaps == ("http://example.org/a.xml",)
    many = "".join(f"Sitemap: http://e.org/{i}\n" for i in range(99))
    assert len(Robots.parse(many.encode(), AGENT).sitemaps) == 50
    assert Robots.parse(b"", AGENT).delay is None


def test_too_many_wildcards_close_the_host() -> None:
    """We never guess in our own favour."""
    text = STAR + "".join(f"Disallow: /*{i}$\n" for i in range(MAX_WILDCARDS + 1))
    assert not allows(text, "/a")


_paths = st.text("abAB/.?=&%2Fé*$", max_size=12).map(lambda text: "/" + text)


@given(st.binary(max_size=400) | st.text("UserAgent-:*/ dislow#\n", max_size=200).map(str.encode), _paths)
def test_any_bytes_are_a_robots_file(body: bytes, path: str) -> None:
    """Nothing a host serves makes the parser raise, and the file itself can always be fetched again."""
    robots = Robots.parse(body, AGENT)
    robots.allows("http://example.org" + path)
    assert robots.allows("http://example.org/robots.txt")


_patterns = st.lists(st.sampled_from(["a", "b", "/", "*", ".x", "c"]), max_size=6).map(
    lambda parts: "/" + "".join(parts)
)
_rules = st.lists(st.tuples(st.booleans(), _patterns, st.sampled_from(["", "$"])), max_size=6)


@given(_rules, st.text("abc/.x", max_size=8).map(lambda text: "/" + text))
def test_a_second_opinion_agrees(rules: list[tuple[bool, str, str]], path: str) -> None:
    """On plain files, where both follow the RFC, protego decides the same."""
    text = STAR + "".join(f"{'Allow' if allow else 'Disallow'}: {path}{end}\n" for allow, path, end in rules)
    text = text.replace("**", "*").replace("**", "*")
    assert allows(text, path) == Protego.parse(text).can_fetch(f"http://example.org{path}", "sought")


def play(answers: Mapping[str, Response]) -> tuple[RobotsFetch, list[Response]]:
    async def web(request: Request) -> Response:
        assert request.purpose is RequestPurpose.ROBOTS
        return answers[request.url]

    return asyncio.run(fetch_robots(web, "http://a.org"))


def reply(status: int, url: str = "http://a.org/robots.txt", to: str = "", body: bytes = b"") -> Response:
    headers = (("Location", to),) if to else ()
    return Response(url, status=status, headers=headers, body=body, time=1000.0)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, "parsed") for status in (200, 204)),
        *((status, "allow") for status in (301, 401, 403, 404, 410)),
        *((status, "deny") for status in (429, 500, 503, 101, 999)),
    ],
)
def test_what_a_status_means(status: int, kind: str) -> None:
    """2xx is read, 4xx (but 429) opens the host, everything else closes it, and is asked again within the hour."""
    fetched, responses = play({"http://a.org/robots.txt": reply(status)})
    assert (fetched.kind, len(responses)) == (kind, 1)
    assert fetched.expires_at == 1000.0 + (HOUR if kind == "deny" else 24 * HOUR)
    assert fetched.robots(AGENT).allows("http://a.org/x") is (kind != "deny")


def test_a_failure_closes_the_host() -> None:
    """A robots.txt that cannot be reached denies everything but itself."""
    fetched, _ = play({"http://a.org/robots.txt": Response("", failure=Failure.TIMEOUT)})
    assert fetched.robots(AGENT) == DENY_ALL
    assert not DENY_ALL.allows("http://a.org/")
    assert DENY_ALL.allows("http://a.org/robots.txt")
    assert ALLOW_ALL.allows("http://a.org/")


def chain(length: int) -> dict[str, Response]:
    urls = ["http://a.org/robots.txt", *(f"http://h{i}.org/r" for i in range(length))]
    answers = {url: reply(302, url, to) for url, to in pairwise(urls)}
    return answers | {urls[-1]: reply(200, urls[-1], body=b"User-agent: *\nDisallow: /no\n")}


def test_five_redirects_are_followed_and_no_more() -> None:
    """Across hosts; the rules found speak for the host that was asked; every answer is kept."""
    fetched, responses = play(chain(5))
    assert (fetched.kind, len(responses)) == ("parsed", 6)
    assert not fetched.robots(AGENT).allows("http://a.org/no")
    fetched, responses = play(chain(6))
    assert (fetched.kind, len(responses)) == ("allow", 6)


def test_a_stored_outcome_gives_the_same_rules() -> None:
    """(kind, text, fetched_at) is all there is to store."""
    fetched, _ = play(chain(0))
    again = RobotsFetch(fetched.kind, fetched.text, fetched.fetched_at)
    assert again.robots(AGENT) == fetched.robots(AGENT)
