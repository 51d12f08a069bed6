"""Worlds: made from answers, kept on disk, looked up by time."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.index.analysis import LANGUAGES
from sought.index.vectors import EACH, HEAD
from sought.lab.judge.judge import numbers_of
from sought.lab.replay.setting import frozen
from sought.lab.worlds.files import open_world, read_texts, save_queries, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.restricted_vectors import restricted
from sought.lab.worlds.world import NOTHING, WEEK, WorldDemand
from sought.web.document import Link, PageCounts
from sought.web.errors import BadInput
from sought.web.message import Failure, RequestPurpose, Response
from tests.testing.small_world import ANSWERS, HTML, START, A, B, html, page, small_world


def saved(tmp_path, world):
    save_world(world, tmp_path / "w", [""] * len(world.versions))
    return open_world(tmp_path / "w")


def same(first, second):
    """Every column of both."""
    for name in ("name", "start", "end", "unit", "seeds", "urls", "headers", "links", "terms", "addresses", "notes"):
        assert getattr(first, name) == getattr(second, name), name
    assert [(f.url, f.body, f.time, f.status) for f in first.files] == [
        (f.url, f.body, f.time, f.status) for f in second.files
    ]
    for group in ("versions", "tallies"):
        a, b = getattr(first, group), getattr(second, group)
        for name in a.__dataclass_fields__:
            column, other = getattr(a, name), getattr(b, name)
            if isinstance(column, np.ndarray):
                assert column.dtype == other.dtype, name
                assert np.array_equal(column, other), name
            else:
                assert column == other, name
    for group in ("vectors", "link_lists", "sketches"):
        a, b = getattr(first, group), getattr(second, group)
        assert np.array_equal(a.data, b.data)
        assert np.array_equal(a.bounds, b.bounds)


def test_what_is_saved_is_what_is_opened(tmp_path):
    """Every column, list, link, file and note survives the disk."""
    recorder = WorldRecorder()
    for answer in ANSWERS:
        recorder.answer(answer)
    robots = Response(
        f"{A}/robots.txt", 200, headers=(("Content-Type", "text/plain"),), raw=b"User-agent: *", body=b"User-agent: *",
        time=START, purpose=RequestPurpose.ROBOTS,
    )  # fmt: skip
    recorder.answer(robots)
    recorder.answer(Response(f"{B}/robots.txt", time=START, failure=Failure.CONNECT, purpose=RequestPurpose.ROBOTS))
    recorder.answer(Response(f"{B}/slow", time=START, failure=Failure.TIMEOUT, address="127.0.0.9"))
    recorder.ask("apple", 2.5, START)
    world = recorder.finish("all", [f"{A}/"], START, START + 5 * WEEK, WEEK, source="a test", more={"x": [1, 2]})
    save_world(world, tmp_path / "w", recorder.texts)
    again = open_world(tmp_path / "w")
    same(world, again)
    assert again.addresses == {"b.test": "127.0.0.9"}
    assert again.files[0].body == b"User-agent: *"
    assert again.files[1].failure is Failure.CONNECT
    assert read_texts(tmp_path / "w") == recorder.texts
    assert "apple apple tree more more" in recorder.texts


def test_a_world_of_one_page_with_nothing_on_it(tmp_path):
    """The smallest world: no links, no words, no queries."""
    recorder = WorldRecorder()
    recorder.answer(Response(f"{A}/", 200, headers=HTML, time=START))
    world = recorder.finish("bare", [f"{A}/"], START, START, WEEK)
    same(world, saved(tmp_path, world))


def test_the_same_answers_are_the_same_bytes(tmp_path):
    """Two imports of the same history write the same files."""
    for name in ("one", "two"):
        save_world(small_world(), tmp_path / name, [])
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name


def test_versions_by_time():
    """A page has the version of its last answer, and none before its first."""
    world = small_world()
    apple, late = world.pages[f"{A}/apple"], world.pages[f"{A}/late"]
    for week in range(7):
        at = world.at(START + week * WEEK)
        for number in range(len(world.urls)):
            assert world.version(number, START + week * WEEK) == at[number]
    assert [int(world.at(START + w * WEEK)[apple] - world.first[apple]) for w in (0, 0.99, 1, 2.5, 3, 9)] == [
        0,
        0,
        1,
        1,
        2,
        3,
    ]
    assert world.version(late, START + 4.9 * WEEK) == NOTHING
    assert world.at(START - 1).tolist() == [NOTHING] * len(world.urls)
    assert world.until[world.version(apple, START)] == START + WEEK
    assert world.until[world.version(late, START + 5 * WEEK)] == np.inf


def test_what_people_can_find():
    """Not redirects, nor pages that are gone, empty or kept private."""
    world = small_world()
    week5 = world.at(START + 5 * WEEK)
    found = {world.urls[i] for i, v in enumerate(week5.tolist()) if v != NOTHING and world.is_page[v]}
    assert found == {
        f"{A}/", f"{A}/apple", f"{A}/pear", f"{A}/plum", f"{A}/dir/fig", f"{A}/quince", f"{A}/late",
        f"{B}/", f"{B}/dir/oak", f"{B}/soon",
    }  # fmt: skip


def test_documents_are_as_digested():
    """What a crawl learns of a version is what it would have learned from its HTML, but for the texts."""
    world = small_world()
    document = world.document(world.version(world.pages[f"{A}/apple"], START))
    assert (document.title, document.language, bool(document.text)) == ("apple", "en", True)
    assert document.links == (Link(f"{A}/", "more"), Link(f"{A}/pear", "more"))
    assert document.counts == PageCounts(words=5, text_bytes=document.counts.text_bytes)
    assert document.size == len(html("apple", "apple apple tree", [f"{A}/", f"{A}/pear"]))


def test_an_answer_that_says_nothing_new_is_no_version():
    """Same status, place and bytes."""
    recorder = WorldRecorder()
    assert recorder.answer(page(f"{A}/", 0, "a", "b"))
    assert not recorder.answer(page(f"{A}/", 1, "a", "b"))
    assert recorder.answer(page(f"{A}/", 2, "a", "c"))


def test_answers_come_in_order_of_time():
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 1, "a", "b"))
    with pytest.raises(BadInput, match=r"a\.test"):
        recorder.answer(page(f"{A}/", 0, "a", "c"))


def test_words_are_counted_once_and_for_all():
    """A vector over all terms holds every word of title, body and address, with how often each has it."""
    world = small_world()
    vector = world.vectors[world.version(world.pages[f"{A}/apple"], START)]
    assert LANGUAGES[vector[0]] == "en"
    assert vector[1 : 1 + 4].tolist() == [1, 5, 0, 3]  # apple; apple apple tree more more; none; a test apple
    counts = {world.terms[t]: (int(x), int(y)) for t, x, y in vector[HEAD:].reshape(-1, EACH).tolist()}
    assert counts["appl"] == (1 + (2 << 16), 1 << 16)
    assert counts["tree"] == (1 << 16, 0)


@given(st.lists(st.sampled_from(["appl", "tree", "plum", "nothing", "oak"]), unique=True))
def test_restricted_vectors_keep_what_is_asked_for(terms):
    """Other numbers, the same counts, the terms nobody asks for left out."""
    world = small_world()
    numbers = {term: i for i, term in enumerate(terms)}
    some = restricted(world.vectors, numbers_of(world.terms, numbers))
    for version in range(len(world.versions)):
        whole, part = world.vectors[version], some[version]
        assert np.array_equal(whole[:HEAD], part[:HEAD])
        kept = {world.terms[t]: c for t, *c in whole[HEAD:].reshape(-1, EACH).tolist() if world.terms[t] in numbers}
        assert {terms[t]: c for t, *c in part[HEAD:].reshape(-1, EACH).tolist()} == kept


def test_time_stands_still():
    """A frozen world has nothing later, and is the same at that time."""
    world = small_world()
    still = frozen(world, START + 2 * WEEK)
    assert still.versions.time.max() == START + 2 * WEEK
    now, then = world.at(START + 2 * WEEK), still.at(START + 99 * WEEK)
    assert np.array_equal(world.versions.content[now[now >= 0]], still.versions.content[then[then >= 0]])
    assert all(world.document(a).links == still.document(b).links for a, b in zip(now, then, strict=True) if a >= 0)


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("world.json", b"{", "world.json is damaged"),
        ("world.json", b'{"format": 1}', "world.json is damaged"),
        ("versions.parquet", b"PAR1 and then nothing", "versions.parquet is damaged"),
        ("links.parquet", None, "links.parquet is damaged"),
    ],
)
def test_damaged_files_are_named(tmp_path, file, content, says):
    saved(tmp_path, small_world())
    path = tmp_path / "w" / file
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(BadInput, match=says):
        open_world(tmp_path / "w")


def test_another_format_is_refused(tmp_path):
    saved(tmp_path, small_world())
    head = json.loads((tmp_path / "w" / "world.json").read_text())
    (tmp_path / "w" / "world.json").write_text(json.dumps(head | {"format": 99}))
    with pytest.raises(BadInput, match="import the world again"):
        open_world(tmp_path / "w")
    (tmp_path / "w" / "world.json").write_text(json.dumps(head | {"format": 99, "tags": []}))  # and other fields
    with pytest.raises(BadInput, match="newer version of sought"):
        open_world(tmp_path / "w")


def test_files_that_do_not_belong_together(tmp_path):
    """Numbers that point outside are found when the world is opened."""
    saved(tmp_path, small_world())
    recorder = WorldRecorder()
    recorder.answer(page(f"{A}/", 0, "one", "page"))
    save_world(recorder.finish("other", [f"{A}/"], START, START, WEEK), tmp_path / "other", recorder.texts)
    (tmp_path / "other" / "link_lists.parquet").replace(tmp_path / "w" / "link_lists.parquet")
    with pytest.raises(BadInput, match=r"link_lists\.parquet has 0 numbers"):
        open_world(tmp_path / "w")


def test_no_world_there(tmp_path):
    with pytest.raises(BadInput, match="sought lab import"):
        open_world(tmp_path)


def test_other_things_are_not_overwritten(tmp_path):
    """A folder with something else in it is refused; a world takes the place of a world."""
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "letter").write_text("dear")
    with pytest.raises(BadInput, match="not empty"):
        save_world(small_world(), tmp_path / "w", [])
    (tmp_path / "w" / "letter").unlink()
    saved(tmp_path, small_world())
    saved(tmp_path, small_world())


def test_queries_can_be_changed_alone(tmp_path):
    world = saved(tmp_path, small_world())
    tallies = WorldDemand(["one", "two"], np.array([1.0, 2.0]), np.array([START, START + WEEK]))
    save_queries(world.with_tallies(tallies, queries="by hand"), tmp_path / "w")
    again = open_world(tmp_path / "w")
    assert again.tallies.query == ["one", "two"]
    assert again.notes == {"queries": "by hand"}
    assert np.array_equal(again.vectors.data, world.vectors.data)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda w: {"urls": w.urls[:3]}, "page 1. of 3"),
        (lambda w: {"headers": []}, "header . of 0"),
        (lambda w: {"links": w.links[:1]}, "link .* of 1"),
        (lambda w: {"terms": w.terms[:5]}, "terms that are not there"),
        (lambda w: {"unit": 0.0}, "times that are none"),
        (lambda w: {"end": w.start - 1}, "times that are none"),
        (lambda w: {"versions": replace(w.versions, time=w.versions.time[::-1].copy())}, "not in order"),
        (lambda w: {"versions": replace(w.versions, page=w.versions.page[::-1].copy())}, "not in order"),
    ],
)
def test_a_world_that_does_not_fit_together_is_refused(tmp_path, spoil, says):
    """Whatever would make compiled code read what is not there is found when the world is opened."""
    world = small_world()
    save_world(replace(world, **spoil(world)), tmp_path / "w", [""] * len(world.versions))
    with pytest.raises(BadInput, match=says):
        open_world(tmp_path / "w")


@pytest.mark.parametrize("change", [lambda f: f.drop("title"), lambda f: f.with_columns(status=pl.lit("200"))])
def test_other_columns_are_refused(tmp_path, change):
    saved(tmp_path, small_world())
    file = tmp_path / "w" / "versions.parquet"
    change(pl.read_parquet(file)).write_parquet(file)
    with pytest.raises(BadInput, match="its columns are"):
        open_world(tmp_path / "w")


@given(st.binary(max_size=60), st.integers(0, 2000))
def test_any_bytes_in_place_of_a_file(junk, at):
    """Whatever stands in a file, opening the world says what is damaged, or opens it."""
    with tempfile.TemporaryDirectory() as folder:
        save_world(small_world(), Path(folder) / "w", [])
        file = Path(folder) / "w" / "versions.parquet"
        whole = file.read_bytes()
        file.write_bytes(whole[:at] + junk + whole[at + len(junk) :])
        try:
            open_world(Path(folder) / "w")
        except BadInput:
            pass
