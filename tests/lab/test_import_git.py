"""Sites in git repositories become worlds."""

import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sought.cli.lab_import
from sought.demand import Action, Event, QueryLog, Search, export_file
from sought.demand.formats import Format
from sought.lab.worlds.files import open_world, read_texts
from sought.lab.worlds.imports.addresses import base_of, is_page, linked, page_address
from sought.lab.worlds.imports.git import import_git
from sought.lab.worlds.imports.git_history import snapshots
from sought.lab.worlds.imports.markdown import to_html
from sought.lab.worlds.imports.moves import read_moves
from sought.lab.worlds.imports.queries import import_queries
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING, WEEK, World
from sought.web.digest import digest
from sought.web.errors import BadInput
from sought.web.message import Response
from sought.web.url import canonical

MONDAY = 1641168000.0  # 2022-01-03
DAY = 86400.0
BASE = "https://a.example"


def page(title: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">to {link}</a> ' for link in links)
    return f"<html><head><title>{title}</title></head><body><p>words of {title}</p>{anchors}</body></html>"


class Repository:
    """A real one; None as a text deletes the file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, time: float = MONDAY) -> str:
        date = f"{int(time)} +0000"
        who = {f"GIT_{role}_{what}": "someone" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments],
            check=True, capture_output=True, text=True, env=os.environ | who | dates,
        )  # fmt: skip
        return done.stdout

    def commit(self, time: float, **files: str | None) -> None:
        self.write(time, files)

    def write(self, time: float, files: dict[str, str | None]) -> None:
        for name, text in files.items():
            file = self.folder / name
            if text is None:
                file.unlink()
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "more", time=time)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "site")


def taken_in(source: Path, every: float = WEEK, moves: Path | None = None, base: str = BASE) -> World:
    recorder = WorldRecorder()
    span = import_git(recorder, source, base, every, moves)
    return recorder.finish("test", span.seeds, span.start, span.end, every or WEEK)


def story(world: World, url: str) -> list[tuple[float, int, str]]:
    """Of each version of a URL: days since the start, status, and title or Location."""
    v, number = world.versions, world.pages[url]
    return [
        (
            (v.time[i] - MONDAY) / DAY,
            int(v.status[i]),
            v.title[i] or dict(world.headers[v.headers[i]]).get("Location", ""),
        )
        for i in range(world.first[number], world.first[number + 1])
    ]


def links_of(world: World, url: str, time: float = MONDAY) -> list[tuple[str, str]]:
    version = world.version(world.pages[url], time)
    return [(world.links[i].url, world.links[i].anchor) for i in world.link_lists[version]]


def moves_file(folder: Path, text: str) -> Path:
    file = folder / "moves.tsv"
    file.write_text("week\tfrom\tto\n" + text)
    return file


# ---- time


def test_snapshots_lie_on_the_grid(repository):
    """The state at each step is that of the last commit at or before it, whenever that was."""
    repository.write(MONDAY, {"index.html": page("zero"), "a.html": page("a")})
    repository.write(MONDAY + 2 * DAY, {"index.html": page("lost")})
    repository.write(MONDAY + 7 * DAY, {"index.html": page("one")})
    repository.write(MONDAY + 8 * DAY, {"index.html": page("two")})
    repository.write(MONDAY + 29 * DAY, {"index.html": page("too late")})
    world = taken_in(repository.folder)
    assert story(world, f"{BASE}/") == [(0, 200, "zero"), (7, 200, "one"), (14, 200, "two")]
    assert (world.start, world.end, world.units) == (MONDAY, MONDAY + 28 * DAY, 4)
    assert world.seeds == (f"{BASE}/",)


def test_every_commit(repository):
    """Without a step every commit is a snapshot; of one second the last; a clock set back does not matter."""
    for time, title in [(0, "a"), (5, "b"), (5, "c"), (3, "d"), (9, "e")]:
        repository.write(MONDAY + time * DAY, {"index.html": page(title)})
    world = taken_in(repository.folder, 0.0)
    assert story(world, f"{BASE}/") == [(0, 200, "a"), (5, 200, "d"), (9, 200, "e")]
    assert world.end == MONDAY + 9 * DAY


def test_first_parents_only(repository):
    """What happened on a branch counts from its merge on."""
    repository.write(MONDAY, {"index.html": page("home")})
    repository.git("checkout", "-q", "-b", "side")
    repository.write(MONDAY + 1 * DAY, {"b.html": page("b")})
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge", "side", time=MONDAY + 5 * DAY)
    world = taken_in(repository.folder, 0.0)
    assert story(world, f"{BASE}/b.html") == [(5, 200, "b")]


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=12).map(sorted),
    st.sampled_from([1.0, 3.0, 7.0, 100.0]),
)
def test_the_grid_by_its_definition(times, every):
    """At every step, the listed snapshots say what the definition says."""
    commits = [(float(time), str(number)) for number, time in enumerate(times)]
    found = snapshots(commits, every)
    assert all(a.number < b.number for a, b in pairwise(found))
    last = int((times[-1] - times[0]) // every)
    assert found[-1].number == last
    for step in range(last + 1):
        moment = times[0] + step * every
        wanted = [commit for time, commit in commits if time <= moment][-1]
        assert [s.commit for s in found if s.number <= step][-1] == wanted
        assert all(s.time == times[0] + s.number * every for s in found)


# ---- addresses


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("index.html", "/"),
        ("a/b/index.html", "/a/b"),
        ("a/b.html", "/a/b.html"),
        ("a/b.HTM", "/a/b.HTM"),
        ("a/b.md", "/a/b"),
        ("README.md", "/"),
        ("a/readme.markdown", "/a"),
        ("a/index.md", "/a"),
        ("a/readme.html", "/a/readme.html"),
        ("a b/100% <ä>?#\\.html", "/a%20b/100%25%20%3C%C3%A4%3E%3F%23%5C.html"),
        ("fn*/::before/~(x)'@1/index.html", "/fn*/::before/~(x)'@1"),
        (" x .html", "/%20x%20.html"),
        ("a/\x07\t.html", "/a/%07%09.html"),
    ],
)
def test_addresses(path, url):
    """A file stands where a link to it leads."""
    assert is_page(path.encode())
    found = page_address(base_of("https://A.example:443/"), path.encode())
    assert found == BASE + url
    assert canonical(found) == canonical(url, f"{BASE}/") == found


def test_which_files_are_no_pages(repository):
    """Other files, links and nameless ones are left out; a site may stand in a folder of its host."""
    repository.write(MONDAY, {"x.html": page("x"), "x.css": "p {}", ".md": "# none", "d.html/y.txt": "y"})
    (repository.folder / "link.html").symlink_to("x.html")
    repository.write(MONDAY + 1, {})
    assert taken_in(repository.folder, 0.0, base=f"{BASE}/docs/").urls == [f"{BASE}/docs/x.html"]


def test_one_url_two_files(repository):
    """HTML wins over Markdown, index over README, and what is left stands when the winner goes."""
    repository.write(MONDAY, {"a.md": "# m", "a/index.html": page("h"), "b/README.md": "# r", "b/index.md": "# i"})
    repository.write(MONDAY + WEEK, {"a/index.html": None, "b/index.md": None})
    world = taken_in(repository.folder)
    assert story(world, f"{BASE}/a") == [(0, 200, "h"), (7, 200, "m")]
    assert story(world, f"{BASE}/b") == [(0, 200, "i"), (7, 200, "r")]


def test_links_of_a_folder_s_page(repository):
    """Relative links of a/index.html are meant from inside a; linked to by other spellings, a page redirects."""
    repository.write(
        MONDAY,
        {
            "a/index.html": page("a", "c.html", "b/", "b/index.html", "/a", "../index.html"),
            "a/b/index.html": page("b"),
            "a/c.html": page("c", "b/index.html"),
            "index.html": page("home", "nowhere/", "/a/"),
        },
    )
    world = taken_in(repository.folder)
    targets = [url.removeprefix(BASE) for url, _ in links_of(world, f"{BASE}/a")]
    assert targets == ["/a/c.html", "/a/b/", "/a/b/index.html", "/a", "/index.html"]
    for other, url in [("/a/b/", "/a/b"), ("/a/b/index.html", "/a/b"), ("/index.html", "/"), ("/a/", "/a")]:
        assert story(world, BASE + other) == [(0, 301, BASE + url)]
    assert len(world.urls) == 4 + 4


def test_ways_to_pages_that_die(repository, tmp_path):
    """Other addresses of a page lead to it while it is there, then are gone or move as it does, and come back."""
    ways = ("/a/", "/a/index.html", "/b/", "/c.md", "/d/index.html", "/late/")
    repository.write(
        MONDAY,
        {
            "index.html": page("home", *ways),
            "a/index.html": page("a"),
            "b/index.html": page("b"),
            "c.md": "# c",
            "d/index.html": page("d"),
        },
    )
    repository.write(
        MONDAY + WEEK, {"a/index.html": None, "b/index.html": None, "c.md": None, "c/index.html": page("c")}
    )
    repository.write(MONDAY + 2 * WEEK, {"a/index.html": page("a again"), "late/index.html": page("late")})
    repository.write(MONDAY + 3 * WEEK, {"a/index.html": None, "d/index.html": page("d, renewed")})
    world = taken_in(repository.folder, WEEK, moves_file(tmp_path, "1\t/b\t/c\n3\t/a\t/a/index.html\n"))
    lives = [(0, 301, f"{BASE}/a"), (7, 404, ""), (14, 301, f"{BASE}/a")]
    assert story(world, f"{BASE}/a/") == [*lives, (21, 301, f"{BASE}/a/index.html")]
    assert story(world, f"{BASE}/a/index.html") == [*lives, (21, 404, "")]  # not to itself
    assert story(world, f"{BASE}/b/") == [(0, 301, f"{BASE}/b"), (7, 301, f"{BASE}/c")]
    assert story(world, f"{BASE}/c.md") == [(0, 301, f"{BASE}/c")]
    assert story(world, f"{BASE}/d/index.html") == [(0, 301, f"{BASE}/d")]
    assert story(world, f"{BASE}/late/") == [(14, 301, f"{BASE}/late")]


def test_links_may_be_encoded(repository):
    """A link that is a page's address once percent-decoded is that page; a question mark is only one if it is bare."""
    names = [f"x{mark}y.html" for mark in "+'()[]|;&=@:%?# ü"] + ["%41.html", "f(1)/index.html"]
    links = [quote(name) for name in names] + ["f%281%29/", "%66(1)", "x?y.html", "A.html", "n%6fne.html"]
    repository.write(MONDAY, {"index.html": page("home", *links), **{name: page(name) for name in names}})
    world = taken_in(repository.folder)
    alive = [url for url, _ in links_of(world, f"{BASE}/") if url in world.pages]
    assert [url.removeprefix(f"{BASE}/") for url in alive] == links[:-3]
    assert story(world, f"{BASE}/x%2By.html") == [(0, 301, f"{BASE}/x+y.html")]
    for way in ("f%281%29/", "f%281%29/index.html", "%66(1)"):
        assert story(world, f"{BASE}/{way}") == [(0, 301, f"{BASE}/f(1)")]
    assert story(world, f"{BASE}/%2541.html") == [(0, 200, "%41.html")]


def test_spellings_are_bounded(repository):
    """A name has endless spellings; some are enough."""
    name = "abcdefgh.html"
    spelt = ["".join(f"%{ord(c):02x}" if bits >> i & 1 else c for i, c in enumerate(name)) for bits in range(1, 200)]
    repository.write(MONDAY, {"index.html": page("home", *spelt), name: page("a")})
    world = taken_in(repository.folder)
    assert sum(url != f"{BASE}/{name}" for url in world.urls) == 1 + 64


def test_an_address_too_long_for_its_file(repository):
    """A page whose own address just fits is a page, though that of its file does not."""
    folder = "/".join(["x" * 200] * 10) + "/" + "y" * 15
    repository.write(MONDAY, {"index.html": page("home"), f"{folder}/index.html": page("deep")})
    assert story(taken_in(repository.folder), f"{BASE}/{folder}") == [(0, 200, "deep")]


# ---- changes


def test_deletes_and_moves(repository, tmp_path):
    """Gone is 404; moved is 301 from its week on, wherever no file stands; a file that comes back wins."""
    repository.write(MONDAY, {name: page(name) for name in ("index.html", "a.html", "b.html", "c d/index.html")})
    repository.write(MONDAY + 1 * WEEK, {"a.html": None, "b.html": None, "c d/index.html": None, "e.html": page("e")})
    repository.write(MONDAY + 3 * WEEK, {"b.html": page("back")})
    repository.write(MONDAY + 4 * WEEK, {"b.html": None})
    moves = moves_file(tmp_path, "1\t/b.html\t/e.html\n2\t/c d\t/é?\n3\t/c d/\t/e.html\n\n0\t/old\t/\n")
    world = taken_in(repository.folder, WEEK, moves)
    assert story(world, f"{BASE}/a.html") == [(0, 200, "a.html"), (7, 404, "")]
    assert story(world, f"{BASE}/b.html") == [
        (0, 200, "b.html"), (7, 301, f"{BASE}/e.html"), (21, 200, "back"), (28, 301, f"{BASE}/e.html"),
    ]  # fmt: skip
    assert story(world, f"{BASE}/c%20d") == [
        (0, 200, "c d/index.html"), (7, 404, ""), (14, 301, f"{BASE}/%C3%A9%3F"), (21, 301, f"{BASE}/e.html"),
    ]  # fmt: skip
    assert story(world, f"{BASE}/old") == [(0, 301, f"{BASE}/")]
    assert world.version(world.pages[f"{BASE}/e.html"], MONDAY) == NOTHING


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("1\t/a", 2, "2 columns"),
        ("1\t/a\t/b\nx\t/a\t/b", 3, "not a week: 'x'"),
        ("-1\t/a\t/b", 2, "not a week"),
        ("²\t/a\t/b", 2, "not a week"),
        ("1\ta\t/b", 2, "starts with '/'"),
        ("1\t/a\t/a/", 2, "moves to itself"),
        ("9\t/a\t/b", 2, "after the last snapshot, 5"),
        (f"1\t/{'a' * 5000}\t/b", 2, "longer than"),
    ],
)
def test_bad_moves(tmp_path, text, line, what):
    """A line that cannot be used is named."""
    file = moves_file(tmp_path, text)
    with pytest.raises(BadInput) as told:
        read_moves(file, BASE, 5)
    assert f"moves.tsv:{line}: " in str(told.value)
    assert what in str(told.value)


