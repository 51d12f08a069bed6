"""Servers that change their mind between two looks, over real HTTP on one host that a test rewrites."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import sought
from sought.operate.check import check
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.record.recovery import open_directory
from tests.testing.changing_site import HTML, Answer, Site, due_now, serving, write_config

PAGE = "<html><head><title>Lighthouse</title></head><body><p>The old lighthouse stands by the sea.</p></body></html>"


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture
def directory(site: Site, tmp_path: Path) -> Path:
    return write_config(site, tmp_path, 'hosts = ["127.0.0.1"]')


def look(path: Path, fetches: int = 1, policy: str = "Split()") -> None:
    sought.open(path).crawl(fetches, policy)


def state(path: Path, url: str) -> tuple[str, str]:
    with View(path) as view:
        page = view.describe(view.row(url))
    return page.state, page.reason


def found(path: Path) -> list[str]:
    return [hit.url for hit in sought.open(path).search("lighthouse").hits]


def agrees(path: Path) -> None:
    """All parts agree, now and after a rebuild, which ends in the same."""
    for _ in range(2):
        opened = open_directory(path)
        try:
            assert check(opened, lambda _: None) == []
        finally:
            opened.close()
        rebuild(path, lambda _: None)


AWAY: dict[str, Answer] = {
    "404": (404, {}, "nothing"),
    "301": (301, {"Location": "/elsewhere"}, "elsewhere"),
    "soft 404": (200, HTML, "<title>Page not found</title><p>Sorry."),
    "noindex": (200, {**HTML, "X-Robots-Tag": "noindex"}, PAGE + " "),
}


@pytest.mark.slow
@pytest.mark.parametrize("validators", [{}, {"ETag": '"one"'}], ids=["same bytes", "etag"])
@pytest.mark.parametrize("away", AWAY)
def test_a_page_that_comes_back_is_searchable_again(
    site: Site, directory: Path, away: str, validators: dict[str, str]
) -> None:
    """Gone, redirected or hidden for a while, then the very page of before: found again, and everything agrees."""
    site.answers["/"] = (200, HTML | validators, PAGE)
    look(directory)
    assert found(directory) == [site.url("/")]
    site.answers["/"] = AWAY[away]
    look(directory)
    assert found(directory) == []
    due_now(directory)
    site.answers["/"] = (200, HTML | validators, PAGE)
    look(directory, 2, "RoundRobin()")
    assert state(directory, site.url("/")) == ("live", "none")
    assert found(directory) == [site.url("/")]
    agrees(directory)


def test_no_conditional_request_without_a_copy_that_stands(site: Site, directory: Path) -> None:
    """Validators go out only while the archived copy is what the page is: a 304 must always mean that copy."""
    site.answers["/"] = (200, {**HTML, "ETag": '"one"'}, PAGE)
    look(directory)
    look(directory)
    site.answers["/"] = (404, {}, "nothing")
    look(directory)
    due_now(directory)
    look(directory)
    conditional = ["if-none-match" in headers for path, headers in site.asked if path == "/"]
    assert conditional == [False, True, True, False]


def test_a_304_nobody_asked_for_is_no_page(site: Site, directory: Path) -> None:
    """A server that says "as before" at the first visit brings nothing; the row says so, and all agrees."""
    site.answers["/"] = (304, {}, "")
    look(directory)
    assert state(directory, site.url("/")) == ("failed", "server")
    agrees(directory)


def test_robots_that_close_and_open_again(site: Site, directory: Path) -> None:
    """Forbidden, a page leaves the index; allowed again, it comes back though the server says nothing has changed."""
    site.answers["/"] = (200, {**HTML, "ETag": '"one"'}, PAGE)
    look(directory)
    for rules, expected in (("User-agent: *\nDisallow: /", []), ("User-agent: *\nAllow: /", [site.url("/")])):
        site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, rules)
        forget_robots(directory)
        due_now(directory)
        look(directory)
        assert found(directory) == expected
    agrees(directory)


def forget_robots(path: Path) -> None:
    opened = open_directory(path)
    for host in opened.repository.hosts.list:
        host.robots_until = 0.0
        opened.repository.hosts.changed.add(host.number)
    opened.close()


def test_a_redirect_to_a_forbidden_page_is_not_followed(site: Site, directory: Path) -> None:
    """Each hop is asked of robots.txt in its own turn."""
    site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private")
    site.answers["/"] = (302, {"Location": "/private"}, "")
    site.answers["/private"] = (200, HTML, PAGE)
    look(directory, 5, "BreadthFirst()")
    assert site.paths() == ["/"]
    assert state(directory, site.url("/")) == ("alias", "redirect")
    assert state(directory, site.url("/private")) == ("denied", "robots")


def test_redirects_to_private_addresses_meet_the_guard(site: Site, tmp_path: Path) -> None:
    """Where the scope would let it through, the guard refuses the connection, and the row is given up."""
    write_config(site, tmp_path, "everywhere = true")
    for path, target in (("/", "http://10.0.0.1/"), ("/b", "http://169.254.169.254/latest/"), ("/c", "http://[::1]/")):
        site.answers[path] = (302, {"Location": target}, "")
    config = tmp_path / "sought.toml"
    seeds = f'seeds = ["{site.url("/")}", "{site.url("/b")}", "{site.url("/c")}"]\n'
    config.write_text(seeds + config.read_text().replace("seeds", "#", 1).lstrip())
    look(tmp_path, 20, "BreadthFirst()")
    with View(tmp_path) as view:
        robots = {host.origin: host.robots_kind for host in view.hosts.list}
        status = view.status()
    assert {robots[o] for o in ("http://10.0.0.1", "http://169.254.169.254", "http://[::1]")} == {"guarded"}
    assert status.fetched == 3


def test_sitemaps_that_robots_forbid_are_not_read(site: Site, directory: Path) -> None:
    """A host that names a sitemap and forbids its path is taken at its word."""
    sitemaps = "".join(f"Sitemap: {site.url(path)}\n" for path in ("/hidden/map.xml", "/map.txt"))
    rules = f"User-agent: *\nDisallow: /hidden/\n{sitemaps}"
    site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, rules)
    site.answers["/"] = (200, HTML, PAGE)
    site.answers["/map.txt"] = (200, {"Content-Type": "text/plain"}, site.url("/only-here"))
    site.answers["/only-here"] = (200, HTML, PAGE)
    look(directory, 3, "BreadthFirst()")
    assert sorted(site.paths()) == ["/", "/map.txt", "/only-here"]


def test_a_first_fetch_is_no_change(site: Site, directory: Path) -> None:
    """Changes are counted between two looks: a redirect met for the first time has not changed, a moved one has."""
    site.answers["/"] = (301, {"Location": "/a"}, "")
    look(directory)
    with View(directory) as view:
        assert view.describe(0).changes == 0
    site.answers["/"] = (301, {"Location": "/b"}, "")
    look(directory, 1, "RoundRobin()")
    with View(directory) as view:
        assert view.describe(0).changes == 1


def test_a_network_that_is_allowed_later(site: Site, directory: Path):
    """A host that was refused for its address is asked as soon as sought.toml allows it, not an hour later."""
    site.answers["/"] = (200, HTML, PAGE)
    config = directory / "sought.toml"
    text = config.read_text()
    config.write_text(text.replace('allow_networks = ["127.0.0.0/8"]', "allow_networks = []"))
    look(directory)
    assert site.asked == []
    look(directory)
    assert site.asked == []
    config.write_text(text)
    look(directory)
    assert site.paths() == ["/"]
    assert found(directory) == [site.url("/")]
