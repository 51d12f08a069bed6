"""Captures become worlds: WARC files of our own crawls and of others."""

import gzip
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import sought
import sought.cli.lab_import
from sought.archive import Archive, Original
from sought.demand import QueryLog, import_file
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.imports.warc import import_warc
from sought.lab.worlds.imports.warc_files import http_response
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import WEEK, World
from sought.web.errors import BadInput
from sought.web.message import Failure, RequestPurpose, Response
from tests.testing.changing_site import HTML, serving

HOME = "http://a.example/"
T0 = 1_600_000_000.0


def taken_in(*files) -> World:
    recorder = WorldRecorder()
    span = import_warc(recorder, files)
    return recorder.finish("test", span.seeds, span.start, span.end, WEEK)


def story(world: World, url: str) -> list[tuple[float, int, str]]:
    """Of each version of a URL: seconds since the start, status, and title, failure or Location."""
    v, number = world.versions, world.pages[url]
    return [
        (
            round(v.time[i] - world.start, 6),
            int(v.status[i]),
            v.title[i] or v.failure[i] or dict(world.headers[v.headers[i]]).get("Location", ""),
        )
        for i in range(world.first[number], world.first[number + 1])
    ]


def html(title: str) -> bytes:
    return f"<html><head><title>{title}</title></head><body><p>Words of {title}.</p></body></html>".encode()


