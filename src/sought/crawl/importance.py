"""How important is each page, for the scorers that ask?"""

import numpy as np
from numpy.typing import NDArray

from sought.crawl.store import Store
from sought.crawl.table import Table
from sought.graph.pagerank import pagerank
from sought.index.scorers import Inlinks, Scorer, TfIdfPageRank


def importance(scorer: Scorer, store: Store, table: Table) -> NDArray[np.float64] | None:
    """In-links or PageRank of every row; None if the scorer asks for neither."""
    if isinstance(scorer, Inlinks):
        return table["inlinks"].astype(np.float64)
    if isinstance(scorer, TfIdfPageRank):
        sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for key, value in store.scan(b"l"):
            found = np.frombuffer(value, np.uint32).astype(np.int64)
            sources.append(np.full(len(found), int.from_bytes(key[1:], "big")))
            targets.append(found)
        return pagerank(np.concatenate(sources), np.concatenate(targets), len(table))
    return None
