"""How much does it matter that a page is fresh?  To every rule that can weigh pages, in the same way."""

from typing import Literal, get_args

import numpy as np

from sought.beliefs.belief import Belief
from sought.beliefs.views import Views
from sought.web.checks import check_choice
from sought.web.pages import Floats, Pages

Weight = Literal["same", "views"]
_MAX = 1e15  # nobody is seen so often
_MIN = 1e-3  # of the mean of pages that are seen: nothing is worth exactly nothing, for demand is never known whole


def check_weight(name: str, value: object) -> None:
    check_choice(name, value, get_args(Weight))


def weight_beliefs(weight: Weight) -> tuple[Belief, ...]:
    """What `weights` reads."""
    return (Views(),) if weight == "views" else ()


def weights(pages: Pages, weight: Weight) -> Floats:
    """Of every page: all the same, or how often it is seen; while nobody asks anything, all the same."""
    if weight == "same":
        return np.ones(len(pages))
    views = np.clip(np.nan_to_num(pages.belief(Views())), 0.0, _MAX)
    seen = np.count_nonzero(views)
    if not seen:
        return np.ones(len(pages))
    return np.maximum(views, _MIN * float(views.sum()) / seen)
