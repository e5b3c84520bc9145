"""Numbers as a worked line has them: ``3.35 TB/s``, ``1.34 GB (1.25 GiB)``, ``327,680 B (320 KiB)``, ``18.2 %``."""

from __future__ import annotations

import math

Number = int | float

DECIMAL: tuple[tuple[str, int], ...] = (("P", 10**15), ("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3))
BINARY: tuple[tuple[str, int], ...] = (("PiB", 2**50), ("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
SMALL: tuple[tuple[str, int], ...] = (("m", 10**3), ("µ", 10**6), ("n", 10**9))
IN_FULL = 10**6


def number(value: Number, digits: int = 4) -> str:
    """Whole numbers in full with separators, others to `digits` significant ones: ``1,024``, ``295.3``, ``0.5``."""
    if value == int(value) and abs(value) < 10**15:
        return f"{int(value):,}"
    rounded = float(f"{float(value):.{digits}g}")
    if rounded == int(rounded) and abs(rounded) < 10**15:
        return f"{int(rounded):,}"
    if abs(rounded) >= 10**15 or abs(rounded) < 1e-4:
        return f"{rounded:g}"
    places = max(1, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{places}f}".rstrip("0")


def scaled(value: Number, unit: str, digits: int = 4) -> str:
    """`value` with a decimal prefix before `unit`: ``989.4 TFLOP/s``, ``3.35 TB/s``, ``12.5 GFLOP``."""
    for prefix, size in DECIMAL:
        if abs(value) >= size:
            return f"{_rounded(value, size, digits)} {prefix}{unit}"
    return f"{number(value, digits)} {unit}"


def peak(value: Number) -> str:
    """A peak rate, in TFLOP/s as data sheets print it: ``989.4 TFLOP/s``, ``2,250 TFLOP/s``."""
    return f"{_rounded(value, 10**12, 5)} TFLOP/s" if value >= 10**12 else scaled(value, "FLOP/s")


def size(value: Number) -> str:
    """A size in bytes both ways: small ones in full, ``327,680 B (320 KiB)``, large ones ``1.34 GB (1.25 GiB)``."""
    binary = next((f"{_rounded(value, step, 3)} {name}" for name, step in BINARY if abs(value) >= step), "")
    plain = f"{number(value)} B" if abs(value) < IN_FULL else scaled(value, "B")
    return f"{plain} ({binary})" if binary else plain


def seconds(value: Number) -> str:
    """A time with its prefix: ``13.9 µs``, ``4.07 ms``, ``2.5 s``."""
    if value == 0 or abs(value) >= 1:
        return f"{number(value)} s"
    for prefix, steps in SMALL:
        if abs(value) * steps >= 1:
            return f"{number(value * steps)} {prefix}s"
    return f"{number(value * 10**9)} ns"


def percent(value: Number) -> str:
    return f"{number(100 * value, 3)} %"


def _rounded(value: Number, step: int, digits: int) -> str:
    return number(float(f"{float(value) / step:.{digits}g}"), digits)
