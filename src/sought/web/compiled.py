"""Which loops run as machine code?  Those under these decorators."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
Int = Any  # an integer of compiled code: Python's, or a NumPy scalar of any width
Bool = Any  # a truth value of compiled code, likewise


def compiled(function: Function) -> Function:
    """For parts of compiled functions."""
    return numba.njit(nogil=True)(function)  # type: ignore[return-value]  # called like the function


def cached(function: Function) -> Function:
    """For functions that Python calls: compiled once for all processes, until their own file changes."""
    return numba.njit(cache=True, nogil=True)(function)  # type: ignore[return-value]  # called like the function
