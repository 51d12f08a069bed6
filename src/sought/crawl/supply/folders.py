"""Which directory is an address in?  A number of its host and its path up to the last slash.

It is a hash, folded to 52 bits: two of a million directories share one by a chance of 1 in 9000.
"""

from typing import Any

import numpy as np

from sought.crawl.supply.by_address import ByAddress
from sought.crawl.supply.clusters.addresses import Addresses, folder_numbers
from sought.crawl.supply.supplier import Column


class Folders(ByAddress):
    """The supplier of `Folder`."""

    def numbers(self, addresses: Addresses) -> Column:
        return folder_numbers(addresses)

    def terms(self, row: int) -> dict[str, Any]:
        path = self.store.url(row).partition("?")[0]
        same = self.values[: len(self.table)] == self.values[row]
        return {"directory": path[: path.rindex("/") + 1], "pages_in_it": int(np.count_nonzero(same))}
