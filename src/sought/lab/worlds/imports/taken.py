"""What an importer says of what it gave to the recorder."""

from typing import NamedTuple


class Taken(NamedTuple):
    """Times of the first and the last snapshot, where a crawl of it may start, and how many pages it can reach."""

    start: float
    end: float
    seeds: tuple[str, ...]
    reached: int | None = None  # where it was counted
