"""Figures of a world, for people."""

from typing import Any

import numpy as np

from sought.lab.measures.reading import ReadCopies
from sought.lab.worlds.world import World


def about(world: World) -> dict[str, Any]:
    """Figures of a world; events are those after its start, as a reader sees them."""
    return {
        "name": world.name,
        "pages": len(world.urls),
        "pages_at_start": _there(world, world.start),
        "pages_at_end": _there(world, world.end),
        "versions": len(world.versions),
        "links": len(world.link_lists.data),
        "terms": len(world.terms),
        "files": len(world.files),
        "queries": len(world.tallies),
        "queries_later": int(np.count_nonzero(world.tallies.since > world.start)),
        "from": world.start,
        "to": world.end,
        "unit": world.unit,
        "units": world.units,
        **_events(world),
        "notes": world.notes,
    }


def _there(world: World, time: float) -> int:
    versions = world.live(time)
    return int(np.count_nonzero(world.is_page[versions[versions >= 0]]))


def _events(world: World) -> dict[str, Any]:
    """Births, deaths, redirects in place of pages, edits; how many of all of these a unit has."""
    v, reading = world.versions, ReadCopies(world)
    before = np.arange(len(v)) - 1
    before[world.first[:-1][world.first[:-1] < world.first[1:]]] = -1
    new, old = reading.shown[:-1], reading.shown[before]
    later = (v.time > world.start) & (v.time <= world.end)
    is_redirect = (v.status >= 300) & (v.status < 400)
    events = {
        "births": (old == 0) & (new != 0),
        "deaths": (old != 0) & (new == 0) & ~is_redirect,
        "redirects": (old != 0) & (new == 0) & is_redirect,
        "edits": (old != 0) & (new != 0) & (old != new),
    }
    units = np.ceil((v.time - world.start) / world.unit - 1e-9).astype(np.int64) - 1
    any_ = np.logical_or.reduce(list(events.values())) & later
    a_unit = np.bincount(units[any_], minlength=world.units)
    counts = a_unit if len(a_unit) else np.zeros(1)
    spread = {"mean": float(counts.mean()), "median": float(np.median(counts)), "max": int(counts.max())}
    return {name: int(np.count_nonzero(which & later)) for name, which in events.items()} | {"changes_a_unit": spread}
