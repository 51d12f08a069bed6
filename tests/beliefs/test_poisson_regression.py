"""Our Poisson regression and digamma are those of scikit-learn and SciPy, which the plain installation leaves out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma as reference_digamma
from scipy.special import gammaincinv
from sklearn.linear_model import PoissonRegressor

from sought.beliefs.entry_model import poisson_weights
from sought.beliefs.rate_evidence import Evidence
from sought.beliefs.rate_prior import digamma


@settings(max_examples=25)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 200),
    st.integers(1, 10),
    st.floats(-4.0, 1.0),
    st.floats(0.05, 3.0),
)
def test_weights_are_those_of_scikit_learn(seed: int, rows: int, columns: int, ridge: float, spread: float) -> None:
    """Whatever the data: few rows, many columns, large and small rates, uneven weights."""
    rng = np.random.default_rng(seed)
    x, weight = rng.normal(size=(rows, columns)) * spread, rng.exponential(size=rows) + 1e-3
    y = (rng.poisson(np.exp(2.0 * rng.normal(size=rows))) * rng.uniform(0.1, 10.0)).astype(np.float64)
    model = PoissonRegressor(alpha=10.0**ridge, fit_intercept=False, solver="newton-cholesky", tol=1e-9, max_iter=2000)
    model.fit(x, y, sample_weight=weight)
    found = poisson_weights(x, y, weight, np.full(columns, 10.0**ridge))
    assert found == pytest.approx(model.coef_, rel=1e-5, abs=1e-6)


def test_a_column_without_ridge_is_an_intercept() -> None:
    """Improvability fits one; scikit-learn keeps it apart."""
    rng = np.random.default_rng(3)
    x, weight = rng.normal(size=50), rng.exponential(size=50)
    y = rng.poisson(np.exp(0.5 - 0.7 * x)).astype(float)
    model = PoissonRegressor(alpha=1e-6, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    model.fit(x[:, None], y, sample_weight=weight)
    found = poisson_weights(np.stack([np.ones(50), x], axis=1), y, weight, np.array([0.0, 1e-6]))
    assert found == pytest.approx([model.intercept_, model.coef_[0]], rel=1e-6)


def test_weights_stay_finite_where_nothing_was_gained() -> None:
    """All y are 0: only the ridge holds the weights."""
    found = poisson_weights(np.ones((20, 1)), np.zeros(20), np.ones(20), np.array([0.1]))
    assert np.isfinite(found).all()
    assert found[0] < 0.0


def test_digamma() -> None:
    x = np.geomspace(1e-3, 1e8, 5000)
    assert digamma(x) == pytest.approx(reference_digamma(x), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 3.0, 30.0, 1000.0])
def test_the_interval_of_an_unseen_page_is_that_of_a_gamma(shape: float) -> None:
    """What is shown as "80 % between" is right to a thousandth."""
    _, low, high = Evidence(0.0).interval(None, shape, 7.0)
    assert (low, high) == pytest.approx(tuple(gammaincinv(shape, (0.1, 0.9)) / 7.0), rel=1e-3)
