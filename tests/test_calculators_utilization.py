"""Training time and utilization: against what papers measured."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

TIME = find("training_time")
MFU = find("model_flops_utilization")
DAY, HOUR = 86_400, 3600


def outputs(calculator: Any, **given: Any) -> Any:
    return run(calculator, given).outputs


# training_time


@pytest.mark.parametrize(
    ("parameters", "tokens", "gpus", "rate", "days"),
    [("175B", "300B", 1024, 140e12, 34), ("1008B", "450B", 3072, 163e12, 84)],
)
def test_megatrons_training_times(parameters: str, tokens: str, gpus: int, rate: float, days: int) -> None:
    """Narayanan et al. 2021, §5.1: 8·T·P/(n·X) is 34 and 84 days; X counts recomputation, so 8 and not 6."""
    given = {"parameters": parameters, "tokens": tokens, "gpus": gpus, "device": "a100-sxm-80gb"}
    found = outputs(TIME, **given, flops_per_parameter=8, mfu=rate / 312e12)
    assert found["time"] / DAY == pytest.approx(days, rel=0.015)


@pytest.mark.parametrize(
    ("parameters", "gpus", "rate", "days"),
    [
        ("174.6B", 384, 153e12, 84),
        ("174.6B", 1536, 141e12, 23),
        ("529.6B", 560, 171e12, 156),
        ("529.6B", 2240, 159e12, 42),
    ],
)
def test_megatrons_table_2(parameters: str, gpus: int, rate: float, days: int) -> None:
    """The same, Table 2, PTD rows: days for 300 billion tokens. Equation 4's 8·P leaves out attention and the head."""
    given = {"parameters": parameters, "tokens": "300B", "gpus": gpus, "peak": 312e12, "flops_per_parameter": 8}
    assert outputs(TIME, **given, mfu=rate / 312e12)["time"] / DAY == pytest.approx(days, rel=0.03)


def test_deepseek_v3_cost_5_576_million_dollars() -> None:
    """DeepSeek-V3, Table 1: 2788K GPU-hours at $2 are $5.576M; 14.8T tokens took 2664K of them."""
    share = 6 * 37_552_297_472 * 14.8e12 / (2_664_000 * HOUR * 1978.9e12)
    given = {"model": "deepseek-v3", "tokens": "14.8T", "gpus": 2048, "device": "h800-sxm", "dtype": "fp8"}
    found = outputs(TIME, **given, mfu=share, price_per_hour=2)
    assert found["gpu_time"] / HOUR == pytest.approx(2_664_000, rel=1e-4)
    assert found["cost"] == pytest.approx(5.328e6, rel=1e-4)
    assert share == pytest.approx(0.176, abs=0.001)


def test_deepseek_v3_took_3_7_days_a_trillion_tokens() -> None:
    """The same, §1: 180K GPU-hours on 2048 GPUs."""
    flops = 180_000 * HOUR * 1e12
    found = outputs(TIME, flops=flops, gpus=2048, peak=1e12, mfu=1)
    assert found["time"] / DAY == pytest.approx(3.7, abs=0.05)
    assert found["gpu_time"] == 180_000 * HOUR


def test_llama_65b_took_21_days() -> None:
    """Touvron et al. 2023, §2.4: 380 tokens/s a GPU, 2048 A100, 1.4T tokens, about 21 days."""
    mfu = 380 * 6 * 65.2e9 / 312e12
    found = outputs(TIME, parameters="65.2B", tokens="1.4T", gpus=2048, device="a100-sxm-80gb", mfu=mfu)
    assert found["time"] / DAY == pytest.approx(20.8, abs=0.05)


@given(st.integers(1, 10**5), st.floats(0.01, 1))
def test_gpu_hours_do_not_depend_on_the_gpus(gpus: int, mfu: float) -> None:
    found = outputs(TIME, parameters="7B", tokens="1T", gpus=gpus, device="h100-sxm", mfu=mfu)
    assert found["gpu_time"] == pytest.approx(found["time"] * gpus)
    assert found["time"] * gpus * 989.4e12 * mfu == pytest.approx(42e21, rel=1e-4)


def test_time_needs_work_to_do() -> None:
    with pytest.raises(BadInput) as refused:
        outputs(TIME, gpus=8, device="h100-sxm", parameters="7B")
    assert "tokens" in refused.value.text.en
    assert "tokens" in refused.value.text.zh


# model_flops_utilization


