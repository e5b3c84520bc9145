"""Integer quantization: against printed vectors, numpy, and what an outlier does."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.int_quantize import quantize
from quiz.errors import BadInput

QUANTIZE = find("int_quantize")
VALUES = st.lists(st.floats(-1e4, 1e4).map(lambda x: round(x, 3)), min_size=1, max_size=20)
PRINTED = "1.2, -0.5, -4.3, 1.2, -3.1, 0.8, 2.4, 5.4"


def quantized(values: Any, **given: Any) -> Any:
    text = values if isinstance(values, str) else ",".join(map(repr, values))
    return run(QUANTIZE, {"values": text, **given}).outputs


def test_absmax_of_hugging_face() -> None:
    """A Gentle Introduction to 8-bit Matrix Multiplication: 127/5.4 = 23.5, [28, -12, -101, 28, -73, 19, 56, 127]."""
    found = quantized(PRINTED)
    assert 1 / found["scale"] == pytest.approx(23.5, abs=0.05)
    assert found["codes"] == "28, -12, -101, 28, -73, 19, 56, 127"


def test_the_same_vector_restored() -> None:
    """The expected values that a JAX library's own test has for the same vector."""
    expected = [1.1905512, -0.5102362, -4.294488, 1.1905512, -3.103937, 0.807874, 2.3811023, 5.4]
    for index, restored in enumerate(expected, 1):
        assert quantized(PRINTED, index=index)["restored"] == pytest.approx(restored, abs=1e-6)


@given(VALUES, st.sampled_from([4, 8]))
def test_symmetric_codes_are_numpys(values: Any, bits: Any) -> None:
    top = 2 ** (bits - 1) - 1
    largest = max(map(abs, values))
    if not largest:
        return
    found = quantize(tuple(map(Fraction, values)), bits)
    scaled = [float(Fraction(v) / found.scale) for v in values]
    assert list(found.codes) == [int(c) for c in np.clip(np.round(scaled), -top, top)]
    assert found.scale * top == Fraction(largest)


@given(VALUES, st.sampled_from([4, 8]), st.sampled_from(["symmetric", "asymmetric"]))
def test_no_value_is_off_by_more_than_a_step(values: Any, bits: Any, scheme: Any) -> None:
    """Half a step, and another half where the zero point was rounded and a value at the end is cut off."""
    found = quantize(tuple(map(Fraction, values)), bits, scheme)
    most = found.scale / 2 if scheme == "symmetric" else found.scale
    assert all(abs(a - b) <= most for a, b in zip(found.restored, found.values, strict=True))
    assert quantize((*map(Fraction, values), Fraction(0)), bits, scheme).restored[-1] == 0


def test_one_outlier_zeroes_the_rest_and_groups_save_it() -> None:
    """-10,000 among values in [-1, 1]: a step of 78.7 for all, every other value 0; in groups, the others keep theirs."""
    values = "-10000,0.5,-0.9,0.1,1,0.3,-0.2,0.7"
    whole, grouped = quantized(values, index=6), quantized(values, index=6, group=4)
    assert whole["scale"] == pytest.approx(78.74, abs=0.005)
    assert (whole["zeroed"], whole["restored"]) == (7, 0)
    assert grouped["zeroed"] == 3
    assert grouped["restored"] == pytest.approx(0.3, abs=0.004)
    clipped = quantized(values, index=6, clip=1)
    assert (clipped["zeroed"], clipped["largest_error"]) == (0, 9999)


def test_ties_go_to_even_or_away() -> None:
    """0.5 and 1.5 steps: 0 and 2 to even, 1 and 2 away from zero."""
    assert quantized("127,0.5,1.5")["codes"] == "127, 0, 2"
    assert quantized("127,0.5,1.5", ties="away")["codes"] == "127, 1, 2"


def test_all_zeros_stay_zero() -> None:
    for scheme in ("symmetric", "asymmetric"):
        assert quantized("0,0", scheme=scheme)["codes"] == "0, 0"


@pytest.mark.parametrize("given", [{"values": "1,b"}, {"values": "1", "index": 2}, {"values": "1", "clip": 0}])
def test_what_cannot_be_quantized_is_refused(given: Any) -> None:
    with pytest.raises(BadInput):
        run(QUANTIZE, given)


def test_every_slip_shows() -> None:
    outlier = "-10000,0.5,-0.9,0.1,1,0.3,-0.2,0.7"
    check_slips(
        QUANTIZE,
        [
            {"values": outlier, "index": 6, "group": 4},
            {"values": "-1,0.5,2.9", "scheme": "asymmetric", "index": 2},
            {"values": "127,0.5,1.5,90", "index": 2},
            {"values": "100,50.8,-99.6", "bits": 4, "index": 2},
            {"values": "7,3.4,-2", "bits": 4, "index": 2},
        ],
    )
