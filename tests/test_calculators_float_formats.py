"""Floating-point formats: bit for bit against numpy and ml_dtypes, and against the printed tables."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.rounding import FORMATS, store

ADD, FORMAT = find("float_add"), find("float_format")
ORACLES = {
    "fp64": np.float64,
    "fp32": np.float32,
    "fp16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "fp8_e4m3": ml_dtypes.float8_e4m3fn,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "fp4_e2m1": ml_dtypes.float4_e2m1fn,
}
SUMS = [name for name in ORACLES if name != "fp4_e2m1"]
NAMES = st.sampled_from(sorted(ORACLES))


def add(format: Any, big: Any, small: Any, **given: Any) -> Any:
    return run(ADD, {"format": format, "big": big, "small": small, **given}).outputs


def limits(format: Any, **given: Any) -> Any:
    return run(FORMAT, {"format": format, **given}).outputs


def stored(format: Any, value: Any, **given: Any) -> Any:
    return limits(format, value=value, **given)["stored"]


def word(value: Any) -> Any:
    """A float of the oracle as the calculator gives it."""
    value = float(value)
    if math.isnan(value):
        return "nan"
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


def near(format: Any) -> Any:
    """binary32 values of every size that the format knows, its ties and its overflow among them."""
    reach = float(min(4 * FORMATS[format].largest, FORMATS["fp32"].largest))
    half_a_step = float(max(FORMATS[format].smallest_subnormal, FORMATS["fp32"].smallest_subnormal)) / 2
    return st.one_of(
        st.floats(-reach, reach, width=32),
        st.integers(-(2**11), 2**11).map(lambda steps: float(np.float32(steps * half_a_step))),
        st.integers(-(2**12), 2**12).map(float),
    )


# The answer that the question asks for


def test_nine_point_nine_billion_minus_a_billionth_in_fp32() -> None:
    """9.9e9 is not a number of binary32: 9,900,000,256 is, its neighbours 1024 away."""
    found = add("fp32", 9.9e9, 1e-9)
    assert found["result"] == found["stored_big"] == 9_900_000_256
    assert isinstance(found["result"], int)
    assert found["ulp"] == 1024
    assert (found["absorbed"], found["overflow"]) == ("yes", "no")
    assert float(np.float32(9.9e9) - np.float32(1e-9)) == found["result"]


def test_half_an_ulp_disappears_or_not_by_the_last_bit() -> None:
    """Strictly below 512 disappears at 9,900,000,256; exactly 512 moves it, its significand 9667969 being odd."""
    assert add("fp32", 9.9e9, 511)["absorbed"] == "yes"
    assert add("fp32", 9.9e9, 512)["result"] == 9_900_000_256 - 1024
    assert add("fp32", 9.9e9 + 1024, 512)["absorbed"] == "yes"


def test_below_a_power_of_two_the_threshold_is_a_quarter() -> None:
    assert add("fp32", 2**24, 0.5)["absorbed"] == "yes"
    assert add("fp32", 2**24, 0.75)["result"] == 2**24 - 1
    assert add("fp32", 2**24, 1, subtract=False)["absorbed"] == "yes"


# Printed tables


@pytest.mark.parametrize(
    ("format", "largest", "smallest_normal", "smallest_subnormal"),
    [("fp8_e4m3", 448, 2.0**-6, 2.0**-9), ("fp8_e5m2", 57_344, 2.0**-14, 2.0**-16)],
)
def test_table_1_of_fp8_formats_for_deep_learning(
    format: Any, largest: Any, smallest_normal: Any, smallest_subnormal: Any
) -> None:
    """Micikevicius et al. 2022, Table 1: max normal, min normal, min subnormal."""
    found = limits(format)
    assert found["largest"] == largest
    assert found["smallest_normal"] == smallest_normal
    assert found["smallest_subnormal"] == smallest_subnormal
    assert found["bits"] == 8


def test_the_seven_numbers_of_e2m1() -> None:
    """ONNX, Float stored in 4 bits: 0.5 1 1.5 2 3 4 6; beyond 6 is 6, to nearest even below."""
    assert sorted({stored("fp4_e2m1", step / 8) for step in range(49)}) == [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    assert [stored("fp4_e2m1", value) for value in (2.5, 3.5, 5, 7, -100)] == [2, 4, 4, 6, -6]


@pytest.mark.parametrize(
    ("format", "value", "saturated", "otherwise"),
    [
        ("fp8_e4m3", 1e6, 448, "nan"),
        ("fp8_e4m3", -1e6, -448, "nan"),
        ("fp8_e5m2", 1e6, 57_344, "inf"),
        ("fp8_e5m2", -1e6, -57_344, "-inf"),
        ("fp8_e4m3", 464, 448, 448),
        ("fp8_e4m3", 465, 448, "nan"),
    ],
)
def test_the_two_casts_of_onnx(format: Any, value: Any, saturated: Any, otherwise: Any) -> None:
    """ONNX, Float stored in 8 bits, Cast: FLT_MAX with saturation; NaN (E4M3FN) or infinity (E5M2) without."""
    assert stored(format, value, saturate=True) == saturated
    assert stored(format, value) == otherwise


def test_tf32_has_19_bits_and_makes_1_0001_a_one() -> None:
    """CUDA Math API, __nv_tf32: 1 + 8 + 10 bits; TensorFlow's documentation: 1024 products of 1.0001 add up to 1024.0."""
    assert limits("tf32")["bits"] == 19
    assert stored("tf32", 1.0001) == 1