@given(st.binary(max_size=60) | st.text("\t\n\r/ab01", max_size=40).map(str.encode))
def test_any_moves(tmp_path_factory, data):
    """Whatever is in the file, it is moves or BadInput."""
    file = tmp_path_factory.getbasetemp() / "any.tsv"
    file.write_bytes(b"week\tfrom\tto\n" + data)
    try:
        found = read_moves(file, BASE, 5)
    except BadInput as error:
        assert "any.tsv:" in str(error)
    else:
        assert all(move.week <= 5 and move.target.startswith(BASE) for move in found)


def test_moves_without_a_header(tmp_path):
    (tmp_path / "m.tsv").write_text("1\t/a\t/b\n")
    with pytest.raises(BadInput, match=r"m\.tsv:1: the first line"):
        read_moves(tmp_path / "m.tsv", BASE, 5)
    with pytest.raises(BadInput, match="cannot read"):
        read_moves(tmp_path / "none.tsv", BASE, 5)


# ---- sources


def test_bundle_and_bare_are_the_same(repository, tmp_path):
    """A work tree, a bare clone and bundles with and without a HEAD make one and the same world."""
    repository.write(MONDAY, {"index.html": page("home", "a.html"), "a.html": page("a")})
    repository.write(MONDAY + WEEK, {"a.html": page("b")})
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    repository.git("bundle", "create", "-q", str(tmp_path / "one.bundle"), "HEAD", "main")
    repository.git("bundle", "create", "-q", str(tmp_path / "two.bundle"), "main")
    wanted = taken_in(repository.folder)
    assert len(wanted.versions) == 3
    for source in ("bare.git", "one.bundle", "two.bundle"):
        found = taken_in(tmp_path / source)
        assert (found.urls, found.versions.digest) == (wanted.urls, wanted.versions.digest)


