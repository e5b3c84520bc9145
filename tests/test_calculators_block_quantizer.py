"""Block quantization: every code by trying all of them, and what Transformer Engine's and OCP's rules promise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.block_quantize import ELEMENTS, quantize
from quiz.errors import BadInput

QUANTIZE = find("block_quantize")
TYPES = {
    "mxfp8_e4m3": ml_dtypes.float8_e4m3fn,
    "mxfp8_e5m2": ml_dtypes.float8_e5m2,
    "mxfp6_e3m2": ml_dtypes.float6_e3m2fn,
    "mxfp6_e2m3": ml_dtypes.float6_e2m3fn,
    "mxfp4": ml_dtypes.float4_e2m1fn,
    "nvfp4": ml_dtypes.float4_e2m1fn,
}
LARGEST = {name: float(ml_dtypes.finfo(kind).max) for name, kind in TYPES.items()}
BLOCK = st.lists(st.floats(-1e4, 1e4).map(lambda x: round(x, 4)), min_size=1, max_size=16)
MX = st.sampled_from(sorted(set(TYPES) - {"nvfp4"}))


def quantized(format: Any, values: Any, **given: Any) -> Any:
    text = values if isinstance(values, str) else ",".join(map(repr, values))
    return run(QUANTIZE, {"format": format, "values": text, **given}).outputs


def codes(format: str) -> dict[Fraction, int]:
    """All finite numbers of the element format, each with its code's last bit."""
    bits = ml_dtypes.finfo(TYPES[format]).bits
    with np.errstate(all="ignore"):
        numbers = np.arange(2**bits, dtype=np.uint8).view(TYPES[format]).astype(np.float64)
    return {Fraction(float(n)): code & 1 for code, n in enumerate(numbers) if math.isfinite(n)}


def nearest(format: str, value: Fraction) -> Fraction:
    """The number of the format nearest to `value`, of two as near the one with an even code."""
    table = codes(format)
    return min(table, key=lambda n: (abs(n - value), table[n]))


@given(BLOCK, MX, st.sampled_from(["floor", "ceil"]))
def test_every_code_is_the_nearest_number(values: Any, format: Any, rule: Any) -> None:
    found = quantize(tuple(map(Fraction, values)), format, rule)
    for value, code in zip(found.values, found.codes, strict=True):
        assert code == nearest(format, value / found.scale)


@given(BLOCK, MX)
def test_the_scale_by_ocp_is_a_power_of_two_below_the_largest_value(values: Any, format: Any) -> None:
    """2^(floor(log2 amax) − emax): the largest value lands in [2^emax, 2^(emax+1))."""
    largest = max(map(abs, values))
    if not largest:
        return
    scale = Fraction(quantized(format, values)["scale"])
    emax = ELEMENTS[format].largest_exponent
    assert Fraction(2) ** emax <= Fraction(largest) / scale < Fraction(2) ** (emax + 1)
    assert math.frexp(float(scale))[0] == 0.5


@given(BLOCK, MX)
def test_the_scale_rounded_up_is_the_smallest_that_holds_the_largest_value(values: Any, format: Any) -> None:
    """Transformer Engine, MXFP8: the largest value fits without overflow; half that scale would not hold it."""
    largest = max(map(abs, values))
    if not largest:
        return
    scale = quantized(format, values, rule="ceil")["scale"]
    assert largest / scale <= LARGEST[format]
    assert Fraction(largest) / Fraction(scale) * 2 > LARGEST[format]


