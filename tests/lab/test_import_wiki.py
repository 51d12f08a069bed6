"""Wikis as worlds: dumps in, revisions as versions; any wikitext gives a page."""

import bz2
import gzip
import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from sought.cli import lab_import
from sought.lab.worlds.files import open_world
from sought.lab.worlds.imports import wikitext
from sought.lab.worlds.imports.wiki import import_wiki
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING
from sought.web.digest import digest
from sought.web.errors import BadInput
from sought.web.message import Response
from sought.web.url import canonical

BASE = "https://wiki.example"
NEW_YEAR, DAY = 1577836800.0, 86400.0  # 2020-01-01
HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">
<siteinfo><case>first-letter</case><namespaces><namespace key="6">Datei</namespace><namespace key="0"/></namespaces>
</siteinfo>"""


def revision(time, text, more=""):
    who = "<contributor><username>x</username></contributor>"
    return f"<revision><id>1</id><timestamp>{time}</timestamp>{who}<text {more}>{text}</text></revision>"


def page(title, *revisions, ns="0"):
    return f"<page><title>{title}</title><ns>{ns}</ns><id>1</id>{''.join(revisions)}</page>\n"


DUMP = HEAD + "\n".join(
    (
        page(
            "Red fox",
            revision("2020-01-15T00:00:00Z", "A '''fox''' eats [[mouse|mice]] and [[Bird]]s."),
            revision("2020-01-01T00:00:00Z", "A fox, see [[mouse]]."),
            revision("2020-01-08T00:00:00Z", "", 'deleted="deleted"'),
        ),
        page(
            "Mouse",
            revision("2020-01-02T00:00:00Z", "A mouse fears the [[red fox]]."),
            revision("2020-02-01T00:00:00Z", "#redirect [[House mouse#Life]]"),
        ),
        page("House mouse", revision("2020-02-01T00:00:00Z", "Small. See [[red fox]] and [[Datei:a.png|mini]].")),
        page("Talk:Mouse", revision("2020-01-02T00:00:00Z", "Not here."), ns="1"),
        page("What?/100% (film)", revision("2020-01-03T00:00:00Z", "A &lt;b&gt;film&lt;/b&gt; [[What?/100% (film)]]")),
    )
) + "</mediawiki>"  # fmt: skip


def imported(path, data=DUMP, **more):
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    recorder = WorldRecorder()
    span = import_wiki(recorder, path, BASE, **more)
    return span, recorder.finish("wiki", span.seeds, span.start, span.end, 86400.0)


def test_dump_becomes_a_world(tmp_path):
    """Articles only; revisions in order of time, deleted ones left out, redirects as 301, links between the pages."""
    span, world = imported(tmp_path / "dump.xml", since=NEW_YEAR)
    names = [url.removeprefix(f"{BASE}/wiki/") for url in world.urls]
    assert names == ["Red_fox", "Mouse", "House_mouse", "What%3F/100%25_(film)"]
    assert all(canonical(url) == url for url in world.urls)
    fox = [world.versions.time[i] for i in range(world.first[0], world.first[1])]
    assert fox == [1577836800.0, 1579046400.0]
    assert (span.start, span.end) == (1577836800.0, 1580515200.0)
    last = world.document(int(world.first[1]) - 1)
    assert {(link.url, link.anchor) for link in last.links} == {
        (f"{BASE}/wiki/Mouse", "mice"), (f"{BASE}/wiki/Bird", "Bird"),
    }  # fmt: skip
    moved = world.answer(world.version(1, 1.6e9), 1.6e9)
    assert (moved.status, moved.header("location")) == (301, f"{BASE}/wiki/House_mouse")
    assert world.document(world.version(3, 1.6e9)).links[0].url == world.urls[3]
    assert world.versions.title[0] == "Red fox"
    assert set(world.versions.language) == {"en", ""}


def test_seed_is_the_page_most_linked_to_or_the_named_one(tmp_path):
    """A crawl starts where links lead, at a page that is there and no redirect."""
    assert imported(tmp_path / "a.xml", since=NEW_YEAR + 31 * DAY)[0].seeds == (f"{BASE}/wiki/Red_fox",)
    assert imported(tmp_path / "a.xml", seed="house_mouse")[0].seeds == (f"{BASE}/wiki/House_mouse",)
    with pytest.raises(BadInput, match="no page 'Dog'"):
        imported(tmp_path / "a.xml", seed="Dog")


GROWING = HEAD + "\n".join(
    (
        page("Main", revision("2020-01-01T00:00:00Z", "At first [[late]]."),
             revision("2020-01-03T00:00:00Z", "Now [[late]] and [[early]]."),
             revision("2020-01-09T00:00:00Z", "Then [[late]].")),
        page("Moved", revision("2020-01-01T00:00:00Z", "#redirect [[Late]]")),
        page("Early", revision("2020-01-05T00:00:00Z", "Early, see [[late]], [[moved]]")),
        page("Late", revision("2020-01-08T00:00:00Z", "Late, see [[early]]")),
        page("Later", revision("2020-01-10T00:00:00Z", "Later, see [[late]].")),
    )
) + "</mediawiki>"  # fmt: skip


def times(world):
    v = world.versions
    return [(world.urls[v.page[i]].rpartition("/")[2], (v.time[i] - NEW_YEAR) / DAY) for i in range(len(v))]


def test_a_world_starts_when_half_of_the_pages_are_there(tmp_path):
    """Before that only the last revision of a page counts, from the start on; the seed is a page of the start."""
    span, world = imported(tmp_path / "a.xml", GROWING)
    assert (span.start, span.end) == (NEW_YEAR + 4 * DAY, NEW_YEAR + 9 * DAY)
    assert times(world) == [("Main", 4), ("Main", 8), ("Moved", 4), ("Early", 4), ("Late", 7), ("Later", 9)]
    assert {link.url.rpartition("/")[2] for link in world.document(0).links} == {"Late", "Early"}
    assert span.seeds == (f"{BASE}/wiki/Early",)
    assert world.version(world.pages[span.seeds[0]], world.start) != NOTHING


def test_a_world_starts_when_it_is_told_to(tmp_path):
    """At any moment from the first revision to the last; elsewhere nothing would be there, or happen."""
    span, world = imported(tmp_path / "a.xml", GROWING, since=NEW_YEAR + 2.5 * DAY)
    assert (span.start, span.seeds) == (NEW_YEAR + 2.5 * DAY, (f"{BASE}/wiki/Main",))
    assert times(world)[:4] == [("Main", 2.5), ("Main", 8), ("Moved", 2.5), ("Early", 4)]
    _, whole = imported(tmp_path / "a.xml", GROWING, since=NEW_YEAR)
    assert times(whole)[:3] == [("Main", 0), ("Main", 2), ("Main", 8)]
    _, last = imported(tmp_path / "a.xml", GROWING, since=NEW_YEAR + 9 * DAY)
    assert [day for _, day in times(last)] == [9] * 5
    for day in (-1, 10):
        with pytest.raises(BadInput, match=r"a\.xml: no world can start on .* from 2020-01-01 to 2020-01-10"):
            imported(tmp_path / "a.xml", GROWING, since=NEW_YEAR + day * DAY)


def test_a_pipe_is_read_once(tmp_path):
    """Half of the pages are known only after the first reading, and there is no second one."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="pipe: a pipe can be read only once"):
        import_wiki(WorldRecorder(), tmp_path / "pipe", BASE)


