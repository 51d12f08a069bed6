"""Which value does a name stand for?  Policies, beliefs and all else that others can add are found in one way.

A registry looks through the modules of one of our packages, and through what installed distributions name in its group
of entry points: a value, or a module.  Every public class or value that is there, and that the registry accepts, can be
named.  So there is no list to keep, and a module is imported when somebody first asks for a name.  What is neither ours
nor installed under an entry point is named with its module: `my_policy:Mine(2)`.
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

from sought.web.beside import load, told
from sought.web.errors import BadInput
from sought.web.expression import Grammar, read
from sought.web.policy import Important, Policy, importance_in

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def name_of(value: Any) -> Sequence[str]:
    """A class or function has its own name, a value that of its attribute `name`."""
    return [value.__name__ if isinstance(value, type | FunctionType) else value.name]


class Registry(Mapping[str, Any]):
    """Classes and values by name; all are imported when the first is asked for.

    `what` is what one of them is called in messages, `group` the name of their entry points, if they have any.
    `accepts` says of any class or value whether it is one.  `names` are those of one: the first is shown, all of them
    are found.  A tuple of values counts as each of them.  Two different things of the same name are an error.  Those
    that are not `is_listed` can be named all the same.

    If `functions` may be one, then those that an entry point or an expression names.
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
        """Those that are classes."""
        return MappingProxyType({name: each for name, each in self.items() if isinstance(each, type)})

    @cached_property
    def values_named(self) -> Mapping[str, Any]:
        """Those that are values."""
        return MappingProxyType({name: each for name, each in self.items() if not isinstance(each, type)})

    def read(
        self, text: str, folder: Path | None = None, *, more: Mapping[str, Any] = _NOTHING, inside: Any = _NOTHING
    ) -> Any:
        """What a name or an expression stands for; BadInput, which says what is wrong, if nothing.

        A name that has its module before it is looked for in the `folder`, too.  `more` has further classes, `inside`
        those that may only be inside: a registry, or classes by name.
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
        """The first name of each, and all names with what they stand for."""
        shown: list[str] = []
        found: dict[str, tuple[Any, str]] = {}
        seen: set[int] = set()
        for value, where in self._everywhere():
            if id(value) in seen:
                continue
            seen.add(id(value))
            names = self.names(value)
            for name in names:
                if name in found:
                    both = f"{found[name][1]} and {where}"
                    raise BadInput(f"{name!r} is the name of more than one {self.what}: {both}; rename or remove one")
                found[name] = value, where
            if self.is_listed(value):
                shown.append(names[0])
        return shown, {name: value for name, (value, _) in found.items()}

    def _everywhere(self) -> Iterator[tuple[Any, str]]:
        """Each, and where it is."""
        yield from self._in(import_module(self.package))
        for point in entry_points(group=self.group) if self.group else ():
            found = self._loaded(point)
            if isinstance(found, ModuleType):
                yield from self._in(found)
            elif self._is_named(found):
                yield found, f"{point.value} of the distribution {point.dist.name if point.dist else '?'}"
            else:
                raise BadInput(f"the entry point {point.name!r} of {self.group} is no {self.what}: {point.value}")

    def _loaded(self, point: EntryPoint) -> Any:
        try:
            return point.load()
        except Exception as error:
            where = f"the entry point {point.name!r} of {self.group} ({point.value})"
            raise BadInput(f"{where} cannot be loaded: {told(error)}") from error

    def _is_named(self, value: Any) -> bool:
        return self.accepts(value) or (self.functions and isinstance(value, FunctionType))

    def _in(self, module: ModuleType) -> Iterator[tuple[Any, str]]:
        """Those that are defined in a module, or in the modules of a package."""
        for name, value in list(vars(module).items()):
            if not name.startswith("_"):
                for each in value if type(value) is tuple else (value,):
                    if self._is_from(each, module):
                        yield each, f"{module.__name__}:{name}"
        for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if not found.name.startswith("_"):
                yield from self._in(import_module(f"{module.__name__}.{found.name}"))

    def _is_from(self, value: Any, module: ModuleType) -> bool:
        """A class or function that is imported belongs to the module that defines it; of a value nobody can tell."""
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
    """The policy an expression names; raises BadInput that says what is wrong with it.

    Names that have their module before them are looked for in the `folder`, too.
    """
    return POLICIES.read(text, folder, inside=BELIEFS)  # type: ignore[no-any-return]  # one of POLICIES


@lru_cache
def same_spelling(text: str) -> str:
    """A policy's expression as its `repr` is now: records of before name every parameter.

    What is no policy of this package stays as it is.

    >>> same_spelling("RoundRobin(new=False)"), same_spelling("Mine(2)")
    ('RoundRobin()', 'Mine(2)')
    """
    try:
        return repr(parse_policy(text))
    except BadInput:
        return text


def importance_for(policy: Policy) -> Important:
    """What a policy says of the importance of pages; BadInput, if it says nothing, names those that do."""
    found = importance_in(policy)
    if found is None:
        able = ", ".join(sorted(name for name, each in POLICIES.items() if hasattr(each, "importance")))
        raise BadInput(
            f"to keep only so many pages the policy must say which are important, and {policy!r} does not; "
            f"these do, alone or as 'new' of a Split: {able}"
        )
    return found
