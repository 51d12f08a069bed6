"""How important is each page, for the scorers that ask?"""

import numpy as np
from numpy.typing import NDArray

from sought.crawl.link_lists import stored_links
from sought.crawl.store import Store
from sought.crawl.table import Table
from sought.graph.walks import pr
from sought.index.scorers import Inlinks, Scorer, TfIdfPageRank


def importance(scorer: Scorer, store: Store, table: Table) -> NDArray[np.float64] | None:
    """In-links or PageRank of every row; None if the scorer asks for neither."""
    if isinstance(scorer, Inlinks):
        return table["inlinks"].astype(np.float64)
    if isinstance(scorer, TfIdfPageRank):
        return pr(stored_links(store, len(table)).compact())
    return None
