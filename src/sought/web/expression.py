"""How is a value written as text and read back?

`Split(new=DemandFirst(), share=0.3)` is the `repr` of a value and its line in sought.toml.  The `repr` names only the
parameters that differ from their defaults; an expression may name all.  A value from outside this package is written
with its module, `my_policy:Mine(2)`.
"""

import ast
import difflib
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from types import FunctionType, MappingProxyType
from typing import Any, TypeVar

from sought.web.errors import BadInput, SoughtError
from sought.web.local_modules import error_line, is_own_package, plain_name

MAX_LENGTH = 10_000
Value = TypeVar("Value")
_QUALIFIED = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*)""")


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
    return f"{type(self).__name__}({_arguments(self, repr)})"


def expression_of(value: Any) -> str:
    """The text by which a value is recorded; `evaluated` reads it back.  For values of this package it is the `repr`.

    So it is for values that have no expression, such as a function inside another function.
    """
    if type(value) in (tuple, list):
        items = ", ".join(map(expression_of, value))
        return f"[{items}]" if type(value) is list else f"({items}{',' * (len(value) == 1)})"
    kind: Any = value if isinstance(value, FunctionType) else type(value)
    is_own = is_own_package(kind.__module__)
    if not kind.__qualname__.isidentifier() or kind.__module__ == "builtins" or (is_own and not _is_brief(kind)):
        return repr(value)
    name = kind.__name__ if is_own else f"{plain_name(kind.__module__)}:{kind.__name__}"
    if kind is value:
        return name
    if is_dataclass(value):
        return f"{name}({_arguments(value, expression_of)})"
    text = repr(value)
    return name + text.removeprefix(kind.__name__) if text.startswith(f"{kind.__name__}(") else text


def _is_brief(kind: Any) -> bool:
    return getattr(kind, "__repr__", None) is _brief_repr


def _arguments(value: Any, write: Callable[[Any], str]) -> str:
    """The parameters that differ from their defaults, written by `write`."""
    values = [
        (parameter, getattr(value, parameter.name)) for parameter in fields(value) if parameter.repr and parameter.init
    ]
    return ", ".join(
        f"{parameter.name}={write(argument)}" for parameter, argument in values if not _is_default(parameter, argument)
    )


def _is_default(parameter: "Field[Any]", value: Any) -> bool:
    default = parameter.default if parameter.default_factory is MISSING else parameter.default_factory()
    return value is default or bool(value == default)


@dataclass(frozen=True)
class Grammar:
    """What an expression may contain.

    `what` is what the value is called in messages.  `classes` are the classes and named values that the whole may be,
    by name; `inside` are those that its parts may be.  `accepts` decides whether a value may be the whole, `may_call`
    whether a class named with its module may be instantiated.  `load` resolves names that have a module.
    """

    what: str
    classes: Mapping[str, Any]
    inside: Mapping[str, Any] = field(default_factory=dict)
    accepts: Callable[[Any], bool] | None = None
    may_call: Callable[[type], bool] = lambda _: False
    load: Callable[[str], Any] | None = None

    def find(self, name: str) -> Any:
        """The class or value of a name; BadInput if there is none."""
        if ":" in name and self.load is not None:
            return self._loaded(name, self.load)
        for names in (self.classes, self.inside):
            if name in names:
                return names[name]
        known = [*self.classes, *self.inside]
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(known))}"
        raise BadInput(f"no {self.what} called {name!r}; {hint}")

    def _loaded(self, name: str, load: Callable[[str], Any]) -> Any:
        value = load(name)
        if isinstance(value, type) and not self.may_call(value):
            raise BadInput(f"{name} is not {_a(self.what)}, and not a part of one")
        return value

    def is_one(self, value: Any) -> bool:
        kinds = tuple(each for each in self.classes.values() if isinstance(each, type))
        return self.accepts(value) if self.accepts else isinstance(value, kinds)


def evaluated(
    text: str, classes: Mapping[str, Any], noun: str, inside: Mapping[str, Any] = MappingProxyType({})
) -> Any:
    """The value of an expression of these classes and literals; BadInput says what is wrong.

    `inside` are classes that only parts of the expression may have.
    """
    return read(text, Grammar(noun, classes, inside))


def read(text: str, grammar: Grammar) -> Any:
    """The value of an expression; BadInput says what is wrong."""
    noun = grammar.what
    if len(text) > MAX_LENGTH:
        raise BadInput(f"{noun}: at most {MAX_LENGTH:,} characters")
    message = f"not {_a(noun)}: {text[:200]!r} (known: {', '.join(sorted(grammar.classes))})"
    tree = _parsed(text)
    if tree is None:
        raise BadInput(message)
    is_class = isinstance(tree, ast.Name) and isinstance(grammar.find(tree.id), type)
    value = _build(ast.Call(tree, [], []) if is_class else tree, grammar)
    if not grammar.is_one(value):
        raise BadInput(message)
    return value


def _parsed(text: str) -> ast.expr | None:
    """The syntax tree, whose names may include a module; None if the text is not an expression."""
    qualified: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]  # a string
        qualified[name := f"__qualified_{len(qualified)}"] = match[2]
        return name

    try:
        tree = ast.parse(_QUALIFIED.sub(plain, text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = qualified.get(node.id, node.id)
    return tree


def _build(node: ast.expr, grammar: Grammar) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node, grammar)
    if isinstance(node, ast.Name) and not isinstance(value := grammar.find(node.id), type):
        return value
    if isinstance(node, ast.Tuple | ast.List):
        return (tuple if isinstance(node, ast.Tuple) else list)(_build(each, grammar) for each in node.elts)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        if isinstance(node, ast.Name):
            raise BadInput(f"write {node.id}() in place of {node.id}") from None
        raise BadInput(f"not allowed in {_a(grammar.what)}: {ast.unparse(node)[:100]}") from None


def _call(name: str, node: ast.Call, grammar: Grammar) -> Any:
    cls = grammar.find(name)
    if not isinstance(cls, type):
        raise BadInput(f"{name} takes no parameters: write {name} in place of {name}(…)")
    named = {k.arg: _build(k.value, grammar) for k in node.keywords if k.arg}
    unnamed = [_build(a, grammar) for a in node.args]
    try:
        inspect.signature(cls).bind(*unnamed, **named)
        return cls(*unnamed, **named)
    except TypeError as error:
        raise BadInput(f"{name}: {error}; it takes {_parameters(cls) or 'nothing'}") from None
    except SoughtError:
        raise
    except Exception as error:
        raise BadInput(f"{name}: {error_line(error)}") from error


def _parameters(cls: type) -> str:
    """The parameters of a class with their defaults, without types."""
    factories = {each.name: each.default_factory for each in fields(cls)} if is_dataclass(cls) else {}
    parameters = []
    for name, each in inspect.signature(cls).parameters.items():
        factory = factories.get(name, MISSING)
        default = each.default if factory is MISSING else factory()
        parameters.append(name if default is each.empty else f"{name}={default!r}")
    return ", ".join(parameters)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"
