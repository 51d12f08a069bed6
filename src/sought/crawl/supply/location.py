"""How deep in its host is an address?  Minus the slashes of its path: 1 in `http://a.example/`, 2 in `…/b/c`.

Those of the scheme and those behind a question mark are not counted.
"""

from typing import Any

import numpy as np

from sought.crawl.supply.by_address import ByAddress
from sought.crawl.supply.clusters.addresses import Addresses
from sought.crawl.supply.supplier import Column


class Locations(ByAddress):
    """The supplier of `Location`."""

    def numbers(self, addresses: Addresses) -> Column:
        return -addresses.depth.astype(np.float64)

    def terms(self, row: int) -> dict[str, Any]:
        return {"slashes": int(-self.values[row])}
