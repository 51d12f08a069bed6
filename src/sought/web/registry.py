"""Which class or value does a name refer to?  Policies, beliefs and all other extensions are found in one way.

A registry searches the modules of one package of Sought, and the values or modules that installed distributions list
under its group of entry points.  Every public class or value there that the registry accepts has a name.  So no list is
kept by hand, and modules are imported when a name is first looked up.  Anything else is named with its module:
`my_policy:Mine(2)`.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cached_property, lru_cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from sought.web.errors import BadInput
from sought.web.expression import Grammar, read
from sought.web.local_modules import error_line, load
from sought.web.policy import Important, Policy, importance_in

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def name_of(value: Any) -> Sequence[str]:
    """The name of a class or function, or the attribute `name` of a value."""
    return [value.__name__ if isinstance(value, type | FunctionType) else value.name]


class Registry(Mapping[str, Any]):
    """Classes and values by name; all are imported at the first lookup.

    `what` is what an entry is called in messages, `group` the group of entry points, if there is one.  `accepts`
    decides whether a class or value is an entry.  `names` gives its names: the first is listed, all can be looked up.
    A tuple of values counts as each of them.  Two different entries with the same name are an error.  Those
    that are not `is_listed` can be named, too.

    With `functions`, functions that an entry point or an expression names are accepted, too.
    """

    def __init__(
        self,
        what: str,
        package: str,
        group: str,
        accepts: Callable[[Any], bool],
        names: Callable[[Any], Sequence[str]] = name_of,
        *,
        functions: bool = False,
        is_listed: Callable[[Any], bool] = lambda _: True,
    ) -> None:
        self.what = what
        self.package = package
        self.group = group
        self.accepts = accepts
        self.names = names
        self.functions = functions
        self.is_listed = is_listed

    @cached_property
    def classes(self) -> Mapping[str, type]:
        """The entries that are classes."""
        return MappingProxyType({name: each for name, each in self.items() if isinstance(each, type)})

    @cached_property
    def values_named(self) -> Mapping[str, Any]:
        """The entries that are values."""
        return MappingProxyType({name: each for name, each in self.items() if not isinstance(each, type)})

    def read(
        self, text: str, folder: Path | None = None, *, more: Mapping[str, Any] = _NOTHING, inside: Any = _NOTHING
    ) -> Any:
        """The value of a name or an expression; BadInput says what is wrong.

        A name with a module is looked up in `folder`, too.  `more` has further classes, `inside` those that only parts
        of an expression may have: a registry, or classes by name.
        """
        if text.strip() in self.values_named:
            return self[text.strip()]
        registries = [each for each in (self, more, inside) if isinstance(each, Registry)]

        def is_one(value: Any) -> bool:
            return self._is_named(value) or self.accepts(type(value)) or type(value) in more.values()

        def may_call(cls: type) -> bool:
            return any(each.accepts(cls) for each in registries)

        classes = {**self._found[1], **more}
        return read(text, Grammar(self.what, classes, inside, is_one, may_call, partial(load, folder=folder)))

    def __getitem__(self, name: str) -> Any:
        return self._found[1][name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found[0])

    def __len__(self) -> int:
        return len(self._found[0])

    def __contains__(self, name: object) -> bool:
        return name in self._found[1]

    def __or__(self, others: Mapping[str, Any]) -> dict[str, Any]:
        return {**self, **others}

    @cached_property
    def _found(self) -> tuple[Sequence[str], Mapping[str, Any]]:
        """The first name of each entry, and all names with their entries."""
        shown: list[str] = []
        entries: dict[str, tuple[Any, str]] = {}
        seen: set[int] = set()
        for value, where in self._everywhere():
            if id(value) in seen:
                continue
            seen.add(id(value))
            names = self.names(value)
            for name in names:
                if name in entries:
                    both = f"{entries[name][1]} and {where}"
                    raise BadInput(f"{name!r} is the name of more than one {self.what}: {both}; rename or remove one")
                entries[name] = value, where
            if self.is_listed(value):
                shown.append(names[0])
        return shown, {name: value for name, (value, _) in entries.items()}

    def _everywhere(self) -> Iterator[tuple[Any, str]]:
        """Each candidate, and where it is defined."""
        yield from self._in(import_module(self.package))
        for point in entry_points(group=self.group) if self.group else ():
            object_ = self._loaded(point)
            if isinstance(object_, ModuleType):
                yield from self._in(object_)
            elif self._is_named(object_):
                yield object_, f"{point.value} of the distribution {point.dist.name if point.dist else '?'}"
            else:
                raise BadInput(f"the entry point {point.name!r} of {self.group} is no {self.what}: {point.value}")

    def _loaded(self, point: EntryPoint) -> Any:
        try:
            return point.load()
        except Exception as error:
            where = f"the entry point {point.name!r} of {self.group} ({point.value})"
            raise BadInput(f"{where} cannot be loaded: {error_line(error)}") from error

    def _is_named(self, value: Any) -> bool:
        return self.accepts(value) or (self.functions and isinstance(value, FunctionType))

    def _in(self, module: ModuleType) -> Iterator[tuple[Any, str]]:
        """The entries defined in a module, or in the modules of a package."""
        for name, value in list(vars(module).items()):
            if not name.startswith("_"):
                for each in value if type(value) is tuple else (value,):
                    if self._is_from(each, module):
                        yield each, f"{module.__name__}:{name}"
        for submodule in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if not submodule.name.startswith("_"):
                yield from self._in(import_module(f"{module.__name__}.{submodule.name}"))

    def _is_from(self, value: Any, module: ModuleType) -> bool:
        """An imported class or function belongs to the module that defines it; a value belongs to any module that has
        it.
        """
        is_named = isinstance(value, type | FunctionType)
        return self.accepts(value) and (not is_named or value.__module__ == module.__name__)


def _is_policy(value: Any) -> bool:
    """A dataclass that can be called."""
    is_class = isinstance(value, type) and is_dataclass(value) and _has(value, "__call__")
    return is_class and not value.__dict__.get("is_abstract", False)


def _is_belief(value: Any) -> bool:
    is_class = isinstance(value, type) and is_dataclass(value) and (_has(value, "learner") or _has(value, "supplier"))
    return is_class and not value.__dict__.get("is_abstract", False)


def _has(kind: type, method: str) -> bool:
    return any(method in each.__dict__ for each in kind.__mro__)


POLICIES = Registry("policy", "sought.policy", "sought.policies", _is_policy, functions=True)
BELIEFS = Registry("belief", "sought.beliefs", "sought.beliefs", _is_belief)


def parse_policy(text: str, folder: Path | None = None) -> Policy:
    """The policy of an expression; BadInput says what is wrong.  Names with a module are looked up in `folder`, too."""
    return POLICIES.read(text, folder, inside=BELIEFS)  # type: ignore[no-any-return]  # one of POLICIES


@lru_cache
def same_spelling(text: str) -> str:
    """A policy's expression as its `repr` is today; older records name every parameter.

    Other expressions stay as they are.

    >>> same_spelling("RoundRobin(new=False)"), same_spelling("Mine(2)")
    ('RoundRobin()', 'Mine(2)')
    """
    try:
        return repr(parse_policy(text))
    except BadInput:
        return text


def importance_for(policy: Policy) -> Important:
    """The part of a policy that rates the importance of pages; if it has none, BadInput names policies that have."""
    importance = importance_in(policy)
    if importance is None:
        able = ", ".join(sorted(name for name, each in POLICIES.items() if _has(each, "importance")))
        raise BadInput(
            f"to keep only so many pages the policy must say which are important, and {policy!r} does not; "
            f"these do, alone or as 'new' of a Split: {able}"
        )
    return importance
