"""Policies of one's own in the laboratory, from a file in the current directory."""

import hashlib

import polars as pl
import pytest

from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import Cell
from sought.lab.studies.compare import parse_any_policy
from sought.lab.studies.experiment import experiment
from sought.lab.studies.marks import own_mark
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.policy import Split, Worth
from sought.web.expression import expression_of

OWN = "def newest(pages, now):\n    return -pages.found\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_policy.py").write_text(OWN)
    return tmp_path


@pytest.mark.slow
def test_a_plain_function_is_compared_in_processes(folder):
    """Its cells are kept under its name, not under where it is in memory: the second time nothing is run."""
    recorder = WorldRecorder()
    made = generate(recorder, WebShape(pages=30, weeks=3, hosts=2, queries=20))
    world = recorder.finish("tiny", made.seeds, made.start, made.end, WEEK)
    policies = [parse_any_policy(text) for text in ("my_policy:newest", "Split(new=my_policy:newest)")]
    tables, counts = [], []
    for cores in (2, 0):
        table = experiment(policies, world, [0.1], [], results=folder / "results", cores=cores)
        tables.append(table.drop("seconds"))
        counts.append(len(list((folder / "results" / "cells").iterdir())))
    assert tables[0]["policy"].to_list() == ["my_policy:newest", "Split(new=my_policy:newest)"]
    assert tables[0].equals(tables[1])
    assert isinstance(tables[0], pl.DataFrame)
    assert counts == [2, 2]


def test_a_function_that_has_changed_is_another(folder):
    """By its code, as a class is."""
    before = own_mark(parse_any_policy("my_policy:newest"))
    assert before == own_mark(parse_any_policy("my_policy:newest"))
    (folder / "my_policy.py").write_text(OWN.replace("-pages", "pages"))
    assert own_mark(parse_any_policy("my_policy:newest")) != before


@pytest.mark.parametrize("policy", [Worth(), Split(share=0.25)], ids=repr)
def test_cells_of_our_policies_keep_their_keys(policy):
    """What was run before is found again."""
    cell = Cell("world", "mark", policy, 0.05, Setting(), "")
    told = repr(("mark", "", policy, 0.05, Setting()))
    assert cell.key == hashlib.blake2b(told.encode(), digest_size=12).hexdigest()
    assert expression_of(policy) == repr(policy)
