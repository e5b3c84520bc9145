"""Attention against the MLP, one layer's FLOPs and traffic, long contexts: against papers' formulas and counted matrices."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput, UnknownName

SHARE = find("attention_mlp_share")
LAYER = find("layer_compute")
LONG = find("long_context_compute")


def share(**given: Any) -> Any:
    return run(SHARE, given).outputs


def layer(**given: Any) -> Any:
    return run(LAYER, given).outputs


def long(**given: Any) -> Any:
    return run(LONG, given).outputs


def gpt(hidden: int, heads: int) -> dict[str, Any]:
    return {"hidden": hidden, "heads": heads, "ffn": 4 * hidden, "gated": False}


# Printed formulas


@pytest.mark.parametrize(("hidden", "heads"), [(2304, 24), (12288, 96), (25600, 160)])
def test_a_gpt_block(hidden: int, heads: int) -> None:
    """Korthikanti et al. 2022, Appendix A: 24·B·s·h² + 4·B·s²·h forward, of which the MLP 16·B·s·h²."""
    s = 2048
    found = share(**gpt(hidden, heads), sequence=s)
    assert found["attention_parameters"] == 4 * hidden**2
    assert found["mlp_parameters"] == 8 * hidden**2
    assert found["flops_share"] == pytest.approx(1 - 16 * hidden / (24 * hidden + 4 * s))
    assert found["scores_share"] == pytest.approx(4 * s / (24 * hidden + 4 * s))
    whole = layer(**gpt(hidden, heads), batch=3, sequence=s, phase="prefill")
    assert whole["flops"] == 24 * 3 * s * hidden**2 + 4 * 3 * s**2 * hidden
    assert whole["mlp_flops"] == 16 * 3 * s * hidden**2


def test_scores_catch_up_with_the_matrices_at_six_times_the_hidden_size() -> None:
    """The s/(6·h) of Narayanan et al. 2021, Eq. 3, is 1 there; the MLP alone is reached at 2·h."""
    found = share(**gpt(4096, 32))
    assert found["scores_crossover"] == 6 * 4096
    assert found["crossover"] == 2 * 4096
    assert share(**gpt(4096, 32), causal=True)["crossover"] == 4 * 4096


@pytest.mark.parametrize(("layers", "hidden"), [(96, 12288), (105, 20480)])
def test_a_step_is_megatrons_equation_3_without_recomputation(layers: int, hidden: int) -> None:
    """Narayanan et al. 2021, Eq. 3: 96·B·s·l·h²·(1 + s/(6·h)) counts four forward passes; three are 72."""
    found = layer(**gpt(hidden, hidden // 128), batch=1, sequence=2048, phase="prefill")
    assert 3 * layers * found["flops"] == pytest.approx(72 * 2048 * layers * hidden**2 * (1 + 2048 / (6 * hidden)))


@pytest.mark.parametrize(("sequence", "full", "causal"), [(1_000_000, 33.64, 17.32), (4096, 1.134, 1.067)])
def test_an_8b_model_at_a_long_context(sequence: int, full: float, causal: float) -> None:
    """6·N + 12·L·H·Q·T a token, as in PaLM's Appendix B, over 6·N: 32.6 and half of it more at a million tokens."""
    found = long(model="llama-3-8b", sequence=sequence)
    assert found["ratio"] == pytest.approx(full, rel=1e-3)
    assert found["ratio_causal"] == pytest.approx(causal, rel=1e-3)


def test_a_prompt_twice_as_long_costs_a_little_more_than_twice() -> None:
    """8B, 4,096 to 8,192 tokens: 2.24 times with the full square, 2.13 with its causal half."""
    found = long(model="llama-3-8b", sequence=8192, base_sequence=4096)
    assert found["growth"] == pytest.approx(2.24, abs=0.005)
    assert found["growth_causal"] == pytest.approx(2.13, abs=0.005)


# Matrices counted one by one


@given(
    st.integers(1, 4), st.integers(1, 12), st.integers(1, 3), st.integers(1, 3), st.integers(1, 8), st.integers(1, 9),
    st.integers(1, 20), st.booleans(),
)  # fmt: skip
def test_flops_are_those_of_the_matrix_products(
    batch: int, sequence: int, kv_heads: int, group: int, head_dim: int, hidden: int, ffn: int, decode: bool
) -> None:
    """2·m·n·k for every product that runs, scores and values head by head and query by query."""
    heads, tokens = kv_heads * group, batch * (1 if decode else sequence)
    products = [
        (tokens, heads * head_dim, hidden),
        (tokens, kv_heads * head_dim, hidden),
        (tokens, kv_heads * head_dim, hidden),
    ]
    for _ in range(batch * heads):
        queries = 1 if decode else sequence
        products += [(queries, sequence, head_dim), (queries, head_dim, sequence)]
    products.append((tokens, hidden, heads * head_dim))
    mlp = [(tokens, ffn, hidden), (tokens, ffn, hidden), (tokens, hidden, ffn)]
    found = layer(
        hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=head_dim, ffn=ffn, batch=batch, sequence=sequence,
        phase="decode" if decode else "prefill",
    )  # fmt: skip
    assert found["attention_flops"] == sum(2 * m * n * k for m, n, k in products)
    assert found["mlp_flops"] == sum(2 * m * n * k for m, n, k in mlp)


