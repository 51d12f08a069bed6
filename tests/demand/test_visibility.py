"""The visibility curve: fitted from views where there are enough, and 1.5 where there are not."""

import numpy as np
import pytest

from sought.demand import Action, Event, QueryLog, Search, stats, visibility_exponent
from sought.demand.visibility import views_by_rank

NOW = 1_700_000_000.0


def simulated(folder, exponent, searches=6000, *, clicks=0.2, named=False):
    """Searches whose result at rank r is seen with probability r^-exponent; lists are of different lengths."""
    rng = np.random.default_rng(7)
    log = QueryLog(folder / "queries")
    with log.writing() as staging:
        for number in range(1, searches + 1):
            shown = int(rng.choice([3, 5, 10, 10, 20]))
            results = tuple(f"result {rank}" for rank in range(1, shown + 1))
            staging.add(Search("comet", NOW - number, results, number))
            seen = 1 + np.flatnonzero(rng.random(shown) < np.arange(1, shown + 1) ** -exponent)
            for rank in seen.tolist():
                action = Action.CLICK if rng.random() < clicks else Action.VIEW
                url, place = (results[rank - 1], 0) if named else ("", rank)
                staging.add(Event(number, action, NOW - number, url, place))
    return log


@pytest.mark.parametrize("exponent", [1.2, 1.5, 2.2])
def test_a_known_exponent_is_recovered(tmp_path, exponent):
    """Within 0.05, though the lists are of different lengths."""
    found, views = visibility_exponent(simulated(tmp_path, exponent), NOW)
    assert found == pytest.approx(exponent, abs=0.05)
    assert views > 1000


def test_views_by_name_are_views_by_rank(tmp_path):
    """An event that names only its result has the rank at which that was shown."""
    (tmp_path / "named").mkdir()
    by_rank = views_by_rank(simulated(tmp_path, 1.5, 300), NOW)
    by_name = views_by_rank(simulated(tmp_path / "named", 1.5, 300, named=True), NOW)
    assert all((one == other).all() for one, other in zip(by_rank, by_name, strict=True))


def test_too_few_views_are_not_trusted(tmp_path):
    """Fewer than a thousand views, or fewer than five ranks: 1.5, and how many there are."""
    found, views = visibility_exponent(simulated(tmp_path, 2.2, 300), NOW)
    assert found == 1.5
    assert 300 <= views < 1000
    log = QueryLog(tmp_path / "narrow")
    with log.writing() as staging:
        for number in range(1, 2001):
            staging.add(Search("comet", NOW, ("a", "b"), number))
            staging.add(Event(number, Action.VIEW, NOW, "", 1 + number % 2))
    assert visibility_exponent(log, NOW) == (1.5, 2000)
    assert stats(log, NOW, list)["visibility"]["from"].startswith("the default")


def test_the_exponent_stays_in_bounds(tmp_path):
    """Views that do not fall, or fall off a cliff, give the nearest curve that means something."""
    flat = simulated(tmp_path, 0.0, 500)
    assert visibility_exponent(flat, NOW)[0] == pytest.approx(1.05)
    (tmp_path / "steep").mkdir()
    steep = simulated(tmp_path / "steep", 8.0, 2000)
    with steep.writing() as staging:
        for rank in (2, 3, 4, 5):
            staging.add(Event(1 + rank, Action.VIEW, NOW - 1 - rank, "", rank))
            staging.add(Search("comet", NOW - 1, ("a",) * 10, 10_000 + rank))
            staging.add(Event(10_000 + rank, Action.VIEW, NOW - 1, "", rank))
    assert visibility_exponent(steep, NOW)[0] == pytest.approx(4.0)


def test_what_counts_as_a_view(tmp_path):
    """A view and a click of one result are one view; what was not shown, or comes later than now, is none."""
    log = QueryLog(tmp_path / "queries")
    with log.writing() as staging:
        staging.add(Search("comet", NOW, ("a", "b", "c"), 1))
        staging.add(Search("later", NOW + 10, ("a", "b", "c"), 2))
        staging.add(Event(1, Action.VIEW, NOW, "a", 1))
        staging.add(Event(1, Action.CLICK, NOW + 1, "a", 1))
        staging.add(Event(1, Action.CLICK, NOW, "a", 1))
        staging.add(Event(1, Action.CLICK, NOW, "", 2))
        staging.add(Event(1, Action.CLICK, NOW, "x", 0))
        staging.add(Event(1, Action.VIEW, NOW, "", 4))
        staging.add(Event(1, Action.VIEW, NOW + 5, "", 3))
        staging.add(Event(2, Action.VIEW, NOW, "", 1))
        staging.add(Event(3, Action.VIEW, NOW, "", 1))
    shown, views = views_by_rank(log, NOW)
    assert shown[:4].tolist() == [1, 1, 1, 0]
    assert views[:4].tolist() == [1, 1, 0, 0]
    assert views.sum() == 2
