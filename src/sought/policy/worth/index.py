"""How long does what a fetch brings last?  In seconds: times a loss per second it is what the fetch is worth."""

import numpy as np

from sought.web.pages import Floats, pieces

_SMALL = 1e-4  # below, what is left of a difference of two nearly equal numbers is taken from its series


def looking(age: Floats, rate: Floats) -> Floats:
    """U(t) = t·D(t) − ∫_0^t D for D = 1 − e^{−λt}: what it is worth to look at a page again now, by its loss a second.

    C. Olston, S. Pandey, Recrawl scheduling based on information longevity, WWW 2008: to refresh whenever U reaches
    the price of a fetch is the best of all schedules.
    """
    shares = np.empty(len(age))
    for piece in pieces(len(age)):  # the processor holds all that is worked out of one
        shares[piece] = _looking(age[piece], rate[piece])
    return shares


def _looking(age: Floats, rate: Floats) -> Floats:
    x = rate * age
    least = np.maximum(rate, np.finfo(np.float64).tiny)
    return np.where(x < _SMALL, rate * age * age * (0.5 - x / 3.0), (1.0 - (1.0 + x) * np.exp(-x)) / least)


def lasting(rate: Floats, horizon: float) -> Floats:
    """(1 − e^{−dh})/d: how much of the time ahead, at most `horizon`, a page lives that goes at a rate d."""
    x = rate * horizon
    return np.where(x < _SMALL, horizon * (1.0 - x / 2.0), -np.expm1(-x) / np.maximum(rate, np.finfo(np.float64).tiny))