class Foreign:
    """A file that warcio writes; times are seconds after T0."""

    def __init__(self, *, compressed: bool = True) -> None:
        self.buffer = io.BytesIO()
        self.writer = WARCWriter(self.buffer, gzip=compressed)
        self.write(self.writer.create_warcinfo_record("x.warc", {"software": "warcio"}))

    def write(self, record):
        self.writer.write_record(record)
        record.raw_stream.close()  # warcio leaves a temporary file open

    @staticmethod
    def date(time: float) -> str:
        from datetime import UTC, datetime

        return datetime.fromtimestamp(T0 + time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def add(self, url, body=b"", time=0, status="200 OK", kind="response", headers=(), **fields):
        named = {name.replace("_", "-"): value for name, value in fields.items()}
        http_headers = StatusAndHeaders(status, [("Content-Type", "text/html"), *headers], protocol="HTTP/1.1")
        record = self.writer.create_warc_record(
            url, kind, payload=io.BytesIO(body), http_headers=http_headers if kind in ("response", "revisit") else None,
            warc_headers_dict={"WARC-Date": self.date(time), **named},
        )  # fmt: skip
        self.write(record)
        return record.rec_headers.get_header("WARC-Payload-Digest")

    def revisit(self, url, digest, time, original=HOME, original_time=0, **more):
        record = self.writer.create_revisit_record(
            url, digest, original, self.date(original_time), warc_headers_dict={"WARC-Date": self.date(time)}, **more
        )
        self.write(record)

    def save(self, path):
        path.write_bytes(self.buffer.getvalue())
        return path


# ---- files of others


@pytest.mark.parametrize("compressed", [True, False])
def test_foreign_files(tmp_path, compressed):
    """Versions are captures in time; the first counts from the start; revisits and 304 are as before."""
    file = Foreign(compressed=compressed)
    digest = file.add(HOME, html("one"), 10)
    file.add(HOME, b"GET / HTTP/1.1\r\n\r\n", 10, kind="request")
    file.add(HOME, b"failure: not ours", 10, kind="metadata")
    file.add("dns:a.example", b"192.0.2.1", 10, kind="resource")
    file.add(f"{HOME}b", html("bee"), 20, headers=[("ETag", "x")])
    file.revisit(HOME, digest, 30, original_time=10)
    file.add(f"{HOME}b", b"", 40, "304 Not Modified", headers=[("ETag", "y")])
    file.add(f"{HOME}b", b"", 50, "404 Not Found")
    file.add(HOME, html("two"), 60)
    file.revisit(HOME, digest, 70, original_time=10)
    file.revisit(f"{HOME}copy", digest, 80)
    file.revisit(f"{HOME}lost", "sha1:AAAA", 85)
    file.add(f"{HOME}old", b"", 90, "301 Moved", headers=[("Location", HOME)])
    file.add(f"{HOME}res", html("resource"), 95, kind="resource", Content_Type="text/html")
    file.add(f"{HOME}robots.txt", b"User-agent: *", 5, headers=[("X-Bad", "caf\xe9")])
    file.add(f"{HOME}robots.txt", b"User-agent: *", 15)
    file.add(f"{HOME}robots.txt", b"User-agent: you", 25)
    world = taken_in(file.save(tmp_path / ("x.warc.gz" if compressed else "x.warc")))
    assert (world.start, world.end) == (T0 + 5, T0 + 95)
    assert story(world, HOME) == [(0, 200, "one"), (55, 200, "two"), (65, 200, "one")]
    assert story(world, f"{HOME}b") == [(0, 200, "bee"), (45, 404, "")]
    assert story(world, f"{HOME}copy") == [(0, 200, "one")]
    assert story(world, f"{HOME}old") == [(0, 301, HOME)]
    assert story(world, f"{HOME}res") == [(0, 200, "resource")]
    assert len(world.urls) == 5
    assert [(f.url, f.time - world.start, f.purpose, f.body) for f in world.files] == [
        (f"{HOME}robots.txt", 0.0, RequestPurpose.ROBOTS, b"User-agent: *"),
        (f"{HOME}robots.txt", 20.0, RequestPurpose.ROBOTS, b"User-agent: you"),
    ]
    assert world.seeds == (HOME,)


def asked(world: World, url: str) -> list[tuple[float, str]]:
    v, number = world.versions, world.pages[url]
    heads = [
        (v.time[i] - T0, dict(world.headers[v.headers[i]])) for i in range(world.first[number], world.first[number + 1])
    ]
    return [(float(time), head.get("X-Robots-Tag", "")) for time, head in heads]


def headed(*headers, status="200 OK"):
    return StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")


def test_what_robots_are_told_with_the_same_body(tmp_path):
    """A header that comes or goes with a body known before is news, in a response, a revisit and a 304."""
    kind, tag = ("Content-Type", "text/html"), ("X-Robots-Tag", "noindex")
    file = Foreign()
    digest = file.add(HOME, html("one"))
    file.add(HOME, html("one"), 10, headers=[tag])
    file.add(HOME, html("one"), 20)
    file.revisit(HOME, digest, 30, http_headers=headed(kind, tag))
    file.revisit(HOME, digest, 40, http_headers=headed(kind, ("X-Robots-Tag", "nofollow"), tag))
    file.revisit(HOME, digest, 50, http_headers=headed(kind))
    file.revisit(HOME, digest, 60, http_headers=headed(kind))
    file.revisit(HOME, digest, 70, http_headers=headed(tag, status="304 Not Modified"))
    world = taken_in(file.save(tmp_path / "x.warc.gz"))
    told = [(time, bool(tag)) for time, tag in asked(world, HOME)]
    assert told == [(0, False), (10, True), (20, False), (30, True), (40, True), (50, False), (70, True)]
    assert {status for _, status, _ in story(world, HOME)} == {200}


def test_a_revisit_s_own_headers(tmp_path):
    """They count; how the body is coded, and what a 304 or a bare revisit leaves out, the original says."""
    coded, kind, tag = ("Content-Encoding", "gzip"), ("Content-Type", "text/html"), ("X-Robots-Tag", "noindex")
    file = Foreign()
    digest = file.add(HOME, gzip.compress(html("one"), mtime=0), headers=[coded, tag])
    file.revisit(f"{HOME}plain", digest, 10, http_headers=headed(kind))
    file.revisit(f"{HOME}bare", digest, 20)
    file.revisit(f"{HOME}same", digest, 30, http_headers=headed(("Content-Type", "x/y"), status="304 Not Modified"))
    file.revisit(f"{HOME}odd", digest, 40, http_headers=headed(("Content-Encoding", "br"), ("X-Robots-Tag", "none")))
    world = taken_in(file.save(tmp_path / "x.warc.gz"))
    for name, robots in (("plain", ""), ("bare", "noindex"), ("same", "noindex"), ("odd", "none")):
        assert (story(world, HOME + name), asked(world, HOME + name)) == ([(0, 200, "one")], [(0, robots)])


def test_several_files_in_any_order(tmp_path):
    """Files are one collection, sorted by time; a folder or a CDXJ index stands for its files; none counts twice."""
    late, early = Foreign(), Foreign()
    late.add(HOME, html("late"), 50)
    late.add("http://b.example/x", html("x"), 60)
    early.add(HOME, html("early"), 10)
    early.add(HOME, html("early, at the same time"), 10)
    folder = tmp_path / "warcs"
    (folder / "in").mkdir(parents=True)
    first, second = late.save(folder / "a.warc.gz"), early.save(folder / "in" / "b.warc.gz")
    (folder / "in" / "all.cdxj").write_text(
        '!meta {}\ncom,a)/ 20200101000000 {"filename": "elsewhere/b.warc.gz", "offset": "0"}\n'
    )
    for files in [(first, second), (folder,), (folder / "in" / "all.cdxj", first, folder)]:
        world = taken_in(*files)
        assert story(world, HOME) == [(0, 200, "early, at the same time"), (40, 200, "late")]
        assert world.seeds == (HOME, "http://b.example/x")


def test_bodies_as_they_were_sent(tmp_path):
    """Chunks are joined and codings undone; what is no HTTP is a failure of that URL."""
    file = Foreign()
    chunked = (
        b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (html("ch")[:20], html("ch")[20:])) + b"0\r\n\r\n"
    )
    file.add(f"{HOME}chunked", chunked, headers=[("Transfer-Encoding", "chunked")])
    file.add(f"{HOME}joined", html("joined"), headers=[("Transfer-Encoding", "chunked")])
    file.add(f"{HOME}gzip", gzip.compress(html("gz")), headers=[("Content-Encoding", "gzip")])
    path = file.save(tmp_path / "x.warc.gz")
    block = b"ICY 200 OK\r\n\r\nmusic"
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <{HOME}odd>\r\nWARC-Date: {Foreign.date(1)}\r\n"
    (tmp_path / "odd.warc").write_bytes(f"{head}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n")
    world = taken_in(path, tmp_path / "odd.warc")
    for name in ("chunked", "joined", "gzip"):
        assert story(world, HOME + name)[0][2] == {"chunked": "ch", "joined": "joined", "gzip": "gz"}[name]
    assert story(world, f"{HOME}odd") == [(0, 0, "headers")]