def test_bad_sources(repository, tmp_path, monkeypatch):
    """What cannot be read is BadInput that names it."""
    repository.write(MONDAY, {"index.html": page("home" + "x" * 5000)})
    repository.git("bundle", "create", "-q", str(tmp_path / "whole.bundle"), "HEAD")
    whole = (tmp_path / "whole.bundle").read_bytes()
    (tmp_path / "cut.bundle").write_bytes(whole[:-30])
    (tmp_path / "text.bundle").write_text("no bundle")
    (repository.folder / "inside").mkdir()
    pictures, empty = Repository(tmp_path / "pictures"), Repository(tmp_path / "empty")
    pictures.write(MONDAY, {"a.png": "…"})
    bad = {
        tmp_path / "cut.bundle": "cut.bundle",
        tmp_path / "text.bundle": "text.bundle",
        tmp_path / "none": "no such",
        repository.folder / "inside": "inside",
        pictures.folder: "no HTML or Markdown",
        empty.folder: "no commits",
    }
    for source, what in bad.items():
        with pytest.raises(BadInput, match=what):
            taken_in(source)
    with pytest.raises(BadInput, match="base URL"):
        taken_in(repository.folder, base="ftp://a.example/")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="git is not installed"):
        taken_in(repository.folder)


def test_a_lost_object(repository):
    """A file whose content is missing is damage, not an empty page."""
    repository.write(MONDAY, {"index.html": page("home")})
    blob = repository.git("rev-parse", "HEAD:index.html").strip()
    (repository.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(BadInput, match=f"damaged: git cannot read the object {blob}"):
        taken_in(repository.folder)


# ---- Markdown


MARKDOWN = """---
layout: x
---
Guide to *sound*
================
Read [the *manual*](../docs/man%20ual.md#top "now") and [more][M], <https://b.example/>, `a < [b](c)`.
![logo](logo.png) snake_case 1 < 2

* one [home](/README.md)
* two [this](sub/)

~~~
[not](a-link.md)
~~~

[m]: other.markdown
"""


def test_markdown(repository):
    """Title, words, code and links, which lead to where the files stand."""
    repository.write(MONDAY, {"x/guide.md": MARKDOWN})
    recorder = WorldRecorder()
    span = import_git(recorder, repository.folder, BASE)
    world = recorder.finish("m", span.seeds, span.start, span.end, WEEK)
    assert story(world, f"{BASE}/x/guide") == [(0, 200, "Guide to sound")]
    assert links_of(world, f"{BASE}/x/guide") == [
        (f"{BASE}/docs/man%20ual", "the manual"),
        (f"{BASE}/x/other", "more"),
        ("https://b.example/", "https://b.example/"),
        (f"{BASE}/", "home"),
        (f"{BASE}/x/sub", "this"),
    ]
    for words in ("Read the manual", "a < [b](c)", "logo snake_case 1 < 2", "one home", "[not](a-link.md)"):
        assert words in recorder.texts[0]
    assert "layout" not in recorder.texts[0]


def test_front_matter_names_the_title():
    assert "<title>A &amp; B</title>" in to_html('---\ntitle: "A & B"\n---\n# C\n')
    assert "<title>a&lt;b</title>" in to_html("text\n\n## `a<b`\n")


@pytest.mark.parametrize(
    ("href", "wanted"),
    [
        ("../../../up.md", f"{BASE}/up"),
        ("b.html?x#y", f"{BASE}/d/b.html?x#y"),
        ("index.md", f"{BASE}/d"),
        ("#part", "#part"),
        ("mailto:a@b.c", "mailto:a@b.c"),
        ("//h/x.md", "//h/x.md"),
        ("pic ture.png", f"{BASE}/d/pic%20ture.png"),
        ("a" * 3000 + ".md", "a" * 3000 + ".md"),
    ],
)
def test_relative_links(href, wanted):
    assert linked(BASE, b"d/file.md", href) == wanted


@given(st.text() | st.text("[]()<>`*_#-=|!\\~ \t\n>a1.:/\"'", max_size=200))
def test_any_markdown(text):
    """Whatever it is, it becomes a page that can be read."""
    body = to_html(text, lambda href: linked(BASE, b"a/b.md", href)).encode("utf-8", "replace")
    document = digest(Response(f"{BASE}/", 200, headers=(("Content-Type", "text/html"),), raw=body, body=body))
    assert not document.refused


# ---- the command


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object):
        sought.cli.lab_import.app([str(each) for each in arguments], standalone_mode=False)
        return capfd.readouterr()

    return command


