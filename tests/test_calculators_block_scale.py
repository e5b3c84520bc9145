"""Block-scaled formats: against printed bits and the sizes of published checkpoints."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.block_scale import FORMATS
from quiz.calculators.models import MODELS

SCALED = find("block_scaled_size")


def scaled(**given: Any) -> Any:
    return run(SCALED, given).outputs


@pytest.mark.parametrize(
    ("format", "bits"),
    [
        ("mxfp4", 4.25),  # gpt-oss model card: 4.25 bits a parameter
        ("nvfp4", 4.5),  # Transformer Engine: an E4M3 scale for 16 elements
        ("mxfp8", 8.25),  # Transformer Engine: an E8M0 scale for 32 elements
        ("nf4", 4.5),  # QLoRA: 32-bit constants and a block of 64 add 32/64 = 0.5 bits
        ("q8_0", 8.5),  # llama.cpp prints 8.50 BPW
        ("int4-g128-zero", 4.15625),  # compressed-tensors: a scale of 16 bits and a zero point of 4 for 128 weights
    ],
)
def test_printed_bits(format: Any, bits: Any) -> None:
    assert scaled(format=format)["per_element"] * 8 == bits


@pytest.mark.parametrize(("model", "gibibytes"), [("gpt-oss-120b", 60.8), ("gpt-oss-20b", 12.8)])
def test_the_checkpoints_of_gpt_oss(model: Any, gibibytes: Any) -> None:
    """Its model card: experts in MXFP4, the rest in BF16: 60.8 and 12.8 GiB."""
    shape = MODELS[model]
    experts = shape.layers * shape.experts * 3 * shape.hidden * shape.expert_ffn
    from quiz.calculators.models import parameters

    rest = 2 * (parameters(shape) - experts)
    assert (scaled(format="mxfp4", elements=experts)["size"] + rest) / 2**30 == pytest.approx(gibibytes, abs=0.05)


@given(st.sampled_from(sorted(FORMATS)), st.integers(1, 10**6))
def test_the_size_is_the_bits_of_elements_and_scales(format: Any, elements: Any) -> None:
    bits, scale, block, tensor = FORMATS[format]
    packed = (
        sum(bits * min(block, elements - start) + scale for start in range(0, elements, block))
        if elements < 5000
        else None
    )
    found = scaled(format=format, elements=elements)
    if packed is not None:
        assert found["size"] * 8 == packed + tensor
    assert found["per_element"] * elements == pytest.approx(found["size"], rel=1e-12)
    assert found["compression"] == pytest.approx(2 / found["per_element"])


def test_every_slip_shows() -> None:
    check_slips(SCALED, [{"format": name, "elements": 10**6} for name in ("nvfp4", "mxfp4")])
