"""Training FLOPs and budgets: against the tables of papers that trained."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

FLOPS = find("training_flops")
SPLIT = find("compute_optimal_split")


def outputs(calculator: Any, **given: Any) -> Any:
    return run(calculator, given).outputs


# Printed figures: training_flops


@pytest.mark.parametrize(
    ("millions", "days", "flops"),
    [
        (125, 2.60, 2.25e20),
        (6660, 1.39e2, 1.20e22),
        (12_850, 2.68e2, 2.31e22),
        (174_600, 3.64e3, 3.14e23),
    ],
)
def test_gpt_3s_table_d_1(millions: int, days: float, flops: float) -> None:
    """Brown et al. 2020, Table D.1, 300 billion tokens, 6 FLOPs a parameter and token, attention ignored."""
    found = outputs(FLOPS, parameters=millions * 10**6, tokens=300 * 10**9)
    assert found["flops"] == pytest.approx(flops, rel=0.003)
    assert found["petaflop_days"] == pytest.approx(days, rel=0.003)


def test_llama_3_405b_took_3_8e25() -> None:
    """Llama 3, §1: 3.8 × 10²⁵ FLOPs, 405B parameters, 15.6T tokens."""
    assert outputs(FLOPS, model="llama-3.1-405b", tokens="15.6T")["flops"] == pytest.approx(3.8e25, rel=0.002)


@pytest.mark.parametrize(("layers", "hidden", "heads"), [(96, 12288, 96), (128, 25600, 160)])
def test_megatrons_model_and_hardware_flops(layers: int, hidden: int, heads: int) -> None:
    """Korthikanti et al. 2022, Eq. 7, and selective recomputation as its text names it.

    Eq. 7 is 72·B·L·s·h²·(1 + s/(6·h) + v/(12·h·L)). Its text adds the two forward matrices of attention, 4·B·s²·h a
    layer; Eq. 8 and Eq. 9 print 1 + s/(3·h) and 1 + s/(6·h), which is three times that: the test holds to the text.
    """
    s, v, tokens = 2048, 51_200, 10**6
    matrices = 12 * layers * hidden**2 + v * hidden
    found = outputs(
        FLOPS, parameters=matrices, tokens=tokens, layers=layers, heads=heads, head_dim=hidden // heads, sequence=s,
        recompute="selective",
    )  # fmt: skip
    equation = 72 * layers * hidden**2 * tokens * (1 + s / (6 * hidden) + v / (12 * hidden * layers))
    assert found["model_flops"] == pytest.approx(equation)
    assert found["hardware_flops"] - found["model_flops"] == pytest.approx(4 * layers * s * hidden * tokens)
    eq_8 = 72 * layers * hidden**2 * tokens * (1 + s / (3 * hidden) + v / (12 * hidden * layers))
    assert eq_8 - equation == pytest.approx(3 * (found["hardware_flops"] - found["model_flops"]))


def test_full_recomputation_is_megatrons_96() -> None:
    """Narayanan et al. 2021, Eq. 3: 96·B·s·l·h²·(1 + s/(6·h) + V/(16·l·h)) with the extra forward pass.

    The vocabulary's term is not recomputed there: V/(16·l·h) of 96 is 6·V·h, a head forward and backward.
    """
    layers, hidden, s = 96, 12288, 2048
    found = outputs(
        FLOPS, parameters=12 * layers * hidden**2, tokens=10**6, layers=layers, heads=96, head_dim=128, sequence=s,
        recompute="full",
    )  # fmt: skip
    assert found["hardware_flops"] == pytest.approx(96 * 10**6 * layers * hidden**2 * (1 + s / (6 * hidden)))


def test_a_mixture_of_experts_counts_what_a_token_passes() -> None:
    """DeepSeek-V3: 37B active, 14.8T tokens, 3.3e24; not 671B."""
    found = outputs(FLOPS, model="deepseek-v3", tokens="14.8T")
    assert found["flops"] == pytest.approx(3.33e24, rel=0.002)
    assert slips(FLOPS, "flops", model="deepseek-v3", tokens="14.8T")["total_for_active"] / found["flops"] > 17


def test_the_input_embedding_has_no_matrix_product() -> None:
    """Qwen2.5-7B: 7.6 % of its parameters are looked up; a tied table is the head too and stays."""
    apart = outputs(FLOPS, model="qwen2.5-7b", tokens=10**9)
    assert 1 - apart["matmul_flops"] / apart["flops"] == pytest.approx(152_064 * 3584 / 7_615_616_512)
    tied = outputs(FLOPS, model="qwen3-0.6b", tokens=10**9)
    assert tied["matmul_flops"] == tied["flops"]
    assert outputs(FLOPS, parameters="7B", tokens=10**9)["matmul_flops"] is None


# compute_optimal_split


@pytest.mark.parametrize(
    ("parameters", "flops", "tokens"),
    [(4e8, 1.92e19, 8.0e9), (1e9, 1.21e20, 20.2e9), (1e10, 1.23e22, 205.1e9)],
)
def test_chinchillas_table_3(parameters: float, flops: float, tokens: float) -> None:
    """Hoffmann et al. 2022, Table 3: 20.0 to 20.5 tokens a parameter in these rows; further down it drifts to 22."""
    found = outputs(SPLIT, flops=flops)
    assert found["parameters"] == pytest.approx(parameters, rel=0.013)
    assert found["tokens"] == pytest.approx(tokens, rel=0.013)


def test_chinchillas_printed_ratio_gives_its_own_rows() -> None:
    """The same table, 1 trillion parameters: 1.27e26 FLOPs and 21.2T tokens, 21.2 a parameter."""
    found = outputs(SPLIT, flops=1.27e26, tokens_per_parameter=21.2)
    assert found["parameters"] == pytest.approx(1e12, rel=0.002)
    assert found["tokens"] == pytest.approx(21.2e12, rel=0.002)


def test_llama_3_took_41_tokens_a_parameter() -> None:
    """Llama 3, §3.2.1: 402B parameters on 16.55T tokens for 3.8e25. 6·N·D of that is 3.99e25, 5 % over the budget."""
    found = outputs(SPLIT, flops=6 * 402e9 * 16.55e12, tokens_per_parameter=16.55e12 / 402e9)
    assert found["parameters"] == pytest.approx(402e9)
    assert found["tokens"] == pytest.approx(16.55e12)
    assert pytest.approx(3.99e25, rel=0.001) == 6 * 402e9 * 16.55e12


@given(st.floats(1e18, 1e27), st.floats(0.1, 1000))
def test_the_split_spends_the_budget(flops: float, ratio: float) -> None:
    found = outputs(SPLIT, flops=flops, tokens_per_parameter=ratio)
    assert 6 * found["parameters"] * found["tokens"] == pytest.approx(flops)
    assert found["tokens"] / found["parameters"] == pytest.approx(ratio)


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    check_slips(
        FLOPS,
        (
            {"model": "deepseek-v3", "tokens": "14.8T", "sequence": 131_072},
            {"model": "llama-3-8b", "tokens": "15T", "sequence": 131_072, "recompute": "full", "causal": True},
            {"model": "deepseek-v3", "tokens": "14.8T", "sequence": 131_072, "recompute": "full"},
        ),
    )
    check_slips(SPLIT, ({"flops": 1e24, "batch_tokens": "4M"},))
