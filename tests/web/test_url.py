"""Promises of sought.web.url: one spelling for each address."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sought.web.errors import BadURL
from sought.web.url import MAX_LENGTH, URL, canonical, fingerprint, hostname, origin, registered_domain

PIECES = st.sampled_from(
    ["http://", "https://", "//", "/", ".", "..", ":", "@", "?", "&", ";", "#", "=", "%", "\\", "[::1]", "a",
     "bücher.de", "127.1", "0x7f.1", "80", "8080", "utm_source=x", "sid", ";sid=1", ";jsessionid=", "phpsessid=2",
     "%2e", "%00", "%zz", "\0", "\t", "\ud800", "\u3002", "xn--", "user:pw", "ü"]
)  # fmt: skip
ADDRESSES = st.one_of(
    st.text(),
    st.lists(PIECES, max_size=12).map(lambda parts: "http://a" + "".join(parts)),
    st.lists(PIECES).map("".join),
)


def tried(text: str, base: str = "") -> str | None:
    try:
        return canonical(text, base)
    except BadURL:
        return None


@given(ADDRESSES, st.one_of(st.just(""), ADDRESSES))
@example("http://a/%zz", "")
@example("http://a/\ud800", "")
@example("\0", "http://a/")
@example("http://0x7f.1../", "")
@example("http://a/..;sid=1/b", "")
@example("http://./b.example/", "")
def test_canonical_raises_nothing_but_bad_url_and_is_idempotent(text: str, base: str) -> None:
    """Any text is an address in canonical form, which stays as it is, or BadURL."""
    url = tried(text, base)
    if url is not None:
        assert canonical(url) == url
        assert len(url) <= MAX_LENGTH
        assert "#" not in url
        assert "@" not in origin(url)


@given(ADDRESSES)
def test_parts_of_a_canonical_url_never_fail(text: str) -> None:
    """Origin, host, domain, path and key exist for whatever canonical() returns, and fit together."""
    url = tried(text)
    if url is not None:
        parsed = URL.parse(url)
        assert url.startswith(parsed.origin + parsed.path)
        assert parsed.host in parsed.origin
        assert parsed.host
        assert parsed.host.endswith(parsed.domain)
        assert 0 <= parsed.key < 2**64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://user:secret@[::1]:81/", "http://[::1]:81/"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://example.com.:8080/a", "http://example.com:8080/a"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1../", "http://127.0.0.1/"),
        ("http://%31%32%37.1/", "http://127.0.0.1/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://bücher.de/ü", "http://xn--bcher-kva.de/%C3%BC"),
        ("http://ｅｘａｍｐｌｅ.com/", "http://example.com/"),
        ("http://a/b/../c/./d", "http://a/c/d"),
        ("http://a\\b", "http://a/b"),
        ("  http://a/b c\n", "http://a/b%20c"),
        ("http://a/b#c?d", "http://a/b"),
        ("http://a/%zz", "http://a/%zz"),
        ("http://a/b\0c", "http://a/b%00c"),
        ("http://a/?", "http://a/"),
    ],
)
def test_equal_addresses_have_one_spelling(text: str, expected: str) -> None:
    """Case, default ports, credentials, dots, folded addresses and fragments do not make another page."""
    assert canonical(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://a/?utm_source=x&b=1&fbclid=2", "http://a/?b=1"),
        ("http://a/?utm_source=x", "http://a/"),
        ("http://a/?b=1&&a=2&", "http://a/?b=1&a=2"),
        ("http://a/?PHPSESSID=1&q=x", "http://a/?q=x"),
        ("http://a/?sid=0123456789abcdef&q=x", "http://a/?q=x"),
        ("http://a/?sid=12&q=x", "http://a/?sid=12&q=x"),
        ("http://a/x;jsessionid=12?b", "http://a/x?b"),
        ("http://a/x;JSESSIONID=1;v=2", "http://a/x;v=2"),
        ("http://a/x?q=;sid=1&other=2", "http://a/x?q=;sid=1&other=2"),
        ("http://a/..;sid=1/b", "http://a/b"),
    ],
)
def test_tracking_and_session_identifiers_are_dropped(text: str, expected: str) -> None:
    """Parameters that name a visitor go, all others stay in their order."""
    assert canonical(text) == expected


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("", "http://h/a/b?q"),
        ("#f", "http://h/a/b?q"),
        ("?p", "http://h/a/b?p"),
        ("c", "http://h/a/c"),
        ("../c", "http://h/c"),
        ("../../../c", "http://h/c"),
        ("/c", "http://h/c"),
        ("//other/c", "http://other/c"),
        ("https:c", "https://c/"),
        ("http:c", "http://h/a/c"),
        ("\\c", "http://h/c"),
        ("/\\other", "http://other/"),
        ("c\nd", "http://h/a/cd"),
    ],
)
def test_references_resolve_as_in_a_browser(href: str, expected: str) -> None:
    """Resolution follows the WHATWG URL standard."""
    assert canonical(href, "http://h/a/b?q#x") == expected


@pytest.mark.parametrize(
    "text",
    ["", "x", "/x", "//a/b", "javascript:1", "ftp://a/", "data:,x", "http://", "http://a b/", "http://a:99999/", "http://./",
     "http://u@./b.example/", "http://[::1/", "http://\ud800/", "http://a/" + "x" * MAX_LENGTH],
)  # fmt: skip
def test_what_no_crawler_could_fetch_is_refused(text: str) -> None:
    """Other schemes, broken hosts and endless addresses raise BadURL."""
    with pytest.raises(BadURL):
        canonical(text)


def test_fingerprints_never_change() -> None:
    """Stored keys stay valid in every version."""
    assert fingerprint("http://example.com/") == 0x6AD9D0C164122FB
    assert fingerprint("https://xn--bcher-kva.de/?q=%C3%BC") == 0x16C4E9AA2ED03E70


@pytest.mark.parametrize(
    ("url", "host", "site"),
    [
        ("http://[::1]/", "[::1]", "http://[::1]"),
        ("http://[::1]:81/x", "[::1]", "http://[::1]:81"),
        ("https://a.b:8443/x?y:z/", "a.b", "https://a.b:8443"),
    ],
)
def test_hostname_and_origin(url: str, host: str, site: str) -> None:
    """An IPv6 host keeps its brackets; the port belongs to the origin only."""
    assert (hostname(url), origin(url)) == (host, site)


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("someone.github.io", "someone.github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
    ],
)
def test_registered_domain(host: str, domain: str) -> None:
    """Public suffixes are no domains; addresses and bare names are their own."""
    assert registered_domain(host) == domain