def test_several_sites(run, tmp_path):
    """Each path has its own base URL and moves; queries are added; the notes name files and no folders."""
    for name in ("one", "two"):
        repository = Repository(tmp_path / name)
        repository.write(MONDAY, {"index.html": page(name, "https://b.example/a.html"), "a.html": page("a")})
        repository.write(MONDAY + WEEK, {"a.html": None})
    (tmp_path / "q.tsv").write_text("query\tcount\tfrom\nsome words\t3\t2022-01-10\nundated\t2\t\nbad\tx\t\n")
    moves = [moves_file(tmp_path, "1\t/a.html\t/\n"), tmp_path / "none.tsv"]
    moves[1].write_text("week\tfrom\tto\n")
    sites = ("one", "two", "--base-url", "https://a.example", "--base-url", "https://b.example/")
    out, err = run(
        "git", *sites, "--moves", moves[0], "--moves", moves[1], "--queries", "q.tsv", "--name", "w", "--every", "1w"
    )
    assert out.startswith("w.world: 4 pages, 6 versions, 2 links, 2 queries, from 2022-01-03 to 2022-01-10, ")
    assert len(out.splitlines()) == 1
    assert err == "q.tsv:4: count is no number: 'x'\n"
    world = open_world(tmp_path / "w.world")
    assert story(world, "https://a.example/a.html")[1:] == [(7, 301, "https://a.example/")]
    assert story(world, "https://b.example/a.html")[1:] == [(7, 404, "")]
    assert world.seeds == ("https://a.example/", "https://b.example/")
    asked = zip(world.tallies.query, world.tallies.count.tolist(), world.tallies.since.tolist(), strict=True)
    assert sorted(asked) == [("some words", 3.0, MONDAY + WEEK), ("undated", 2.0, MONDAY)]
    assert world.notes["demand"] == [{"file": "q.tsv", "queries": 2}]
    assert (world.notes["source"], world.notes["every"]) == ("git", "1w")
    assert str(tmp_path) not in (tmp_path / "w.world" / "world.json").read_text()
    assert "words of one" in read_texts(tmp_path / "w.world")[world.version(world.pages["https://a.example/"], MONDAY)]