def test_traffic_of_a_tiny_layer_by_hand() -> None:
    """h=2, one head of 2, f=3, 5 tokens: QKV reads 10 and writes 10 q, 20 cached; attention reads 10 + 20, writes 10; …"""
    found = layer(hidden=2, heads=1, ffn=3, sequence=5, phase="prefill")
    weights = 2 * 2 * 4
    assert found["attention_bytes"] == 2 * (weights + (10 + 10) + 20 + (10 + 20 + 10) + (10 + 10))
    assert found["mlp_bytes"] == 2 * (3 * 2 * 3 + (10 + 15) + (15 + 10))


def test_decoding_is_weights_and_cache() -> None:
    """A batch of one reads about as many bytes as it computes FLOPs in 16 bits: an intensity near 1."""
    found = layer(model="llama-3-8b", sequence=4096, phase="decode")
    weights, cache = 2 * (41_943_040 + 176_160_768), 4096 * 2 * 8 * 128 * 2
    assert found["bytes"] == pytest.approx(weights + cache, rel=1e-3)
    assert found["mlp_intensity"] == pytest.approx(1, rel=1e-3)


# Laws


@given(st.integers(1, 10**6))
def test_at_the_crossover_attention_is_half(hidden: int) -> None:
    found = share(hidden=hidden, heads=1, ffn=4 * hidden, gated=False)
    there = share(hidden=hidden, heads=1, ffn=4 * hidden, gated=False, sequence=found["crossover"])
    assert there["flops_share"] == 0.5


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_ratio_grows_in_a_straight_line(one: int, other: int) -> None:
    a, b = (long(model="qwen3-30b-a3b", sequence=s)["ratio"] - 1 for s in (one, other))
    assert a * other == pytest.approx(b * one)


def test_a_window_caps_the_attended_keys() -> None:
    """gpt-oss: every other layer sees 128 tokens, so that doubling a long context adds the other half's keys alone."""
    short, twice = (long(model="gpt-oss-20b", sequence=s)["attention_per_token"] for s in (32_768, 65_536))
    assert twice - short == 12 * 12 * 64 * 64 * 32_768


def test_mla_pays_for_its_rotary_part() -> None:
    """DeepSeek-V3: a query meets 192 of a key and adds 128 of a value, for each of 128 heads."""
    found = long(model="deepseek-v3", sequence=4096)
    assert found["attention_per_token"] == 3 * 61 * 128 * (2 * 192 + 2 * 128) * 4096


def test_layers_of_another_kind_are_refused() -> None:
    with pytest.raises(UnknownName):
        layer(model="deepseek-v3", sequence=4096, phase="decode")
    for special in ({"experts": 8}, {"mla_latent": 512}, {"window": 128}):
        with pytest.raises(BadInput) as refused:
            share(**gpt(128, 2), **special)
        assert refused.value.text.zh


# Usual mistakes


def test_every_slip_of_the_share_differs() -> None:
    check_slips(
        SHARE,
        (
            {"model": "llama-3-70b", "sequence": 32_768},
            {"model": "qwen3-8b", "sequence": 32_768, "causal": True},
            {"model": "llama-2-7b", "sequence": 32_768},
            {**gpt(4096, 32), "sequence": 16_384},
            {"hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 32_768, "sequence": 8192},
        ),
    )


def test_every_slip_of_the_layer_differs() -> None:
    check_slips(
        LAYER,
        (
            {"model": "llama-3-8b", "batch": 64, "sequence": 8192, "phase": "decode"},
            {"model": "llama-3-8b", "batch": 8, "sequence": 8192, "phase": "prefill"},
            {"model": "llama-3-8b", "batch": 1, "sequence": 128, "phase": "prefill"},
            {"model": "llama-3-8b", "batch": 8, "sequence": 16_384, "phase": "prefill", "causal": True},
        ),
    )


def test_every_slip_of_long_contexts_differs() -> None:
    check_slips(
        LONG,
        (
            {"model": "llama-3-8b", "sequence": 131_072, "base_sequence": 4096},
            {"model": "qwen3-30b-a3b", "sequence": 131_072, "base_sequence": 4096},
        ),
    )


def test_the_linear_assumption_misses_33_times_at_a_million_tokens() -> None:
    found = long(model="llama-3-8b", sequence=1_000_000)
    assert found["ratio"] / slips(LONG, "ratio", model="llama-3-8b", sequence=1_000_000)["linear"] > 33
