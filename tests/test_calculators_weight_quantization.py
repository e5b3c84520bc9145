"""Weight-only quantization: against published file sizes and the scaling book's critical batches."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

QUANTIZATION = find("weight_quantization")
TPU = {"peak": 197e12, "bandwidth": 8.2e11}


def quantized(**given: Any) -> Any:
    return run(QUANTIZATION, given).outputs


def test_the_size_of_a_70b_in_awq() -> None:
    """Synthia-70B-v1.2b-AWQ (Llama 2 70B, 4 bit, group 128): 36.61 GB on its model card. A 16-bit scale and a 4-bit zero
    point a group, embedding and head in 16 bits."""
    assert quantized(model="llama-2-70b", zero_bits=4)["size"] / 1e9 == pytest.approx(36.61, abs=0.005)


def test_the_bits_that_tools_write() -> None:
    """4.15625 bits with a packed zero point, 4.25 with a scale and an offset of 16 bits each, in groups of 128."""
    assert quantized(model="llama-3-8b", zero_bits=4)["per_weight"] * 8 == 4.15625
    assert quantized(model="llama-3-8b", zero_bits=16)["per_weight"] * 8 == 4.25


@pytest.mark.parametrize(("bits", "batch"), [(8, 120), (4, 60)])
def test_the_critical_batches_of_the_scaling_book(bits: Any, batch: Any) -> None:
    """Serving LLaMA 3-70B on TPU v5e: compute binds from 240 on, from 120 and 60 with int8 and int4 weights in bf16
    arithmetic. Up to there the gain is that of the bytes, from 240 on there is none."""
    bare = {"parameters": 10**9, "scale_bits": 0, "bits": bits, **TPU}
    assert quantized(**bare)["tokens_without_gain"] == pytest.approx(240, abs=0.5)
    assert quantized(**bare, tokens=batch)["speedup"] == pytest.approx(16 / bits, rel=0.005)
    assert quantized(**bare, tokens=2 * batch)["speedup"] == pytest.approx(8 / bits, rel=0.005)
    assert quantized(**bare, tokens=241)["speedup"] == 1


@given(st.integers(2, 8), st.sampled_from([32, 64, 128]), st.integers(1, 2000), st.floats(0, 1e11))
def test_the_gain_lies_between_none_and_the_compression(bits: Any, group: Any, tokens: Any, kv: Any) -> None:
    found = quantized(model="llama-3-8b", bits=bits, group=group, tokens=tokens, kv_read=kv, device="h100-sxm")
    assert 1 <= found["speedup"] <= 16 / bits
    if tokens >= found["tokens_without_gain"]:
        assert found["speedup"] == 1
    assert found["compression"] == pytest.approx(2 * 8_030_261_248 / found["size"])


def test_more_wide_parameters_than_there_are_is_refused() -> None:
    with pytest.raises(BadInput):
        quantized(parameters=10, wide_parameters=11)


def test_every_slip_shows() -> None:
    rates = {"device": "a100-sxm-80gb"}
    check_slips(
        QUANTIZATION,
        [
            {"model": "llama-2-7b", "zero_bits": 4, "tokens": 64, **rates},
            {"model": "llama-3-8b", "tokens": 8, "kv_read": "8 GB", **rates},
            {"model": "llama-3-8b", "tokens": 4096, **rates},
        ],
    )