@given(st.binary(max_size=80) | st.text("0123456789abcdef\r\n: HTTP/.chunked", max_size=80).map(str.encode))
def test_any_block(data):
    """Whatever a block holds, it is an answer or none."""
    for block in (data, b"HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n" + data):
        answer = http_response(block)
        assert answer is None or len(answer[2]) <= len(block)


# ---- our own


def answer(url=HOME, title="one", status=200, time=0.0, purpose=RequestPurpose.PAGE, body=None, headers=(), **more):
    data = html(title) if body is None else body
    kept = (("Content-Type", "text/html"), *headers)
    return Response(url, status, "OK", kept, data, data, time=T0 + time, purpose=purpose, **more)


def recorded(folder, *steps, notes=()):
    with Archive.open(folder / "archive", software="test") as archive:
        for uri, text in notes:
            archive.note(uri, text, "text/plain", T0)
        for response, original in steps:
            archive.append(response, original)
    return folder


def test_our_own_archive(tmp_path):
    """Failures are versions, a page that comes back is one again, sitemaps are files, seeds are those noted."""
    with Archive.open(tmp_path / "probe", software="test") as probe:
        known = Original(HOME, T0, probe.append(answer()).digest)
    crawl = recorded(
        tmp_path,
        (answer(), None),
        (answer(time=10), known),
        (answer(status=304, time=20, body=b""), known),
        (answer(status=404, time=30, body=b"gone"), None),
        (answer(time=40), known),
        (answer(status=500, time=50, body=b""), None),
        (answer(status=304, time=60, body=b""), known),
        (answer(f"{HOME}slow", time=70, status=0, body=b"", failure=Failure.TIMEOUT), None),
        (answer(f"{HOME}slow", "slow", time=80), None),
        (answer(f"{HOME}map.xml", time=5, purpose=RequestPurpose.SITEMAP, body=b"<urlset/>"), None),
        (answer(f"{HOME}bad", time=90, status=301, body=b"", headers=(("Location", "/\udcff"),)), None),
        notes=[("urn:sought:seeds", f"{HOME}\nhttp://c.example/".encode()), ("urn:sought:loaded", HOME.encode())],
    )
    save_world(taken_in(crawl), tmp_path / "world", [])
    world = open_world(tmp_path / "world")
    assert story(world, HOME) == [(0, 200, "one"), (30, 404, ""), (40, 200, "one"), (50, 500, ""), (60, 200, "one")]
    assert story(world, f"{HOME}slow") == [(0, 0, "timeout"), (80, 200, "slow")]
    assert [(f.url, f.time, f.purpose) for f in world.files] == [(f"{HOME}map.xml", T0, RequestPurpose.SITEMAP)]
    assert world.seeds == (HOME, "http://c.example/")
    assert taken_in(crawl / "archive").seeds == world.seeds


