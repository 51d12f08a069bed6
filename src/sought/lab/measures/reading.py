"""What readers see in a version, and since when a copy is out of date for readers."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sought.lab.measures.measure import Floats
from sought.lab.worlds.world import NOTHING, Numbers, World


class ReadCopies:
    """A version that is no page shows nothing, as a page that does not exist."""

    def __init__(self, world: World) -> None:
        self.world = world
        shown = np.where(world.is_page, np.maximum(world.versions.content, np.uint64(1)), np.uint64(0))
        shown = np.append(shown, np.uint64(0))  # its last item is that of NOTHING
        self.shown: NDArray[np.uint64] = shown[np.append(world.observed, NOTHING)]  # an error shows nothing new

    def there(self, versions: Numbers) -> NDArray[np.bool_]:
        """Whether there is something to read."""
        there: NDArray[np.bool_] = self.shown[versions] != 0
        return there

    def stale(self, copies: Numbers, live: Numbers) -> NDArray[np.bool_]:
        """Whether readers see something else on the Web; a copy that was fetched later than `live` is not stale."""
        stale: NDArray[np.bool_] = (self.shown[copies] != self.shown[live]) & (copies < live)
        return stale

    def since(self, pages: Numbers, copies: Numbers) -> Floats:
        """When these stale pages first differed from their copies."""
        first = self.world.first[pages]
        held = np.where(copies == NOTHING, first, copies)
        news = self._starts[np.searchsorted(self._starts, held, "right")]
        was_new = (copies == NOTHING) & (self.shown[first] != 0)
        return self.world.versions.time[np.where(was_new, first, news)]

    def changes(self, first: Floats, last: Floats) -> Numbers:
        """The versions that show something else than the one before, after `first` of their page and before `last`."""
        starts, page, time = self._starts[:-1], self.world.versions.page, self.world.versions.time
        within = (time[starts] > first[page[starts]]) & (time[starts] < last[page[starts]])
        return starts[within]

    @cached_property
    def _starts(self) -> Numbers:
        """The versions that show something else than the one before them, or are their page's first; and an end."""
        differs = np.ones(len(self.shown), np.bool_)
        differs[1:-1] = self.shown[1:-1] != self.shown[:-2]
        differs[self.world.firsts] = True
        return np.flatnonzero(differs)
