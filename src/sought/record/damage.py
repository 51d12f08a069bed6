"""What of the record cannot be read, and which pages are affected?

The store keeps the damage of archive and query log that was seen last.  The old table knows where each copy lay.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import astuple, replace

from sought.archive import Damage, files
from sought.archive.damage import ENDS_EARLY, new_damage, with_urls
from sought.record.store import Store
from sought.web.errors import SoughtError

_MAX_URLS = 100  # of one damaged place
_NAMED = 100  # damaged places of which the URLs are looked up


class DamageLog:
    """Damaged places of an archive that were met while it was read."""

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
        """Damage that no repair has handled."""
        return new_damage(self.archive, self.by_place.values())


def kept_damage(store: Store) -> list[Damage]:
    """The damage that was stored last."""
    kept = store.meta("damage", [])
    return [Damage(file, start, stop, reason, tuple(urls)) for file, start, stop, reason, urls in kept]


def keep_damage(store: Store, damage: Sequence[Damage]) -> None:
    """Store it with the next commit."""
    store.put_meta("damage", [astuple(each) for each in damage])


def log_trouble(store: Store) -> str:
    """Why the query log could not be read the last time; empty if it could."""
    trouble: str = store.meta("log_trouble", "")
    return trouble


def keep_log_trouble(store: Store, trouble: str) -> None:
    """Store it with the next commit."""
    store.put_meta("log_trouble", trouble)


def seen_damage(store: Store) -> list[str]:
    """Known damage of archive and query log, one line each."""
    trouble = log_trouble(store)
    return [*(f"archive/{each}" for each in kept_damage(store)), *([trouble] if trouble else [])]


def cut_off(store: Store, archive: Path) -> list[Damage]:
    """Files of which the end was found missing, and still is; later readers cannot find that out again."""
    early = [each for each in kept_damage(store) if each.reason == ENDS_EARLY]
    return [each for each in early if not _is_there(files.warc_path(archive, each.file), each.stop)]


def _is_there(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size >= size


def named(path: Path, damage: Sequence[Damage]) -> list[Damage]:
    """Damaged places, also those that the old store knows, with the URLs of the copies that lay there."""
    try:
        store = Store(path / "store", writable=False)
    except SoughtError:
        return list(damage)
    try:
        early = cut_off(store, path / "archive")
    except SoughtError:
        early = []
    damage = sorted({each.place: each for each in (*early, *damage)}.values())
    urls: dict[tuple[int, int, int], list[str]] = {each.place: [] for each in damage if not each.urls}
    try:
        for row, (file, offset, _) in store.places() if urls else ():
            for place in urls:
                if place[0] == file and place[1] <= offset and (offset < place[2] or not place[2]):
                    urls[place] += [store.url(row)] if len(urls[place]) < _MAX_URLS else []
    except SoughtError:
        pass  # those that were read before the error are reported
    finally:
        store.close()
    return [each if each.urls else replace(each, urls=tuple(urls[each.place])) for each in damage]
