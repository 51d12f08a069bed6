"""From ages, rates and views to values: what refresh rules share."""

import numpy as np
import pytest

from sought.beliefs.ages import ages, by_periods, by_rotation, known_only
from sought.beliefs.views import Views
from sought.policy.weights import weight_beliefs, weights
from sought.web.pages import NEVER, Pages

NOW = 1e9
LAST = [NOW - 10.0, NOW - 40.0, -np.inf, NOW + 5.0]


def pages(views=(0.0,) * 4):
    """Four pages: fetched, fetched earlier, never fetched, fetched in the future."""
    never, none = np.full(4, -np.inf), np.zeros(4, np.uint16)
    found, host = np.zeros(4), np.zeros(4, np.uint32)
    columns = np.arange(4, dtype=np.uint64), host, none, found, np.array(LAST), never, none, none, host, never
    return Pages(*columns, np.isfinite(LAST), never, never, beliefs={Views(): np.array(views)})


def test_ages_are_numbers_from_0_on():
    """Also of a page never fetched, and of one whose clock was ahead."""
    assert ages(pages(), NOW).tolist() == [10.0, 40.0, 0.0, 0.0]


def test_known_pages_have_numbers_and_others_never():
    """What is infinite is the largest number there is; what is none, never."""
    values = known_only(pages(), np.array([np.inf, 3.0, 5.0, np.nan]))
    assert values.tolist() == [np.finfo(np.float64).max, 3.0, NEVER, NEVER]


def test_pages_without_a_rate_come_last_and_in_turn():
    """Shares of periods that have passed; then, below 0, the oldest copy first."""
    values = by_periods(pages(), NOW, np.array([0.5, 0.1, 9.0, 0.0]))
    assert values[:3].tolist() == [5.0, 4.0, NEVER]
    idle = by_periods(pages(), NOW, np.array([0.0, np.nan, 1.0, np.inf]))
    assert -1.0 <= idle[3] < idle[0] < idle[1] < 0.0
    assert (np.delete(idle, 2) == np.delete(by_rotation(pages(), NOW), 2)).all()


@pytest.mark.parametrize("seen", [(np.nan, 0.0, 0.0, 0.0), (0.0,) * 4])
def test_while_nobody_asks_all_pages_weigh_the_same(seen):
    """And nobody is asked for views if they do not count."""
    assert weights(pages(seen), "views").tolist() == weights(pages(seen), "same").tolist() == [1.0] * 4
    assert weight_beliefs("same") == ()
    assert weight_beliefs("views") == (Views(),)


def test_no_page_is_worth_exactly_nothing():
    """Who is not seen weighs a thousandth of the mean of who is, and so does who is seen less."""
    assert weights(pages((6.0, 0.0, 2.0, 1e-9)), "views") == pytest.approx([6.0, 8e-3 / 3, 2.0, 8e-3 / 3])
