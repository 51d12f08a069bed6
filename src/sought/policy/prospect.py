"""What would the first fetch of a URL bring?  Believed before a word of the page has been read."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prospect:
    """Expected gain of the first fetch of a URL, from the queries that its address and the anchors to it match.

    Nothing learns it from the log of fetches: it follows from the links, the workload and the index as they are, so
    the crawl itself supplies the column.  Rows that were fetched already may hold anything; no policy reads them.
    """