def test_one_minus_five_fifths_with_and_without_rounding_between() -> None:
    """Allison 2006, Where Did All My Decimals Go?, prints −1.49012e-8 for 1.0f − 0.2f five times: that is the exact sum of
    the stored numbers, rounded once. Rounded after every step, as binary32 arithmetic does, it is 2.98023e-8."""
    fifth = Fraction(stored("fp32", 0.2))
    assert float(1 - 5 * fifth) == pytest.approx(-1.49012e-8, rel=1e-5)
    left = 1.0
    for _ in range(5):
        left = add("fp32", left, 0.2)["result"]
    assert left == pytest.approx(2.98023e-8, rel=1e-5)


@pytest.mark.parametrize("format", ORACLES)
def test_the_limits_are_those_of_the_libraries(format: Any) -> None:
    info = ml_dtypes.finfo(ORACLES[format])
    found = limits(format)
    assert found["largest"] == float(info.max)
    assert found["smallest_normal"] == float(info.smallest_normal)
    assert found["smallest_subnormal"] == float(info.smallest_subnormal)
    assert found["epsilon"] == float(info.eps)
    assert found["bits"] == info.bits


# Bit for bit


@given(st.data(), NAMES)
def test_storing_is_that_of_the_libraries(data: Any, format: Any) -> None:
    value = data.draw(near(format))
    with np.errstate(all="ignore"):
        assert stored(format, value) == word(np.array(value).astype(np.float32).astype(ORACLES[format]))


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_tf32_is_binary32_without_its_last_13_bits(value: float) -> None:
    """To nearest even on the bits themselves."""
    bits = int(np.array(value, dtype=np.float32).view(np.uint32))
    rounded = (bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF
    assert stored("tf32", value) == word(np.array(rounded, dtype=np.uint32).view(np.float32))


@given(st.data(), st.sampled_from(SUMS), st.booleans())
def test_sums_are_those_of_the_libraries(data: Any, format: Any, subtract: Any) -> None:
    big, small = data.draw(near(format)), data.draw(near(format))
    with np.errstate(all="ignore"):
        first, second = (np.array(value).astype(np.float32).astype(ORACLES[format]) for value in (big, small))
        expected = word(first - second if subtract else first + second)
    assert add(format, big, small, subtract=subtract)["result"] == expected


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_binary64_sums_are_pythons(big: Any, small: Any) -> None:
    assert add("fp64", big, small)["result"] == word(big - small)


@given(st.floats(-float(2**127), float(2**127), width=32).filter(bool))
def test_the_ulp_of_binary32_is_numpys_spacing(value: Any) -> None:
    assert limits("fp32", value=value)["ulp"] == float(np.spacing(np.float32(abs(value))))


@pytest.mark.parametrize("format", ["fp8_e4m3", "fp8_e5m2", "fp4_e2m1", "fp16", "bf16"])
def test_every_number_of_a_short_format_is_stored_as_itself(format: Any) -> None:
    form = FORMATS[format]
    codes = np.arange(2**form.bits, dtype=np.uint16 if form.bits == 16 else np.uint8)
    with np.errstate(all="ignore"):
        numbers = codes.view(ORACLES[format]).astype(np.float64)
    for value in map(float, numbers):
        if math.isfinite(value):
            assert store(form, Fraction(value)) == Fraction(value)


# Laws


@given(st.data(), NAMES)
def test_storing_twice_is_storing_once(data: Any, format: Any) -> None:
    once = store(FORMATS[format], Fraction(data.draw(near(format))), saturate=True)
    assert store(FORMATS[format], once) == once


@given(st.data(), NAMES)
def test_storing_keeps_order_and_sign(data: Any, format: Any) -> None:
    low, high = sorted((Fraction(data.draw(near(format))), Fraction(data.draw(near(format)))))
    form = FORMATS[format]
    assert store(form, low, saturate=True) <= store(form, high, saturate=True)
    assert store(form, -low, saturate=True) == -store(form, low, saturate=True)


@given(st.data(), NAMES)
def test_the_error_is_half_an_ulp_at_most(data: Any, format: Any) -> None:
    form, value = FORMATS[format], Fraction(data.draw(near(format)))
    held = store(form, value, saturate=True)
    if abs(held) < form.largest:
        assert abs(held - value) <= max(form.spacing(held), form.spacing(value)) / 2


@given(st.data(), st.sampled_from(SUMS))
def test_absorbed_says_that_the_sum_is_the_first_operand(data: Any, format: Any) -> None:
    found = add(format, data.draw(near(format)), data.draw(near(format).filter(bool)))
    if not isinstance(found["result"], str):
        assert (found["absorbed"] == "yes") == (found["result"] == found["stored_big"])


def test_nothing_added_is_not_absorbed() -> None:
    assert add("fp32", 1, 0)["absorbed"] == "no"


@pytest.mark.parametrize(
    ("format", "big", "small", "overflow"),
    [
        ("fp16", 65504, 15, "no"),
        ("fp16", 65504, 16, "yes"),
        ("fp8_e4m3", 448, 16, "no"),
        ("fp8_e4m3", 448, 32, "yes"),
        ("fp16", 70000, 1, "yes"),
        ("bf16", 70000, 1, "no"),
    ],
)
def test_overflow_begins_half_a_step_above_the_largest_number(format: Any, big: Any, small: Any, overflow: Any) -> None:
    assert add(format, big, small, subtract=False)["overflow"] == overflow
    assert add(format, big, small, subtract=False, saturate=True)["overflow"] == overflow


def test_a_saturated_sum_is_the_largest_number() -> None:
    assert add("fp8_e4m3", 448, 32, subtract=False, saturate=True)["result"] == 448
    assert add("fp8_e4m3", 448, 32, subtract=False)["result"] == "nan"
    assert add("fp16", 65504, 65504, subtract=False)["result"] == "inf"


def test_infinity_minus_infinity_is_no_number() -> None:
    found = add("fp16", 1e6, 1e6)
    assert found["result"] == "nan"
    assert found["ulp"] is None


# Usual mistakes


@pytest.mark.parametrize(
    ("calculator", "rows"),
    [
        (
            ADD,
            [
                {"format": "fp32", "big": 9.9e9, "small": 1e-9},
                {"format": "fp32", "big": 9.9e9, "small": 700},
                {"format": "fp16", "big": 4098, "small": 2, "subtract": False},
                {"format": "bf16", "big": 1000, "small": 0.1},
            ],
        ),
        (
            FORMAT,
            [
                {"format": "fp8_e4m3", "value": 21},
                {"format": "fp16", "value": 2049.5},
                {"format": "tf32", "value": 3.3},
                {"format": "bf16", "value": 3.3},
            ],
        ),
    ],
)
def test_every_slip_differs_from_the_right_value_somewhere(calculator: Any, rows: Any) -> None:
    seen = set()
    for row in rows:
        result = run(calculator, row)
        for output in result.outputs:
            seen |= {(output, slip.name) for slip, _ in result.slips(output)}
            assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in calculator.slips}


def test_e4m3_is_taken_for_240_and_480_and_bf16_for_fp16() -> None:
    slips = {slip.name: value for slip, value in run(FORMAT, {"format": "fp8_e4m3"}).slips("largest")}
    assert (slips["as_ieee"], slips["every_code_a_number"]) == (240, 480)
    slips = {slip.name: value for slip, value in run(FORMAT, {"format": "bf16"}).slips("largest")}
    assert slips["format_of_the_same_width"] == 65504
