"""Roofline calculators against figures that NVIDIA, DeepMind and DeepSeek print, and against what always holds."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

SIZES = st.integers(1, 65_536)
WIDTHS = st.sampled_from([0.5, 1, 2, 4])
V100 = {"peak": 125e12, "bandwidth": 900e9}
TPU_V5E = {"peak": 1.97e14, "bandwidth": 8.2e11}


def gemm(**given: Any) -> Any:
    return run(find("gemm_roofline"), given).outputs


def ridge(**given: Any) -> Any:
    return run(find("ridge_point"), given).outputs["ridge"]


def threshold(**given: Any) -> Any:
    return run(find("compute_bound_threshold"), given).outputs


def experts(**given: Any) -> Any:
    return run(find("expert_tokens"), given).outputs


def test_nvidia_s_worked_example_is_limited_by_memory() -> None:
    """Matrix Multiplication Background User's Guide, §2: 8192×128×8192 has 124.1 FLOPS/B, the V100 138.9."""
    small = gemm(m=8192, n=128, k=8192, **V100)
    assert round(small["arithmetic_intensity"], 1) == 124.1
    assert round(small["ridge"], 1) == 138.9
    assert small["bound"] == "memory"


def test_nvidia_s_larger_example_is_limited_by_compute() -> None:
    """The same guide: 8192×8192×8192 has 2730 FLOPS/B (2730.67, cut off there)."""
    large = gemm(m=8192, n=8192, k=8192, **V100)
    assert int(large["arithmetic_intensity"]) == 2730
    assert large["bound"] == "compute"


@given(SIZES, SIZES)
def test_a_vector_is_always_limited_by_memory(n: int, k: int) -> None:
    """The same guide: matrix-vector products have an intensity below 1."""
    vector = gemm(m=1, n=n, k=k, **V100)
    assert vector["arithmetic_intensity"] < 1
    assert vector["bound"] == "memory"


@pytest.mark.parametrize(
    ("device", "printed"),
    [
        ("h100-sxm", 295),  # How to Scale Your Model, rooflines, question 5: 9.89e14/3.35e12
        ("a100-sxm-80gb", 153),
        ("h200", 206),
        ("h20", 37),
        ("b200", 281),
        ("hgx-b200", 292),
        ("gb200", 312),
        ("rtx-4090", 164),  # 165.2/1.008, as printed beside the Ada white paper's figures
        ("h800-sxm", 295),
    ],
)
def test_ridge_points_of_devices(device: str, printed: int) -> None:
    assert abs(ridge(device=device) - printed) < 1


def test_a_tpu_needs_240_tokens_and_half_with_int8_weights() -> None:
    """How to Scale Your Model, rooflines: B > 1.97e14/8.20e11 = 240; question 2, int8 weights: B > 120."""
    assert int(threshold(**TPU_V5E)["critical_tokens"]) == 240
    assert int(threshold(**TPU_V5E, weight_bytes=1)["critical_tokens"]) == 120


def test_int8_throughout_needs_as_many_tokens_as_bf16() -> None:
    """The same, question 1: 3.94e14/8.2e11 = 480, so B > 480/2 = 240."""
    int8 = threshold(peak=3.94e14, bandwidth=8.2e11, weight_bytes=1)
    assert int(int8["critical_tokens"]) == 240


def test_flash_mla_s_threshold_on_a_throttled_h800() -> None:
    """FlashMLA deep-dive: ½·865/3.35 = 128 query heads; it is 129.1, rounded down to the power of two there."""
    heads = ridge(peak=865e12, bandwidth=3.35e12) / 2
    assert round(heads, 1) == 129.1
    assert heads > 128


def test_h100_s_smallest_square_and_the_sparse_slip() -> None:
    """N = 3R for BF16: 886 from the dense peak, twice that from the sparse one that data sheets print."""
    result = run(find("compute_bound_threshold"), {"device": "h100-sxm"})
    assert round(result.outputs["square_n"]) == 886
    sparse = {slip.name: value for slip, value in result.slips("square_n")}["sparse_peak"]
    assert sparse == pytest.approx(2 * 886, rel=1e-3)


def test_deepseek_v3_s_experts_see_160_tokens_at_16_a_gpu() -> None:
    """DeepSeek-V3, §3.4.2: EP320, "batch size per expert … usually within 256 tokens"; counted per rank it is 0.5."""
    result = run(find("expert_tokens"), {"tokens": 16, "ranks": 320, "model": "deepseek-v3"})
    assert result.outputs["tokens_per_expert"] == 160 <= 256
    assert {slip.name: value for slip, value in result.slips("tokens_per_expert")}["one_rank"] == 0.5
    assert run(find("expert_tokens"), {"tokens": 5120, "model": "deepseek-v3"}).outputs["tokens_per_expert"] == 160


