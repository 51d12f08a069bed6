"""What was lost with a part of the archive, and what of the record cannot be read?

The store keeps what damage was seen last, of the query log, too.  The old table knows where the copy of each page lay.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import astuple, replace

from sought.archive import Damage, files
from sought.archive.damage import ENDS_EARLY, new_damage, with_urls
from sought.record.store import Store
from sought.web.errors import SoughtError

_MOST_URLS = 100  # of one stretch
_NAMED = 100  # stretches of which the URLs are looked up


class DamageLog:
    """Stretches of an archive that cannot be read, as far as it has been read; what is healthy goes on."""

    def __init__(self, archive: Path) -> None:
        self.archive = archive
        self.by_place: dict[tuple[int, int, int], Damage] = {}

    def note(self, damage: Damage) -> None:
        """Each place once."""
        if damage.place not in self.by_place:
            few = len(self.by_place) < _NAMED and not damage.urls
            self.by_place[damage.place] = with_urls(self.archive, damage) if few else damage

    @property
    def unlisted(self) -> list[Damage]:
        """What no repair has seen."""
        return new_damage(self.archive, self.by_place.values())


def kept_damage(store: Store) -> list[Damage]:
    """What was seen last."""
    kept = store.meta("damage", [])
    return [Damage(file, start, stop, reason, tuple(urls)) for file, start, stop, reason, urls in kept]


def keep_damage(store: Store, damage: Sequence[Damage]) -> None:
    """With the next commit."""
    store.put_meta("damage", [astuple(each) for each in damage])


def log_trouble(store: Store) -> str:
    """Why the query log could not be read when it was last looked at; empty: it could."""
    trouble: str = store.meta("log_trouble", "")
    return trouble


def keep_log_trouble(store: Store, trouble: str) -> None:
    """With the next commit."""
    store.put_meta("log_trouble", trouble)


def seen_damage(store: Store) -> list[str]:
    """What of the record cannot be read, as far as it was seen, one line each."""
    trouble = log_trouble(store)
    return [*(f"archive/{each}" for each in kept_damage(store)), *([trouble] if trouble else [])]


def cut_off(store: Store, archive: Path) -> list[Damage]:
    """Ends of files that were seen to be missing, and still are: only whoever saw it first could know."""
    early = [each for each in kept_damage(store) if each.reason == ENDS_EARLY]
    return [each for each in early if not _is_there(files.warc_path(archive, each.file), each.stop)]


def _is_there(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size >= size


def named(path: Path, damage: Sequence[Damage]) -> list[Damage]:
    """Stretches of damage, and what the old store knows of them, with the URLs of the copies that lay there."""
    try:
        store = Store(path / "store", writable=False)
    except SoughtError:
        return list(damage)
    try:
        early = cut_off(store, path / "archive")
    except SoughtError:
        early = []
    damage = sorted({each.place: each for each in (*early, *damage)}.values())
    found: dict[tuple[int, int, int], list[str]] = {each.place: [] for each in damage if not each.urls}
    try:
        for row, (file, offset, _) in store.places() if found else ():
            for place in found:
                if place[0] == file and place[1] <= offset and (offset < place[2] or not place[2]):
                    found[place] += [store.url(row)] if len(found[place]) < _MOST_URLS else []
    except SoughtError:
        pass  # what has been found of them until here
    finally:
        store.close()
    return [each if each.urls else replace(each, urls=tuple(found[each.place])) for each in damage]
