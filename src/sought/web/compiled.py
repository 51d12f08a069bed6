"""Which loops run as machine code?  Those under these decorators."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, wraps
from typing import Any, TypeVar

import numba
from numba import types
from numba.core import event
from numba.extending import intrinsic as _intrinsic

try:  # uses numba's internals, which another version may not have
    from sought.web import unit
except (ImportError, AttributeError):
    unit = None  # type: ignore[assignment]

Function = TypeVar("Function", bound=Callable[..., Any])
Int = Any  # an integer of compiled code: Python's, or a NumPy scalar of any width
Bool = Any  # a truth value of compiled code, likewise
njit: Any = numba.njit  # its type stubs lack `_nrt`
intrinsic: Any = _intrinsic  # its type stubs are wrong
_CACHED: list[Callable[[], Any]] = []  # one for each `cached` function: compiles or loads it


def readable(item: Any) -> Any:
    """The numba type of a contiguous array that is only read."""
    return types.Array(item, 1, "C", readonly=True)


def compiled(function: Function) -> Function:
    """Decorate a function that only compiled functions call.  It must allocate no arrays: reference counts took half
    the time.
    """
    return CompiledPart(function)  # type: ignore[return-value]  # called like the function, by compiled code only


class CompiledPart:
    """A function that only compiled functions call: part of the unit that is being compiled, or else by itself."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def _numba_type_(self) -> Any:
        part = unit.part(self._function) if unit else None
        return (part or self._alone)._numba_type_

    @cached_property
    def _alone(self) -> Any:
        return njit(cache=True, nogil=True, _nrt=False)(self._function)


@intrinsic  # type: ignore[untyped-decorator]
def noinline(context: Any) -> Any:
    """Call this in a compiled function to keep it from being inlined.

    For large functions that run rarely: inlined into each other they would take longer to compile.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), code


def cached(signature: Any) -> Callable[[Function], Function]:
    """Decorate a function that Python calls: it is compiled on its first call and cached until its own file changes.

    Compiling takes seconds, so a command that never calls the function does not pay for it.
    """

    def decorated(function: Function) -> Function:
        @cache
        def machine_code() -> Callable[..., Any]:
            return _machine_code(signature, function)

        @wraps(function)
        def call(*arguments: Any) -> Any:
            return machine_code()(*arguments)

        _CACHED.append(machine_code)
        return call  # type: ignore[return-value]  # called like the function

    return decorated


def waiting_to_compile() -> list[Callable[[], Any]]:
    """For each `cached` function imported so far, a callable that compiles or loads it."""
    return list(_CACHED)


def _machine_code(signature: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """As one unit, which compiles and loads faster; or by plain numba, which works with any version."""
    if unit:
        try:
            return unit.machine_code(signature, function)
        except Exception:  # noqa: BLE001, S110  numba reports errors in the function below
            pass
    return njit(signature, cache=True, nogil=True)(function)  # type: ignore[no-any-return]  # untyped


class _Compiling(event.Listener):
    def __init__(self, report: Callable[[int], None]) -> None:
        self._report = report
        self._count = 0

    def on_start(self, event: Any) -> None:
        self._count += 1
        self._report(self._count)

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def compiling(report: Callable[[int], None]) -> Iterator[None]:
    """Report how many functions have been compiled so far; functions loaded from the cache do not count."""
    with event.install_listener("numba:compile", _Compiling(report)):
        yield
