"""Laws of reading: what is typed another way is the same number, and nothing typed breaks it."""

from __future__ import annotations

import re
from fractions import Fraction

from hypothesis import example, given, settings
from hypothesis import strategies as st

from quiz.answer import check_quantity
from quiz.language import Text
from quiz.number_asked import asked_unit
from quiz.number_dimensions import HARD, Dims, canonical, from_canonical, times
from quiz.number_dressing import PHRASES
from quiz.number_rounding import exponent, rounded
from quiz.number_vocabulary import NOUNS
from quiz.quantity import Quantity, Unreadable, echo, read

UNITS = [
    "KB",
    "KiB",
    "GB",
    "GiB",
    "Gb",
    "TFLOP/s",
    "FLOP/byte",
    "ms",
    "h",
    "token/s",
    "GPU-hour",
    "KiB/token",
    "W",
    "%",
    "x",
]
ASKED = [
    None,
    "",
    "%",
    "GB",
    "KiB",
    "FLOP/byte",
    "token",
    "ms",
    "token/s",
    "FLOP/s",
    "bit",
    "$/M tokens",
    "x",
    "GPU-hour",
    "亿",
]
PIECES = [
    *"0123456789", "1", "70", "0.5", "1e9", "1e400", "9" * 40, "GB", "GiB", "Gb", "B", "b", "K", "M", "m", "W", "w", "t", "T",
    "FLOP", "FLOPS", "TFLOPs", "/", "*", "**", "^", "(", ")", "+", "-", "−", "%", "=", "~", "≈", ",", ".", "_", " ", "　", "每",
    "秒", "亿", "万", "十", "百分之", "分之", "三", "百", "个", "token", "tokens", "params", "GPU", "H100", "h", "min", "s", "ms",
    "per", "a", "and", "of", "的", "x", "×", "$", "¥", "\\frac", "{", "}", "\\times", "`", "⁹", "³", "½", "⁻", "sqrt", "ceil(",
    "到", "多", "约", "左右", ":", "<", "≥", "\x1b", "\u200b", "\ud800", "ﷺ", "1h30m", "7/39", "17.9%", "0x", "'", "1,024",
    "!", "?", "，", "。", "（", "）", "million", "半", "点", "乘", "减", "除以", "次方", "e", "E", "inf", "/1", "/0", "()", "\n", "<<",
]  # fmt: skip

soup = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
numbers = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=1000).map(
    lambda f: Fraction(round(f * 1000), 1000)
)


def written(value: Fraction) -> str:
    return f"{value.numerator / value.denominator:.3f}"


def attempt(text: str, unit: str | None) -> tuple[Quantity | None, Text]:
    try:
        return read(text, unit), Text("", "")
    except Unreadable as error:
        return None, error.reason


@settings(max_examples=400)
@given(text=soup | st.text(max_size=220), unit=st.sampled_from(ASKED))
@example(text="(" * 200, unit=None)
@example(text="9^9999999", unit="GB")
@example(text="1.0000001^99999", unit=None)
@example(text="*".join(["(39/32)^1300"] * 14), unit=None)
@example(text="B " * 60, unit="GB")
@example(text="5 " + "FLOPS B b m W t ", unit="FLOP")
@example(text="\\frac" * 40, unit=None)
@example(text="1=" * 100, unit="%")
@example(text="个", unit="GB")
def test_nothing_but_unreadable_is_ever_raised(text: str, unit: str | None) -> None:
    quantity, reason = attempt(text, unit)
    if quantity is None:
        assert reason.en.isprintable()
        assert reason.zh.isprintable()
    else:
        assert isinstance(quantity.value, (int, float))
        assert abs(quantity.exact) <= 10**400
        assert asked_unit(quantity.unit).factor == 1
    assert isinstance(echo(text, unit, "zh"), str)
    assert check_quantity(text, "7/39", unit).verdict in ("correct", "incorrect", "unreadable")


@settings(max_examples=200)
@given(text=soup, expected=st.sampled_from(["320 KiB", "50 token/s", "0 GB", "1e-300", "1e390", "12 ms", "70B params"]))
def test_every_text_gets_a_verdict(text: str, expected: str) -> None:
    for rtol in (0, 0.01, 0.5):
        verdict = check_quantity(text, expected, None, rtol)
        assert (verdict.read is None) == (verdict.verdict == "unreadable")
        assert len(verdict.slips) <= 2
        assert verdict.verdict == "incorrect" or not verdict.slips


@given(value=numbers, unit=st.sampled_from(UNITS))
def test_a_bare_number_is_the_number_in_the_unit_asked(value: Fraction, unit: str) -> None:
    assert read(written(value), unit).exact == read(f"{written(value)} {unit}", unit).exact


@given(value=numbers, unit=st.sampled_from(UNITS), other=st.sampled_from(UNITS))
def test_a_typed_unit_always_wins(value: Fraction, unit: str, other: str) -> None:
    assert read(f"{written(value)} {unit}", other).exact == read(f"{written(value)} {unit}").exact


