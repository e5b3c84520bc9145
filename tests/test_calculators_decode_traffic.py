"""What a decoding step reads: against How to Scale Your Model, and DeepSeek-V3 by hand."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

TRAFFIC = find("decode_traffic")


def step(**given: Any) -> Any:
    return run(TRAFFIC, {"tokens": 0, **given}).outputs


LLAMA_70B = {"parameters": 70 * 10**9, "layers": 80, "kv_heads": 8, "head_dim": 128}


def test_a_full_tpu_takes_19_ms() -> None:
    """How to Scale Your Model, serving LLaMA 3-70B: 43 caches of 8k beside 140 GB fill 16 chips of 16 GB, 19 ms a step at
    8.2e11 B/s (19.5 unrounded)."""
    found = step(**LLAMA_70B, batch=43, tokens=8192, gpus=16, bandwidth=8.2e11)
    assert found["total"] / 16e9 == pytest.approx(16, rel=0.005)
    assert found["time"] == pytest.approx(19.5e-3, rel=0.005)


def test_int4_parameters_alone_take_10_ms() -> None:
    """The same: "if we only looked at model parameters in int4 our minimum latency is about 10ms", on four chips."""
    assert step(**LLAMA_70B, weight_bytes=0.5, gpus=4, bandwidth=8.2e11)["time"] == pytest.approx(10.7e-3, rel=0.01)


def test_a_32k_context_in_int8_is_5_3_gb() -> None:
    """The same: 162e3·32,768 = 5.3 GB a sequence."""
    assert step(**LLAMA_70B, tokens=32_768, kv_bytes=1)["kv"] == pytest.approx(5.3e9, rel=0.02)


def test_deepseek_v3_by_hand() -> None:
    """36.6 GB in FP8 and 70,272 B a token of context: Insights into DeepSeek-V3, Table 1."""
    found = step(model="deepseek-v3", weight_bytes=1, tokens=4096)
    assert found["weights"] == pytest.approx(36.6e9, rel=0.002)
    assert found["kv"] == 70_272 * 4096
    by_hand = 16.2e9 + 58 * 222.4 * 44.04e6
    assert step(model="deepseek-v3", weight_bytes=1, batch=64)["weights"] == pytest.approx(by_hand, rel=0.002)


def test_the_head_of_a_tied_model_is_read_and_the_embedding_of_another_is_not() -> None:
    tied, untied = step(model="qwen3-4b"), step(model="qwen3-8b")
    assert tied["weights"] == 2 * 4_022_468_096
    assert untied["weights"] == 2 * (8_190_735_360 - 151_936 * 4096)


@given(st.integers(1, 10_000), st.integers(0, 10**6))
def test_the_cache_grows_with_the_batch_and_dense_weights_do_not(batch: Any, tokens: Any) -> None:
    one, many = step(model="llama-3-8b", tokens=tokens), step(model="llama-3-8b", tokens=tokens, batch=batch)
    assert many["weights"] == one["weights"]
    assert many["kv"] == batch * one["kv"]
    assert many["total"] == many["weights"] + many["kv"]


@given(st.integers(1, 2000))
def test_a_mixture_reads_more_with_the_batch_and_never_all_of_it(batch: Any) -> None:
    fewer, more = (step(model="qwen3-30b-a3b", batch=n)["weights"] for n in (batch, batch + 1))
    assert fewer <= more <= 2 * (30_532_122_624 - 151_936 * 2048)
    assert more <= fewer * (batch + 1) / batch + 1


def test_every_slip_shows() -> None:
    rates = {"bandwidth": 10**12, "gpus": 4}
    check_slips(
        TRAFFIC,
        [
            {"model": "qwen3-30b-a3b", "batch": 8, "tokens": 20_000, **rates},
            {"model": "qwen3-30b-a3b", "batch": 1, "tokens": 20_000, **rates},
            {"model": "llama-3-70b", "batch": 16, "tokens": 8192, **rates},
            {"model": "qwen3-32b", "batch": 16, "tokens": 8192, **rates},
            {"model": "deepseek-v3", "batch": 4, "tokens": 100_000, **rates},
            {"model": "gpt-oss-20b", "batch": 64, "tokens": 100_000, **rates},
        ],
    )


def test_reading_every_expert_for_one_token_is_18_times_too_much() -> None:
    found = slips(TRAFFIC, "weights", model="deepseek-v3", weight_bytes=1, tokens=1)["all_parameters"]
    assert found / step(model="deepseek-v3", weight_bytes=1)["weights"] == pytest.approx(18.3, abs=0.1)


def test_a_dense_preset_takes_a_rounded_number_of_parameters() -> None:
    read = step(model="llama-3-70b", parameters=70_000_000_000, tokens=1000)["weights"]
    assert read == 2 * (70_000_000_000 - 128_256 * 8192)
