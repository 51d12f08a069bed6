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

AGENT = "sought/0.1 (+you@example.org)"
STAR = "User-agent: *\n"


def allows(text: str | bytes, path: str) -> bool:
    body = text if isinstance(text, bytes) else text.encode()
    return Robots.parse(body, AGENT).allows(f"http://example.org{path}")


# (section of RFC 9309, robots.txt, path, allowed)
RFC_CASES: list[tuple[str, str, str, bool]] = [
    ("2.2.1 our token", "User-agent: sought\nDisallow: /\n", "/a", False),
    ("2.2.1 any case", "uSeR-AgEnT: SOUGHT\ndisALLOW: /\n", "/a", False),
    ("2.2.1 token with version", "User-agent: sought/2.0\nDisallow: /\n", "/a", False),
    ("2.2.1 a longer token is not us", "User-agent: soughtbot\nDisallow: /\n", "/a", True),
    ("2.2.1 a shorter token is not us", "User-agent: so\nDisallow: /\n", "/a", True),
    ("2.2.1 ours before star", "User-agent: *\nDisallow: /\n\nUser-agent: sought\nDisallow: /x\n", "/a", True),
    ("2.2.1 star if not named", "User-agent: other\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/a", False),
    ("2.2.1 nobody named", "User-agent: other\nDisallow: /\n", "/a", True),
    ("2.2.1 several tokens", "User-agent: other\nUser-agent: sought\nDisallow: /\n", "/a", False),
    ("2.2.1 groups merge", "User-agent: sought\nDisallow: /a\n\nUser-agent: sought\nDisallow: /b\n", "/b", False),
    ("2.2.1 rules before any group", "Disallow: /\nUser-agent: *\nDisallow: /x\n", "/a", True),
    ("2.2.1 our empty group", "User-agent: sought\n\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/a", True),
    ("2.2.2 prefix", STAR + "Disallow: /private\n", "/private/a", False),
    ("2.2.2 case of paths", STAR + "Disallow: /Private\n", "/private/a", True),
    ("2.2.2 longest wins", STAR + "Disallow: /a\nAllow: /a/b\n", "/a/b/c", True),
    ("2.2.2 longest wins, other order", STAR + "Allow: /a\nDisallow: /a/b\n", "/a/b/c", False),
    ("2.2.2 a longer path beats a wildcard", STAR + "Allow: /a/b/c\nDisallow: /*b\n", "/a/b/c", True),
    ("2.2.2 a longer wildcard beats a path", STAR + "Allow: /a\nDisallow: /*b/c\n", "/a/b/c", False),
    ("2.2.2 allow wins a tie", STAR + "Disallow: /a\nAllow: /a\n", "/a", True),
    ("2.2.2 empty disallow", STAR + "Disallow:\n", "/a", True),
    ("2.2.2 the file itself", STAR + "Disallow: /\n", "/robots.txt", True),
    ("2.2.2 query", STAR + "Disallow: /foo/bar?baz=quz\n", "/foo/bar?baz=quz", False),
    ("2.2.2 reserved in query", STAR + "Disallow: /f?u=https://foo.bar\n", "/f?u=https%3A%2F%2Ffoo.bar", False),
    ("2.2.2 encoded in rule", STAR + "Disallow: /f?u=https%3A%2F%2Ffoo.bar\n", "/f?u=https://foo.bar", False),
    ("2.2.2 behind a star", STAR + "Disallow: /*u=a%2Fb\n", "/f?u=a/b", False),
    ("2.2.2 UTF-8 in rule", STAR + "Disallow: /foo/ツ\n", "/foo/%E3%83%84", False),
    ("2.2.2 lower-case escapes", STAR + "Disallow: /foo/%e3%83%84\n", "/foo/%E3%83%84", False),
    ("2.2.2 needless escapes", STAR + "Disallow: /foo/%62%61%7A\n", "/foo/baz", False),
    ("2.2.2 needless escapes in the address", STAR + "Disallow: /foo/baz\n", "/foo/%62%61%7A", False),
    ("2.2.2 an escaped slash is not a slash", STAR + "Disallow: /a%2Fb\n", "/a/b", True),
    ("2.2.2 anchored, the same", STAR + "Disallow: /a%2Fb$\n", "/a/b", True),
    ("2.2.2 index.html is not the directory", STAR + "Disallow: /\nAllow: /index.html\n", "/", False),
    ("2.2.3 comment", STAR + "Disallow: /a # all of it\n", "/a", False),
    ("2.2.3 end anchor", STAR + "Disallow: /*.php$\n", "/x.php", False),
    ("2.2.3 end anchor, longer", STAR + "Disallow: /*.php$\n", "/x.php5", True),
    ("2.2.3 plain end anchor", STAR + "Allow: /a$\nDisallow: /\n", "/a", True),
    ("2.2.3 plain end anchor, longer", STAR + "Allow: /a$\nDisallow: /\n", "/ab", False),
    ("2.2.3 star in the middle", STAR + "Disallow: /this/*/exactly\n", "/this/a/b/exactly", False),
    ("2.2.3 star matches nothing too", STAR + "Disallow: /a*b\n", "/ab", False),
    ("2.2.3 star first", STAR + "Disallow: *.gif$\n", "/x/y.gif", False),
    ("2.2.3 literal star", STAR + "Disallow: /with-a-%2A.html\n", "/with-a-*.html", False),
    ("2.2.3 literal dollar", STAR + "Disallow: /with-a-%24\n", "/with-a-$", False),
    ("2.2.3 dollar inside", STAR + "Disallow: /a$b\n", "/a$bc", False),
    ("2.2.4 unknown records", "User-agent: sought\nFoo: bar\nUser-agent: x\nDisallow: /\n", "/a", False),
    ("2.2.4 sitemaps do not part", "User-agent: sought\nSitemap: http://e.org/s\nDisallow: /\n", "/a", False),
    ("lines end in CR", "User-agent: *\rDisallow: /a\r", "/a", False),
    ("a form feed ends no line", STAR + "Disallow: /a\x0cAllow: /a/b\n", "/a/b", True),
    ("forgotten colon", "User-agent *\nDisallow /a\n", "/a", False),
    ("misspelt", STAR + "Dissallow: /a\n", "/a", False),
    ("not a path", STAR + "Disallow: a\n", "/a", True),
    ("HTML", "<!doctype html><p>User-agent", "/a", True),
    ("empty", "", "/a", True),
]


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