def test_the_command_refuses(run, tmp_path):
    """Options that do not fit are said before any work; queries beside a bundle are not taken unasked."""
    repository = Repository(tmp_path / "k8s" / "tree")
    repository.write(MONDAY, {"index.html": page("home")})
    repository.git("bundle", "create", "-q", str(tmp_path / "k8s" / "site.bundle"), "HEAD")
    (tmp_path / "k8s" / "queries.tsv").write_text("query\tcount\nx\t1\n")
    path = tmp_path / "k8s" / "site.bundle"
    with pytest.raises(BadInput, match="--base-url: 2 for 1 paths"):
        run("git", path, "--base-url", BASE, "--base-url", "https://b.example")
    with pytest.raises(BadInput, match="--moves: 2 for 1 paths"):
        run("git", path, "--base-url", BASE, "--moves", "a", "--moves", "b")
    with pytest.raises(BadInput, match="not a duration"):
        run("git", path, "--base-url", BASE, "--every", "week")
    with pytest.raises(BadInput, match="holds no world"):
        run("git", path, "--base-url", BASE, "--to", tmp_path / "k8s")
    about = json.loads(run("git", path, "--base-url", BASE, "--json")[0])
    assert (about["name"], about["directory"], about["queries"]) == ("k8s", "k8s.world", 0)
    assert (tmp_path / "k8s.world" / "world.json").exists()


