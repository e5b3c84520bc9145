"""Serving memory, capacity and pools against published sizings, and against what always holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

LOADS = st.fixed_dictionaries(
    {
        "rate": st.floats(0.01, 1e5),
        "input_tokens": st.integers(1, 10**6),
        "output_tokens": st.integers(1, 10**5),
        "utilisation": st.floats(0.05, 1),
    }
)
TOKEN_RATES = st.floats(1, 1e6)


def memory(**given: Any) -> Any:
    return run(find("inference_memory"), given).outputs


def serving(**given: Any) -> Any:
    return run(find("serving_capacity"), given).outputs


def pools(**given: Any) -> Any:
    return run(find("prefill_decode_pools"), given).outputs


def slips(calculator: str, output: str, **given: Any) -> dict[str, Any]:
    return {slip.name: value for slip, value in run(find(calculator), given).slips(output)}


@pytest.mark.parametrize(
    ("model", "printed"),
    [
        ("llama-3.1-8b", (16, 8, 4)),
        ("llama-3.1-70b", (140, 70, 35)),
        ("llama-3.1-405b", (810, 405, 203)),
    ],
)
def test_hugging_face_s_weights_of_llama_3_1(model: str, printed: tuple[int, ...]) -> None:
    """Hugging Face, Llama 3.1, FP16, FP8 and INT4 in GB of 10⁹: from the names' 8, 70 and 405 billion, so up to 1 % low."""
    for width, gigabytes in zip((2, 1, 0.5), printed, strict=True):
        weights = memory(model=model, weight_bytes=width, tokens=0)["weights"]
        assert weights / 1e9 == pytest.approx(gigabytes, rel=0.011)


def test_paged_attention_s_figure_1() -> None:
    """Kwon et al. 2023, Figure 1: a 13B model's weights take 26 GB, 65 % of an A100's 40 GB."""
    weights = memory(parameters=13e9, layers=40, kv_heads=40, head_dim=128, tokens=2048)["weights"]
    assert weights == 26e9
    assert weights / 40e9 == 0.65


def test_llama_3_70b_on_eight_gpus() -> None:
    """141.1 GB of weights, 17.6 GB a GPU at TP8; two replicas of TP4 or FP8 on two GPUs take 35.3 GB a GPU."""
    assert round(memory(model="llama-3-70b", tokens=0)["weights"] / 1e9, 1) == 141.1
    assert round(memory(model="llama-3-70b", tokens=0, tp=8)["per_gpu"] / 1e9, 1) == 17.6
    assert round(memory(model="llama-3-70b", tokens=0, tp=4)["per_gpu"] / 1e9, 1) == 35.3
    assert round(memory(model="llama-3-70b", tokens=0, tp=2, weight_bytes=1)["per_gpu"] / 1e9, 1) == 35.3


def test_one_h200_loads_llama_3_70b_and_little_more() -> None:
    """An H200 reports 143,771 MiB; 131.4 GiB of weights leave 9.0 GiB, at most 29K tokens."""
    weights, reported = memory(model="llama-3-70b", tokens=0)["weights"], 143_771 * 2**20
    assert round(weights / 2**30, 1) == 131.4
    assert round((reported - weights) / 2**30, 1) == 9.0
    fits = run(find("kv_capacity"), {"model": "llama-3-70b", "memory": reported - weights}).outputs["tokens_max"]
    assert fits // 1000 == 29


def test_a_mixture_of_experts_keeps_all_of_them() -> None:
    """Qwen3-235B-A22B: 470 GB in BF16, 235 GB in FP8; from its active parameters it would be a tenth."""
    assert round(memory(model="qwen3-235b-a22b", tokens=0)["weights"] / 1e9) == 470
    assert round(memory(model="qwen3-235b-a22b", tokens=0, weight_bytes=1)["weights"] / 1e9) == 235
    wrong = slips("inference_memory", "weights", model="qwen3-235b-a22b", tokens=0)["active_only"]
    assert wrong == 2 * 22_190_763_520
    assert "active_only" not in slips("inference_memory", "weights", model="llama-3-70b", tokens=0)


def test_the_cache_is_kv_cache_s() -> None:
    given = {"model": "qwen3-30b-a3b", "tokens": 32_768, "batch": 16, "tp": 8}
    cache = run(find("kv_cache"), given).outputs
    found = memory(**given)
    assert found["kv"] == cache["total"]
    assert found["per_gpu"] == found["weights"] / 8 + cache["per_gpu"]


@given(
    st.integers(10**9, 10**12),
    st.integers(1, 128),
    st.integers(1, 64),
    st.integers(0, 10**5),
    st.integers(1, 64),
    st.integers(1, 128),
    st.integers(0, 10**10),
)
def test_gpus_together_hold_all_of_it(
    parameters: int, layers: int, kv_heads: int, tokens: int, batch: int, tp: int, reserve: int
) -> None:
    found = memory(
        parameters=parameters,
        layers=layers,
        kv_heads=kv_heads,
        head_dim=128,
        tokens=tokens,
        batch=batch,
        tp=tp,
        reserve=reserve,
    )
    assert found["total"] == found["weights"] + found["kv"] + tp * reserve
    assert found["per_gpu"] * tp >= found["total"] * (1 - 1e-9)
    assert found["per_gpu"] >= reserve