def test_palms_mfu() -> None:
    """Chowdhery et al. 2022, §4.1: 238.3K tokens/s, 46.2 % with attention, 45.7 % without.

    540.35B parameters, 118 layers, 48 heads of 256, 2048 tokens, 6144 TPU v4 of 275 TFLOP/s. Its HFU of 57.8 %
    counts a part of the forward pass again, not all of it: 61.6 % would be full recomputation.
    """
    given = {
        "tokens_per_second": 238_300, "gpus": 6144, "parameters": "540.35B", "layers": 118, "heads": 48,
        "head_dim": 256, "sequence": 2048, "peak": 275e12,
    }  # fmt: skip
    found = outputs(MFU, **given, recompute="full")
    assert found["mfu"] == pytest.approx(0.462, abs=5e-4)
    assert found["mfu_without_attention"] == pytest.approx(0.457, abs=5e-4)
    assert found["mfu"] < 0.578 < found["hfu"] == pytest.approx(0.616, abs=1e-3)


def test_megatron_turings_mfu() -> None:
    """The same: MT-NLG 530B at 65.43K tokens/s has 29.7 % without attention, 30.2 % with it (2240 A100)."""
    found = outputs(
        MFU, tokens_per_second=65_430, gpus=2240, parameters="529.6B", layers=105, heads=128, head_dim=160, sequence=2048,
        device="a100-sxm-80gb",
    )  # fmt: skip
    assert found["mfu"] == pytest.approx(0.302, abs=5e-4)
    assert found["mfu_without_attention"] == pytest.approx(0.297, abs=6e-4)


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "gpus", "batch", "seconds", "mfu"),
    [
        (48, 6144, 64, 8, 4, 1.10, 0.415),
        (96, 12288, 96, 64, 64, 13.75, 0.514),
        (105, 20480, 128, 280, 280, 37.83, 0.560),
        (128, 25600, 160, 512, 512, 71.49, 0.563),
    ],
)
def test_korthikantis_table_5(
    layers: int, hidden: int, heads: int, gpus: int, batch: int, seconds: float, mfu: float
) -> None:
    """Korthikanti et al. 2022, Table 5, s = 2048, v = 51,200: MFU from iteration times, on A100."""
    found = outputs(
        MFU, tokens_per_second=batch * 2048 / seconds, gpus=gpus, parameters=12 * layers * hidden**2 + 51_200 * hidden,
        layers=layers, heads=heads, head_dim=hidden // heads, sequence=2048, device="a100-sxm-80gb",
    )  # fmt: skip
    assert found["mfu"] == pytest.approx(mfu, abs=0.003)


@pytest.mark.parametrize(("tera", "mfu"), [(430, 0.43), (400, 0.41), (380, 0.38)])
def test_llama_3s_table_4(tera: float, mfu: float) -> None:
    """Llama 3, Table 4: TFLOP/s a GPU over 989; it prints 41 % for 400, which is 40.4 %."""
    tokens = tera * 1e12 / (6 * 405e9)
    found = outputs(MFU, tokens_per_second=tokens, parameters="405B", device="h100-sxm")["mfu"]
    assert found == pytest.approx(mfu, abs=0.006)
    assert round(100 * found, 1) != 41.0


@given(st.floats(1, 1e7), st.integers(1, 10**4))
def test_full_recomputation_is_a_third_more(rate: float, gpus: int) -> None:
    found = outputs(
        MFU, tokens_per_second=rate, gpus=gpus, model="llama-3-8b", sequence=8192, device="h100-sxm", recompute="full"
    )
    assert found["hfu"] == pytest.approx(found["mfu"] * 4 / 3)


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    check_slips(
        TIME,
        (
            {"model": "deepseek-v3", "tokens": "14.8T", "gpus": 2048, "device": "h800-sxm", "price_per_hour": 2},
            {
                "parameters": "7B",
                "tokens": "1T",
                "gpus": 64,
                "device": "h100-sxm",
                "flops_per_parameter": 8,
                "price_per_hour": 2,
            },
        ),
    )
    check_slips(
        MFU,
        (
            {"tokens_per_second": 10**6, "gpus": 64, "model": "qwen3-30b-a3b", "sequence": 32_768, "device": "h100-sxm",
             "recompute": "full", "gpu_busy": 0.99},
            {"tokens_per_second": 10**5, "gpus": 64, "model": "qwen3-30b-a3b", "sequence": 32_768, "device": "h100-sxm",
             "causal": True, "recompute": "selective"},
        ),
    )  # fmt: skip


def test_hfu_for_mfu_is_a_third_more_and_the_sparse_peak_half() -> None:
    given = {"tokens_per_second": 10**5, "gpus": 8, "model": "llama-3-8b", "device": "h100-sxm", "recompute": "full"}
    right = outputs(MFU, **given)["mfu"]
    wrong = slips(MFU, "mfu", **given)
    assert wrong["hfu_for_mfu"] / right == pytest.approx(4 / 3)
    assert wrong["sparse_peak"] / right == pytest.approx(0.5, rel=1e-3)
