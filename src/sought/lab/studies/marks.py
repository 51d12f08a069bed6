"""What does a result depend on?  Hashes (marks) of a world's files and of source code."""

import hashlib
import inspect
import os
import secrets
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import count
from pathlib import Path
from types import FunctionType

import sought
from sought.lab.studies.closure import ROOT, code_of, imported
from sought.web.local_modules import is_own_package
from sought.web.policy import own_beliefs

_MAIN = ("__main__", "__mp_main__")  # what a program is called in itself, and in the processes it starts
UNKNOWN = "unknown"
_TOKEN, _numbers = secrets.token_hex(4), count()  # of this process


def world_mark(folder: Path) -> str:
    """A hash of a world's files, except texts, which replays do not read."""
    mark = hashlib.blake2b(digest_size=12)
    for file in sorted(folder.iterdir()):
        if file.name != "texts.parquet" and file.is_file():
            mark.update(file.name.encode() + b"\0" + file.read_bytes())
    return mark.hexdigest()


@cache
def code_mark() -> str:
    """A hash of this package's source code, to the byte."""
    mark = hashlib.blake2b(digest_size=12)
    package = Path(sought.__file__).parent
    for file in sorted(package.rglob("*.py")):
        mark.update(str(file.relative_to(package)).encode() + b"\0" + file.read_bytes())
    return mark.hexdigest()


def code_for(value: object, *modules: str, root: Path = ROOT) -> str:
    """A hash of the source code of this package that a policy or measure and these modules use.

    That is what its classes, bases and parts use, or what code of others imports if they are not of this package.
    """
    used = set(modules)
    for kind in dict.fromkeys(_classes(value)):
        if is_own_package(kind.__module__):
            used.add(kind.__module__)
        elif not _is_known(kind):
            used.update(_imported_by(kind))
    return code_of(used, root)


def own_mark(value: object) -> str:
    """A hash of the source code of a policy or measure that is not in this package.

    It is that of the modules of its classes, bases and parts (of the classes alone in the program that is run: that
    changes with every experiment), not of modules which these import.  Code that is nowhere to be read is of this
    process only.
    """
    sources = [_source(each) for each in dict.fromkeys(_classes(value)) if not _is_known(each)]
    mark = hashlib.blake2b("\0".join(sources).encode(), digest_size=12).hexdigest() if sources else ""
    return f"{UNKNOWN} {mark}" if any(source.startswith(UNKNOWN) for source in sources) else mark


def _classes(value: object) -> Iterator[type | FunctionType]:
    """Those of a value and of what it is made of, with their bases; a function is one itself."""
    yield from (value,) if isinstance(value, FunctionType) else type(value).__mro__
    parts = [getattr(value, each.name) for each in fields(value)] if is_dataclass(value) else []
    for part in (*parts, *own_beliefs(value)):
        for item in part if isinstance(part, (tuple, list)) else (part,):
            if item is not value and not isinstance(item, type) and (is_dataclass(item) or callable(item)):
                yield from _classes(item)


def _is_known(kind: type | FunctionType) -> bool:
    """Whether `code_for` is of it, or it comes with Python."""
    return is_own_package(kind.__module__) or kind.__module__.partition(".")[0] in sys.stdlib_module_names


@cache
def _imported_by(kind: type | FunctionType) -> frozenset[str]:
    try:
        return imported(inspect.getsource(sys.modules[kind.__module__]).encode())
    except (OSError, TypeError, KeyError):
        return frozenset()  # its own mark is of this process only


@cache  # as it was when first asked for, as the code that runs is
def _source(kind: type | FunctionType) -> str:
    try:
        source = inspect.getsource(kind)
        return source if kind.__module__ in _MAIN else inspect.getsource(sys.modules[kind.__module__])
    except (OSError, TypeError, KeyError):
        return f"{UNKNOWN} {os.getpid()} {_TOKEN} {next(_numbers)}"
