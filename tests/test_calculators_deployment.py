"""Whether a deployment fits: against How to Scale Your Model's table, and the worked cases of 70B and 700B."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

FIT = find("deployment_fit")
TPU = {"memory": 16e9, "utilisation": 1, "peak": 197e12, "bandwidth": 8.2e11}
LLAMA_70B = {"parameters": 70 * 10**9, "layers": 80, "kv_heads": 8, "head_dim": 128}
DENSE_700B = {"parameters": 700 * 10**9, "weight_bytes": 1, "layers": 80, "kv_heads": 16, "head_dim": 128, "tokens": 0}
H100 = {"device": "h100-sxm", "dtype": "fp8"}


def fit(**given: Any) -> Any:
    return run(FIT, {"tokens": 8192, **given}).outputs


@pytest.mark.parametrize(("weight_bytes", "chips"), [(2, 8.75), (1, 4.38)])
def test_the_smallest_slices_of_the_scaling_book(weight_bytes: Any, chips: Any) -> None:
    """Serving LLaMA 3-70B: 8.75 chips of 16 GB in bf16, 4.38 in int8. (Its int4 row says 45 GB and 2.81: 70e9 parameters
    in 4 bits are 35 GB and 2.19.)"""
    assert fit(**LLAMA_70B, **TPU, weight_bytes=weight_bytes)["gpus_min"] == -(-chips // 1)
    assert fit(**LLAMA_70B, **TPU, weight_bytes=0.5)["gpus_min"] == 3


def test_43_caches_fit_beside_bf16_weights_on_16_chips() -> None:
    """The same table: 116 GB remain, 43 caches at 8k. (Its 4x2 row in int8 leaves 58 GB, not the 68 it prints.)"""
    assert fit(**LLAMA_70B, **TPU, tp=8, pp=2)["batch_max"] == 43
    assert fit(**LLAMA_70B, **TPU, tp=8, weight_bytes=1, kv_bytes=1)["batch_max"] == int(58e9 / (163_840 * 8192))


def test_70b_on_eight_h100() -> None:
    """17.6 GB of weights a GPU, and room for 1.33 million tokens of cache at 90 % of 80·10⁹ bytes."""
    found = fit(model="llama-3-70b", device="h100-sxm", tp=8, tokens=1)
    assert found["weights_per_gpu"] / 1e9 == pytest.approx(17.6, abs=0.05)
    assert found["batch_max"] == pytest.approx(1.33e6, rel=0.005)
    four = fit(model="llama-3-70b", device="h100-sxm", tp=4, tokens=1)
    assert four["weights_per_gpu"] / 1e9 == pytest.approx(35.3, abs=0.05)


def test_700b_in_fp8_on_two_boxes() -> None:
    """43.75 GB a GPU; 13.1 ms a token over 16 ranks, 26.1 ms in two stages of 8; 0.36 s for 4,096 tokens at half the
    peak, 22.6 thousand prompt tokens within 2 s; one box of 640 GB cannot hold it."""
    wide = fit(**DENSE_700B, **H100, tp=16, prompt=4096, ttft_limit=2)
    assert wide["weights_per_gpu"] == 43.75e9
    assert wide["tpot"] == pytest.approx(13.1e-3, rel=0.005)
    assert wide["ttft"] == pytest.approx(0.36, abs=0.005)
    assert wide["prompt_tokens_max"] == pytest.approx(22_600, abs=50)
    deep = fit(**DENSE_700B, **H100, tp=8, pp=2, prompt=4096)
    assert deep["tpot"] == pytest.approx(26.1e-3, rel=0.005)
    assert fit(**DENSE_700B, **H100, tp=8)["fits"] == "no"
    assert fit(**DENSE_700B, **H100, tp=8, utilisation=1)["gpus_min"] == 9


def test_chunks_fill_the_pipeline() -> None:
    """One chunk passes two stages in turn; with many the time comes down to that of all GPUs at work."""
    one, many = (fit(**DENSE_700B, **H100, tp=8, pp=2, prompt=4096, chunks=n)["ttft"] for n in (1, 1000))
    flat = fit(**DENSE_700B, **H100, tp=16, prompt=4096)["ttft"]
    assert one == pytest.approx(2 * flat)
    assert many == pytest.approx(flat, rel=0.002)


def test_a_mixture_computes_its_active_parameters_and_holds_all() -> None:
    found = fit(model="deepseek-v3", weight_bytes=1, tp=16, **H100)
    assert found["weights_per_gpu"] * 16 == pytest.approx(671e9, rel=1e-3)
    dense = fit(model="deepseek-v3", weight_bytes=1, tp=16, **H100, active_parameters=671_026_419_200)
    assert dense["ttft"] / found["ttft"] == pytest.approx(670.1 / 36.63, rel=0.001)


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 100_000), st.sampled_from([None, 0.01, 0.05]))
def test_the_most_requests_fit_and_one_more_does_not(tp: Any, pp: Any, tokens: Any, limit: Any) -> None:
    given = {"model": "llama-3-8b", "device": "h100-sxm", "tp": tp, "pp": pp, "tokens": tokens, "tpot_limit": limit}
    given = {name: value for name, value in given.items() if value is not None}
    most = fit(**given)["batch_max"]
    if most:
        found = fit(**given, batch=most)
        assert found["fits"] == "yes"
        assert limit is None or found["tpot"] <= limit
    beyond = fit(**given, batch=most + 1)
    assert beyond["fits"] == "no" or (limit is not None and beyond["tpot"] > limit)


def test_every_slip_shows() -> None:
    targets = {"device": "h100-sxm", "ttft_limit": 2, "tpot_limit": "20 ms"}
    check_slips(
        FIT,
        [
            {"model": "llama-3-70b", "tokens": 8192, "batch": 64, "tp": 4, "pp": 2, **targets},
            {"model": "qwen3-235b-a22b", "tokens": 8192, "batch": 64, "tp": 4, "pp": 2, **targets},
            {**DENSE_700B, "tokens": 4096, "tp": 8, "pp": 2, **H100, "utilisation": 0.8},
        ],
    )


def test_stages_at_once_halves_the_time_of_a_token() -> None:
    given = {**DENSE_700B, **H100, "tp": 8, "pp": 2}
    assert slips(FIT, "tpot", **given)["stages_at_once"] == pytest.approx(fit(**given)["tpot"] / 2)