def test_an_expert_needs_more_tokens_than_the_ridge() -> None:
    """Solved from the full formula for 7168→2048 on H100: 362.6 in BF16, 381.9 in FP8 with BF16 output."""
    v3 = {"tokens": 1, "model": "deepseek-v3", "device": "h100-sxm"}
    assert round(experts(**v3)["needed_per_expert"], 1) == 362.6
    assert round(experts(**v3, dtype="fp8", a_bytes=1, b_bytes=1)["needed_per_expert"], 1) == 381.9


def test_narrow_experts_may_never_be_bound_by_compute() -> None:
    narrow = experts(tokens=64, top_k=8, experts=64, hidden=256, expert_ffn=256, device="h100-sxm")
    assert narrow["tokens_per_expert"] == 8
    assert narrow["needed_per_expert"] is None
    assert narrow["needed_tokens"] is None


def test_more_experts_than_there_are_cannot_be_chosen() -> None:
    with pytest.raises(BadInput):
        experts(tokens=64, top_k=9, experts=8, hidden=256, expert_ffn=256)


def test_without_a_device_only_the_intensity_is_known() -> None:
    alone = gemm(m=8, n=8, k=8)
    assert alone["arithmetic_intensity"] == pytest.approx(8 / 3)
    assert alone["ridge"] is None
    assert alone["time"] is None
    assert alone["bound"] is None


def test_fp8_inputs_with_bf16_output_move_a_third_more() -> None:
    """A square: 4 bytes an element of the three instead of 3."""
    mixed, all_fp8 = (
        gemm(m=512, n=512, k=512, a_bytes=1, b_bytes=1),
        gemm(m=512, n=512, k=512, a_bytes=1, b_bytes=1, c_bytes=1),
    )
    assert mixed["bytes"] * 3 == all_fp8["bytes"] * 4


@given(SIZES, SIZES, SIZES, WIDTHS, WIDTHS, WIDTHS)
def test_bounds_hold_for_any_matrix(m: int, n: int, k: int, a: float, b: float, c: float) -> None:
    found = gemm(m=m, n=n, k=k, a_bytes=a, b_bytes=b, c_bytes=c, device="h100-sxm")
    assert found["flops"] == 2 * m * n * k
    assert found["arithmetic_intensity"] < min(2 * n / a, 2 * m / b, 2 * k / c)
    assert found["ridge"] == ridge(device="h100-sxm")
    computing, moving = found["flops"] / 989.4e12, found["bytes"] / 3.35e12
    assert max(computing, moving) <= found["time"] * (1 + 1e-12)
    assert found["time"] <= computing + moving
    assert (found["bound"] == "compute") == (found["arithmetic_intensity"] >= found["ridge"] or computing == moving)


@given(SIZES, SIZES, SIZES, st.integers(2, 8))
def test_bytes_scale_with_the_width_and_intensity_against_it(m: int, n: int, k: int, factor: int) -> None:
    one = gemm(m=m, n=n, k=k, a_bytes=1, b_bytes=1, c_bytes=1)
    wide = gemm(m=m, n=n, k=k, a_bytes=factor, b_bytes=factor, c_bytes=factor)
    assert wide["bytes"] == factor * one["bytes"]
    assert wide["arithmetic_intensity"] == pytest.approx(one["arithmetic_intensity"] / factor)


@given(st.floats(1e12, 1e16), st.floats(1e11, 1e13), WIDTHS)
def test_a_square_at_the_threshold_has_the_ridge_s_intensity(peak: float, bandwidth: float, width: float) -> None:
    n = math.ceil(threshold(peak=peak, bandwidth=bandwidth, bytes_per_element=width)["square_n"])
    widths = {"a_bytes": width, "b_bytes": width, "c_bytes": width}
    found = gemm(m=n, n=n, k=n, peak=peak, bandwidth=bandwidth, **widths)
    assert found["bound"] == "compute"
    if n > 1:
        below = gemm(m=n - 1, n=n - 1, k=n - 1, peak=peak, bandwidth=bandwidth, **widths)
        assert below["arithmetic_intensity"] <= below["ridge"] * (1 + 1e-9)


@given(st.integers(1024, 16_384), st.integers(1024, 8192), WIDTHS, WIDTHS)
def test_the_tokens_that_an_expert_needs_reach_the_ridge(hidden: int, width: int, a: float, b: float) -> None:
    shape = {"top_k": 1, "experts": 1, "hidden": hidden, "expert_ffn": width, "a_bytes": a, "b_bytes": b}
    needed = experts(tokens=1, device="h100-sxm", **shape)["needed_per_expert"]
    if needed is None:
        assert experts(tokens=10**9, device="h100-sxm", **shape)["arithmetic_intensity"] < ridge(device="h100-sxm")
        return
    enough, short = math.ceil(needed), math.floor(needed)
    assert experts(tokens=enough, **shape)["arithmetic_intensity"] >= ridge(device="h100-sxm") * (1 - 1e-12)
    if short:
        assert experts(tokens=short, **shape)["arithmetic_intensity"] <= ridge(device="h100-sxm") * (1 + 1e-12)
