"""Digits: grouped, with a point, an exponent or a base; and how many of them were typed.

Any space or one underscore groups digits by threes, a comma does the same and is never a decimal sign.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from quiz.number_problems import Unreadable
from quiz.units import Sense

LARGEST_EXPONENT = 400


class Literal(NamedTuple):
    """Digits as typed: their value and how many of them count, which trailing zeros leave open (`least` to `most`).

    `plain` is a number in digits alone, without an exponent.
    """

    value: Fraction
    least: int
    most: int
    plain: bool = True


class Token(NamedTuple):
    """`kind` is number, word, per, and, function, or the sign itself; `space` whether a space stood before."""

    kind: str
    text: str
    space: bool = False
    value: Fraction = Fraction(0)
    literal: Literal | None = None
    senses: tuple[Sense, ...] = ()


def number_at(text: str, place: int, space: bool) -> tuple[Token, int]:
    """The number that starts at `place`, and where it ends. Unreadable for a stray comma, point or underscore."""
    match = _based().match(text, place)
    if match:
        return Token("number", match[0], space, Fraction(int(match[0], 0))), match.end()
    if text[place] == "0" and text[place + 1 : place + 2] in ("x", "X"):
        raise Unreadable.of("digits", near=text[place : place + 8])
    match = _decimal().match(text, place)
    if match is None:
        raise Unreadable.of("syntax", near=text[place:])
    end = match.end()
    whole, part, exponent = match["whole"] or "", match["part"] or "", match["exponent"] or "0"
    following = text[end : end + 2]
    if following[:1] == "," and following[1:].isdigit():
        raise Unreadable.of("comma")
    if following[:1].isdigit() or following[:1] == "_" or (following[:1] == "." and following[1:] != ""):
        raise Unreadable.of("digits", near=text[place : end + 4])
    exponent = exponent.replace(" ", "")
    if len(exponent.lstrip("+-").lstrip("0")) > 4:
        raise Unreadable.of("magnitude")
    digits, decimals = re.sub(r"\D", "", whole), re.sub(r"\D", "", part)
    if abs(int(exponent)) > LARGEST_EXPONENT + len(digits) + len(decimals):
        raise Unreadable.of("magnitude")
    mantissa = Fraction(int(digits + decimals or "0"), 10 ** len(decimals))
    value = mantissa * Fraction(10) ** int(exponent)
    counted = (digits + decimals).lstrip("0")
    least = len(counted) if decimals else len(counted.rstrip("0"))
    literal = Literal(value, least, len(counted), plain=match["exponent"] is None)
    return Token("number", match[0], space, value, literal), end


@lru_cache(maxsize=1)
def _based() -> re.Pattern[str]:
    return re.compile(r"0[xX][0-9a-fA-F]+(?![\w.])|0[bB][01]+(?![\w.])|0[oO][0-7]+(?![\w.])")


@lru_cache(maxsize=1)
def _decimal() -> re.Pattern[str]:
    return re.compile(
        r"(?P<whole>[1-9]\d{0,2}(?:(?:,\d{3})+|(?: \d{3})+|(?:_\d{3})+|(?:'\d{3})+)(?!\d)|\d+)?"
        r"(?:\.(?P<part>\d{3}(?: \d{3})+(?!\d)|\d+)?)?"
        r"(?: ?[eE] ?(?P<exponent>[+-]? ?\d+))?"
    )


def spoken(value: Fraction) -> Literal | None:
    """The digits that a numeral in words stands for."""
    places = next((n for n in range(7) if (value * 10**n).denominator == 1), None)
    if places is None:
        return None
    digits = str(int(value * 10**places))
    return Literal(value, len(digits if places else digits.rstrip("0")), len(digits))
