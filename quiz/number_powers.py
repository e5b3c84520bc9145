"""Exact powers and roots within bounds; floating point only where a result is irrational or has thousands of digits."""

from __future__ import annotations

import math
from fractions import Fraction

from quiz.number_digits import LARGEST_EXPONENT
from quiz.number_problems import Unreadable

LARGEST = 10**LARGEST_EXPONENT
MOST_BITS = 8192
LARGEST_POWER = 100_000


def bounded(value: Fraction) -> Fraction:
    """`value` if it lies within 10^±400, with at most a few thousand digits kept. Unreadable beyond."""
    above, below = abs(value.numerator), value.denominator
    if not above:
        return value
    if above.bit_length() - below.bit_length() > 1400 or below.bit_length() - above.bit_length() > 1400:
        raise Unreadable.of("magnitude")
    if above > LARGEST * below or below > LARGEST * above:
        raise Unreadable.of("magnitude")
    if above.bit_length() > MOST_BITS or below.bit_length() > MOST_BITS:
        shift = max(0, min(above.bit_length(), below.bit_length()) - MOST_BITS // 4)
        shortened = Fraction(above >> shift, max(1, below >> shift))
        return -shortened if value < 0 else shortened
    return value


def raised(base: Fraction, exponent: Fraction) -> tuple[Fraction, bool]:
    """(baseᵉ, whether it is approximate). Unreadable for what has no real value, or one beyond 10^±400."""
    if not base:
        if exponent < 0:
            raise Unreadable.of("zero")
        return Fraction(0 if exponent else 1), False
    if abs(exponent) > LARGEST_POWER:
        raise Unreadable.of("magnitude")
    if abs(exponent * Fraction(_log10(base))) > LARGEST_EXPONENT + 1:
        raise Unreadable.of("magnitude")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if exponent.denominator == 1 and bits * abs(exponent) <= MOST_BITS:
        return base ** int(exponent), False
    if base < 0:
        if exponent.denominator != 1:
            raise Unreadable.of("exponent")
        size, _ = raised(-base, exponent)
        return (-size if exponent % 2 else size), True
    return _ten_to(_log10(base) * float(exponent)), True


def _log10(value: Fraction) -> float:
    """log₁₀|value|, also where the value itself is beyond floating point; exact to about 1e-15 near 1."""
    ratio = abs(value)
    if Fraction(1, 2) < ratio < 2:
        return math.log1p(float(ratio - 1)) / math.log(10)
    return math.log10(ratio.numerator) - math.log10(ratio.denominator)


def _ten_to(power: float) -> Fraction:
    whole = math.floor(power)
    return Fraction(10.0 ** (power - whole)) * Fraction(10) ** whole


def root(value: Fraction) -> tuple[Fraction, bool]:
    """(√value, whether it is approximate) for a value that is not negative."""
    if not value:
        return value, False
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if above**2 == value.numerator and below**2 == value.denominator:
        return Fraction(above, below), False
    return _ten_to(_log10(value) / 2), True