def test_deepseek_s_day_of_inference() -> None:
    """DeepSeek-V3/R1 inference system overview: 608B input and 168B output tokens in 24 hours at about 73.7k and 14.8k
    tokens/s a node, 226.75 nodes on average. The quotients are 95.5 and 131.4 nodes, 226.9 together.
    """
    thousand_days = {
        "rate": 1000,
        "input_tokens": round(608e9 / 86_400),
        "output_tokens": round(168e9 / 86_400),
        "prefill_rate": 73_700,
        "decode_rate": 14_800,
        "utilisation": 1,
    }
    found = pools(**thousand_days)
    assert round(found["prefill_gpus"] / 1000, 1) == 95.5
    assert round(found["decode_gpus"] / 1000, 1) == 131.4
    assert (found["prefill_gpus"] + found["decode_gpus"]) / 1000 == pytest.approx(226.75, rel=0.001)
    assert found["ratio"] == pytest.approx(95.48 / 131.38, rel=0.001)


def test_deepseek_s_mean_cache_length_is_input_and_half_the_output() -> None:
    """The same: "average kvcache length per output token 4,989"; with 608B to 168B that is 4,383 in and 1,210 out.

    `kv` reserves the full length of 5,593, and the mean length is its slip.
    """
    given = {
        "rate": 1,
        "latency": 1,
        "input_tokens": 4383,
        "output_tokens": 1210,
        "tokens_per_second_per_gpu": 1850,
        "kv_per_token": 70_272,
    }
    assert serving(**given)["kv"] == 5593 * 70_272
    assert slips("serving_capacity", "kv", **given)["half_way"] == pytest.approx(4988 * 70_272)


def test_little_s_law_and_the_cache_behind_it() -> None:
    given = {
        "rate": 20,
        "latency": 13,
        "input_tokens": 2000,
        "output_tokens": 300,
        "tokens_per_second_per_gpu": 1500,
        "kv_per_token": 131_072,
    }
    found = serving(**given)
    assert found["concurrency"] == 260
    assert round(found["kv"] / 1e9, 1) == 78.4
    assert found["gpus"] == 6
    assert slips("serving_capacity", "gpus", **given)["no_headroom"] == 4
    del given["kv_per_token"]
    assert serving(**given)["kv"] is None


def test_whole_quotients_are_not_rounded_up_by_binary_fractions() -> None:
    """10·300/(1000·0.6) is 5 exactly, and 7·100/(1000·0.7) is 1."""
    assert (
        serving(rate=10, latency=1, input_tokens=1, output_tokens=300, tokens_per_second_per_gpu=1000, utilisation=0.6)[
            "gpus"
        ]
        == 5
    )
    assert serving(rate=7, latency=1, input_tokens=1, output_tokens=100, tokens_per_second_per_gpu=1000)["gpus"] == 1


@given(LOADS, TOKEN_RATES, TOKEN_RATES)
def test_pools_carry_the_load_and_one_gpu_less_does_not(load: dict[str, Any], prefill: float, decode: float) -> None:
    found = pools(**load, prefill_rate=prefill, decode_rate=decode)
    for gpus, tokens, per_gpu in (
        (found["prefill_gpus"], load["input_tokens"], prefill),
        (found["decode_gpus"], load["output_tokens"], decode),
    ):
        needed = load["rate"] * tokens
        assert gpus * per_gpu * load["utilisation"] >= needed * (1 - 1e-3)
        assert (gpus - 1) * per_gpu * load["utilisation"] <= needed * (1 + 1e-3)


@given(LOADS, st.floats(0.01, 1000), TOKEN_RATES, TOKEN_RATES)
def test_the_ratio_depends_neither_on_the_rate_nor_on_the_utilisation(
    load: dict[str, Any], rate: float, prefill: float, decode: float
) -> None:
    found = pools(**load, prefill_rate=prefill, decode_rate=decode)["ratio"]
    assert pools(**{**load, "rate": rate, "utilisation": 1}, prefill_rate=prefill, decode_rate=decode)["ratio"] == found


@given(LOADS, st.floats(0.01, 1e4), TOKEN_RATES, st.integers(2, 20))
def test_concurrency_and_cache_grow_with_the_rate(
    load: dict[str, Any], latency: float, per_gpu: float, factor: int
) -> None:
    rate = round(load["rate"], 2) or 0.01
    given = {**load, "latency": round(latency, 2), "tokens_per_second_per_gpu": per_gpu, "kv_per_token": 131_072}
    one, more = serving(**{**given, "rate": rate}), serving(**{**given, "rate": factor * rate})
    assert more["concurrency"] == pytest.approx(factor * one["concurrency"])
    assert more["kv"] == pytest.approx(factor * one["kv"])
    assert more["gpus"] >= one["gpus"]
