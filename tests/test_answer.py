"""The verdict on a typed number: right within the tolerance, wrong with what usually gives it, or asked again."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quiz.answer import check_answer, check_quantity
from quiz.language import Text
from quiz.language.verdict import DIMENSIONS, WORDS
from quiz.number_rounding import rounded
from quiz.quantity import Quantity

C, I, U = "correct", "incorrect", "unreadable"  # noqa: E741


@pytest.mark.parametrize(
    ("text", "expected", "unit", "rtol", "verdict"),
    [
        # relative, the bound included
        ("101", "100", None, 0.01, C),
        ("99", "100", None, 0.01, C),
        ("101.1", "100", None, 0.01, I),
        ("98.9", "100", None, 0.01, I),
        ("105", "100", None, 0.05, C),
        ("101 GB", "100 GB", None, 0.01, C),
        ("-99", "-100", None, 0.01, C),
        ("99", "-100", None, 0.01, I),
        # exact
        ("327,680 bytes", "320 KiB", None, 0, C),
        ("327,681 bytes", "320 KiB", None, 0, I),
        ("328 KB", "320 KiB", None, 0, I),
        ("320", "320 KiB", "KiB", 0, C),
        ("1/3", "1/3", None, 0, C),
        ("0.333", "1/3", None, 0, I),
        ("0.30", "0.3", None, 0, C),
        # KB and KiB differ whatever the card allows
        ("320 KB", "320 KiB", None, 0.01, I),
        ("320 KB", "320 KiB", None, 0.05, I),
        ("80 GB", "80 GiB", None, 0.08, I),
        ("320000 bytes", "320 KiB", None, 0.05, I),
        ("82 GB", "80 GB", None, 0.05, C),
        ("324 KB", "320 KB", None, 0.05, I),
        ("323 KB", "320 KB", None, 0.05, C),
        # rounded to the digits typed, two at least
        ("21", "21.4", None, 0.01, C),
        ("22", "21.4", None, 0.01, I),
        ("2", "2.04", None, 0.01, I),
        ("2.0", "2.04", None, 0.01, C),
        ("300", "295.2", None, 0.01, C),
        ("290", "295.2", None, 0.01, I),
        ("18 %", "17.5 %", "%", 0.01, C),
        ("17 %", "17.5 %", "%", 0.01, C),
        ("17 GB", "16 GiB", None, 0.01, C),
        ("1.6B", "1.56e9 parameter", None, 0.01, C),
        ("1.6 GB", "1.56 GB", None, 0.01, C),
        ("10", "9.6", None, 0.01, I),
        ("100 KB", "100 KiB", None, 0.01, I),
        ("1.0 MB", "1 MiB", None, 0.01, I),
        ("42/2", "21.4", None, 0.01, I),
        # counts are exact
        ("128 GPUs", "128 GPU", None, 0.01, C),
        ("129 GPUs", "128 GPU", None, 0.01, I),
        ("128.5 GPUs", "128 GPU", None, 0.01, I),
        ("4097", "4096 token", "token", 0.01, I),
        ("1001 tokens", "1000 tokens", None, 0.01, I),
        ("4100", "4096 token", "token", 0.01, C),
        ("4.1K", "4096 token", "token", 0.01, C),
        ("524k", "524288 token", "token", 0.01, C),
        ("8,029,995,008", "8030261248 parameter", "parameter", 0.01, C),
        ("五百九十二", "591 token", "token", 0.01, I),
        # K and M on a count are either
        ("128K", "131072 token", "token", 0, C),
        ("128K", "128000 token", "token", 0, C),
        ("1M tokens", "1048576 token", None, 0, C),
        ("127K", "131072 token", "token", 0, I),
        ("128K tokens × 320 KiB/token", "40 GiB", "GiB", 0.01, C),
        # a bare number
        ("320", "320 KiB", "KiB", 0.01, C),
        ("320", "320 KiB", None, 0.01, U),
        ("320", "320 KiB", "", 0.01, U),
        ("0.5", "0.5", "", 0.01, C),
        ("8", "8 GPU", None, 0.01, C),
        ("17.9", "7/39", "%", 0.01, C),
        ("7/39", "7/39", "%", 0.01, C),
        ("0.179", "7/39", "%", 0.01, I),
        ("17.9", "0.179", "%", 0.01, C),
        ("0.179x", "7/39", "%", 0.01, C),
        # zero: absolute, a billionth of the unit asked
        ("0", "0 GB", "GB", 0.01, C),
        ("1 byte", "0 GB", "GB", 0.01, C),
        ("2 bytes", "0 GB", "GB", 0.01, I),
        ("1e-9", "0", None, 0.01, C),
        ("1e-8", "0", None, 0.01, I),
        # another dimension
        ("0 s", "0 GB", "GB", 0.01, I),
        ("0 tokens", "0 GB", "GB", 0.01, I),
        ("320 ms", "320 KiB", None, 0.01, I),
        ("5%", "320 KiB", None, 0.01, I),
        ("30 days", "30 GPU-days", None, 0.01, I),
        ("30 GPU-days", "30 days", None, 0.01, I),
        ("100 QPS", "100 token/s", None, 0.01, I),
        ("7e9 tokens", "7e9 parameter", None, 0.01, I),
        ("989 TFLOP", "989 TFLOP/s", None, 0.01, I),
        ("989 TFLOPS", "989 TFLOP/s", None, 0.01, C),
        ("989 TFLOPS", "989 TFLOP", None, 0.01, C),
        ("50 GB/s", "400 Gb/s", None, 0.01, C),
        ("400 GB/s", "400 Gb/s", None, 0.01, I),
        # what only one side divides by is left out
        ("320 KiB/token", "320 KiB", None, 0.01, C),
        ("320 KiB", "320 KiB/token", None, 0.01, C),
        ("17.5 GB/GPU", "17.5 GB", None, 0.01, C),
        ("2 bytes per parameter", "2 bytes", None, 0.01, C),
        ("40 KiB per layer", "40 KiB", None, 0.01, C),
        ("70B params × 2 bytes", "140 GB", "GB", 0.01, C),
        ("6 × 70B params × 15T tokens", "6.3e24 FLOP", "FLOP", 0.01, C),
        ("8 GPUs × 80 GB", "640 GB", "GB", 0.01, C),
        # the inverse unit is right or asked again
        ("20 ms/token", "50 token/s", "token/s", 0.01, C),
        ("20 ms", "50 token/s", "token/s", 0.01, C),
        ("50 ms/token", "50 token/s", "token/s", 0.01, U),
        ("0 ms/token", "50 token/s", "token/s", 0.01, U),
        ("0.00339 byte/FLOP", "295 FLOP/byte", "FLOP/byte", 0.01, C),
        ("50 tokens/s", "20 ms/token", "ms/token", 0.01, C),
        # never graded
        ("", "320 KiB", "KiB", 0.01, U),
        ("300-340", "320 KiB", "KiB", 0.01, U),
        ("320 KiB or 640 KiB", "320 KiB", None, 0.01, U),
        ("> 320 KiB", "320 KiB", None, 0.01, U),
        # two ways to write one answer
        ("7/39 = 17.9%", "7/39", "%", 0, C),
        ("7/39 = 18.9%", "7/39", "%", 0.01, U),
        ("7/39 = 18.9%", "7/39", "%", 0.06, C),
        ("320 KiB (327,680 bytes)", "320 KiB", "KiB", 0.01, C),
    ],
)
def test_verdicts(text: str, expected: str, unit: str | None, rtol: float, verdict: str) -> None:
    assert check_quantity(text, expected, unit, rtol).verdict == verdict


def test_a_calculators_float_is_right_to_its_last_bit() -> None:
    assert check_quantity("0.3", Quantity(0.1 + 0.2), rtol=0).verdict == C
    assert check_quantity("6.3e24", Quantity(6 * 70e9 * 15e12, "FLOP"), "FLOP", 0).verdict == C
    assert check_quantity("99", Quantity(100 * (1 + 1e-16)), rtol=0.01).verdict == C
    assert check_quantity("7/39", Quantity(7 / 39), "%", 0).verdict == C


def test_expected_can_be_a_fraction() -> None:
    assert check_quantity("7/39", Quantity(0, exact=Fraction(7, 39)), "%", 0).verdict == C


SLIPS = [
    (Text("share of the ideal time", "占理想时间的比例"), 7 / 32),
    (Text("p for p−1", "把 p−1 当成 p"), 8 / 39),
    (Text("no value there", "此处无值"), float("inf")),
]


def test_a_named_slip_is_told_and_changes_no_verdict() -> None:
    verdict = check_answer("21.9", Quantity(7 / 39), "%", 0.01, SLIPS)
    assert verdict.verdict == I
    assert [slip.en for slip in verdict.slips] == ["this is what you get if share of the ideal time"]
    assert "占理想时间的比例" in verdict.slips[0].zh
    right = check_answer("17.9", Quantity(7 / 39), "%", 0.01, [(Text("s", "s"), 0.1796)])
    assert (right.verdict, right.slips) == (C, ())


def test_the_size_of_the_error_is_not_told_where_a_second_try_follows() -> None:
    assert check_answer("21.9", Quantity(7 / 39), "%", 0.01, SLIPS).reason.en == "not yet: 21.9 % is too high"
    assert check_answer("21.9", Quantity(7 / 39), "%").reason.en == "not yet: 21.9 % is 22 % over"


def test_no_rounding_is_right_where_a_slip_is_nearer() -> None:
    assert check_answer("18", Quantity(0.175), "%").verdict == C
    verdict = check_answer("18", Quantity(0.175), "%", 0.01, [(Text("slip", "失误"), 0.181)])
    assert verdict.verdict == I
    assert len(verdict.slips) == 1
    assert check_answer("18", Quantity(0.175), "%", 0.01, [(Text("slip", "失误"), 0.186)]).verdict == C


def test_two_slips_at_most_named_ones_first() -> None:
    slips = [(Text(f"slip {n}", f"失误 {n}"), 200 + n / 10) for n in range(5)]
    verdict = check_answer("200", Quantity(100), None, 0.01, slips)
    assert [slip.en[-6:] for slip in verdict.slips] == ["slip 0", "slip 1"]
    assert "factor of 2" in check_answer("200", Quantity(100)).slips[0].en


@pytest.mark.parametrize(
    ("text", "expected", "unit", "message"),
    [
        ("640 KiB", "320 KiB", None, "factor of 2 is counted once too often"),
        ("160 KiB", "320 KiB", None, "factor of 2 is left out"),
        ("2.62 MB", "320 KiB", None, "bits are taken for bytes"),
        ("40 KiB", "320 KiB", None, "bytes are taken for bits"),
        ("512 GPUs", "64 GPU", None, "factor of 8"),
        ("320 KB", "320 KiB", None, "KB is written where KiB is meant"),
        ("80 GiB", "80 GB", None, "GiB is written where GB is meant"),
        ("1 TB", "1 TiB", None, "TB is written where TiB is meant"),
        ("0.179", "7/39", "%", "ratio is taken for a percentage"),
        ("1790", "7/39", "%", "percentage is taken for a ratio"),
        ("39/7", "7/39", None, "numerator and denominator"),
        ("0.00339", "295 FLOP/byte", "FLOP/byte", "numerator and denominator"),
        ("12.5 s", "12.5 ms", None, "10³ times too much"),
        ("1.4e11", "140 GB", "GB", "10⁹ times too much"),
        ("0.9", "9", None, "10 times too little"),
        ("1 h", "1 s", None, "× 3600"),
        ("2 s", "2 h", None, "÷ 3600"),
        ("70 亿", "70e9 parameter", None, "亿 (10⁸) is taken for a billion"),
        ("70B", "70亿 parameter", None, "billion is taken for 亿"),
    ],
)
def test_general_slips(text: str, expected: str, unit: str | None, message: str) -> None:
    verdict = check_quantity(text, expected, unit)
    assert verdict.verdict == I
    assert any(message in slip.en for slip in verdict.slips), verdict.slips


def test_no_slip_is_made_up() -> None:
    for text in ("170", "33", "0", "-100", "5 s"):
        assert check_quantity(text, "100").slips == ()


def test_the_reason_says_what_is_off() -> None:
    def reason(text: str, expected: str, unit: str | None = None, rtol: float = 0.01) -> str:
        return check_quantity(text, expected, unit, rtol).reason.en

    assert reason("17.9", "7/39", "%") == "right: 17.9 %"
    assert reason("21.9", "7/39", "%") == "not yet: 21.9 % is 22 % over"
    assert reason("15", "7/39", "%") == "not yet: 15 % is 16 % short"
    assert reason("300", "100") == "not yet: 300 is 3 times the right value"
    assert reason("30", "100") == "not yet: 30 is 1/3.3 of the right value"
    assert reason("-5", "5") == "not yet: -5 has the wrong sign"
    assert reason("4097 tokens", "4096 tokens") == "not yet: 4,097 tokens is close, but this has to be exact"
    assert reason("5 s", "320 KiB") == "not yet: 5 s is a time, a size in bytes is asked for"
    assert reason("5 to 6", "320 KiB", "KiB").startswith("one number is needed")
    assert reason("5 to 6", "320 KiB", "KiB").endswith("write it like 2.5 KiB")
    assert reason("320", "320 KiB") == "the unit is missing; write it like 320 KiB"
    assert "turned round" in reason("20 ms/token", "50 token/s", "token/s")
    assert reason("50 ms/token", "50 token/s", "token/s").startswith("s/token is the inverse")


def test_every_sentence_is_there_in_both_languages() -> None:
    assert all(text.en and text.zh for text in (*WORDS.values(), *DIMENSIONS.values()))


def test_what_was_read_is_kept() -> None:
    verdict = check_quantity("2.5 GB", "2.5 GB")
    assert verdict.read is not None
    assert (verdict.read.value, verdict.read.unit) == (2_500_000_000, "byte")
    either = check_quantity("128K", "131072 token", "token")
    assert either.read is not None
    assert (either.read.value, either.read.unit) == (131_072, "token")
    assert check_quantity("x y", "2.5 GB").read is None
    assert check_quantity("110", "100").deviation == pytest.approx(0.1)


positive = st.fractions(min_value=Fraction(1, 1000), max_value=10**6, max_denominator=10**4)
tolerance = st.sampled_from([0.001, 0.01, 0.02, 0.1])


@given(expected=positive, off=st.fractions(min_value=-1, max_value=1, max_denominator=1000), rtol=tolerance)
def test_the_tolerance_is_relative_and_closed(expected: Fraction, off: Fraction, rtol: float) -> None:
    typed = expected * (1 + off * Fraction(str(rtol)))
    text = f"{typed.numerator}/{typed.denominator}"
    assert check_quantity(text, Quantity(0, exact=expected), None, rtol).verdict == C


@given(
    expected=positive,
    beyond=st.fractions(min_value=Fraction(1001, 1000), max_value=50),
    rtol=tolerance,
    up=st.booleans(),
)
def test_beyond_the_tolerance_is_wrong(expected: Fraction, beyond: Fraction, rtol: float, up: bool) -> None:
    typed = expected * (1 + (1 if up else -1) * beyond * Fraction(str(rtol)))
    text = f"({typed.numerator})/{typed.denominator}"
    assert check_quantity(text, Quantity(0, exact=expected), None, rtol).verdict == I


@given(expected=positive, digits=st.integers(2, 6))
def test_the_right_value_rounded_to_two_digits_or_more_is_right(expected: Fraction, digits: int) -> None:
    near = rounded(expected, digits)[0]
    text = f"{near.numerator / near.denominator:.{digits + 3}f}".rstrip("0")
    assume(len(text.replace(".", "").lstrip("0")) >= 2 and Fraction(text) == near)
    assert check_quantity(text, Quantity(0, exact=expected), None).verdict == C


@given(
    value=st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), power=st.integers(1, 4), rtol=st.floats(0, 0.5)
)
def test_a_binary_prefix_for_a_decimal_one_is_never_right(value: Fraction, power: int, rtol: float) -> None:
    prefix = " KMGT"[power]
    expected = Quantity(0, "byte", exact=value * 1024**power)
    text = f"{value.numerator}/{value.denominator}"
    assert check_quantity(f"({text}) {prefix}iB", expected, None, rtol).verdict == C
    assert check_quantity(f"({text}) {prefix}B", expected, None, rtol).verdict == I
    assert check_quantity(text, expected, f"{prefix}iB", rtol).verdict == C
    assert check_quantity(text, expected, f"{prefix}B", rtol).verdict == I


@given(value=positive, slips=st.lists(positive, max_size=4), rtol=tolerance, typed=positive)
def test_slips_change_no_verdict_beyond_rounding(
    value: Fraction, slips: list[Fraction], rtol: float, typed: Fraction
) -> None:
    named = [(Text(str(n), str(n)), slip) for n, slip in enumerate(slips)]
    text = f"{typed.numerator}/{typed.denominator}"
    expected = Quantity(0, exact=value)
    assert check_answer(text, expected, None, rtol, named).verdict == check_answer(text, expected, None, rtol).verdict
