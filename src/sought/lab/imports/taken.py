"""What an importer says of what it gave to the recorder."""

from typing import NamedTuple


class Taken(NamedTuple):
    """Times of the first and the last snapshot, and where a crawl of it may start."""

    start: float
    end: float
    seeds: tuple[str, ...]