@pytest.mark.parametrize("since", [None, NEW_YEAR])
def test_progress_goes_on_to_its_end(tmp_path, since):
    """Read once or twice, the work done grows until all is done."""
    told = []
    imported(tmp_path / "a.xml", since=since, report=lambda *what: told.append(what))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] == (tmp_path / "a.xml").stat().st_size * (1 if since else 2)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_dumps_are_the_same(tmp_path, pack):
    """Also if bytes after the end were cut off, it is said which file."""
    plain, packed = imported(tmp_path / "a.xml"), imported(tmp_path / "a.packed", pack(DUMP.encode()))
    assert plain[0] == packed[0]
    assert plain[1].versions.digest == packed[1].versions.digest
    with pytest.raises(BadInput, match=r"cut"):
        imported(tmp_path / "cut", pack(DUMP.encode())[:-20])


def test_titles_keep_their_case_where_the_wiki_does(tmp_path):
    """A dictionary's words begin with small letters."""
    _, world = imported(
        tmp_path / "a.xml", DUMP.replace("first-letter", "case-sensitive").replace("Red fox", "red fox")
    )
    assert world.urls[0] == f"{BASE}/wiki/red_fox"
    assert f"{BASE}/wiki/mouse" in {link.url for link in world.links}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (DUMP[:-30], r"bad\.xml, line 11, column \d+: "),
        (DUMP.replace("<ns>1</ns>", "<ns>1</nt>"), r"line 9, column \d+: mismatched tag"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]>" + DUMP, r"line 1, column \d+: document type"),
        (DUMP.replace("2020-01-15T", "last week"), r"line 3, column \d+: not a time: 'last week00"),
        (DUMP.replace("House mouse", "red fox"), "line 7: page 'red fox' comes twice"),
        (HEAD + "<x>" * 50, "nested deeper"),
        (HEAD + "</mediawiki>", "no pages of namespace 0"),
        ("", r"bad\.xml, line 1"),
        (b"\xff\xfe\x00", r"bad\.xml"),
    ],
)
def test_bad_dumps_name_file_and_place(tmp_path, data, says):
    """Line and column, or the page."""
    with pytest.raises(BadInput, match=says):
        imported(tmp_path / "bad.xml", data)


