"""Cells and columns depend on the source code that they use, and on nothing else."""

import os
import shutil
from itertools import count
from pathlib import Path

import pytest

import sought
from sought.lab.measures import Calibrated, Quality
from sought.lab.studies.cells import cell_code
from sought.lab.studies.closure import closure, code_of
from sought.lab.studies.marks import code_for
from sought.policy import LambdaCrawl, RoundRobin, Split, UserCentric

PACKAGE = Path(sought.__file__).parent


@pytest.fixture
def changed(tmp_path):
    """This package, as it would be if something were added to one of its files."""
    numbers = count()

    def change(file, added="_ADDED = 1\n"):
        root = tmp_path / str(next(numbers))
        shutil.copytree(PACKAGE, root, copy_function=os.symlink, ignore=lambda _, names: filter(_is_other, names))
        path = root / file
        source = path.read_text()
        path.unlink()
        path.write_text(added(source) if callable(added) else source + added)
        return root

    return change


def _is_other(name):
    return name == "__pycache__" or (Path(name).suffix and not name.endswith(".py"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "policy"),
    [
        ("record/fetches.py", RoundRobin()),
        ("crawl/cycle.py", RoundRobin()),
        ("index/scorers.py", RoundRobin()),
        ("lab/replay/replay.py", RoundRobin()),
        ("policy/round_robin.py", Split(LambdaCrawl(), RoundRobin(), 0.5)),
        ("beliefs/gain_rate.py", UserCentric()),
        ("beliefs/bayes_rate.py", LambdaCrawl()),
    ],
)
def test_a_change_in_what_a_cell_uses_is_another_cell(changed, file, policy):
    """In whichever room: replay, what is recorded, what is believed, the policy and its parts."""
    assert cell_code(policy, changed(file)) != cell_code(policy)


def test_a_change_in_what_a_cell_does_not_use_is_not(changed):
    """Other policies, their beliefs, measures, studies."""
    files = "policy/storm_crawler.py", "beliefs/gain_rate.py", "operate/calibration.py", "lab/studies/bounds.py"
    assert {cell_code(RoundRobin(), changed(file)) for file in files} == {cell_code(RoundRobin())}


def test_a_docstring_is_no_change(changed):
    """Nor is a comment, nor an empty line; a string that is used is one."""

    def documented(source):
        opening, _, rest = source.partition('"""')
        return f'# a comment\n\n{opening}"""Another word.  {rest}\n\n# the end\n'

    before = code_of(["sought.record.fetches"])
    assert code_of(["sought.record.fetches"], changed("record/fetches.py", documented)) == before
    assert code_of(["sought.record.fetches"], changed("record/fetches.py", '_A = """used"""\n')) != before


def test_a_column_depends_on_its_measure(changed):
    """What operators see of calibration is in no cell, but in this column."""
    root = changed("operate/calibration.py")
    assert code_for(Calibrated(), root=root) != code_for(Calibrated())
    assert code_for(Quality(), root=root) == code_for(Quality())


def test_imports_are_followed_to_the_module_that_defines_a_name(tmp_path):
    """In functions too; not those for types alone, nor all that a package imports."""
    files = {
        "__init__.py": "",
        "a.py": "from sought.room import Name\nif TYPE_CHECKING:\n    import sought.b\ndef f():\n    import sought.c\n",
        "b.py": "",
        "c.py": "from sought.room import own, inner\nimport os\n",
        "room/__init__.py": "from sought.room.deep import Other as Name\nfrom sought.room.more import More\nown = 1\n",
        "room/deep.py": "",
        "room/more.py": "",
        "room/inner.py": "",
    }
    (tmp_path / "room").mkdir()
    for name, source in files.items():
        (tmp_path / name).write_text(source)
    rest = {
        "sought.room",
        "sought.room.more",
        "sought.room.deep",
        "sought.room.inner",
    }
    assert closure(["sought.a"], tmp_path) == {"sought.a", "sought.c", *rest}
    (tmp_path / "d.py").write_text("from sought.room import Name")
    assert closure(["sought.d"], tmp_path) == {"sought.d", "sought.room.deep"}
