"""Sparse matrix times vector and elementwise kernels: against NVIDIA's printed intensities and against real arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

SPMV, ELEMENTWISE = find("spmv"), find("elementwise")


def spmv(**given: Any) -> Any:
    return run(SPMV, given).outputs


def elementwise(**given: Any) -> Any:
    return run(ELEMENTWISE, {"elements": 10**6, **given}).outputs


@pytest.mark.parametrize(("flops", "intensity"), [(1, 0.25), (9, 2.25)])
def test_the_intensities_of_nvidias_table(flops: Any, intensity: Any) -> None:
    """GPU Performance Background User's Guide, table 1, FP16: ReLU 0.25 FLOPS/B; max pooling, 3×3, unit stride 2.25."""
    assert elementwise(flops_per_element=flops)["arithmetic_intensity"] == intensity


def test_a_scaled_sum_of_two_vectors_has_a_sixth() -> None:
    """y = a·x + y in FP32: 2 FLOP for 12 bytes, 0.166 FLOP/byte, as SPECFEM's timing code prints it."""
    found = elementwise(reads=2, flops_per_element=2, bytes_per_element=4)
    assert found["arithmetic_intensity"] == pytest.approx(2 / 12)


def test_500_nonzeros_a_row_without_reuse() -> None:
    """A kernel's own notes (10,000 rows, 500 FP32 nonzeros each): 60 MB, 10 MFLOP, 0.166 FLOP/byte. They leave the row
    pointers out, 40 kB."""
    found = spmv(rows=10_000, nonzeros=5_000_000, reuse=False)
    assert found["flops"] == 10_000_000
    assert found["bytes"] == pytest.approx(60.12e6, rel=1e-3)
    assert found["arithmetic_intensity"] == pytest.approx(0.166, abs=1e-3)


@pytest.mark.parametrize(("value_bytes", "reuse", "low", "high"), [(8, True, 0.16, 0.17), (4, True, 0.24, 0.25)])
def test_the_range_that_is_quoted_for_spmv(value_bytes: Any, reuse: Any, low: Any, high: Any) -> None:
    """0.17 to 0.25 FLOP/byte, quoted from the roofline paper's table 2: 8- and 4-byte values with 4-byte indices."""
    found = spmv(rows=10**5, nonzeros=10**8, value_bytes=value_bytes, reuse=reuse)
    assert low < found["arithmetic_intensity"] <= high


@given(st.integers(1, 40), st.integers(1, 40), st.floats(0, 1), st.sampled_from([4, 8]), st.sampled_from([4, 8]))
def test_the_bytes_are_those_of_the_arrays(rows: Any, columns: Any, density: Any, value: Any, index: Any) -> None:
    rng = np.random.default_rng(0)
    mask = rng.random((rows, columns)) <= density
    count = int(mask.sum())
    if not count:
        return
    floats, integers = np.dtype(f"f{value}"), np.dtype(f"i{index}")
    kept = np.zeros(count, floats).nbytes + np.zeros(count, integers).nbytes
    vectors = np.zeros(columns, floats).nbytes + np.zeros(rows, floats).nbytes
    shape = {"rows": rows, "columns": columns, "nonzeros": count, "value_bytes": value, "index_bytes": index}
    assert spmv(**shape)["bytes"] == kept + np.zeros(rows + 1, integers).nbytes + vectors
    assert spmv(**shape, format="coo")["bytes"] == kept + np.zeros(count, integers).nbytes + vectors


@given(st.integers(1, 10**12), st.integers(1, 8), st.integers(1, 8), st.integers(1, 100))
def test_the_size_of_the_tensor_does_not_change_the_intensity(elements: Any, reads: Any, writes: Any, f: Any) -> None:
    found = elementwise(elements=elements, reads=reads, writes=writes, flops_per_element=f)
    assert found["arithmetic_intensity"] == pytest.approx(f / (2 * (reads + writes)))


def test_the_time_is_that_of_the_bytes() -> None:
    assert elementwise(device="h100-sxm")["time"] == pytest.approx(4e6 / 3.35e12)
    assert elementwise()["time"] is None


def test_a_matrix_holds_no_more_than_its_elements() -> None:
    with pytest.raises(BadInput):
        spmv(rows=3, nonzeros=10)


def test_every_slip_shows() -> None:
    shape = {"rows": 10_000, "nonzeros": 5_000_000, "bandwidth": 10**12}
    check_slips(SPMV, [shape, shape | {"reuse": False}])
    check_slips(ELEMENTWISE, [{"elements": 10**6, "reads": 2, "flops_per_element": 3, "bandwidth": 10**12}])


def test_forgetting_the_indices_doubles_the_intensity() -> None:
    """4-byte values and 4-byte indices, the vectors small beside them."""
    shape = {"rows": 1000, "nonzeros": 10**6}
    right = spmv(**shape)["arithmetic_intensity"]
    assert slips(SPMV, "arithmetic_intensity", **shape)["no_indices"] == pytest.approx(2 * right, rel=0.01)
