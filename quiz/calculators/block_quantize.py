"""A block of numbers in MXFP8, MXFP6, MXFP4 or NVFP4, exactly: its scale, its codes, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quiz.calculators.exact import Number
from quiz.calculators.number_list import at, exact_numbers
from quiz.calculators.rounding import (
    FORMATS,
    Format,
    Rounding,
    as_binary64,
    binary_exponent,
    digits,
    plain,
    power,
    store,
    to_even,
)
from quiz.errors import BadInput
from quiz.language import Text

ELEMENTS = {
    "mxfp8_e4m3": FORMATS["fp8_e4m3"],
    "mxfp8_e5m2": FORMATS["fp8_e5m2"],
    "mxfp6_e3m2": Format("fp6_e3m2", 3, 2, "numbers"),
    "mxfp6_e2m3": Format("fp6_e2m3", 2, 3, "numbers"),
    "mxfp4": FORMATS["fp4_e2m1"],
    "nvfp4": FORMATS["fp4_e2m1"],
}
BLOCKS = {name: 16 if name == "nvfp4" else 32 for name in ELEMENTS}
RULES = ("floor", "ceil")
SMALLEST_E8M0, LARGEST_E8M0 = -127, 127
E4M3 = FORMATS["fp8_e4m3"]


@dataclass(frozen=True, slots=True)
class Quantized:
    """Each value is about codes·block_scale·tensor_scale; `scale` is the product of the two."""

    values: tuple[Fraction, ...]
    codes: tuple[Fraction, ...]
    block_scale: Fraction
    tensor_scale: Fraction

    @property
    def scale(self) -> Fraction:
        return self.block_scale * self.tensor_scale

    @property
    def restored(self) -> tuple[Fraction, ...]:
        return tuple(code * self.scale for code in self.codes)


def quantize(
    values: tuple[Fraction, ...],
    format: str,
    rule: str = "floor",
    tensor_amax: Fraction | None = None,
    rounded: Rounding = to_even,
) -> Quantized:
    """`values` as one block of `format`, in exact arithmetic; see block_quantize for the rules."""
    form = ELEMENTS[format]
    largest = max(map(abs, values))
    if format == "nvfp4":
        block, tensor = nv_scales(largest, largest if tensor_amax is None else tensor_amax)
    else:
        block, tensor = mx_scale(form, largest, rule), Fraction(1)
    codes = tuple(_code(form, value, block * tensor, rounded) for value in values)
    return Quantized(values, codes, block, tensor)


def mx_scale(form: Format, largest: Fraction, rule: str) -> Fraction:
    """The power of two for a block whose largest magnitude is `largest`, as E8M0 holds it.

    floor: 2^(⌊log₂ amax⌋ − emax), which lets the largest values saturate; ceil: the smallest that does not.
    """
    if not largest:
        return power(SMALLEST_E8M0)
    if rule == "floor":
        exponent = binary_exponent(largest) - form.largest_exponent
    else:
        exponent = binary_exponent(largest / form.largest)
        exponent += power(exponent) < largest / form.largest
    return power(min(max(exponent, SMALLEST_E8M0), LARGEST_E8M0))


def nv_scales(largest: Fraction, tensor_amax: Fraction) -> tuple[Fraction, Fraction]:
    """The block's E4M3 scale and the tensor's FP32 one. BadInput where the block exceeds the tensor."""
    if largest > tensor_amax:
        raise BadInput(
            Text("tensor_amax is below the block's own largest value", "tensor_amax 比这一块自己的最大值还小")
        )
    form = ELEMENTS["nvfp4"]
    tensor = _number(store(FORMATS["fp32"], tensor_amax / (E4M3.largest * form.largest)))
    if not tensor:
        return Fraction(0), Fraction(1)
    return _number(store(E4M3, largest / form.largest / tensor, saturate=True)), tensor


def _code(form: Format, value: Fraction, scale: Fraction, rounded: Rounding) -> Fraction:
    return _number(store(form, value / scale, saturate=True, rounded=rounded)) if scale else Fraction(0)


def _number(stored: Fraction | str) -> Fraction:
    if isinstance(stored, str):
        raise BadInput(Text("the values are too large for the scale", "数值太大，scale 表示不了"))
    return stored


def block_quantize(
    *, format: str, values: str, rule: str, tensor_amax: Number | None, index: int, **_: Any
) -> dict[str, Any]:
    """One block of numbers in a block-scaled format and back, exact until the results are printed.

    MX (32 elements and an E8M0 scale, a power of two), with emax the largest exponent of the element format:

        scale = 2^(⌊log₂ amax⌋ − emax) [floor, OCP]    or 2^⌈log₂(amax/largest)⌉ [ceil, as Transformer Engine]

    NVFP4 (16 elements of E2M1, an E4M3 scale a block, an FP32 scale a tensor):

        tensor_scale = tensor_amax/(448·6)      block_scale = E4M3(amax/6/tensor_scale)      scale = block·tensor

        code = round(value/scale) to nearest even, saturating at the largest number      restored = code·scale

    tensor_amax is the block's own amax if absent. `index` counts from 1. `codes` lists all codes; largest_error is over
    the block. A block of zeros has the smallest scale (MX) or 0 (NVFP4). BadInput for unreadable or too many values.
    Sources: Transformer Engine, NVFP4 and MXFP8; CANN aclnnDynamicMxQuant (shared_exp = floor(log2(max|V|)) − emax)
    """
    numbers = exact_numbers(values, "values")
    if len(numbers) > BLOCKS[format]:
        raise BadInput(
            Text(f"a block of {format} has {BLOCKS[format]} values at most", f"{format} 一块最多 {BLOCKS[format]} 个数")
        )
    wanted = at(numbers, index)
    found = quantize(numbers, format, rule, None if tensor_amax is None else Fraction(str(tensor_amax)))
    restored = found.restored
    return {
        "scale": as_binary64(found.scale),
        "block_scale": as_binary64(found.block_scale),
        "tensor_scale": as_binary64(found.tensor_scale),
        "code": plain(found.codes[index - 1]),
        "restored": as_binary64(restored[index - 1]),
        "error": as_binary64(restored[index - 1] - wanted),
        "largest_error": as_binary64(max(abs(a - b) for a, b in zip(restored, numbers, strict=True))),
        "codes": ", ".join(digits(plain(code)) for code in found.codes),
    }
