"""Numbers rounded to integers with a shared scale, exactly: symmetric or with a zero point, by tensor or by group."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quiz.calculators.exact import Number
from quiz.calculators.number_list import at, exact_numbers
from quiz.calculators.rounding import Rounding, as_binary64, away_from_zero, plain, to_even
from quiz.errors import BadInput
from quiz.language import Text

SCHEMES = ("symmetric", "asymmetric")
TIES = {"even": to_even, "away": away_from_zero}


@dataclass(frozen=True, slots=True)
class Quantized:
    """One group: value ≈ (code − zero_point)·scale."""

    values: tuple[Fraction, ...]
    codes: tuple[int, ...]
    scale: Fraction
    zero_point: int

    @property
    def restored(self) -> tuple[Fraction, ...]:
        return tuple((code - self.zero_point) * self.scale for code in self.codes)


def quantize(
    values: tuple[Fraction, ...],
    bits: int,
    scheme: str = "symmetric",
    clip: Fraction | None = None,
    rounded: Rounding = to_even,
    steps: int | None = None,
) -> Quantized:
    """`values` as one group with one scale; `steps` overrides how many steps the range is divided into."""
    low, high = min(*values, Fraction(0)), max(*values, Fraction(0))
    if clip is not None:
        low, high = max(low, -clip), min(high, clip)
    if scheme == "symmetric":
        top = 2 ** (bits - 1) - 1
        scale = max(-low, high) / (top if steps is None else steps)
        zero, least, most = 0, -top, top
    else:
        scale = (high - low) / (2**bits - 1 if steps is None else steps)
        zero, least, most = rounded(-low / scale) if scale else 0, 0, 2**bits - 1
    if not scale:
        return Quantized(values, (0,) * len(values), Fraction(1), 0)
    codes = tuple(min(max(rounded(value / scale) + zero, least), most) for value in values)
    return Quantized(values, codes, scale, zero)


def groups(values: tuple[Fraction, ...], size: int | None) -> list[tuple[Fraction, ...]]:
    """`values` in runs of `size`, the last one perhaps shorter; all of them as one without a size."""
    step = len(values) if size is None else size
    return [values[start : start + step] for start in range(0, len(values), step)]


def int_quantize(
    *, values: str, bits: int, scheme: str, group: int | None, clip: Number | None, ties: str, index: int
) -> dict[str, Any]:
    """A tensor's values as integers of `bits` bits and back, exact until the results are printed.

        symmetric     scale = amax/(2^(bits−1) − 1)      zero_point = 0      codes −(2^(bits−1) − 1) … 2^(bits−1) − 1
        asymmetric    scale = (max − min)/(2^bits − 1)   zero_point = round(−min/scale)         codes 0 … 2^bits − 1
        code = round(value/scale) + zero_point, kept in range       restored = (code − zero_point)·scale

    With `group`, each run of that many values has a scale of its own (amax, min and max are the run's); with `clip`
    larger magnitudes are cut off first. min ≤ 0 ≤ max is made to hold, so that 0 is exact. scale, zero_point, code,
    restored and error are the `index`-th value's (from 1) and its group's; largest_error and zeroed (values other than 0
    that come back as 0) of all values. All zeros take scale 1. Pure numbers. BadInput for unreadable values.
    Source: Hugging Face, A Gentle Introduction to 8-bit Matrix Multiplication (absmax and zero-point quantization)
    """
    numbers = exact_numbers(values, "values")
    at(numbers, index)
    cut = None if clip is None else Fraction(clip)
    if cut is not None and cut <= 0:
        raise BadInput(Text("clip has to be above 0", "clip 要大于 0"))
    found = [quantize(run, bits, scheme, cut, TIES[ties]) for run in groups(numbers, group)]
    mine = found[(index - 1) // (len(numbers) if group is None else group)]
    restored = [value for run in found for value in run.restored]
    value, back = numbers[index - 1], restored[index - 1]
    code = [code for run in found for code in run.codes][index - 1]
    return {
        "scale": as_binary64(mine.scale),
        "zero_point": mine.zero_point,
        "code": code,
        "restored": as_binary64(back),
        "error": as_binary64(back - value),
        "largest_error": as_binary64(max(abs(a - b) for a, b in zip(restored, numbers, strict=True))),
        "zeroed": sum(1 for a, b in zip(restored, numbers, strict=True) if not a and b),
        "codes": ", ".join(str(plain(Fraction(code))) for run in found for code in run.codes),
    }
