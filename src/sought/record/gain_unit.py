"""In which unit are gains?  In that of the scorer: gains by another one are neither added to them nor learnt from."""

import numpy as np

from sought.record.store import Store
from sought.record.table import Table

_NAME = "currency"


def gains_since(scorer: str, store: Store, table: Table) -> float:
    """After which moment gains are in the unit of a scorer, which may be another one than before."""
    before, since = store.meta(_NAME, (scorer, -np.inf))
    return float(since) if before == scorer else float(table["last_fetch"].max(initial=-np.inf))


def save_currency(scorer: str, since: float, store: Store) -> None:
    store.put_meta(_NAME, (scorer, since))
