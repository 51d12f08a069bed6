"""Which policies need a library that the plain installation does not have?"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib.util import find_spec
from typing import Any

from sought.web.errors import BadInput
from sought.web.policy import Policy, beliefs_of, needed_module


def check_installed(policy: Policy) -> None:
    """Raise BadInput if the policy, or one of its parameters or beliefs, `needs` a library that is missing.

    Called before a crawl starts, so that it does not fail after hours when a tree is to be fitted.
    """
    for part in _components(policy):
        module = needed_module(part)
        if module and find_spec(module) is None:
            raise BadInput(f"{type(part).__name__}() needs {module}: pip install 'sought[lab]'")


def _components(value: Any) -> Iterator[Any]:
    """A policy, its parameters, and the beliefs it reads."""
    yield value
    if is_dataclass(value):
        for each in fields(value):
            yield from _components(getattr(value, each.name))
    yield from (belief for belief in beliefs_of(value) if belief is not value)
