"""Experts: against DeepSeek's and DeepEP's printed times, Switch's and DeepSpeed's capacity, and routed tokens."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

CAPACITY, EXCHANGE = find("expert_capacity"), find("expert_all_to_all")


def capacity(**given: Any) -> Any:
    return run(CAPACITY, given).outputs["capacity"]


def exchange(**given: Any) -> Any:
    return run(EXCHANGE, {"tokens": 1, "top_k": 8, "hidden": 7168, "ep": 64, **given}).outputs


# Dispatch and combine: printed figures

INSIGHTS = {"tokens": 32, "top_k": 9, "hidden": 7000, "ep": 256, "include_local": True}


@pytest.mark.parametrize(("bandwidth", "microseconds"), [(50e9, 120.96), (900e9, 6.72)])
def test_the_times_in_insights_into_deepseek_v3(bandwidth: Any, microseconds: Any) -> None:
    """Zhao et al. 2025, §2.3.2: (1 Byte + 2 Bytes)·32·9·7K/50 GB/s = 120.96 µs, 6.72 µs at 900 GB/s; their 7K is 7000."""
    assert exchange(bandwidth=bandwidth, **INSIGHTS)["time"] == pytest.approx(microseconds * 1e-6, rel=1e-9)


def test_two_micro_batches_in_61_layers_take_14_76_ms() -> None:
    """The same section: 61·2·120.96 µs = 14.76 ms a token. (Three of the 61 layers are dense: the source counts them.)"""
    found = exchange(bandwidth=50e9, layers=61, **INSIGHTS)
    assert 2 * found["time"] == pytest.approx(14.76e-3, rel=1e-3)


def test_the_true_hidden_size_makes_it_124_microseconds() -> None:
    assert exchange(bandwidth=50e9, **{**INSIGHTS, "hidden": 7168})["time"] == pytest.approx(123.9e-6, rel=1e-3)


@pytest.mark.parametrize(
    ("ep", "dispatch_us", "dispatch_gb", "combine_us", "combine_gb"),
    [
        (8, 77, 98, 114, 127),
        (16, 118, 63, 195, 74),
        (32, 155, 48, 273, 53),
        (64, 173, 43, 314, 46),
        (128, 192, 39, 369, 39),
        (256, 194, 39, 360, 40),
    ],
)
def test_the_low_latency_table_of_deepep(
    ep: Any, dispatch_us: Any, dispatch_gb: Any, combine_us: Any, combine_gb: Any
) -> None:
    """DeepEP, docs/legacy.md: 128 tokens, 7168 hidden, top-8, FP8 out and BF16 back; its test counts 224 B of scales and
    a 16 B header a row, and every copy, local ones too. Latency and bandwidth are printed as whole numbers."""
    row = (7168 + 224 + 16) / 7168
    found = exchange(tokens=128, ep=ep, dispatch_bytes=row, include_local=True)
    assert found["dispatch"] / (dispatch_us * 1e-6) == pytest.approx(dispatch_gb * 1e9, rel=0.025)
    assert found["combine"] / (combine_us * 1e-6) == pytest.approx(combine_gb * 1e9, rel=0.025)


def test_deepseek_v3_sends_172032_bytes_a_token_and_layer() -> None:
    """Eight experts, FP8 out and BF16 back; BF16 both ways would be 229,376. Four nodes at most: 28,672 B of dispatch."""
    assert exchange()["per_token"] == 172_032
    assert exchange(dispatch_bytes=2)["per_token"] == 229_376
    limited = exchange(node_limit=4, include_local=True)
    assert limited["dispatch"] == 28_672
    assert exchange(node_limit=16)["per_token"] == 172_032


def test_scales_add_a_32nd() -> None:
    """A 4-byte scale for every 128 elements: 224 B on 7168, DeepEP's low-latency dispatch without its header."""
    assert exchange(dispatch_bytes=1.03125, include_local=True)["dispatch"] == 8 * (7168 + 224)


# Dispatch and combine: tokens routed one by one


@pytest.mark.parametrize(("ep", "top_k"), [(2, 1), (4, 2), (8, 3)])
def test_even_routing_keeps_an_ep_th_on_the_gpu(ep: Any, top_k: Any) -> None:
    """Every rank's tokens choose every rank's expert equally often: count the copies that leave."""
    tokens = ep * 5
    leaving = sum(1 for token in range(tokens) for choice in range(top_k) if (token + choice) % ep != 0)
    found = exchange(tokens=tokens, top_k=top_k, hidden=16, ep=ep)
    assert found["dispatch"] == leaving * 16
    assert found["combine"] == leaving * 32


