"""Quantities written the way an engineer writes them: 320 KiB (327,680 bytes), 17.9 %, 989 TFLOP/s, $2.1/M tokens.

Three significant digits, more where that is exact. What is printed reads back as the same quantity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from quiz.number_dimensions import Dims, canonical, from_canonical, hard, relation
from quiz.number_problems import Unreadable
from quiz.number_rounding import exponent, rounded
from quiz.number_vocabulary import NOUNS

if TYPE_CHECKING:
    from quiz.number_asked import Asked

Value = int | float | Fraction

DIGITS = 3
EXACT_DIGITS = 5
FULL_BELOW = 10**7
SI = ("", "K", "M", "G", "T", "P", "E", "Z", "Y")
BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
EXAMPLES = {
    "byte": "320 KiB", "byte/token": "320 KiB/token", "byte/s": "3.35 TB/s", "FLOP": "6.3e24 FLOP", "FLOP/s": "989 TFLOP/s",
    "s": "12.5 ms",
}  # fmt: skip
NOUNS_ZH = {
    "parameter": "参数", "layer": "层", "request": "请求", "step": "步", "expert": "专家", "node": "节点",
    "sequence": "序列", "sample": "样本", "block": "线程块", "thread": "线程", "element": "元素", "user": "用户",
}  # fmt: skip
PLURAL = frozenset({*NOUNS, "day", "hour", "minute", "week", "year", "GPU-hour", "GPU-day"})
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def show(value: Value, unit: str, language: str = "en") -> str:
    """`value` (in base units) of `unit`; sizes in bytes both ways, GB and GiB. An unknown `unit` stands as it is."""
    exact = _exact(value)
    if exact is None:
        return f"{value} {unit}".strip()
    dims = from_canonical(unit)
    if dims is None:
        from quiz.number_asked import asked_unit

        try:
            asked = asked_unit(unit)
        except Unreadable:
            return f"{number(exact)} {unit}".strip()
        if canonical(asked.dims) != unit and asked.factor != 1:
            return _in(exact, unit, asked, language)
        dims = asked.dims
    if exact < 0:
        return f"-{show(-exact, unit, language)}".replace("(", "(-").replace("（", "（-")
    return _base(exact, dims, language)


def show_in(value: Value, unit: str, asked_for: str | None, language: str = "en") -> str:
    """`value` (in base units of `unit`) in the unit that a question asks for; as `show` where it names none."""
    exact = _exact(value)
    if not asked_for or exact is None:
        return show(value, unit, language)
    from quiz.number_asked import asked_unit

    try:
        asked, base = asked_unit(asked_for), asked_unit(unit)
    except Unreadable:
        return show(value, unit, language)
    if relation(base.dims, asked.dims) != "same":
        return show(value, unit, language)
    return _in(exact, asked_for, asked, language)


def number(value: Value) -> str:
    """Three significant digits, up to five where that is exact, whole numbers below ten million in full."""
    exact = _exact(value)
    if exact is None:
        return str(value)
    return f"-{_shortest(-exact)}" if exact < 0 else _shortest(exact)


# Shown once in each language.
@lru_cache(maxsize=256)
def _shortest(exact: Fraction) -> str:
    if exact.denominator == 1 and exact < FULL_BELOW:
        return f"{exact.numerator:,}"
    digits = next((n for n in range(1, EXACT_DIGITS + 1) if rounded(exact, n) == (exact,)), 0)
    if not digits:
        digits = DIGITS if not 1000 <= exact < FULL_BELOW else exponent(exact) + 1
    kept = rounded(exact, digits)[-1]
    power = exponent(kept)
    if Fraction(1, 10_000) <= kept < FULL_BELOW:
        return _decimal(kept, max(0, digits - 1 - power))
    return f"{_decimal(kept / Fraction(10) ** power, digits - 1)} × 10{str(power).translate(_SUPERSCRIPT)}"


def example(unit: str | None) -> str:
    """How an answer in `unit` may be written; "" for an unknown unit."""
    if unit is None:
        return "0.25"
    if unit in EXAMPLES:
        return EXAMPLES[unit]
    from quiz.number_asked import asked_unit

    try:
        asked = asked_unit(unit)
    except Unreadable:
        return ""
    if not asked.dims:
        return "17.9 %" if asked.percent else f"1.5 {unit}".strip() if asked.factor == 1 else f"7 {unit}"
    counted = not hard(asked.dims) and len(asked.dims) == 1
    return _in(asked.factor * (64 if counted else Fraction(5, 2)), unit, asked, "en")


def _in(exact: Fraction, unit: str, asked: Asked, language: str) -> str:
    shown = number(exact / asked.factor)
    unit = unit.strip()
    if unit in ("x", "X", "倍"):
        return f"{shown} 倍" if language == "zh" else f"{shown}x"
    if unit[:1] in ("$", "¥"):
        return f"-{unit[0]}{shown[1:]}{unit[1:]}" if exact < 0 else f"{unit[0]}{shown}{unit[1:]}"
    if unit.startswith("1/"):
        return shown + unit[1:]
    return f"{shown} {_plural(unit) if language == 'en' and unit in PLURAL and shown != '1' else unit}"


def _base(value: Fraction, dims: Dims, language: str) -> str:
    above = tuple((n, e) for n, e in dims if e > 0)
    below = tuple((n, e) for n, e in dims if e < 0)
    tail = "".join(f"/{name}" if e == -1 else f"/{name}^{-e}" for name, e in below)
    writer = _WRITERS.get(above)
    if writer is not None:
        return writer(value, tail, language)
    if not above:
        return number(value) + tail
    if len(above) == 1 and above[0][1] == 1 and not hard(above):
        return _count(value, above[0][0], tail, language)
    return f"{number(value)} {canonical(dims)}"


def _size(value: Fraction, tail: str, language: str) -> str:
    word = "字节" if language == "zh" else "byte" if value == 1 else "bytes"
    plain = f"{number(value)} {word}{tail}"
    if "/s" in tail:
        return f"{_prefixed(value, SI, 1000)}B{tail}"
    if value < 1000:
        bits = value * 8
        return plain if value.denominator == 1 or bits > 128 else _both(plain, f"{number(bits)} bit{tail}", language)
    decimal, binary = f"{_prefixed(value, SI, 1000)}B{tail}", f"{_prefixed(value, BINARY, 1024)}B{tail}"
    in_full = value.denominator == 1 and value < 10**6
    digits, binary_digits = _digits(_scaled(value, 1000)), _digits(_scaled(value, 1024))
    if value >= 1024 and binary_digits < min(digits, EXACT_DIGITS):
        return _both(binary, plain if in_full else decimal, language)
    if digits < EXACT_DIGITS or not in_full:
        return _both(decimal, binary, language) if value >= 1024 else decimal
    return _both(plain, binary, language) if value >= 1024 else plain


def _both(first: str, second: str, language: str) -> str:
    return f"{first}（{second}）" if language == "zh" else f"{first} ({second})"


def _operations(value: Fraction, tail: str, _language: str) -> str:
    if value < 10**6 or (not tail and value >= 10**21):
        return f"{number(value)} FLOP{tail}"
    return f"{_prefixed(value, SI, 1000)}FLOP{tail}"


def _duration(value: Fraction, tail: str, language: str) -> str:
    zh = language == "zh"
    for below, seconds, word in (
        (Fraction(1, 10**6), Fraction(1, 10**9), "ns"),
        (Fraction(1, 10**3), Fraction(1, 10**6), "µs"),
        (Fraction(1), Fraction(1, 10**3), "ms"),
        (Fraction(120), Fraction(1), "s"),
        (Fraction(7200), Fraction(60), "分钟" if zh else "min"),
        (Fraction(172_800), Fraction(3600), "小时" if zh else "h"),
        (Fraction(10**8), Fraction(86_400), "天" if zh else "days"),
    ):
        if 0 < value < below:
            return f"{number(value / seconds)} {word}{tail}"
    if not value:
        return f"0 s{tail}"
    return f"{number(value / 31_557_600)} {'年' if zh else 'years'}{tail}"


def _device_time(value: Fraction, tail: str, language: str) -> str:
    hours = value / 3600
    word = "卡时" if language == "zh" else "GPU-hours"
    return f"{_lettered(hours)} {word}{tail}"


def _money(sign: str) -> Callable[[Fraction, str, str], str]:
    def write(value: Fraction, tail: str, _language: str) -> str:
        if tail == "/token" and value:
            return f"{sign}{number(value * 10**6)}/M tokens"
        if tail in ("/s/GPU", "/s"):
            return f"{sign}{number(value * 3600)}/{'GPU-hour' if tail == '/s/GPU' else 'h'}"
        return f"{sign}{number(value)}{tail}"

    return write


def _energy(value: Fraction, tail: str, _language: str) -> str:
    unit, rest = ("W", tail.replace("/s", "", 1)) if tail.startswith("/s") else ("J", tail)
    prefix = _prefixed(value, ("", "k", "M", "G", "T"), 1000)
    return f"{prefix}{unit}{rest}"


def _count(value: Fraction, noun: str, tail: str, language: str) -> str:
    plural = noun if value == 1 else _plural(noun)
    word = NOUNS_ZH.get(noun, noun) if language == "zh" else plural
    return f"{_lettered(value)} {word}{tail}"


def _plural(noun: str) -> str:
    return noun + ("es" if noun.endswith(("s", "x", "ch")) else "s")


def _lettered(value: Fraction) -> str:
    """70B, 1.4T; whole numbers below ten million in full."""
    for letter, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if value >= max(size, FULL_BELOW) and value < 10**16:
            return f"{number(value / size)}{letter}"
    return number(value)


_WRITERS: dict[Dims, Callable[[Fraction, str, str], str]] = {
    (("byte", 1),): _size,
    (("FLOP", 1),): _operations,
    (("s", 1),): _duration,
    (("GPU", 1), ("s", 1)): _device_time,
    (("USD", 1),): _money("$"),
    (("CNY", 1),): _money("¥"),
    (("J", 1),): _energy,
}


def _prefixed(value: Fraction, prefixes: tuple[str, ...], base: int) -> str:
    power = 0
    while power + 1 < len(prefixes) and value >= base ** (power + 1):
        power += 1
    return f"{number(value / base**power)} {prefixes[power]}"


def _scaled(value: Fraction, base: int) -> Fraction:
    while value >= base:
        value /= base
    return value


def _digits(value: Fraction) -> int:
    """How many significant digits write `value` exactly; 99 where more than twelve would be needed."""
    return next((n for n in range(1, 13) if value and rounded(value, n) == (value,)), 99)


def _decimal(value: Fraction, places: int) -> str:
    whole = round(value * 10**places)
    text = f"{whole // 10**places:,}"
    part = str(whole % 10**places).zfill(places).rstrip("0") if places else ""
    return f"{text}.{part}" if part else text


def _exact(value: Value) -> Fraction | None:
    """`value` as a fraction, a float as the shortest decimal that means it; None where it is not finite."""
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else None
    return Fraction(value)
