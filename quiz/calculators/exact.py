"""Exact numbers between a calculator's inputs and its outputs."""

from __future__ import annotations

from fractions import Fraction

Number = int | float

LARGEST_DENOMINATOR = 1_000_000


def decimal(value: Number | Fraction) -> Fraction:
    """The fraction that was meant by `value`: 1.1 is 11/10, not the binary64 a little above it."""
    return Fraction(value).limit_denominator(LARGEST_DENOMINATOR)


def plain(value: Fraction) -> Number:
    """`value` as an int where it is whole, else the nearest float."""
    return value.numerator if value.denominator == 1 else float(value)
