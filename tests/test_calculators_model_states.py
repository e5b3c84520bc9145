"""Model states and ZeRO's traffic against the ZeRO paper and Megatron Core, and against what always holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

COUNTS = st.integers(10**6, 10**12)
GPUS = st.integers(1, 4096)
# Rajbhandari et al. 2020, ZeRO, Table 1: GB a GPU by data-parallel degree, for stages 1, 2 and 3.
TABLE_1 = {
    7.5e9: {
        1: ("120", "120", "120"),
        4: ("52.5", "41.3", "30"),
        16: ("35.6", "21.6", "7.5"),
        64: ("31.4", "16.6", "1.88"),
        256: ("30.4", "15.4", "0.47"),
        1024: ("30.1", "15.1", "0.12"),
    },
    128e9: {
        1: ("2048", "2048", "2048"),
        4: ("896", "704", "512"),
        16: ("608", "368", "128"),
        64: ("536", "284", "32"),
        256: ("518", "263", "8"),
        1024: ("513", "257", "2"),
    },
    1e12: {
        1: ("16000", "16000", "16000"),
        4: ("7000", "5500", "4000"),
        16: ("4750", "2875", "1000"),
        64: ("4187", "2218", "250"),
        256: ("4046", "2054", "62.5"),
        1024: ("4011", "2013", "15.6"),
    },
}


def states(**given: Any) -> Any:
    return run(find("model_states"), given).outputs


def sent(**given: Any) -> Any:
    return run(find("zero_communication"), given).outputs


def slips(calculator: str, output: str, **given: Any) -> dict[str, Any]:
    return {slip.name: value for slip, value in run(find(calculator), given).slips(output)}


@pytest.mark.parametrize("parameters", TABLE_1)
def test_zero_s_table_1(parameters: float) -> None:
    """All 54 cells, to the last printed digit; some are cut off, some rounded there."""
    for dp, row in TABLE_1[parameters].items():
        for stage, printed in enumerate(row, start=1):
            last = 10 ** -len(printed.partition(".")[2])
            found = states(parameters=parameters, zero=stage, dp=dp)["per_gpu"] / 1e9
            assert abs(found - float(printed)) < last, (dp, stage)


def test_zero_s_example_of_7_5b_on_64_gpus() -> None:
    """ZeRO, Figure 1 and §5.2: 120 GB with plain data parallelism, 31.4, 16.6 and 1.9 GB with the three stages."""
    found = [states(parameters=7.5e9, zero=stage, dp=64)["per_gpu"] / 1e9 for stage in range(4)]
    assert [round(size, 1) for size in found] == [120, 31.4, 16.6, 1.9]


@pytest.mark.parametrize(
    ("weights", "gradients", "optimizer", "whole", "kept"),
    [
        (2, 2, 16, 20, 4),  # fp16 parameters, fp16 gradients: 20, or 4 + 16/d
        (2, 4, 12, 18, 6),  # bf16 parameters, fp32 gradients: 18, or 6 + 12/d
        (4, 4, 8, 16, 8),  # fp32 parameters, fp32 gradients: 16, or 8 + 8/d
    ],
)
def test_megatron_core_s_bytes_a_parameter(weights: int, gradients: int, optimizer: int, whole: int, kept: int) -> None:
    """Megatron Core, dist_optimizer.md: theoretical bytes a parameter; the distributed optimizer is ZeRO-1."""
    widths = {"weight_bytes": weights, "gradient_bytes": gradients, "optimizer_bytes": optimizer}
    assert states(parameters=1000, **widths)["bytes_per_parameter"] == whole
    for d in (2, 8, 64):
        assert states(parameters=1000, **widths, zero=1, dp=d)["per_gpu"] == 1000 * (kept + optimizer / d)


def test_adam_s_share_of_13b() -> None:
    """Moments 104 GB, with master weights 156 GB, all states 208 GB; 52 and 26 GB are the usual wrong answers."""
    whole = states(parameters=13e9)
    assert whole["optimizer"] == 156e9
    assert whole["total"] == 208e9
    wrong = slips("model_states", "optimizer", parameters=13e9)
    assert wrong["moments_only"] == 104e9
    assert wrong["moments_in_16_bits"] == 52e9
    assert wrong["one_moment"] == 26e9


def test_72b_does_not_fit_on_eight_80_gb_cards() -> None:
    """Even with ZeRO-3 its states take 145 GB on each."""
    assert round(states(model="qwen2.5-72b", zero=3, dp=8)["per_gpu"] / 1e9) == 145


def test_hugging_face_s_training_table_counts_8_bytes_and_less() -> None:
    """Hugging Face, Llama 3.1, full fine-tuning: 3.25 TB for 405B and 60 GB for 8B are about 8 bytes a parameter, half of
    mixed-precision Adam's 16; its 300 GB for 70B are not even 5 and do not fit the other two rows.
    """
    wrong = slips("model_states", "total", model="llama-3.1-405b")["four_times_weights"]
    assert wrong / 1e12 == pytest.approx(3.25, rel=0.005)
    assert slips("model_states", "total", model="llama-3.1-8b")["four_times_weights"] / 1e9 == pytest.approx(
        60, rel=0.08
    )
    assert 300e9 / states(model="llama-3.1-70b")["weights"] * 2 < 5


def test_what_differs_between_eight_and_sixteen_cards() -> None:
    """Weights a GPU are the same for ZeRO-1 and 2 and halve for ZeRO-3; a 7B model takes 38.5 and 33.25 GB at stage 1."""
    assert states(parameters=7e9, zero=1, dp=8)["per_gpu"] == 38.5e9
    assert states(parameters=7e9, zero=1, dp=16)["per_gpu"] == 33.25e9
    only_weights = {"parameters": 7e9, "gradient_bytes": 0, "optimizer_bytes": 0}
    for stage, factor in ((1, 1), (2, 1), (3, 2)):
        eight, sixteen = (states(**only_weights, zero=stage, dp=dp)["per_gpu"] for dp in (8, 16))
        assert eight == factor * sixteen


@given(COUNTS, GPUS, st.integers(1, 16), st.integers(1, 16))
def test_gpus_together_hold_every_state_once_at_least(parameters: int, dp: int, tp: int, pp: int) -> None:
    whole = states(parameters=parameters)["total"]
    found = [states(parameters=parameters, zero=stage, dp=dp, tp=tp, pp=pp)["per_gpu"] for stage in range(4)]
    assert found == sorted(found, reverse=True)
    assert all(each * dp * tp * pp >= whole * (1 - 1e-12) for each in found)
    assert found[0] == pytest.approx(whole / (tp * pp))
    assert found[3] == pytest.approx(whole / (dp * tp * pp))
    if dp == 1:
        assert len(set(found)) == 1


@given(COUNTS, st.integers(0, 3), GPUS, st.integers(2, 9))
def test_bytes_are_linear_in_the_parameters(parameters: int, zero: int, dp: int, factor: int) -> None:
    one, more = (states(parameters=count, zero=zero, dp=dp) for count in (parameters, factor * parameters))
    for output in ("weights", "gradients", "optimizer", "total", "per_gpu"):
        assert more[output] == pytest.approx(factor * one[output])
    assert one["total"] == one["weights"] + one["gradients"] + one["optimizer"]


@given(COUNTS, st.integers(0, 3), GPUS)
def test_zero_s_section_7_without_a_gpu_s_own_share(parameters: int, zero: int, dp: int) -> None:
    """ZeRO, §7: 2Ψ for stages 1 and 2 as for plain data parallelism, 3Ψ for stage 3, for many GPUs."""
    elements = sent(parameters=parameters, zero=zero, dp=dp)["elements"]
    assert elements * dp == pytest.approx((3 if zero == 3 else 2) * parameters * (dp - 1))
    assert elements < 3 * parameters
    assert sent(parameters=parameters, zero=zero, dp=dp, bytes_per_element=4)["bytes"] == pytest.approx(4 * elements)


@given(COUNTS, st.integers(2, 4096))
def test_stage_3_sends_half_as_much_again(parameters: int, dp: int) -> None:
    """ZeRO, §5.3: parameter partitioning raises the communication volume to 1.5 times, stages 1 and 2 not at all."""
    plain, *stages = (sent(parameters=parameters, zero=stage, dp=dp)["elements"] for stage in range(4))
    assert stages[0] == stages[1] == plain
    assert stages[2] == pytest.approx(1.5 * plain)


def test_one_gpu_sends_nothing() -> None:
    assert sent(parameters=7e9, zero=3, dp=1) == {"elements": 0, "bytes": 0}


def test_zero_2_is_not_3p() -> None:
    wrong = slips("zero_communication", "bytes", parameters=7e9, zero=2, dp=8)
    assert wrong["zero_2_as_3"] == 1.5 * 2 * 7e9 * 7 / 8 * 2
    assert "zero_3_as_2" not in wrong