# ---- demand


def test_searches_become_rates(tmp_path):
    """A query is asked since the week of its first search, as often as from then to the end of the log."""
    log = QueryLog(tmp_path / "log", keep=1e12)
    for query, days in [("often", (0, 10, 20, 28)), ("later", (15, 16)), ("last", (28,))]:
        for day in days:
            search = log.record(Search(query, MONDAY + day * DAY))
            log.event(Event(search, Action.CLICK, MONDAY + day * DAY, f"{BASE}/x"))
    export_file(log, tmp_path / "ubi", Format.UBI)
    found = import_queries(tmp_path / "ubi", MONDAY)
    rows = zip(found.query, found.count.tolist(), ((found.since - MONDAY) / DAY).tolist(), strict=True)
    assert list(rows) == [
        ("often", 1.0, 0.0),
        ("later", pytest.approx(2 / (13 / 7)), 14.0),
        ("last", 1.0, 28.0),
    ]


def test_counts_stay_as_they_are(tmp_path):
    """Each count with its day; a line for each clicked URL is still one query."""
    file = tmp_path / "q.csv"
    rows = [f"a b,5,2022-02-01,{BASE}/x,1", f"a b,5,2022-02-01,{BASE}/y,2", "a b,7,2022-03-01,,", "c,1,,,"]
    file.write_text("\n".join(["query,count,from,url,clicks", *rows]))
    found = import_queries(file, MONDAY + 3600)
    assert (found.query, found.count.tolist()) == (["a b", "a b", "c"], [5.0, 7.0, 1.0])
    assert found.since.tolist() == [1643673600.0, 1646092800.0, MONDAY]


