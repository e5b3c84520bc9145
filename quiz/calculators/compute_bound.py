"""From which size on a matrix multiplication is bound by compute: square ones, and a batch against the weights."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip
from quiz.calculators.exact import Number
from quiz.calculators.inputs import RATES, element_bytes
from quiz.calculators.roofline import (
    ELEMENTS_FOR_BYTES,
    MULTIPLY_ADDS,
    NO_OUTPUT,
    SCALING_BOOK,
    SPARSE_FOR_DENSE,
    double,
    ridge_worked,
    with_sparse_peak,
)
from quiz.calculators.slips import changed, times
from quiz.language import Text


def compute_bound_threshold(
    *, peak: Number, bandwidth: Number, bytes_per_element: Number, weight_bytes: Number, **_: Any
) -> dict[str, Any]:
    """From which size on a matrix multiplication is bound by compute, with R = peak/bandwidth in FLOP/byte.

        square_n = 3·R·b/2         N×N×N with b bytes an element of A, B and C: intensity 2N/(3b) = R
        critical_tokens = R·w/2    tokens against weights of w bytes, activations left out: intensity 2B/w = R

    Both as real numbers; the smallest whole size is the next one up. square_n is a number of rows, critical_tokens of tokens.
    Source: How to Scale Your Model, rooflines (B > 240, questions 2 and 5), https://jax-ml.github.io/scaling-book/roofline
    """
    ridge = peak / bandwidth
    return {"square_n": 1.5 * ridge * bytes_per_element, "critical_tokens": ridge * weight_bytes / 2}


COMPUTE_BOUND_THRESHOLD = Calculator(
    name="compute_bound_threshold",
    title=Text("From which size on compute binds", "多大才受限于计算"),
    inputs=(
        *RATES,
        element_bytes("bytes_per_element", Text("bytes an element of A, B and C", "A、B、C 每个元素的字节数 b")),
        element_bytes("weight_bytes", Text("bytes a weight", "每个权重的字节数 w")),
    ),
    outputs=(
        Output(
            "square_n",
            Text("N of an N×N×N GEMM at the ridge", "N×N×N GEMM 刚好到拐点时的 N"),
            "",
            "3·R·b/2  (2N/(3b) = R)",
            lambda i, o: (
                f"R = {ridge_worked(i, i.peak / i.bandwidth)}; "
                f"3·{figures.number(i.peak / i.bandwidth)}·{figures.number(i.bytes_per_element)}/2 = {figures.number(o.square_n)}"
            ),
        ),
        Output(
            "critical_tokens",
            Text("tokens a step against the weights at the ridge", "刚好到拐点时每步的 token 数"),
            "token",
            "R·w/2  (2B/w = R)",
            lambda i, o: (
                f"R = {ridge_worked(i, i.peak / i.bandwidth)}; "
                f"{figures.number(i.peak / i.bandwidth)}·{figures.number(i.weight_bytes)}/2 = "
                f"{figures.number(o.critical_tokens)} token"
            ),
        ),
    ),
    compute=compute_bound_threshold,
    convention=Text(
        "dense peak; square_n counts all three matrices, critical_tokens only the weights",
        "按稠密峰值；square_n 三个矩阵都算，critical_tokens 只算权重的访存",
    ),
    slips=(
        changed(compute_bound_threshold, "square_n", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        changed(compute_bound_threshold, "critical_tokens", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        Slip(
            "one_matrix",
            "square_n",
            Text(
                "the traffic of one matrix is counted, not of A, B and C",
                "只算了一个矩阵的访存，应把 A、B、C 三个都算上",
            ),
            lambda i: i.peak / i.bandwidth * i.bytes_per_element / 2,
        ),
        times(compute_bound_threshold, "square_n", "no_output", NO_OUTPUT, lambda _: 2 / 3),
        Slip(
            "elements_for_bytes",
            "square_n",
            ELEMENTS_FOR_BYTES,
            lambda i: 1.5 * i.peak / i.bandwidth if i.bytes_per_element != 1 else None,
        ),
        times(compute_bound_threshold, "square_n", "multiply_adds", MULTIPLY_ADDS, double),
        Slip(
            "ridge_as_batch",
            "critical_tokens",
            Text(
                "the ridge itself is taken for the batch, whatever a weight's width",
                "直接把拐点当成 batch，没看权重的位宽",
            ),
            lambda i: i.peak / i.bandwidth if i.weight_bytes != 2 else None,
        ),
        Slip(
            "square_for_batch",
            "critical_tokens",
            Text(
                "the square GEMM's three matrices are counted; at a small batch only the weights are",
                "按方阵 GEMM 的三个矩阵算了；小 batch 时只有权重占访存",
            ),
            lambda i: 1.5 * i.peak / i.bandwidth * i.weight_bytes,
        ),
        times(compute_bound_threshold, "critical_tokens", "multiply_adds", MULTIPLY_ADDS, double),
    ),
    sources=(SCALING_BOOK,),
)

CALCULATORS = (COMPUTE_BOUND_THRESHOLD,)
