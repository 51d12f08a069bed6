"""Which modules of this package can a module run?  Its static import closure, and a mark of their source code.

Imports are followed from the source, in functions too, but not those for types alone.  `from package import Name` leads
to the module that defines Name, not to all that the package's `__init__` imports.  What is named at run time, by an
entry point or in an expression, is not in the source: callers add the modules of such values.

Comments, docstrings and the layout of the source do not count.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import sought

ROOT = Path(sought.__file__).parent
_PACKAGE = "sought"
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class _Source(NamedTuple):
    """A module: a hash of it, what it imports, and where the names that it imports at its top come from.

    An import is a module, and the name that is wanted of it.
    """

    digest: str
    imports: tuple[tuple[str, str], ...]
    names: Mapping[str, tuple[str, str]]


def closure(modules: Iterable[str], root: Path = ROOT) -> set[str]:
    """These modules and all that they import, directly or not.  `root` is the folder of this package."""
    reached: set[str] = set()
    left = list(modules)
    while left:
        module = left.pop()
        if module not in reached and (file := _file(module, root)):
            reached.add(module)
            left += (_definer(*each, root) for each in _source(file).imports)
    return reached


def code_of(modules: Iterable[str], root: Path = ROOT) -> str:
    """A hash of the source code in the closure of these modules."""
    mark = hashlib.blake2b(digest_size=12)
    for module in sorted(closure(modules, root)):
        file = _file(module, root)
        assert file  # it is in the closure
        mark.update(f"{module} {_source(file).digest}\n".encode())
    return mark.hexdigest()


def imported(source: bytes, root: Path = ROOT) -> frozenset[str]:
    """The modules of this package that some source imports."""
    return frozenset(_definer(*each, root) for each in _read(source).imports)


def _definer(module: str, name: str, root: Path) -> str:
    """The module that defines what can be imported by this name from that one."""
    if not name or _file(f"{module}.{name}", root):
        return f"{module}.{name}" if name else module
    file = _file(module, root)
    if file and file.name == "__init__.py" and name in (names := _source(file).names):
        return _definer(*names[name], root)
    return module


@cache
def _file(module: str, root: Path) -> Path | None:
    parts = module.split(".")[1:]
    files = (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py"))
    return next((file for file in files[not parts :] if file.is_file()), None)


@cache  # as it was when first asked for, as the code that runs is
def _source(file: Path) -> _Source:
    return _read(file.read_bytes())


@cache
def _read(source: bytes) -> _Source:
    tree = ast.parse(source)
    imports = tuple(dict.fromkeys(each for node in _run(tree) for each in _imports(node)))
    names = {
        each.asname or each.name: (node.module or "", each.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and _is_ours(node)
        for each in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and _has_docstring(node):
            del node.body[0]
    return _Source(hashlib.blake2b(ast.dump(tree).encode(), digest_size=12).hexdigest(), imports, names)


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """All statements but those for types alone."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case) and not _is_for_types(child):
            yield from _run(child)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Modules of this package, with the names that are wanted of them."""
    if isinstance(node, ast.Import):
        yield from ((each.name, "") for each in node.names if f"{each.name}.".startswith(f"{_PACKAGE}."))
    elif isinstance(node, ast.ImportFrom) and _is_ours(node):
        yield from ((node.module or "", each.name) for each in node.names)


def _is_ours(node: ast.ImportFrom) -> bool:
    return not node.level and f"{node.module}.".startswith(f"{_PACKAGE}.")


def _has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