def test_queries_nobody_can_use(tmp_path):
    file = tmp_path / "q.tsv"
    file.write_text("query\tcount\na\tmany\n")
    with pytest.raises(BadInput, match=r"q\.tsv:2: count is no number"):
        import_queries(file, MONDAY)
    with pytest.raises(BadInput, match=r"none\.tsv"):
        import_queries(tmp_path / "none.tsv", MONDAY)


# ---- a real one


@pytest.mark.slow
def test_a_recorded_site():
    """53 snapshots on Mondays, and the figures that the data's own README gives."""
    worlds = os.environ.get("SOUGHT_WORLDS")
    if not worlds:
        pytest.skip("SOUGHT_WORLDS is not set: no recorded sites here")
    folder = Path(worlds) / "k8s-2022"
    recorder = WorldRecorder()
    span = import_git(recorder, folder / "site.bundle", "https://kubernetes.io", WEEK, folder / "moves.tsv")
    world = recorder.finish("k8s", span.seeds, span.start, span.end, WEEK)
    v = world.versions
    assert sorted(set(v.time.tolist())) == [MONDAY + week * WEEK for week in range(53)]
    assert (world.end, world.units, len(world.urls)) == (MONDAY + 52 * WEEK, 52, 1340)
    assert [int((v.status == status).sum()) for status in (200, 301)] == [3622, 35]
    assert [int((v.status[at[at >= 0]] == 200).sum()) for at in map(world.at, (world.start, world.end))] == [1171, 1292]
