"""What a shell offers when somebody presses Tab."""

import os
from pathlib import Path

_MOST = 200  # entries of a folder: nobody reads more


def crawls(incomplete: str) -> list[str]:
    """Folders below which a crawl may be; those that are one end without a slash, so that the next word can follow."""
    folder, name = os.path.split(incomplete)
    try:
        with os.scandir(folder or ".") as entries:
            found = sorted(each.name for each in entries if _fits(each, name))[:_MOST]
    except OSError:
        return []
    return [_spelled(os.path.join(folder, each)) for each in found]  # noqa: PTH118  "./x" must stay "./x"


def policies(incomplete: str) -> list[str]:
    """Policies by their names, as they are written without parameters."""
    from sought.policy import POLICIES

    return [f"{name}()" for name in sorted(POLICIES) if f"{name}()".startswith(incomplete)]


def _fits(entry: "os.DirEntry[str]", name: str) -> bool:
    hidden = entry.name.startswith(".") and not name.startswith(".")
    return entry.is_dir() and entry.name.startswith(name) and not hidden


def _spelled(folder: str) -> str:
    is_crawl = (Path(folder) / "sought.toml").exists()
    return folder if is_crawl else f"{folder}/"
