"""How much does the freshness of each page count?  For all rules that can weigh pages."""

from typing import Literal, get_args

import numpy as np

from sought.beliefs.belief import Belief
from sought.beliefs.views import Views
from sought.web.checks import check_choice
from sought.web.pages import Floats, Pages

Weight = Literal["same", "views"]
_MAX = 1e15  # views a week
_MIN = 1e-3  # of the mean of viewed pages: no page has weight 0, for demand is never completely known


def check_weight(name: str, value: object) -> None:
    check_choice(name, value, get_args(Weight))


def weight_beliefs(weight: Weight) -> tuple[Belief, ...]:
    """What `weights` reads."""
    return (Views(),) if weight == "views" else ()


def weights(pages: Pages, weight: Weight) -> Floats:
    """The same for all pages, or how often each is seen; the same also without queries."""
    if weight == "same":
        return np.ones(len(pages))
    views = np.clip(np.nan_to_num(pages.belief(Views())), 0.0, _MAX)
    seen = np.count_nonzero(views)
    if not seen:
        return np.ones(len(pages))
    return np.maximum(views, _MIN * float(views.sum()) / seen)
