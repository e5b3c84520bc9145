"""How an input of a calculator reads inside a question: counts with separators, quantities with a prefix."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators.base import Input
from quiz.language import Text, same

SYMBOLS = {"byte": "B", "bit": "bit", "second": "s", "s": "s", "FLOP": "FLOP", "Hz": "Hz", "W": "W", "J": "J"}
UNPREFIXED = frozenset({"USD", "CNY"})
PREFIXES = (("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3), ("", 0), ("m", -3), ("µ", -6), ("n", -9))
BINARY = (("Ti", 4), ("Gi", 3), ("Mi", 2), ("Ki", 1))
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def shown(field: Input, value: Any) -> Text:
    """`value` of `field` as a reader wants it: text as the card writes it, a preset by its name."""
    if field.kind == "preset":
        return preset_name(str(value))
    if isinstance(value, bool):
        return Text("yes", "是") if value else Text("no", "否")
    if isinstance(value, str):
        return same(value)
    return same(quantity(value, field.unit))


def preset_name(name: str) -> Text:
    """What people call a model or a device that is known here by an id."""
    from quiz.calculators.devices import DEVICES
    from quiz.calculators.models import MODELS

    known = DEVICES.get(name) or MODELS.get(name)
    return same(known.title if known else name)


def quantity(value: float | Fraction, unit: str) -> str:
    """A number of base units: ``3.35 TB/s``, ``320 KiB``, ``18 %``, to twelve digits.

    What is counted is a number alone, ``8,192``: the sentence around it says of what. A rate of it says so itself.
    """
    exact = Fraction(value) if not isinstance(value, float) else Fraction(repr(value))
    if unit == "%":
        return f"{number(exact * 100)} %"
    head, slash, rest = unit.partition("/")
    tail = f"/{SYMBOLS.get(rest, rest)}" if slash else ""
    if head in SYMBOLS:
        return _prefixed(exact, SYMBOLS[head], tail)
    return f"{number(exact)} {head}{tail}" if slash or head in UNPREFIXED else number(exact)


def number(exact: Fraction) -> str:
    """Digits with thousands separators; very small ones as a power of ten."""
    if exact.denominator == 1:
        return f"{exact.numerator:,}"
    if abs(exact) < Fraction(1, 10_000):
        mantissa, _, exponent = f"{float(exact):.15e}".partition("e")
        return f"{float(mantissa):.12g}·10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    digits = f"{float(exact):.12g}"
    return digits if "e" in digits else f"{float(digits):,.12g}" if abs(exact) < 10**12 else digits


def _prefixed(exact: Fraction, symbol: str, tail: str) -> str:
    forms = []
    for prefix, power in PREFIXES:
        scaled = exact / Fraction(10) ** power
        if (1 <= abs(scaled) < 1000 or (power == 0 and not exact)) and not (power < 0 and symbol != "s"):
            forms.append(f"{number(scaled)} {prefix}{symbol}{tail}")
    if symbol == "B" and exact.denominator == 1:
        for prefix, power in BINARY:
            scaled = exact / 1024**power
            if scaled.denominator == 1 and 1 <= abs(scaled) < 10_000:
                forms.append(f"{number(scaled)} {prefix}{symbol}{tail}")
                break
    return min(forms, key=lambda form: sum(c.isdigit() for c in form), default=f"{number(exact)} {symbol}{tail}")
