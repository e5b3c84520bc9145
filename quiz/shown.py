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
# What engineers write for a choice's or a link's id.
WRITTEN = {
    "fp64": "FP64", "fp32": "FP32", "tf32": "TF32", "fp16": "FP16", "bf16": "BF16", "int8": "INT8", "int4": "INT4",
    "fp8_e4m3": "FP8 E4M3", "fp8_e5m2": "FP8 E5M2", "fp6_e2m3": "FP6 E2M3", "fp6_e3m2": "FP6 E3M2",
    "fp4_e2m1": "FP4 E2M1", "mxfp8_e4m3": "MXFP8 E4M3", "mxfp8_e5m2": "MXFP8 E5M2", "mxfp4": "MXFP4", "nvfp4": "NVFP4",
    "csr": "CSR", "coo": "COO", "gpipe": "GPipe", "1f1b": "1F1B", "dualpipe": "DualPipe",
    "nvlink-3": "NVLink 3", "nvlink-4": "NVLink 4", "nvlink-5": "NVLink 5",
    "pcie-3-x16": "PCIe 3.0 ×16", "pcie-4-x16": "PCIe 4.0 ×16", "pcie-5-x16": "PCIe 5.0 ×16", "pcie-6-x16": "PCIe 6.0 ×16",
    "network-100g": "100 Gbit/s", "network-200g": "200 Gbit/s", "network-400g": "400 Gbit/s", "network-800g": "800 Gbit/s",
}  # fmt: skip
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def shown(field: Input, value: Any) -> Text:
    """`value` of `field` as a reader wants it: text as the card writes it, a preset by its name."""
    if field.kind == "preset":
        return preset_name(str(value))
    if isinstance(value, bool):
        return Text("yes", "是") if value else Text("no", "否")
    if isinstance(value, str):
        return same(WRITTEN.get(value, value) if field.kind == "choice" else value)
    return same(quantity(value, field.unit))


def preset_name(name: str) -> Text:
    """What people call a model or a device that is known here by an id."""
    from quiz.calculators.devices import DEVICES
    from quiz.calculators.models import MODELS

    known = DEVICES.get(name) or MODELS.get(name)
    return same(known.title if known else WRITTEN.get(name, name))


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