@given(value=numbers, by=st.integers(1, 10**6), unit=st.sampled_from(UNITS))
def test_scaling_commutes_with_units(value: Fraction, by: int, unit: str) -> None:
    assert read(f"{written(value)} {unit} × {by}").exact == by * read(f"{written(value)} {unit}").exact
    assert read(f"{by} × {written(abs(value))} {unit}").exact == by * read(f"{written(abs(value))} {unit}").exact


@given(a=st.integers(0, 10**6), b=st.integers(1, 10**6), c=st.integers(1, 999))
def test_arithmetic_is_exact(a: int, b: int, c: int) -> None:
    assert read(f"({a}+{c})/{b}").exact == Fraction(a + c, b)
    assert read(f"{a}/{b}/{c}").exact == Fraction(a, b * c)
    assert read(f"{a}*{c} GB/{b}").exact == Fraction(a * c * 10**9, b)
    assert read(f"({a}-{b})*{c}").exact == (a - b) * c


@given(value=st.integers(0, 10**15))
def test_grouping_changes_nothing(value: int) -> None:
    for mark in (",", " ", "_", "\u00a0", "\u2009"):
        assert read(f"{value:,}".replace(",", mark)).value == value


@given(value=numbers)
def test_wide_forms_and_dashes_change_nothing(value: Fraction) -> None:
    plain = written(value)
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in plain)
    assert read(wide).exact == read(plain).exact
    for dash in "−–—－‒":
        assert read(plain.replace("-", dash)).exact == read(plain).exact


@given(value=st.integers(1, 10**6), n=st.integers(-30, 30))
def test_powers_of_ten_are_written_many_ways(value: int, n: int) -> None:
    raised = str(n).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    forms = [
        f"{value}e{n}",
        f"{value}×10^{n}",
        f"{value}·10{raised}",
        f"{value}*10**{n}",
        f"{value} \\times 10^{{{n}}}",
    ]
    assert {read(form).exact for form in forms} == {value * Fraction(10) ** n}


@given(value=st.integers(0, 99_999_999))
def test_chinese_numerals(value: int) -> None:
    assert read(numeral(value)).value == value


def numeral(value: int) -> str:
    """`value` (below 10⁸) in Chinese numerals, every place said."""
    digits, places = "零一二三四五六七八九", ("", "十", "百", "千")

    def four(number: int) -> str:
        out, gap = "", False
        for place in range(3, -1, -1):
            digit = number // 10**place % 10
            if digit:
                out += ("零" if gap and out else "") + digits[digit] + places[place]
                gap = False
            else:
                gap = True
        return out

    high, low = divmod(value, 10_000)
    if not value:
        return "零"
    if not high:
        return four(low)
    return four(high) + "万" + (("零" if low < 1000 or not high % 10 else "") + four(low) if low else "")


WORDS = st.sampled_from(
    [
        "答案是", "Answer is", "ANS", "result", "百分之", "千分之", "三", "十", "5", "3.5", "分之", "的", "次方", "!", "~=",
        "等于", "即", "ie", "I.E. ", "equals", "Equal to ", "<<", " or so", "in total", "About ", "ca. ", "nearly", "大约",
        "近", "共", "左右", "大小", "吧", "per cent", "Multiplied by", "乘", "乘以", "Divided By", "除以", "MINUS", "减", "负",
        "plus", "加", " or ", "或", "单卡", "单", "^", " ", "(", ")", "GB", "%", "→", "≈", ":=",
    ]
)  # fmt: skip


@given(st.lists(WORDS, max_size=8).map("".join))
def test_a_phrase_is_never_missed_for_want_of_its_trigger(text: str) -> None:
    for needs, pattern, _ in PHRASES:
        if re.search(pattern, text, re.IGNORECASE):
            assert any(need in text.casefold() for need in needs)


@given(st.lists(st.tuples(st.sampled_from([*HARD, *NOUNS]), st.sampled_from([1, -1])), max_size=4))
def test_a_canonical_unit_reads_as_any_other_text_does(parts: list[tuple[str, int]]) -> None:
    dims: Dims = ()
    for name, power in parts:
        dims = times(dims, ((name, 1),), power)
    unit = canonical(dims)
    quick = from_canonical(unit)
    assert quick in (None, dims)
    assert quick is not None or "^" in unit
    if quick is not None:
        try:
            asked = asked_unit(unit)
        except Unreadable:
            return  # FLOP·USD: money stands before its number or alone
        assert asked.dims == dims
        assert asked.factor == 1


@given(st.integers(1, 10**30), st.integers(1, 10**30), st.integers(1, 12))
def test_rounding_is_that_of_decimal_arithmetic(above: int, below: int, digits: int) -> None:
    value = Fraction(above, below)
    power = exponent(value)
    assert Fraction(10) ** power <= value < Fraction(10) ** (power + 1)
    step = Fraction(10) ** (power - digits + 1)
    for near in rounded(value, digits):
        assert near % step == 0
        assert abs(near - value) <= step / 2
    assert (len(rounded(value, digits)) == 2) == (value % step == step / 2)
