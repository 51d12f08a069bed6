"""The house: which room may see which, and what the package shows to others."""

import ast
import tomllib
from pathlib import Path

import sought

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "sought"
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