def shown(text, title="T"):
    body = wikitext.html(text, title, lambda name: f"{BASE}/wiki/{name}", "en").encode()
    return digest(Response(f"{BASE}/wiki/{title}", 200, headers=(("Content-Type", "text/html"),), body=body))


def test_wikitext_as_a_reader_sees_it():
    """Words, headings and links stay; templates, references, comments and marks go."""
    page = shown(
        "{{Box|a={{b|[[no]]}}}}'''Fat''' and ''thin'' & <small>little</small>.<ref name=x>[[no]]</ref><ref name=x />\n"
        "== Past ==\n* one [[two]]\n<!-- [[no]] -->\n{| class=x\n|-\n! head\n| style=a | cell || [[three|3]]\n|}\n"
        "[[File:no.png|thumb|With a [[four]] in it]] [http://out.example/?a=1&b=2 out] [[:Category:C]] [[Category:no]]"
        " __NOTOC__ <nowiki>[[no]]</nowiki>&nbsp;end"
    )
    words = page.text
    for word in ("Fat and thin & little", "one two", "head", "cell", "3", "With a four in it", "out", "end"):
        assert word in words.replace("  ", " ").replace(" .", ".")
    assert not re.search(r"no\b|thumb|''|NOTOC|class|\{|\[", words)
    assert page.headings == ("T", "Past")
    assert [link.anchor for link in page.links] == ["two", "3", "four", "out"]
    assert page.links[3].url == "http://out.example/?a=1&b=2"


_MARKS = (
    "{{", "}}", "[[", "]]", "|", "[", "]", "<", ">", "<ref>", "</ref>", "<ref/>", "<ref", "<!--", "-->", "<nowiki>",
    "'''", "==", "=", "{|", "|}", "|-", "!", "#", "*", "a", "File:", "Category:", ":", "http://x", "//x",
    "&amp;", "&lt;", "&#", ";", "__A__", "\n", "\0", "é", "\"", " ", "href=", "#REDIRECT",
)  # fmt: skip


@given(st.lists(st.sampled_from(_MARKS), max_size=60).map("".join))
def test_any_wikitext_gives_a_page(text):
    """Never an exception; its markup cannot make tags of its own; links lead to addresses given or named."""
    page = shown(text)
    assert page.title == "T"
    assert not page.refused
    assert all(link.url.startswith((BASE, "http://x", "https://x")) for link in page.links)
    wikitext.redirect(text)


_ENDLESS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
from sought.lab.worlds.imports import wikitext
for mark in sys.argv[1:]:
    text = (mark * 1_000_000)[:1_000_000]
    assert wikitext.html(text, "T", lambda _: "")
    wikitext.redirect(text)
"""


@pytest.mark.slow
def test_wikitext_takes_linear_time():
    """A megabyte of any mark takes a moment; of quadratic work the system would make an end."""
    more = (
        "[[File:a|",
        "[[a|",
        "{|\n|",
        "<math><ref>",
        "{{[[<ref>",
        "__A",
        "|!",
        "[http://a",
        "#REDIRECT [[",
        "<!-- -",
    )
    marks = [mark for mark in (*_MARKS, *more) if "\0" not in mark]
    run = subprocess.run([sys.executable, "-c", _ENDLESS, *marks], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_command_makes_a_world(tmp_path):
    """A dump in, a world out, and a line of figures."""
    (tmp_path / "dump.xml").write_text(DUMP)
    options = ["--base-url", BASE, "--unit", "1d", "--to", str(tmp_path / "w"), "--json"]
    run = CliRunner().invoke(lab_import.app, ["wiki", str(tmp_path / "dump.xml"), *options])
    assert run.exit_code == 0, run.output
    world = open_world(tmp_path / "w")
    assert (json.loads(run.stdout)["versions"], world.unit, world.units) == (len(world.versions), 86400.0, 30)
    assert world.notes["source"] == "wiki"
    run = CliRunner().invoke(lab_import.app, ["wiki", str(tmp_path / "dump.xml"), *options])
    assert "holds a world already" in str(run.exception)
    shutil.rmtree(tmp_path / "w")
    run = CliRunner().invoke(lab_import.app, ["wiki", str(tmp_path / "dump.xml"), *options, "--from", "2020-01-12"])
    assert run.exit_code == 0, run.output
    assert (json.loads(run.stdout)["from"], open_world(tmp_path / "w").units) == ("2020-01-12", 20)
    run = CliRunner().invoke(lab_import.app, ["wiki", str(tmp_path / "dump.xml"), *options, "--from", "last year"])
    assert str(run.exception) == "--from: not a date such as 2020-01-31: 'last year'"
