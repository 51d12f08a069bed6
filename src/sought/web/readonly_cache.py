"""How does a library that writes lock files read a folder that is read-only?  Through a shadow folder.

The shadow is a temporary folder with a link to each file.  Files that the library creates there vanish with it.
"""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from sought.web.errors import BadInput


class ShadowFolder:
    """`path` is where to read: the folder itself, or links to its files if the folder is read-only."""

    def __init__(self, folder: Path, without: Iterable[str] = ()) -> None:
        """`without` names the files that the library creates itself."""
        self._folder, self._without = folder, frozenset(without)
        self._made: tempfile.TemporaryDirectory[str] | None = None
        self.path = folder
        if folder.is_dir() and not os.access(folder, os.W_OK):
            try:
                self._made = tempfile.TemporaryDirectory(prefix="sought-read-only-", ignore_cleanup_errors=True)
            except OSError as error:
                raise BadInput(f"{folder} is read-only, and no temporary folder can be made: {error}") from None
            self.path = Path(self._made.name)
            self.refresh()

    def refresh(self) -> None:
        """Add links to new files."""
        if self._made:
            for file in self._folder.absolute().iterdir():
                link = self.path / file.name
                if file.name not in self._without and not link.is_symlink():
                    link.symlink_to(file)

    def close(self) -> None:
        if self._made:
            self._made.cleanup()
