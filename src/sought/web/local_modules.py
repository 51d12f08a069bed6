"""How is `module:Name` loaded from a file beside sought.toml, without packaging?

The folder is never put on `sys.path`.  Its modules are loaded under names that contain the folder:
`sought.web.local_modules.<folder in hex>.my_policy`.  So they shadow no other module, two crawls can each have a module
of the same name, and another process can unpickle their objects.  Such a module imports its neighbours with
`from . import neighbour`.  A file that has changed is loaded again.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from sought.web.errors import BadInput

_LONGEST = 200

__path__: list[str] = []  # submodules have no files here: `_Finder` finds them


class _Loader(SourceFileLoader):
    """Neither writes nor reads bytecode: only the source counts."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__stamp__"] = _stamp(module.__file__)  # before reading, so that a change meanwhile is noticed
        super().exec_module(module)

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


class _Finder(MetaPathFinder):
    """Finds a folder by its name in hex, and modules in it."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if not fullname.startswith(f"{__name__}."):
            return None
        if "." in fullname.removeprefix(f"{__name__}."):
            specs = (FileFinder(each, (_Loader, SOURCE_SUFFIXES)).find_spec(fullname) for each in path or ())
            return next((spec for spec in specs if spec and spec.loader), None)
        spec = ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [bytes.fromhex(fullname.rpartition(".")[2]).decode()]
        return spec


sys.meta_path.insert(0, _Finder())  # before the default finder, which would write bytecode


def load(text: str, folder: Path | None) -> Any:
    """The object that `module:Name` names; BadInput if it does not exist or its file cannot be loaded."""
    name, _, attribute = text.partition(":")
    top = name.partition(".")[0]
    if len(text) > _LONGEST:
        raise BadInput(f"{text[:60]}…: a name has at most {_LONGEST} characters")
    if top in sys.stdlib_module_names and top != "__main__":
        raise BadInput(f"{text}: {top} is a module of Python itself; name a module of your own")
    file = _own_file(top, folder) if folder else None
    module = _imported(_own_name(name, file) if file else name, text, folder)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise BadInput(f"{module.__file__ or name} has nothing called {attribute!r}") from None


def plain_name(module: str) -> str:
    """The name of a module as users write it.

    >>> plain_name("sought.web.local_modules.2f746d70.my_policy"), plain_name("their.policies")
    ('my_policy', 'their.policies')
    """
    return module.removeprefix(f"{__name__}.").partition(".")[2] if module.startswith(f"{__name__}.") else module


def is_own_package(module: str) -> bool:
    """Whether a module belongs to this package, and does not lie beside a sought.toml."""
    return f"{module}.".startswith("sought.") and not module.startswith(f"{__name__}.")


def error_location(error: BaseException) -> str:
    """File and line where an error was raised in a module beside sought.toml; empty if it was raised elsewhere."""
    location, traceback = "", error.__traceback__
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        location = f"{error.filename}:{error.lineno}"
    while traceback is not None:
        if str(traceback.tb_frame.f_globals.get("__name__", "")).startswith(f"{__name__}."):
            location = f"{traceback.tb_frame.f_code.co_filename}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return location


def error_line(error: BaseException) -> str:
    """An error in one line, with file and line if it comes from a module beside sought.toml."""
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    text = f"{type(error).__name__}: {what}" if what else type(error).__name__
    return ": ".join(filter(None, (error_location(error), " ".join(text.split()))))


def _own_file(top: str, folder: Path) -> Path | None:
    """The file of a module in the folder; BadInput if another module of that name is installed."""
    files = (folder / f"{top}.py", folder / top / "__init__.py")
    file = next((each for each in files if each.is_file()), None)
    if file is None or top in ("sought", "__main__"):
        return None
    spec = find_spec(top)
    other = spec.origin if spec else None
    if other and Path(other).resolve() != file.resolve():
        raise BadInput(f"two modules are called {top!r}: {file} and {other}; give the first another name")
    return file


def _own_name(name: str, file: Path) -> str:
    folder = file.parent.parent if file.name == "__init__.py" else file.parent
    package = f"{__name__}.{str(folder.resolve()).encode().hex()}"
    _forget_if_changed(package)
    return f"{package}.{name}"


def _forget_if_changed(package: str) -> None:
    """Unload all modules of a folder if one of their files has changed since it was loaded."""
    own = {name: each for name, each in list(sys.modules.items()) if name.startswith(f"{package}.")}
    if any(vars(each).get("__stamp__") != _stamp(each.__file__) for each in own.values()):
        for name in own:
            sys.modules.pop(name, None)


def _stamp(file: str | None) -> tuple[int, int] | None:
    try:
        status = Path(file or "").stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _imported(name: str, text: str, folder: Path | None) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise BadInput(f"{text} cannot be loaded: {error_line(error)}") from error
        where = f"there is no {plain_name(name).replace('.', '/')}.py in {folder}, and " if folder else ""
        raise BadInput(f"no module called {plain_name(name)!r}: {where}none is installed") from None
    except (Exception, SystemExit) as error:
        raise BadInput(f"{text} cannot be loaded: {error_line(error)}") from error
