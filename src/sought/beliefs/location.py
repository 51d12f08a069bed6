"""How deep in its host is an address?  Minus the slashes of its path: 1 in `http://a.example/`, 2 in `…/b/c`.

Slashes of the scheme and after a question mark do not count.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sought.beliefs.addresses import Addresses
from sought.beliefs.belief import Column, Supplied, Supplier
from sought.beliefs.folder import ByAddress
from sought.beliefs.holdings import Holdings
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class LocationScore(Supplied):
    """Minus the number of slashes in the path of the address."""

    goes_by_demand: ClassVar[bool] = False

    def supplier(self, holdings: Holdings) -> Supplier:
        return holdings.shared(LocationSupplier)


class LocationSupplier(ByAddress):
    """The supplier of `Location`."""

    def numbers(self, addresses: Addresses) -> Column:
        return -addresses.depth.astype(np.float64)

    def terms(self, row: int) -> dict[str, Any]:
        return {"slashes": int(-self.values[row])}
