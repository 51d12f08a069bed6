"""Queries from titles and anchors: whose words, how often, since when."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sought.cli import lab_make
from sought.lab.worlds.derived_queries import derive, phrase, read_views
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.web.errors import BadInput
from sought.web.message import Response

HTML = (("Content-Type", "text/html; charset=utf-8"),)
SITE = "https://a.example"


def page(title, *links, text="some words"):
    inside = "".join(f'<a href="{url}">{anchor}</a> ' for url, anchor in links)
    return f"<html><head><title>{title}</title></head><body><main><p>{text}</p>{inside}</main></body></html>"


HISTORY = [
    (1.0, "/", page("Home | A", ("/fox", "Red Fox"), ("/hen", "hens"), ("/hidden", "nothing"))),
    (1.0, "/fox", page("Foxes | A", ("/hen", "Hens"), ("/fox", "myself"))),
    (1.0, "/hen", page("Hens and more | A", ("/fox", "red  fox"))),
    (1.0, "/hidden", ""),
    (2.0, "/", page("Home | A", ("/fox", "clever fox"), ("/hen", "hens"), ("/dog", "dogs"))),
    (3.0, "/dog", page("Dogs - a study", ("/fox", "Red Fox"))),
    (4.0, "/hen", page("All hens | A", ("/fox", "red fox"))),
]


@pytest.fixture
def world():
    recorder = WorldRecorder()
    for time, path, html in HISTORY:
        status = 200 if html else 404
        recorder.answer(Response(SITE + path, status, headers=HTML, raw=html.encode(), body=html.encode(), time=time))
    return recorder.finish("w", [SITE + "/"], 1.0, 4.0, 1.0)


def table(tallies):
    return {
        query: (count, since)
        for query, count, since in zip(tallies.query, tallies.count.tolist(), tallies.since.tolist(), strict=True)
    }


def test_views_are_split_over_titles_and_anchors(world):
    """60 % to the forms of the titles, 40 % to the anchors by how many pages use them."""
    tallies, notes = derive(world, "views", 100, 0, {f"{SITE}/fox": 0.75, f"{SITE}/dog": 0.25, f"{SITE}/gone": 1.0})
    counts = {query: count for query, (count, _) in table(tallies).items()}
    assert counts == pytest.approx(
        {
            "foxes": 0.75e6 * 0.6 * 2 / 3,
            "foxes | a": 0.75e6 * 0.6 / 3,
            "red fox": 0.75e6 * 0.4 * 3 / 4,  # three pages call it so, one calls it clever
            "clever fox": 0.75e6 * 0.4 / 4,
            "dogs - a study": 0.25e6 * 0.6,  # no other title of the site ends so
            "dogs": 0.25e6 * 0.4,
        }
    )
    assert notes["views_on_pages_of_the_world"] == 0.5


def test_queries_exist_since_their_words_do(world):
    """A query is asked from the first time that a title or an anchor says it."""
    asked = table(derive(world)[0])
    since = {query: since for query, (_, since) in asked.items()}
    assert since == {
        "foxes": 1.0, "foxes | a": 1.0, "red fox": 1.0, "clever fox": 2.0, "hens": 1.0, "hens and more": 1.0,
        "hens and more | a": 1.0, "all hens": 4.0, "all hens | a": 4.0, "dogs": 2.0, "dogs - a study": 3.0,
    }  # fmt: skip


def test_zipf_counts_fall_by_rank_and_keep_the_largest(world):
    """Ranks come from links and a seeded noise; the counts are a law of rank alone."""
    all_of_them, notes = derive(world, "zipf", 100, 1)
    few, _ = derive(world, "zipf", 3, 1)
    assert few.query == all_of_them.query[:3]
    assert all_of_them.count.tolist() == pytest.approx(1e6 / (np.arange(11) + 30.0) ** 0.75)
    assert derive(world, "zipf", 100, 1)[0].query == all_of_them.query
    assert any(derive(world, "zipf", 100, seed)[0].query != all_of_them.query for seed in (2, 3))
    assert notes["queries"] == 11
    json.dumps(notes)


def test_more_links_rank_higher(world):
    """Noise aside: over many seeds the words of the page most linked to come first more often."""
    ranks = [derive(world, "zipf", 100, seed)[0].query.index for seed in range(40)]
    assert np.mean([rank("red fox") for rank in ranks]) < np.mean([rank("dogs") for rank in ranks])


def test_a_world_without_links_has_no_zipf_queries():
    """Nothing to rank by is no error."""
    recorder = WorldRecorder()
    recorder.answer(Response(f"{SITE}/", 200, headers=HTML, body=page("Home").encode(), time=1.0))
    assert len(derive(recorder.finish("w", [f"{SITE}/"], 1.0, 1.0, 1.0))[0]) == 0


def test_weighting_and_views_go_together(world):
    """One without the other is a mistake."""
    with pytest.raises(BadInput, match="views"):
        derive(world, "views")
    with pytest.raises(BadInput, match="views"):
        derive(world, "zipf", views={})


@pytest.mark.parametrize(
    ("text", "asked"), [(" Red\n Fox ", "red fox"), ("x", ""), ("--- !", ""), ("a" * 101, ""), ("é1", "é1")]
)
def test_phrases_are_what_people_type(text, asked):
    """Small letters, single spaces, some letter or digit."""
    assert phrase(text) == asked


def test_views_file(world, tmp_path):
    """Paths belong to the site of the seed; bad lines are named."""
    file = tmp_path / "views.tsv"
    file.write_text(f"url\tshare\n/fox\t0.5\n{SITE}/fox\t0.25\n/dög\t0.25\n")
    assert read_views(file, world) == {f"{SITE}/fox": 0.75, f"{SITE}/d%C3%B6g": 0.25}
    for text, line in (
        ("", 1), ("url,share\n", 1), ("url\tshare\n/a\n", 2), ("url\tshare\n/a\t1\n/b\tx\n", 3),
        ("url\tshare\n/a\t-1\n", 2), ("url\tshare\n/a\tnan\n", 2), ("url\tshare\nftp://x\t1\n", 2),
    ):  # fmt: skip
        file.write_text(text)
        with pytest.raises(BadInput, match=rf"views\.tsv, line {line}:"):
            read_views(file, world)
    with pytest.raises(BadInput, match="absent"):
        read_views(tmp_path / "absent", world)


def test_commands_replace_what_is_asked(world, tmp_path):
    """Queries and how they came about are written into the world, and nothing else is touched."""
    folder = tmp_path / "w"
    save_world(world, folder, [""] * len(world.versions))
    before = (folder / "versions.parquet").read_bytes()
    views, file = tmp_path / "views.tsv", tmp_path / "asked.tsv"
    views.write_text("url\tshare\n/fox\t1\n")
    file.write_text("query\tcount\tfrom\nfoxes\t3\t1970-01-01\n")
    run = CliRunner().invoke(
        lab_make.queries, ["derive", str(folder), "--weighting", "views", "--views", str(views), "--json"]
    )
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["queries"] == 4
    made = open_world(folder)
    assert set(made.tallies.query) == {"foxes", "foxes | a", "red fox", "clever fox"}
    assert made.notes["demand"][0]["file"] == "views.tsv"
    run = CliRunner().invoke(lab_make.queries, ["import", str(folder), str(file), "--json"])
    assert run.exit_code == 0, run.output
    made = open_world(folder)
    assert table(made.tallies) == {"foxes": (3.0, 0.0)}
    assert made.notes["demand"] == [{"file": "asked.tsv", "queries": 1}]
    assert (folder / "versions.parquet").read_bytes() == before
    assert isinstance(
        CliRunner().invoke(lab_make.queries, ["derive", str(folder), "--weighting", "x"]).exception, BadInput
    )


def test_real_world():
    """Queries of a real site are words of its titles and anchors, some of them younger than the site's start."""
    folder = os.environ.get("SOUGHT_WORLDS")
    if not folder:
        pytest.skip("SOUGHT_WORLDS is not set")
    from sought.lab.worlds.imports.git import import_git

    recorder = WorldRecorder()
    source = Path(folder) / "k8s-2022" / "site.bundle"
    span = import_git(recorder, source, "https://kubernetes.io", 26 * 7 * 86400.0)
    world = recorder.finish("k8s", span.seeds, span.start, span.end, 7 * 86400.0)
    tallies, _ = derive(world, "zipf", 2000)
    assert len(tallies) == 2000
    assert 0 < (tallies.since > world.start).mean() < 0.5
    said = {phrase(link.anchor) for link in world.links} | {phrase(title) for title in world.versions.title}
    assert np.mean([query in said for query in tallies.query]) > 0.9
