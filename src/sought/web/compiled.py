"""Which loops run as machine code?  Those under these decorators."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
Int = Any  # an integer of compiled code: Python's, or a NumPy scalar of any width
Bool = Any  # a truth value of compiled code, likewise


def compiled(function: Function) -> Function:
    """For parts of compiled functions.  They make no arrays: counting references took half the time."""
    return numba.njit(nogil=True, _nrt=False)(function)  # type: ignore[call-overload,no-any-return]  # an option numba's types leave out


def cached(function: Function) -> Function:
    """For functions that Python calls: compiled once for all processes, until their own file changes."""
    return numba.njit(cache=True, nogil=True)(function)  # type: ignore[return-value]  # called like the function