@given(BLOCK, st.floats(1, 1e4))
def test_nvfp4_is_transformer_engines_formula(values: Any, factor: Any) -> None:
    """s_global = amax/(448·6) in FP32, s_block = E4M3(block_amax/6/s_global), x = code·s_block·s_global."""
    largest = max(map(abs, values))
    if largest < 1e-3:
        return
    tensor_amax = largest * factor
    found = quantized("nvfp4", values, tensor_amax=tensor_amax)
    assert found["tensor_scale"] == np.float32(Fraction(tensor_amax) / (448 * 6))
    wanted = Fraction(largest) / 6 / Fraction(found["tensor_scale"])
    assert Fraction(found["block_scale"]) == nearest("mxfp8_e4m3", wanted)
    exact = quantize(tuple(map(Fraction, values)), "nvfp4", tensor_amax=Fraction(tensor_amax))
    for value, code in zip(exact.values, exact.codes, strict=True):
        if exact.scale:
            assert code == nearest("nvfp4", value / exact.scale)


@given(BLOCK, st.sampled_from(sorted(TYPES)), st.sampled_from(["floor", "ceil"]), st.integers(-3, 3))
def test_signs_and_powers_of_two_pass_through(values: Any, format: Any, rule: Any, exponent: Any) -> None:
    exact = tuple(map(Fraction, values))
    once = quantize(exact, format, rule)
    assert quantize(tuple(-v for v in exact), format, rule).codes == tuple(-c for c in once.codes)
    if any(exact):
        moved = quantize(tuple(v * Fraction(2) ** exponent for v in exact), format, rule)
        assert (moved.codes, moved.scale) == (once.codes, once.scale * Fraction(2) ** exponent)


def test_seventeen_in_mxfp8_is_sixteen() -> None:
    """17 lies half way between 16 and 18: to even as OCP has it; microxcaling's default gives 18."""
    found = quantized("mxfp8_e4m3", "17,448")
    assert (found["scale"], found["code"]) == (1, 16)


@pytest.mark.parametrize(("rule", "scale", "code"), [("floor", 1, 6), ("ceil", 2, 4)])
def test_the_two_rules_differ_where_the_largest_value_would_saturate(rule: Any, scale: Any, code: Any) -> None:
    """7.9 in MXFP4: rounded down the scale is 1 and 7.9 saturates at 6; rounded up it is 2 and 7.9 becomes 8."""
    found = quantized("mxfp4", "7.9,1", rule=rule)
    assert (found["scale"], found["code"]) == (scale, code)


def test_a_block_in_nvfp4_without_a_tensor_scale() -> None:
    """The values 10 to 40 with s_global = 1: 40/6 rounds to the E4M3 number 6.5, 30/6.5 = 4.6 to the code 4."""
    found = quantized("nvfp4", "10,20,30,40", tensor_amax=2688, index=3)
    assert (found["tensor_scale"], found["block_scale"], found["codes"]) == (1, 6.5, "1.5, 3, 4, 6")
    assert (found["restored"], found["error"]) == (26, -4)


def test_a_block_of_zeros_stays_zero() -> None:
    for format in TYPES:
        assert quantized(format, "0,0")["codes"] == "0, 0"


@pytest.mark.parametrize(
    ("format", "given"),
    [
        ("mxfp4", {"values": "1,a"}),
        ("mxfp4", {"values": ",".join(["1"] * 33)}),
        ("nvfp4", {"values": ",".join(["1"] * 17)}),
        ("nvfp4", {"values": "5", "tensor_amax": 4}),
        ("mxfp4", {"values": "1,2", "index": 3}),
    ],
)
def test_what_cannot_be_a_block_is_refused(format: Any, given: Any) -> None:
    with pytest.raises(BadInput):
        run(QUANTIZE, {"format": format, **given})


def test_every_slip_shows() -> None:
    check_slips(
        QUANTIZE,
        [
            {"format": "mxfp4", "values": "3,-0.7,0.26,7.3,2.5", "index": 4},
            {"format": "mxfp4", "values": "7.3,2.5", "index": 2},
            {"format": "mxfp8_e4m3", "values": "17,500,-3", "rule": "ceil", "index": 1},
            {"format": "nvfp4", "values": "10,20,30,40", "index": 3, "tensor_amax": 1000},
            {"format": "nvfp4", "values": "3,5,1.2", "index": 2, "tensor_amax": 900},
        ],
    )
