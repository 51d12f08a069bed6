"""Let beliefs hear of every commit of an open directory, as the cycle does."""

from collections.abc import Callable

from sought.record.commit import Commit
from sought.record.directory import Directory
from sought.record.writer import Writer


def follow(directory: Directory, take: Callable[[Commit], None]) -> None:
    """From now on `take` is given what each commit returns; only the last one who follows is."""
    writer = directory.writer

    def commit() -> Commit:
        committed = Writer.commit(writer)
        take(committed)
        return committed

    vars(writer)["commit"] = commit


def follow_no_more(directory: Directory) -> None:
    vars(directory.writer).pop("commit", None)
