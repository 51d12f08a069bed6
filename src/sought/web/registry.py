"""Which value does a name stand for?  Policies, beliefs and all else that others can add are found in one way.

A registry looks through the modules of one of our packages, and through what installed distributions name in its group
of entry points: a value, or a module.  Every public value that is defined there, and that the registry accepts, can be
named.  So there is no list to keep, and a module is imported when somebody first asks for a name.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType, ModuleType

from sought.web.errors import BadInput
from sought.web.expression import evaluated
from sought.web.policy import Important, Policy, importance_in


class Registry(Mapping[str, type]):
    """Classes by name; all are imported when the first is asked for.

    `what` is what one of them is called in messages, `group` the name of their entry points.
    """

    def __init__(self, what: str, package: str, group: str, accepts: Callable[[type], bool]) -> None:
        self.what = what
        self.package = package
        self.group = group
        self.accepts = accepts

    @cached_property
    def classes(self) -> Mapping[str, type]:
        """All of them."""
        found = [*self._in(import_module(self.package)), *self._others()]
        return MappingProxyType({each.__name__: each for each in found})

    def __getitem__(self, name: str) -> type:
        return self.classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.classes)

    def __len__(self) -> int:
        return len(self.classes)

    def __or__(self, others: Mapping[str, type]) -> dict[str, type]:
        return {**self.classes, **others}

    def _others(self) -> Iterator[type]:
        for point in entry_points(group=self.group):
            found = point.load()
            if isinstance(found, ModuleType):
                yield from self._in(found)
            else:
                yield found

    def _in(self, module: ModuleType) -> Iterator[type]:
        """Those that are defined in a module, or in the modules of a package."""
        for name, value in vars(module).items():
            is_own = isinstance(value, type) and value.__module__ == module.__name__
            if is_own and not name.startswith("_") and self.accepts(value):
                yield value
        for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if not each.name.startswith("_"):
                yield from self._in(import_module(f"{module.__name__}.{each.name}"))


def _is_policy(kind: type) -> bool:
    return is_dataclass(kind) and _has(kind, "__call__") and not kind.__dict__.get("is_abstract", False)


def _is_belief(kind: type) -> bool:
    is_one = is_dataclass(kind) and (_has(kind, "learner") or _has(kind, "supplier"))
    return is_one and not kind.__dict__.get("is_abstract", False)


def _has(kind: type, method: str) -> bool:
    return any(method in each.__dict__ for each in kind.__mro__)


POLICIES = Registry("policy", "sought.policy", "sought.policies", _is_policy)
BELIEFS = Registry("belief", "sought.beliefs", "sought.beliefs", _is_belief)


def parse_policy(text: str) -> Policy:
    """The policy an expression names; raises BadInput that says what is wrong with it."""
    return evaluated(text, POLICIES, "policy", BELIEFS)  # type: ignore[no-any-return]  # one of POLICIES


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
