"""Which pages were lost with a part of the archive?  The old table knows where the copy of each page lay."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from sought.archive import Damage
from sought.crawl.store import Store
from sought.web.errors import SoughtError

_MOST_URLS = 100  # of one stretch


def named(path: Path, damage: Sequence[Damage]) -> list[Damage]:
    """Stretches of damage with the URLs of the copies that lay there, as far as the old table can be read."""
    if all(each.urls for each in damage):
        return list(damage)
    found: dict[tuple[int, int, int], list[str]] = {each.place: [] for each in damage}
    try:
        store = Store(path / "store", writable=False)
    except SoughtError:
        return list(damage)
    try:
        for row, (file, offset, _) in store.places():
            for place in found:
                if place[0] == file and place[1] <= offset and (offset < place[2] or not place[2]):
                    found[place] += [store.url(row)] if len(found[place]) < _MOST_URLS else []
    except SoughtError:
        pass  # what has been found of them until here
    finally:
        store.close()
    return [each if each.urls else replace(each, urls=tuple(found[each.place])) for each in damage]