def test_a_real_crawl(tmp_path, monkeypatch, capfd):
    """A crawl directory is a world: its pages, its redirects, its robots.txt; also by the command."""
    monkeypatch.chdir(tmp_path)
    with serving() as site:
        site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /")
        links = '<p>Hello.</p><a href="/a">to a</a><a href="/moved">m</a><a href="/none">n</a>'
        site.answers["/"] = (200, HTML, links)
        site.answers["/a"] = (200, HTML | {"ETag": '"1"'}, html("A").decode())
        site.answers["/moved"] = (301, {"Location": "/a"}, "")
        crawl = sought.init(tmp_path / "crawl", [site.url("/")], "test@example.org", [])
        config = (crawl.path / "sought.toml").read_text()
        (crawl.path / "sought.toml").write_text(
            "\n".join(line for line in config.splitlines() if line.startswith("seeds"))
            + '\n[agent]\ncontact = "t@example.org"\n[scope]\nhosts = ["127.0.0.1"]\n[crawl]\nrevisit_after = "0s"\n'
            + '[politeness]\ndelay = 0.0\nmax_delay = 0.1\n[fetch]\nallow_networks = ["127.0.0.0/8"]\n'
        )
        sought.open(crawl.path).crawl(fetches=4)
        site.answers["/a"] = (200, HTML | {"ETag": '"2"'}, html("A, renewed").decode())
        sought.open(crawl.path).crawl(fetches=8)
        home = site.url("/")
    sought.cli.lab_import.app(["warc", "crawl", "--json", "--unit", "1s"], standalone_mode=False)
    about = json.loads(capfd.readouterr()[0])
    world = open_world(tmp_path / "crawl.world")
    assert (about["name"], about["pages"], world.unit) == ("crawl", len(world.urls), 1.0)
    assert sorted(url.removeprefix(home) for url in world.urls) == ["", "a", "moved", "none"]
    assert [title for _, _, title in story(world, f"{home}a")] == ["A", "A, renewed"]
    assert story(world, f"{home}moved")[0] == (0, 301, "/a")
    assert story(world, f"{home}none")[0][1] == 404
    first = world.version(world.pages[home], world.start)
    assert [world.links[i].anchor for i in world.link_lists[first]] == ["to a", "m", "n"]
    assert (f"{home}robots.txt", RequestPurpose.ROBOTS) in [(f.url, f.purpose) for f in world.files]
    assert world.seeds == (home,)
    assert world.notes == {"source": "warc", "files": ["crawl"], "demand": []}
    assert len(world.tallies) == 0
    (tmp_path / "asked.tsv").write_text("query\tcount\nrenewed\t7\n")
    import_file(QueryLog(crawl.path / "queries"), tmp_path / "asked.tsv")
    sought.cli.lab_import.app(["warc", "crawl", "--unit", "1s", "--to", "asked.world"], standalone_mode=False)
    asked = open_world(tmp_path / "asked.world")
    assert (asked.tallies.query, asked.tallies.count.tolist()) == (["renewed"], [7.0])
    assert asked.tallies.since[0] <= asked.end
    assert asked.notes["own_queries"] == 1


# ---- damage


