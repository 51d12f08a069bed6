"""From a policy's `repr` back to the policy: `Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)`."""

import ast
import difflib
import inspect
from typing import Any

from sought.policy.breadth_first import BreadthFirst
from sought.policy.policy import Policy
from sought.policy.round_robin import RoundRobin
from sought.policy.split import Split
from sought.web.errors import BadInput

POLICIES: dict[str, type] = {p.__name__: p for p in (BreadthFirst, RoundRobin, Split)}


def parse_policy(text: str) -> Policy:
    """The policy an expression names; raises BadInput that says what is wrong with it."""
    if len(text) > 10_000:
        raise BadInput("a policy expression has at most 10,000 characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadInput(f"not a policy: {text[:200]!r} (write for example {Split()!r})") from None
    value = _build(ast.Call(tree, [], []) if isinstance(tree, ast.Name) else tree)
    if not callable(value):
        raise BadInput(f"not a policy: {text[:200]!r} (known policies: {', '.join(sorted(POLICIES))})")
    return value  # type: ignore[no-any-return]  # made from POLICIES, whose classes are policies


def _build(node: ast.expr) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _call(node.func.id, node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        raise BadInput(f"not allowed in a policy: {ast.unparse(node)[:100]}") from None


def _call(name: str, node: ast.Call) -> Any:
    cls = POLICIES.get(name)
    if cls is None:
        near = difflib.get_close_matches(name, POLICIES, 1)
        hint = f"did you mean {near[0]}?" if near else f"known policies: {', '.join(sorted(POLICIES))}"
        raise BadInput(f"no policy called {name!r}; {hint}")
    named = {k.arg: _build(k.value) for k in node.keywords if k.arg}
    unnamed = [_build(a) for a in node.args]
    try:
        inspect.signature(cls).bind(*unnamed, **named)
        return cls(*unnamed, **named)
    except TypeError as error:
        raise BadInput(f"{name}: {error}; it takes {inspect.signature(cls)}") from None
