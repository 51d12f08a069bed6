"""Shell completion of arguments."""

import os
from pathlib import Path

_MAX_ENTRIES = 200  # entries of a folder


def crawls(incomplete: str) -> list[str]:
    """Folders that start so.  A crawl directory gets no trailing slash, so that the next argument can follow."""
    folder, name = os.path.split(incomplete)
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(each.name for each in entries if _fits(each, name))[:_MAX_ENTRIES]
    except OSError:
        return []
    return [_completed(os.path.join(folder, each)) for each in names]  # noqa: PTH118  "./x" must stay "./x"


def policies(incomplete: str) -> list[str]:
    """Policies that start so, written without parameters."""
    from sought.policy import POLICIES

    return [f"{name}()" for name in sorted(POLICIES) if f"{name}()".startswith(incomplete)]


def _fits(entry: "os.DirEntry[str]", name: str) -> bool:
    hidden = entry.name.startswith(".") and not name.startswith(".")
    return entry.is_dir() and entry.name.startswith(name) and not hidden


def _completed(folder: str) -> str:
    is_crawl = (Path(folder) / "sought.toml").exists()
    return folder if is_crawl else f"{folder}/"
