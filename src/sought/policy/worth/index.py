"""How long does the gain of a fetch last?  In seconds; times the loss per second it is the worth of the fetch."""

import numpy as np

from sought.web.pages import Floats, pieces

_SMALL = 1e-4  # below, what is left of a difference of two nearly equal numbers is taken from its series


def refresh_index(age: Floats, rate: Floats) -> Floats:
    """U(t) = t·D(t) − ∫_0^t D for D = 1 − e^{−λt}: the worth of fetching a page again now, over its loss a second.

    C. Olston, S. Pandey, Recrawl scheduling based on information longevity, WWW 2008: refreshing whenever U reaches
    the price of a fetch is the best schedule.
    """
    index = np.empty(len(age))
    for piece in pieces(len(age)):  # the processor's cache holds one
        index[piece] = _refresh_index(age[piece], rate[piece])
    return index


def _refresh_index(age: Floats, rate: Floats) -> Floats:
    x = rate * age
    least = np.maximum(rate, np.finfo(np.float64).tiny)
    return np.where(x < _SMALL, rate * age * age * (0.5 - x / 3.0), (1.0 - (1.0 + x) * np.exp(-x)) / least)


def expected_lifetime(rate: Floats, horizon: float) -> Floats:
    """(1 − e^{−dh})/d: the expected life, at most `horizon`, of a page that goes at a rate d."""
    x = rate * horizon
    return np.where(x < _SMALL, horizon * (1.0 - x / 2.0), -np.expm1(-x) / np.maximum(rate, np.finfo(np.float64).tiny))
