"""Compile all machine code once, on all cores, before many processes need it:  python -m tests.testing.compile_all

What is compiled is kept in numba's cache, so this takes a few seconds where nothing has changed.
"""

import multiprocessing
import os
import pkgutil
from functools import cache
from importlib import import_module

import sought
from sought.web.compiled import waiting_to_compile


@cache
def import_all() -> None:
    """Every module of the package."""
    for module in pkgutil.walk_packages(sought.__path__, "sought."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def count() -> int:
    import_all()
    return len(waiting_to_compile())


def compile_one(number: int) -> None:
    import_all()
    waiting_to_compile()[number]()


def compile_all(processes: int) -> int:
    """Returns how many functions there are."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        functions = pool.apply(count)
        # The last ones first: the HTML reader among them takes longest.
        for _ in pool.imap_unordered(compile_one, reversed(range(functions))):
            pass
    return functions


if __name__ == "__main__":
    compile_all(os.cpu_count() or 1)
