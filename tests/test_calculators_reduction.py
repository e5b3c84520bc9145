"""Reductions: against numpy's shapes and strides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

REDUCTION = find("reduction")


def reduced(**given: Any) -> Any:
    return run(REDUCTION, given).outputs


@st.composite
def shapes_and_axes(draw: Any) -> Any:
    shape = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    axes = draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))
    return tuple(shape), tuple(sorted(axes))


@given(shapes_and_axes())
def test_shape_and_stride_are_numpys(drawn: Any) -> None:
    shape, axes = drawn
    tensor = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
    total = tensor.sum(axis=axes)
    found = reduced(shape=",".join(map(str, shape)), axis=",".join(map(str, axes)))
    assert found["output_shape"] == f"[{', '.join(map(str, total.shape))}]"
    assert found["output_elements"] == total.size
    assert found["length"] * total.size == tensor.size
    inner = math.prod(shape[axes[-1] + 1 :])
    assert found["stride"] == inner
    if shape[axes[-1]] > 1:
        assert tensor.strides[axes[-1]] == 4 * inner
    assert found["bytes"] == tensor.nbytes + total.nbytes
    assert found["flops"] == tensor.size - total.size


def test_channels_of_128_images() -> None:
    """[128, 16, 256, 256] to [128, 256, 256] in FP32: 8,388,608 results, stride 65,536, 544 MiB, 0.22 FLOP/byte."""
    found = reduced(shape="[128, 16, 256, 256]", axis=1)
    assert found["output_shape"] == "[128, 256, 256]"
    assert (found["output_elements"], found["length"], found["stride"]) == (8_388_608, 16, 65_536)
    assert found["bytes"] == 544 * 2**20
    assert found["arithmetic_intensity"] == pytest.approx(0.22, abs=0.005)


def test_rows_of_a_tall_matrix() -> None:
    found = reduced(shape="1000000,128", axis=0)
    assert (found["output_shape"], found["length"], found["stride"]) == ("[128]", 1_000_000, 128)
    assert found["arithmetic_intensity"] == pytest.approx(0.25, abs=1e-4)


def test_axes_count_from_the_end_too() -> None:
    assert reduced(shape="4,5,6", axis="-1") == reduced(shape="4,5,6", axis=2)


@pytest.mark.parametrize(("shape", "axis"), [("4,n", 0), ("", 0), ("4,0", 0), ("4,5", 2), ("4,5", "a"), ("4,5", -3)])
def test_what_is_no_shape_or_axis_is_refused(shape: Any, axis: Any) -> None:
    with pytest.raises(BadInput) as refused:
        reduced(shape=shape, axis=axis)
    assert all(refused.value.text)


def test_every_slip_shows() -> None:
    check_slips(
        REDUCTION,
        [
            {"shape": "128,16,256,256", "axis": 1, "bandwidth": 10**12},
            {"shape": "8,4,2,16", "axis": 0},
            {"shape": "4,3,5", "axis": 0},
        ],
    )
