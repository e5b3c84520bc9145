"""SmoothQuant's scale: against the formula of its own code, and that the product stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

SMOOTH = find("smoothquant_scale")
RANGE = st.floats(1e-3, 1e4)


def smoothed(x: Any, w: Any, alpha: Any = 0.5) -> Any:
    return run(SMOOTH, {"activation_max": x, "weight_max": w, "alpha": alpha}).outputs


@pytest.mark.parametrize(("x", "w", "scale"), [(2, 2, 1), (16, 1, 4), (9, 1, 3)])
def test_four_channels(x: Any, w: Any, scale: Any) -> None:
    """Maxima 2, 16, 2, 9 and 2, 1, 2, 1 at alpha 0.5 make factors 1, 4, 1, 3."""
    assert smoothed(x, w)["scale"] == scale


@given(RANGE, RANGE, st.floats(0, 1))
def test_the_formula_of_smooth_ln_fcs(x: Any, w: Any, alpha: Any) -> None:
    """act_scales.pow(alpha)/weight_scales.pow(1 − alpha), smoothquant/smooth.py."""
    expected = np.power(x, alpha) / np.power(w, 1 - alpha)
    assert smoothed(x, w, alpha)["scale"] == pytest.approx(expected, rel=1e-9)


@given(RANGE, RANGE, st.floats(0, 1))
def test_the_product_of_the_ranges_stays_and_half_makes_them_equal(x: Any, w: Any, alpha: Any) -> None:
    found = smoothed(x, w, alpha)
    assert found["activation_max_after"] * found["weight_max_after"] == pytest.approx(x * w, rel=1e-9)
    even = smoothed(x, w)
    assert even["activation_max_after"] == pytest.approx(even["weight_max_after"], rel=1e-9)


def test_a_matrix_product_does_not_change() -> None:
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(5, 8)) * rng.uniform(0.1, 50, 8), rng.normal(size=(8, 3))
    factors = np.array([smoothed(a, b)["scale"] for a, b in zip(abs(x).max(0), abs(w).max(1), strict=True)])
    assert (x / factors) @ (w * factors[:, None]) == pytest.approx(x @ w)


def test_every_slip_shows() -> None:
    check_slips(SMOOTH, [{"activation_max": 50, "weight_max": 0.8, "alpha": 0.75}])
