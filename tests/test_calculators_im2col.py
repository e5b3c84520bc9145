"""im2col: against printed shapes and windows slid over real arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from calculator_checks import check_slips
from hypothesis import assume, given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

IM2COL = find("im2col")


def convolved(**given: Any) -> Any:
    return run(IM2COL, given).outputs


@pytest.mark.parametrize(
    ("shape", "kernel", "padding", "columns"),
    [((5, 10, 25, 25), 3, 1, (90, 625)), ((1, 1, 5, 5), 3, 1, (9, 25))],
)
def test_printed_shapes(shape: Any, kernel: Any, padding: Any, columns: Any) -> None:
    """PaddlePaddle, unfold: [5, 10, 25, 25] with 3×3 and padding 1 gives [5, 90, 625]; a CSDN walk-through of
    torch.nn.Unfold: [1, 1, 5, 5] gives [1, 9, 25]."""
    batch, channels, height, width = shape
    found = convolved(batch=batch, channels=channels, height=height, width=width, kernel=kernel, padding=padding)
    assert (found["gemm_k"], found["gemm_n"]) == (columns[0], batch * columns[1])


def test_a_2_by_3_kernel() -> None:
    """torch.nn.Unfold's formula: 2×3 over 3×4 without padding has 2·2 positions of 5·2·3 values."""
    found = convolved(batch=2, channels=5, height=3, width=4, kernel=2, kernel_width=3)
    assert (found["gemm_k"], found["gemm_n"]) == (30, 2 * 4)


@given(
    st.integers(1, 2),
    st.integers(1, 3),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 2),
    st.integers(1, 2),
)
def test_columns_are_those_of_windows_slid_over_the_image(
    batch: Any, channels: Any, height: Any, width: Any, r: Any, s: Any, stride: Any, padding: Any, dilation: Any
) -> None:
    image = np.arange(batch * channels * height * width, dtype=np.int64).reshape(batch, channels, height, width)
    padded = np.pad(image, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    reach = (dilation * (r - 1) + 1, dilation * (s - 1) + 1)
    assume(padded.shape[2] >= reach[0] and padded.shape[3] >= reach[1])
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    taken = windows[:, :, ::stride, ::stride, ::dilation, ::dilation]
    columns = taken.transpose(1, 4, 5, 0, 2, 3).reshape(channels * r * s, -1)
    found = convolved(
        batch=batch, channels=channels, height=height, width=width, kernel=r, kernel_width=s, filters=4, stride=stride,
        padding=padding, dilation=dilation,
    )  # fmt: skip
    assert (found["gemm_k"], found["gemm_n"]) == columns.shape
    assert (found["out_height"], found["out_width"]) == taken.shape[2:4]
    assert found["expansion"] == pytest.approx(columns.size / image.size)
    assert found["flops"] == 2 * 4 * columns.size
    assert found["bytes"] == 2 * columns.size


def test_a_filter_larger_than_the_image_is_refused() -> None:
    with pytest.raises(BadInput):
        convolved(channels=1, height=2, width=9, kernel=3)


def test_every_slip_shows() -> None:
    shape = {"batch": 8, "channels": 64, "height": 20, "width": 20, "kernel": 3, "filters": 128}
    check_slips(IM2COL, [shape | {"stride": 2, "padding": 2, "dilation": 2}, shape | {"stride": 2, "padding": 1}])
