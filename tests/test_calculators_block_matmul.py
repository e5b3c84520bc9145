"""Blocked matrix multiplication: memory and traffic against SUMMA played out on a grid of servers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

MATMUL = find("block_matmul")


def outputs(**given: Any) -> Any:
    return run(MATMUL, given).outputs


def summa(n: Any, grid: Any, width: Any) -> Any:
    """C = A·B with panels of `width` columns: (elements held at most, elements received) by the busiest server.

    The owners of a panel's columns send them along the grid's rows, of its rows along the columns; every server adds
    the product of what it got to its block of C.
    """
    side = n // grid
    rng = np.random.default_rng(n + grid + width)
    a, b = rng.integers(-3, 4, (n, n)), rng.integers(-3, 4, (n, n))
    c = np.zeros((n, n), dtype=a.dtype)
    held = np.full((grid, grid), 3 * side * side)
    peak, received = held.copy(), np.zeros((grid, grid), dtype=int)
    for start in range(0, n, width):
        owner = start // side
        for row in range(grid):
            for column in range(grid):
                rows, columns = slice(row * side, (row + 1) * side), slice(column * side, (column + 1) * side)
                panel_a, panel_b = a[rows, start : start + width], b[start : start + width, columns]
                got = (panel_a.size if column != owner else 0) + (panel_b.size if row != owner else 0)
                received[row, column] += got
                peak[row, column] = max(peak[row, column], held[row, column] + got)
                c[rows, columns] += panel_a @ panel_b
    assert (c == a @ b).all()
    return int(peak.max()), int(received.max())


@pytest.mark.parametrize(("n", "grid", "width"), [(8, 2, 4), (8, 2, 2), (16, 2, 1), (16, 4, 2), (27, 3, 3), (12, 3, 4)])
def test_memory_and_traffic_are_those_of_summa(n: Any, grid: Any, width: Any) -> None:
    """Gunnels et al. 1998: broadcast-broadcast, a sequence of panel-panel updates."""
    peak, received = summa(n, grid, width)
    found = outputs(n=n, grid=grid, panel=width / n, bytes_per_element=1)
    assert found["peak_bytes"] == pytest.approx(peak, rel=1e-9)
    assert found["received_bytes"] == pytest.approx(received, rel=1e-9)
    assert found["resident_bytes"] == pytest.approx(3 * (n // grid) ** 2, rel=1e-9)


def test_four_servers_with_whole_blocks_exceed_one_matrix() -> None:
    """2×2 servers: 0.75 N² resident, 1.25 N² with two whole blocks received, just N² with panels of N/4; N²/2 received."""
    assert outputs(grid=2, panel=0.5) == outputs(grid=2, panel=0.5) | {"resident": 0.75, "peak": 1.25, "received": 0.5}
    assert outputs(grid=2, panel=0.25)["peak"] == 1


def test_rows_alone_receive_half_as_much_again() -> None:
    slips = {slip.name: value for slip, value in run(MATMUL, {"grid": 2, "panel": 0.5}).slips("received")}
    assert slips["rows_only"] == 0.75


@given(st.integers(2, 50), st.integers(1, 100))
def test_the_grid_holds_three_matrices_and_narrow_panels_cost_little(grid: Any, narrower: Any) -> None:
    found = outputs(grid=grid, panel=float(Fraction(1, grid * narrower)))
    assert found["resident"] * grid**2 == pytest.approx(3)
    assert found["peak"] - found["resident"] == pytest.approx(2 / (grid**2 * narrower))
    assert found["received"] * grid**2 == pytest.approx(2 * (grid - 1))


def test_bytes_need_a_size_and_a_width() -> None:
    for known in ({}, {"n": 1000}, {"bytes_per_element": 2}):
        assert outputs(grid=2, panel=0.25, **known)["peak_bytes"] is None
    assert outputs(grid=2, panel=0.25, n=1000, bytes_per_element=2)["peak_bytes"] == 2_000_000


def test_a_third_of_a_matrix_over_three_is_a_block() -> None:
    assert outputs(grid=3, panel=1 / 3)["peak"] == pytest.approx(5 / 9)


def test_a_panel_wider_than_a_block_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        outputs(grid=4, panel=0.3)
    assert "1/4" in refused.value.text.en
    assert "1/4" in refused.value.text.zh


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    seen = set()
    result = run(MATMUL, {"grid": 4, "panel": 0.125, "n": 4096, "bytes_per_element": 2})
    for output in result.outputs:
        seen |= {(output, slip.name) for slip, _ in result.slips(output)}
        assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in MATMUL.slips}


def test_own_blocks_forgotten_is_three_quarters() -> None:
    slips = {slip.name: value for slip, value in run(MATMUL, {"grid": 2, "panel": 0.5}).slips("peak")}
    assert slips["own_blocks_forgotten"] == 0.75
