"""How are store and index replaced safely?  New ones are made beside the old ones and then moved in their place.

    rebuilding/            incomplete; the next process that opens the crawl for writing deletes it
    rebuilding/ready       written last: all is complete, and the next process that opens the crawl moves it in place
    rebuilding/old-store   the old store, until it is deleted

Every step can be repeated, so a kill at any moment leaves either the old tables or the new ones.
"""

import os
import shutil
from pathlib import Path

FOLDER = "rebuilding"
PARTS = ("store", "index")
_READY = "ready"


def begin_swap(path: Path) -> Path:
    """An empty folder for the new parts of a crawl directory, which is locked."""
    folder = path / FOLDER
    _delete(folder)
    folder.mkdir()
    return folder


def finish_swap(path: Path) -> None:
    """All new parts are closed and complete: move them in place."""
    folder = path / FOLDER
    with (folder / _READY).open("wb") as file:
        os.fsync(file.fileno())
    _sync(folder)
    settle_swap(path)


def settle_swap(path: Path) -> None:
    """Move new parts in place if they are ready, else delete them.  The directory is locked."""
    folder = path / FOLDER
    if (folder / _READY).exists():
        for part in PARTS:
            _put_in_place(path / part, folder / part, folder / f"old-{part}")
        _sync(path)
    _delete(folder)


def _put_in_place(here: Path, new: Path, old: Path) -> None:
    if new.exists():
        if here.exists():
            _delete(old)
            here.rename(old)
        new.rename(here)


def part_for_reading(path: Path, part: str) -> Path:
    """The path of the store or the index of a crawl directory, also if a kill has interrupted a swap."""
    here, folder = path / part, path / FOLDER
    if not here.exists() and (folder / _READY).exists() and (folder / part).exists():
        return folder / part
    return here


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
