"""Quantities are written the way an engineer writes them, and what is written reads back."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.quantity import echo, read, show, show_in

UNITS = [
    "", "byte", "byte/s", "byte/token", "byte/parameter", "FLOP", "FLOP/s", "FLOP/byte", "FLOP/token", "s", "s/token", "token",
    "token/s", "token/s/GPU", "parameter", "GPU", "GPU·s", "USD", "USD/token", "USD/s/GPU", "CNY", "J/s", "J", "request/s",
    "layer", "1/s", "token/parameter", "block", "batch", "access",
]  # fmt: skip
ASKED = [
    ("byte", "GB"), ("byte", "GiB"), ("byte", "KiB/token"), ("byte", "bit"), ("byte/s", "Gb/s"), ("", "%"), ("", "x"),
    ("", "倍"), ("FLOP/s", "TFLOP/s"), ("FLOP/s", "TFLOPS"), ("FLOP", "PF-days"), ("s", "ms"), ("s", "day"), ("s", "μs"),
    ("GPU·s", "GPU-hour"), ("token/s", "tokens/s"), ("parameter", "B params"), ("parameter", "亿"), ("USD/token", "$/M tokens"),
    ("token", "token"), ("GPU", "GPU"), ("1/s", "GHz"), ("1/s", "1/s"), ("J/s", "kW"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "unit", "en", "zh"),
    [
        (327_680, "byte", "320 KiB (327,680 bytes)", "320 KiB（327,680 字节）"),
        (2_500_000_000, "byte", "2.5 GB (2.33 GiB)", "2.5 GB（2.33 GiB）"),
        (2_684_354_560, "byte", "2.5 GiB (2.68 GB)", "2.5 GiB（2.68 GB）"),
        (70_272, "byte", "70,272 bytes (68.625 KiB)", "70,272 字节（68.625 KiB）"),
        (128, "byte", "128 bytes", "128 字节"),
        (1, "byte", "1 byte", "1 字节"),
        (0.5625, "byte", "0.5625 bytes (4.5 bit)", "0.5625 字节（4.5 bit）"),
        (0, "byte", "0 bytes", "0 字节"),
        (140e9, "byte", "140 GB (130 GiB)", "140 GB（130 GiB）"),
        (327_680, "byte/token", "320 KiB/token (327,680 bytes/token)", "320 KiB/token（327,680 字节/token）"),
        (3.35e12, "byte/s", "3.35 TB/s", "3.35 TB/s"),
        (989e12, "FLOP/s", "989 TFLOP/s", "989 TFLOP/s"),
        (295.2238805970149, "FLOP/byte", "295 FLOP/byte", "295 FLOP/byte"),
        (6.3e24, "FLOP", "6.3 × 10²⁴ FLOP", "6.3 × 10²⁴ FLOP"),
        (137_438_953_472, "FLOP", "137 GFLOP", "137 GFLOP"),
        (7 / 39, "", "0.179", "0.179"),
        (7 / 39, "%", "17.9 %", "17.9 %"),
        (0.02, "s", "20 ms", "20 ms"),
        (2.5e-5, "s", "25 µs", "25 µs"),
        (5400, "s", "90 min", "90 分钟"),
        (36_000, "s", "10 h", "10 小时"),
        (1_840_320, "s", "21.3 days", "21.3 天"),
        (0.02, "s/token", "20 ms/token", "20 ms/token"),
        (2.788e6 * 3600, "GPU·s", "2,788,000 GPU-hours", "2,788,000 卡时"),
        (50, "token/s", "50 tokens/s", "50 token/s"),
        (70_000_000_000, "parameter", "70B parameters", "70B 参数"),
        (14 * 10**11, "token", "1.4T tokens", "1.4T token"),
        (131_072, "token", "131,072 tokens", "131,072 token"),
        (1, "GPU", "1 GPU", "1 GPU"),
        (8, "GPU", "8 GPUs", "8 GPU"),
        (2.1e-6, "USD/token", "$2.1/M tokens", "$2.1/M tokens"),
        (2 / 3600, "USD/s/GPU", "$2/GPU-hour", "$2/GPU-hour"),
        (700, "J/s", "700 W", "700 W"),
        (-5, "", "-5", "-5"),
        (-327_680, "byte", "-320 KiB (-327,680 bytes)", "-320 KiB（-327,680 字节）"),
        (1e-5, "", "1 × 10⁻⁵", "1 × 10⁻⁵"),
        (999.96, "", "999.96", "999.96"),
        (999.9612, "", "1,000", "1,000"),
        (1234.567, "", "1,235", "1,235"),
        (float("inf"), "s", "inf s", "inf s"),
    ],
)
def test_show(value: float, unit: str, en: str, zh: str) -> None:
    assert show(value, unit) == en
    assert show(value, unit, "zh") == zh


@pytest.mark.parametrize(
    ("value", "unit", "asked", "shown"),
    [
        (7 / 39, "", "%", "17.9 %"),
        (2.68e9, "byte", "GB", "2.68 GB"),
        (327_680, "byte", "KiB", "320 KiB"),
        (327_680, "byte/token", "KiB", "320 KiB"),
        (0.02, "s", "ms", "20 ms"),
        (989e12, "FLOP/s", "TFLOP/s", "989 TFLOP/s"),
        (8, "", "x", "8x"),
        (64, "GPU", "GPU", "64 GPUs"),
        (4096, "token", "token", "4,096 tokens"),
        (7e10, "parameter", "亿", "700 亿"),
        (2.1e-6, "USD/token", "$/M tokens", "$2.1/M tokens"),
        (327_680, "byte", "", "320 KiB (327,680 bytes)"),
        (327_680, "byte", None, "320 KiB (327,680 bytes)"),
        (327_680, "byte", "ms", "320 KiB (327,680 bytes)"),
    ],
)
def test_show_in_the_unit_asked(value: float, unit: str, asked: str | None, shown: str) -> None:
    assert show_in(value, unit, asked) == shown


@pytest.mark.parametrize(
    ("text", "unit", "line"),
    [
        ("320 KiB", None, "= 320 KiB (327,680 bytes)"),
        ("327680", "byte", "= 320 KiB (327,680 bytes)"),
        ("7/32", "%", "= 21.875 % · read as a ratio"),
        ("42.9", "%", "= 42.9 %"),
        ("2.5", "GB", "= 2.5 GB (2.33 GiB)"),
        ("1.5 s", "ms", "= 1,500 ms"),
        ("989 TFLOP/s / 3.35 TB/s", "FLOP/byte", "= 295 FLOP/byte"),
        ("", "GB", ""),
        ("  ", "GB", ""),
        ("5 to 6", "GB", "one number is needed, not a range or several; write it like 2.5 GB"),
    ],
)
def test_the_reading_under_the_input(text: str, unit: str | None, line: str) -> None:
    assert echo(text, unit) == line


def test_the_reading_is_in_the_language_chosen() -> None:
    assert echo("320 KiB", "KiB", "zh") == "= 320 KiB（327,680 字节）"
    assert echo("5到6", "GB", "zh").endswith("例如 2.5 GB")
    assert "bit" in echo("400 Gb/s", "GB/s", "zh")


positive = st.floats(min_value=1e-12, max_value=1e27) | st.integers(1, 10**15)


@given(value=positive, unit=st.sampled_from(UNITS), language=st.sampled_from(["en", "zh"]), negative=st.booleans())
def test_what_is_shown_reads_back(value: float, unit: str, language: str, negative: bool) -> None:
    value = -value if negative else value
    back = read(show(value, unit, language), None)
    assert back.unit == unit
    assert abs(back.exact - Fraction(value)) <= abs(Fraction(value)) * Fraction(6, 1000)


@given(value=positive, pair=st.sampled_from(ASKED), language=st.sampled_from(["en", "zh"]), bare=st.booleans())
def test_what_is_shown_in_a_unit_reads_back_in_it(
    value: float, pair: tuple[str, str], language: str, bare: bool
) -> None:
    unit, asked = pair
    shown = show_in(value, unit, asked, language)
    back = read(shown, None if bare and not asked.startswith("1/") else asked)
    assert abs(back.exact - Fraction(value)) <= Fraction(value) * Fraction(6, 1000)


@given(st.integers(-(10**7) + 1, 10**7 - 1))
def test_whole_numbers_below_ten_million_lose_no_digit(value: int) -> None:
    assert read(show(value, "")).value == value


@given(value=positive, unit=st.sampled_from(UNITS), asked=st.sampled_from([a for _, a in ASKED] + [None, "", "zz"]))
def test_showing_never_fails(value: float, unit: str, asked: str | None) -> None:
    assert show_in(value, unit, asked)
    assert show_in(-value, unit, asked, "zh")
