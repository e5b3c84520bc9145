"""When two numbers count as the same: within a relative tolerance, or one is the other rounded as it was typed."""

from __future__ import annotations

from fractions import Fraction

from quiz.number_digits import Literal

FEWEST_DIGITS = 2
LOG10_OF_2 = 0.30103


def within(typed: Fraction, expected: Fraction, tolerance: Fraction) -> bool:
    """|typed − expected| ≤ tolerance·|expected|, the bound included."""
    return abs(typed - expected) <= tolerance * abs(expected)


def is_rounded(typed: Fraction, expected: Fraction, literal: Literal | None) -> bool:
    """Whether `expected`, in the typed unit, rounds to the digits of `literal`, of which at least two count."""
    if literal is None or not literal.value or not typed:
        return False
    there = expected * literal.value / typed
    if (there < 0) != (literal.value < 0):
        return False
    return any(
        abs(literal.value) in rounded(abs(there), digits)
        for digits in range(max(FEWEST_DIGITS, literal.least), min(literal.most, 40) + 1)
    )


def close(typed: Fraction, expected: Fraction, tolerance: Fraction, literal: Literal | None) -> bool:
    return within(typed, expected, tolerance) or is_rounded(typed, expected, literal)


def rounded(value: Fraction, digits: int) -> tuple[Fraction, ...]:
    """A positive `value` to `digits` significant digits; both neighbours where it lies half-way."""
    if not value:
        return (value,)
    power = exponent(value) - digits + 1
    above, below = _scaled(value, -power)
    low, rest = divmod(above, below)
    step = Fraction(10) ** power
    if 2 * rest == below:
        return (low * step, (low + 1) * step)
    return ((low + (2 * rest > below)) * step,)


def exponent(value: Fraction) -> int:
    """The power of ten of the first digit of a positive `value`."""
    guess = int((value.numerator.bit_length() - value.denominator.bit_length()) * LOG10_OF_2)
    above, below = _scaled(value, -guess)
    while above < below:
        guess, above = guess - 1, above * 10
    while above >= 10 * below:
        guess, below = guess + 1, below * 10
    return guess


def _scaled(value: Fraction, power: int) -> tuple[int, int]:
    """`value`·10^power as numerator and denominator, not reduced: integers compare much faster than fractions."""
    ten = 10 ** abs(power)
    if power >= 0:
        return value.numerator * ten, value.denominator
    return value.numerator, value.denominator * ten
