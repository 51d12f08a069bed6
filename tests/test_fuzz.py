"""Every parser of hostile input against a corpus of nasty files and thousands of mutations of them."""

import random
import tomllib
from pathlib import Path

import pytest

from sought.archive import Archive
from sought.fetch.robots import Robots
from sought.fetch.sitemaps import read_sitemap
from sought.record.config import load_config
from sought.web.digest import digest
from sought.web.errors import BadConfig, BadURL, CrawlDamaged
from sought.web.message import Response
from sought.web.url import canonical

CORPUS = Path(__file__).parent / "testing" / "corpus"
MUTATIONS = 60
_DICTIONARY = [
    b"<",
    b">",
    b"<!--",
    b"-->",
    b"</",
    b"&",
    b"\x00",
    b"\xff",
    b'"',
    b"<script>",
    b"</script",
    b"=",
    b"\n",
    b"*$",
    b"]]>",
    b"[[",
    b"http://",
]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """One to eight small damages: bytes changed, pieces removed, repeated, swapped or put in."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(out) + 1)
        match rng.randrange(5):
            case 0 if out:
                out[at % len(out)] = rng.randrange(256)
            case 1:
                del out[at : at + rng.randint(1, 40)]
            case 2:
                out[at:at] = out[at : at + rng.randint(1, 60)] * rng.randint(1, 5)
            case 3:
                out[at:at] = rng.choice(_DICTIONARY)
            case _:
                out = out[at:] + out[:at]
    return bytes(out)


def samples(kind: str):
    files = sorted((CORPUS / kind).iterdir())
    assert files
    return [pytest.param(f.read_bytes(), id=f.name) for f in files]


def variants(data: bytes):
    rng = random.Random(len(data))
    yield data
    for _ in range(MUTATIONS):
        yield mutated(data, rng)


@pytest.mark.parametrize("data", samples("html"))
@pytest.mark.parametrize(
    "kind", ["text/html", "text/html; charset=utf-16", "text/plain", "", "text/html; charset=no-such"]
)
def test_html(data, kind):
    """Any bytes become a document: no exception, bounded parts, links in canonical form, the same twice."""
    for variant in variants(data):
        headers = (("Content-Type", kind),) if kind else ()
        response = Response("http://example.org/a/b", 200, headers=headers, raw=variant, body=variant)
        document = digest(response)
        assert len(document.links) <= 2000
        assert len(document.title) <= 500
        assert len(document.text) <= 4 * len(variant) + 100
        for link in document.links:
            assert canonical(link.url) == link.url
            assert len(link.anchor) <= 200
        (document.title + document.text + document.main).encode()
        again = digest(response)
        assert (again.content, again.links) == (document.content, document.links)


@pytest.mark.parametrize("data", samples("robots"))
def test_robots(data):
    """Any bytes are a robots.txt; it answers for any URL and itself may always be fetched."""
    for variant in variants(data):
        robots = Robots.parse(variant, "sought")
        assert robots.allows("http://example.org/robots.txt")
        assert robots.allows("http://example.org/private/x?y=%41") in (True, False)
        assert robots.delay is None or 0 <= robots.delay < float("inf")
        assert len(robots.sitemaps) <= 50


@pytest.mark.parametrize("data", samples("sitemaps"))
def test_sitemaps(data):
    """Any bytes are read as far as they make sense; only addresses of the same site come out."""
    for variant in variants(data):
        sitemap = read_sitemap(variant, "http://example.org/sitemap.xml")
        for url in [*sitemap.children, *(u for u, _ in sitemap.pages)]:
            assert canonical(url) == url
            assert url.startswith(("http://example.org", "https://example.org", "http://www.example.org"))


@pytest.mark.parametrize("data", samples("config"))
def test_configuration(data, tmp_path):
    """Any file is a configuration or one clear line."""
    for variant in variants(data):
        (tmp_path / "sought.toml").write_bytes(variant)
        try:
            load_config(tmp_path / "sought.toml")
        except BadConfig as error:
            assert "sought.toml" in str(error)


def test_the_ordinary_configuration_is_accepted():
    """The fuzzing above starts from something valid."""
    assert load_config(CORPUS / "config" / "ordinary.toml").crawl.policy == "RoundRobin()"
    assert tomllib.loads((CORPUS / "config" / "wrong-types.toml").read_text())


def test_urls():
    """Any text is a canonical URL or BadURL, and canonical means that nothing is left to do."""
    for line in (CORPUS / "urls" / "odd.txt").read_bytes().split(b"\n"):
        for variant in variants(line):
            text = variant.decode("utf-8", "surrogateescape")
            for base in ("", "http://example.org/a/b?c"):
                try:
                    url = canonical(text, base)
                except BadURL:
                    continue
                assert canonical(url) == url
                assert url.isascii()


def test_archives(tmp_path):
    """A damaged archive file is cut back to its last whole record or reported; it never gives made-up answers."""
    source = tmp_path / "source"
    archive = Archive.open(source, software="fuzz")
    bodies = {f"http://example.org/{n}": f"<p>page {n}".encode() * 20 for n in range(4)}
    for number, (url, body) in enumerate(bodies.items()):
        archive.append(Response(url, 200, "OK", (("Content-Type", "text/html"),), body, body, time=1e9 + number))
    archive.close()
    [file] = source.glob("*.warc.gz")
    data, rng = file.read_bytes(), random.Random(5)
    for number in range(150):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / file.name).write_bytes(mutated(data, rng))
        try:
            damaged = Archive.open(folder, software="fuzz")
        except CrawlDamaged:
            continue
        try:
            for record in damaged.records():
                if record.response is not None:
                    assert record.response.raw == bodies[record.response.url]
        except CrawlDamaged:
            pass
        damaged.close()