@given(st.integers(1, 10**5), st.integers(1, 16), st.integers(1, 10**5), st.integers(2, 512), st.integers(1, 100))
def test_the_total_is_layers_times_tokens_times_the_remote_share(
    tokens: Any, top_k: Any, hidden: Any, ep: Any, layers: Any
) -> None:
    found = exchange(tokens=tokens, top_k=top_k, hidden=hidden, ep=ep, layers=layers, bandwidth=10**9)
    share = Fraction(ep - 1, ep)
    assert found["total"] == pytest.approx(float(layers * tokens * found["per_token"] * share), rel=1e-12)
    assert found["dispatch"] + found["combine"] == pytest.approx(found["total"], rel=1e-12)
    assert found["time"] == pytest.approx(found["total"] / 10**9, rel=1e-12)


def test_there_is_no_time_without_a_bandwidth() -> None:
    assert exchange()["time"] is None


# Capacity


@pytest.mark.parametrize(("factor", "expected"), [(1.0, 2), (1.5, 3)])
def test_the_two_capacity_factors_of_switch(factor: Any, expected: Any) -> None:
    """Fedus et al. 2021, Figure 3: (tokens / experts)·capacity factor, for 1.0 and 1.5, three experts."""
    assert capacity(tokens=6, experts=3, capacity_factor=factor) == expected


@given(st.integers(1, 10**5), st.integers(1, 8), st.integers(8, 512), st.sampled_from([1.0, 1.25, 1.5, 2.0]))
def test_the_capacity_of_deepspeed(tokens: Any, top_k: Any, experts: Any, factor: Any) -> None:
    """DeepSpeed, sharded_moe.py: ceil((tokens/experts)·(capacity_factor·k)), there in floating point."""
    theirs = (tokens / experts) * (factor * top_k)
    if abs(theirs - round(theirs)) > 1e-6:
        assert capacity(tokens=tokens, top_k=top_k, experts=experts, capacity_factor=factor) == math.ceil(theirs)


def test_a_factor_of_1_1_is_eleven_tenths() -> None:
    """1.1 in binary lies above 11/10, which would round 11 slots up to 12."""
    assert capacity(tokens=10, experts=1, capacity_factor=1.1) == 11
    assert capacity(tokens=100, top_k=2, experts=8, capacity_factor=1.2) == 30


@given(st.integers(1, 10**6), st.integers(1, 8), st.integers(8, 512))
def test_all_slots_hold_evenly_routed_tokens(tokens: Any, top_k: Any, experts: Any) -> None:
    slots = capacity(tokens=tokens, top_k=top_k, experts=experts, capacity_factor=1) * experts
    assert 0 <= slots - tokens * top_k < experts


def test_more_choices_than_experts_are_refused() -> None:
    with pytest.raises(BadInput) as refused:
        capacity(tokens=8, top_k=9, experts=8)
    assert "9" in refused.value.text.en
    assert "专家" in refused.value.text.zh


# Usual mistakes


@pytest.mark.parametrize(
    ("calculator", "rows"),
    [
        (CAPACITY, [{"tokens": 4097, "top_k": 2, "experts": 64}]),
        (
            EXCHANGE,
            [
                {"tokens": 128, "top_k": 8, "hidden": 7168, "ep": 64, "layers": 58, "bandwidth": 50e9},
                {"tokens": 128, "top_k": 8, "hidden": 7168, "ep": 8, "node_limit": 4, "bandwidth": 50e9},
            ],
        ),
    ],
)
def test_every_slip_differs_from_the_right_value_somewhere(calculator: Any, rows: Any) -> None:
    seen = set()
    for row in rows:
        result = run(calculator, row)
        for output in result.outputs:
            seen |= {(output, slip.name) for slip, _ in result.slips(output)}
            assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in calculator.slips}


def test_bf16_both_ways_is_four_thirds_and_one_way_a_third_or_two() -> None:
    result = run(EXCHANGE, {"tokens": 1, "top_k": 8, "hidden": 7168, "ep": 2, "include_local": True})
    slips = {slip.name: value / result.outputs["total"] for slip, value in result.slips("total")}
    assert slips["dispatch_as_wide_as_combine"] == pytest.approx(4 / 3)
    assert slips["dispatch_only"] == pytest.approx(1 / 3)
    assert slips["combine_only"] == pytest.approx(2 / 3)
