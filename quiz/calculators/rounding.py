"""Binary floating-point formats in exact arithmetic: what each holds, how a value and a sum are rounded to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from quiz.calculators.exact import Number

LARGEST_INPUT = 1.7976931348623157e308
INFINITE = "inf"
NOT_A_NUMBER = "nan"


@dataclass(frozen=True, slots=True)
class Format:
    """A binary format with subnormals; `top` says what the largest exponent holds.

    ieee: infinity and NaN; nan: numbers, and NaN in its last code (E4M3FN); numbers: numbers only (E2M1).
    """

    name: str
    exponent_bits: int
    mantissa_bits: int
    top: str = "ieee"

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def bias(self) -> int:
        return int(2 ** (self.exponent_bits - 1) - 1)

    @property
    def largest_exponent(self) -> int:
        return int(2**self.exponent_bits - 1) - self.bias - (1 if self.top == "ieee" else 0)

    @property
    def smallest_exponent(self) -> int:
        return 1 - self.bias

    @property
    def largest(self) -> Fraction:
        missing = 2 if self.top == "nan" else 1
        return (2 - missing * self.epsilon) * power(self.largest_exponent)

    @property
    def smallest_normal(self) -> Fraction:
        return power(self.smallest_exponent)

    @property
    def smallest_subnormal(self) -> Fraction:
        return power(self.smallest_exponent - self.mantissa_bits)

    @property
    def epsilon(self) -> Fraction:
        return power(-self.mantissa_bits)

    def spacing(self, value: Fraction) -> Fraction:
        """From |`value`| to the next larger number of the format: its unit in the last place."""
        exponent = binary_exponent(value) if value else self.smallest_exponent
        return power(max(exponent, self.smallest_exponent) - self.mantissa_bits)


FORMATS = {
    known.name: known
    for known in (
        Format("fp64", 11, 52),
        Format("fp32", 8, 23),
        Format("tf32", 8, 10),
        Format("fp16", 5, 10),
        Format("bf16", 8, 7),
        Format("fp8_e4m3", 4, 3, "nan"),
        Format("fp8_e5m2", 5, 2),
        Format("fp4_e2m1", 2, 1, "numbers"),
    )
}

Stored = Fraction | str
Rounding = Callable[[Fraction], int]


def power(exponent: int) -> Fraction:
    """2**exponent, exactly."""
    return Fraction(2**exponent) if exponent >= 0 else Fraction(1, 2**-exponent)


def binary_exponent(value: Fraction) -> int:
    """The e with 2**e ≤ |value| < 2**(e+1), for a value that is not 0."""
    above, below = abs(value.numerator), value.denominator
    guess = above.bit_length() - below.bit_length()
    return guess if abs(value) >= power(guess) else guess - 1


def to_even(steps: Fraction) -> int:
    return round(steps)


def toward_zero(steps: Fraction) -> int:
    return int(steps)


def away_from_zero(steps: Fraction) -> int:
    """To nearest, ties away from zero."""
    size = int(abs(steps) + Fraction(1, 2))
    return size if steps >= 0 else -size


def store(form: Format, value: Fraction, *, saturate: bool = False, rounded: Rounding = to_even) -> Stored:
    """`value` as `form` holds it: an exact number, or "inf", "-inf" or "nan" beyond its largest one.

    Rounds to nearest, ties to even, unless `rounded` says otherwise. Beyond the largest number an IEEE format gives an
    infinity and E4M3 NaN, unless `saturate`; E2M1, which has neither, always its largest number.
    """
    step = form.spacing(value)
    nearest = rounded(value / step) * step
    if abs(nearest) <= form.largest:
        return nearest
    if saturate or form.top == "numbers":
        return form.largest if nearest > 0 else -form.largest
    if form.top == "nan":
        return NOT_A_NUMBER
    return INFINITE if nearest > 0 else f"-{INFINITE}"


def added(
    form: Format, first: Stored, second: Stored, *, saturate: bool = False, rounded: Rounding = to_even
) -> Stored:
    """The sum of two stored numbers, rounded once, or what IEEE 754 says of infinities and NaN."""
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        return store(form, first + second, saturate=saturate, rounded=rounded)
    words = {word for word in (first, second) if isinstance(word, str)}
    if NOT_A_NUMBER in words or len(words) == 2:
        return NOT_A_NUMBER
    return words.pop()


def negated(value: Stored) -> Stored:
    if isinstance(value, Fraction):
        return -value
    return {INFINITE: f"-{INFINITE}", f"-{INFINITE}": INFINITE}.get(value, value)


def plain(value: Stored) -> Number | str:
    """A stored number as an int where it is whole and not huge, else as the float that equals it; words as they are."""
    if isinstance(value, str):
        return value
    return value.numerator if value.denominator == 1 and abs(value) <= 2**63 else float(value)


def as_number(value: Stored) -> Number | None:
    """A stored number as `plain` has it, None for infinities and NaN."""
    found = plain(value)
    return None if isinstance(found, str) else found


def as_binary64(value: Fraction) -> Number | None:
    """The binary64 nearest to `value`; None where that is infinite, or 0 for something else."""
    return as_number(store(FORMATS["fp64"], value)) or (0 if value == 0 else None)


def digits(value: Number | str) -> str:
    """A stored value as text that names it alone."""
    if isinstance(value, str):
        return value
    return f"{value:,}" if isinstance(value, int) else repr(value)


def typed(value: Number) -> str:
    """An operand as somebody wrote it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.12g}"
