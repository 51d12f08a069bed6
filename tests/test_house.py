"""The house: which room may see which, and what the package shows to others."""

import ast
import re
import tomllib
from pathlib import Path

import sought

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "sought"
TESTS = ROOT / "tests"
# Beside the rooms: what helps tests, `make soak` and `make chaos`, and the benchmarks, which are beside src.
NO_ROOMS = {"testing", "endurance", "benchmarks"}
# What concerns more than one room, or lies in none.
WHOLE_HOUSE = {"test_api.py", "test_docs.py", "test_fuzz.py", "test_house.py", "test_packaging.py"}
HOUSE = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["house"]


def imports():
    """(file, its room, room it imports) of every import of this package, wherever in the file it stands."""
    for file in sorted(PACKAGE.rglob("*.py")):
        room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{file}: relative import"
                names = [node.module or ""]
            for name in names:
                parts = name.split(".")
                if parts[0] == "sought" and len(parts) > 1 and parts[1] != room:
                    yield file, room, parts[1]


def test_every_room_has_a_floor():
    """A new room must be given its place in pyproject.toml."""
    rooms = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()}
    assert rooms <= set(HOUSE["rooms"])


def test_no_room_imports_a_room_above_itself():
    """Rooms import downwards only, so there is no cycle between rooms."""
    floor = {room: i for i, room in enumerate(HOUSE["rooms"])}
    upward = [f"{file}: {a} -> {b}" for file, a, b in imports() if a in floor and b in floor and floor[b] > floor[a]]
    assert not upward


def test_siblings_do_not_see_each_other():
    """Siblings speak in web's nouns and in plain arrays."""
    siblings = set(HOUSE["siblings"])
    assert not [f"{file}: {a} -> {b}" for file, a, b in imports() if a in siblings and b in siblings]


def test_modules_have_no_import_cycle():
    """Inside a room, too, who imports whom is a tree."""
    modules = {".".join(("sought", *f.relative_to(PACKAGE).with_suffix("").parts)): f for f in PACKAGE.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, file in modules.items():
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ImportFrom) and node.module in modules:
                graph.setdefault(name, set()).add(node.module)
    done: set[str] = set()

    def visit(name, above):
        assert name not in above, f"import cycle: {' -> '.join([*above, name])}"
        if name not in done:
            for other in sorted(graph.get(name, ())):
                visit(other, [*above, name])
            done.add(name)

    for name in sorted(modules):
        visit(name, [])


def test_what_the_package_exports():
    """`import sought` offers these names and no others; each of them is there."""
    assert sought.__all__ == [
        "Answer",
        "BreadthFirst",
        "Crawl",
        "DemandFirst",
        "Hit",
        "Pages",
        "Policy",
        "RoundRobin",
        "SoughtError",
        "Split",
        "UserCentric",
        "Worth",
        "__version__",
        "init",
        "open",
    ]
    for name in sought.__all__:
        assert getattr(sought, name) is not None


# ---- tests


def test_tests_mirror_the_rooms():
    """tests/ROOM/test_*.py for every room that is a folder, and nothing else but what concerns more than one room."""
    rooms = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()}
    folders = {p.name for p in TESTS.iterdir() if p.is_dir() and any(p.rglob("*.py"))}
    assert folders == rooms | NO_ROOMS
    assert not [room for room in rooms if not list((TESTS / room).glob("test_*.py"))]
    assert {p.name for p in TESTS.glob("test_*.py")} == WHOLE_HOUSE
    inner = {p.parent.relative_to(TESTS) for p in TESTS.glob("*/*/**/test_*.py")}
    assert not [str(folder) for folder in inner if not (PACKAGE / folder).is_dir()]


def test_helpers_of_tests_live_in_one_folder():
    """A file of a room's tests is a test file; a conftest.py has fixtures of the room."""
    rooms = [p for p in TESTS.iterdir() if p.is_dir() and p.name not in NO_ROOMS]
    allowed = re.compile(r"test_\w+|conftest|__init__")
    assert not [str(p) for room in rooms for p in room.rglob("*.py") if not allowed.fullmatch(p.stem)]
    assert not [str(p) for p in (TESTS / "testing").rglob("test_*.py")]


def test_no_test_file_imports_another():
    """Nor does anything else import one, or name one in a program that it starts."""
    modules = re.compile(
        r"\b(?:tests|benchmarks)(?:\.\w+)*\.(?:test_\w+|conftest)\b|^ *from \.+\w* import\b|\bimport test_",
        re.MULTILINE,
    )
    found = {str(p): modules.findall(p.read_text()) for p in TESTS.rglob("*.py")}
    assert not {file: names for file, names in found.items() if names}
