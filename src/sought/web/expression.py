"""Values as text and back: `Split(new=DemandFirst(), share=0.3)` is the `repr` of a value, and its line in sought.toml.

The `repr` names only the parameters that differ from their defaults.  An expression may name all of them.
"""

import ast
import difflib
import inspect
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from sought.web.errors import BadInput

MAX_LENGTH = 10_000
Value = TypeVar("Value")


def brief(cls: type[Value]) -> type[Value]:
    """Decorate a frozen dataclass: its `repr` leaves out parameters that have their default.

    >>> from dataclasses import dataclass
    >>> @brief
    ... @dataclass(frozen=True)
    ... class Nap:
    ...     seconds: float = 60.0
    ...     deep: bool = False
    >>> Nap(), Nap(60.0, deep=True)
    (Nap(), Nap(deep=True))
    """
    cls.__repr__ = _brief_repr  # type: ignore[method-assign]  # a dataclass makes its own, whatever it inherits
    return cls


def _brief_repr(self: Any) -> str:
    values = [(each, getattr(self, each.name)) for each in fields(self) if each.repr]
    told = ", ".join(f"{each.name}={value!r}" for each, value in values if not _is_default(each, value))
    return f"{type(self).__name__}({told})"


def _is_default(field: "Field[Any]", value: Any) -> bool:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return value is default or bool(value == default)


def evaluated(
    text: str, classes: Mapping[str, type], what: str, parts: Mapping[str, type] = MappingProxyType({})
) -> Any:
    """What an expression of these classes and literals stands for; BadInput, which says what is wrong, if nothing.

    `parts` are classes of values that may only be inside.
    """
    if len(text) > MAX_LENGTH:
        raise BadInput(f"{what}: at most {MAX_LENGTH:,} characters")
    known = f"known: {', '.join(sorted(classes))}"
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput(f"not {_a(what)}: {text[:200]!r} ({known})") from None
    value = _build(ast.Call(tree, [], []) if isinstance(tree, ast.Name) else tree, {**classes, **parts}, what)
    if not isinstance(value, tuple(classes.values())):
        raise BadInput(f"not {_a(what)}: {text[:200]!r} ({known})")
    return value


def _build(node: ast.expr, classes: Mapping[str, type], what: str) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node, classes, what)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        if isinstance(node, ast.Name) and node.id in classes:
            raise BadInput(f"write {node.id}() in place of {node.id}") from None
        raise BadInput(f"not allowed in {_a(what)}: {ast.unparse(node)[:100]}") from None


def _call(name: str, node: ast.Call, classes: Mapping[str, type], what: str) -> Any:
    cls = classes.get(name)
    if cls is None:
        near = difflib.get_close_matches(name, classes, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(classes))}"
        raise BadInput(f"no {what} called {name!r}; {hint}")
    named = {k.arg: _build(k.value, classes, what) for k in node.keywords if k.arg}
    unnamed = [_build(a, classes, what) for a in node.args]
    try:
        inspect.signature(cls).bind(*unnamed, **named)
        return cls(*unnamed, **named)
    except TypeError as error:
        raise BadInput(f"{name}: {error}; it takes {_parameters(cls) or 'nothing'}") from None


def _parameters(cls: type) -> str:
    """As a person would write them: without types."""
    made = {each.name: each.default_factory for each in fields(cls)} if is_dataclass(cls) else {}
    shown = []
    for name, each in inspect.signature(cls).parameters.items():
        factory = made.get(name, MISSING)
        default = each.default if factory is MISSING else factory()
        shown.append(name if default is each.empty else f"{name}={default!r}")
    return ", ".join(shown)


def _a(what: str) -> str:
    return f"an {what}" if what[0] in "aeiou" else f"a {what}"