def test_what_is_no_warc(tmp_path):
    """Everything that cannot be read is named."""
    (tmp_path / "text.warc").write_text("hello")
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.cdxj").write_text('com,a)/ 2020 {"filename": "none.warc.gz"}\n')
    (tmp_path / "worse.cdxj").write_text("!x\ncom,a)/\n")
    (tmp_path / "crawl" / "archive").mkdir(parents=True)
    (tmp_path / "void.warc").write_bytes(b"")
    two = Foreign(compressed=False)
    two.add(HOME, html("x"))
    (tmp_path / "two.warc.gz").write_bytes(gzip.compress(two.buffer.getvalue()))
    bad = {
        "text.warc": r"text\.warc is damaged at offset 0: no WARC record",
        "empty": "neither a crawl nor a folder",
        "none": "no such file",
        "bad.cdxj": r"bad\.cdxj:1: no file 'none\.warc\.gz' beside it",
        "worse.cdxj": r"worse\.cdxj:2: not a line of CDXJ",
        "crawl": "nothing was crawled",
        "void.warc": r"void\.warc: no captures",
        "two.warc.gz": r"two\.warc\.gz is damaged at offset 0: several records in one gzip member",
    }
    for name, what in bad.items():
        with pytest.raises(BadInput, match=what):
            taken_in(tmp_path / name)


def test_a_torn_file(tmp_path):
    """A file that ends within a record is damaged there; of a crawl's last file that is a crash's torn tail."""
    crawl = recorded(tmp_path, (answer(), None), (answer(f"{HOME}b", "b", time=1), None))
    warc = next((crawl / "archive").glob("*.warc.gz"))
    warc.write_bytes(warc.read_bytes()[:-20])
    assert story(taken_in(crawl), HOME) == [(0, 200, "one")]
    with pytest.raises(BadInput, match=r"crawl-00000001\.warc\.gz is damaged at offset \d+: the file ends within"):
        taken_in(warc)
    data = bytearray(warc.read_bytes())
    data[len(data) // 2] ^= 0xFF
    warc.write_bytes(data)
    with pytest.raises(BadInput, match=r"damaged at offset \d+"):
        taken_in(crawl)


def sample(compressed: bool) -> bytes:
    file = Foreign(compressed=compressed)
    digest = file.add(HOME, html("one"))
    file.revisit(HOME, digest, 5)
    file.add(f"{HOME}robots.txt", b"User-agent: *", 7)
    return file.buffer.getvalue()


SAMPLES = {compressed: sample(compressed) for compressed in (True, False)}


@settings(max_examples=150, deadline=None)
@given(st.data(), st.booleans())
def test_any_damage(tmp_path_factory, data, compressed):
    """A file cut off or garbled anywhere is a world or BadInput, and never anything else."""
    whole = SAMPLES[compressed]
    cut = data.draw(st.integers(0, len(whole)))
    garbled = bytearray(whole[:cut])
    for _ in range(data.draw(st.integers(0, 3)) if garbled else 0):
        garbled[data.draw(st.integers(0, len(garbled) - 1))] = data.draw(st.integers(0, 255))
    file = tmp_path_factory.getbasetemp() / "garbled.warc"
    file.write_bytes(garbled)
    try:
        assert taken_in(file).urls
    except BadInput as error:
        assert "garbled.warc" in str(error) or "no pages" in str(error)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_damage_of_our_own(tmp_path_factory, data):
    """The same of a crawl directory."""
    folder = tmp_path_factory.mktemp("own")
    failed = answer(f"{HOME}x", time=3, status=200, body=b"", failure=Failure.TOO_LARGE)
    recorded(folder, (answer(), None), (failed, None))
    warc = next((folder / "archive").glob("*.warc.gz"))
    garbled = bytearray(warc.read_bytes())
    at, cut, byte = (data.draw(st.integers(0, most)) for most in (999, 1000, 255))  # thousandths: lengths vary
    garbled[len(garbled) * at // 1000] = byte
    warc.write_bytes(garbled[: len(garbled) * cut // 1000])
    try:
        assert taken_in(folder).urls
    except BadInput as error:
        assert str(folder) in str(error) or "no pages" in str(error)
