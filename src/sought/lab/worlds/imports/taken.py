"""What an importer returns."""

from typing import NamedTuple


class Taken(NamedTuple):
    """Times of the first and the last snapshot, seeds for a crawl, and how many pages a crawl can reach from them."""

    start: float
    end: float
    seeds: tuple[str, ...]
    reached: int | None = None  # where it was counted
