"""The calculator for block quantization, and the usual mistakes about its scales."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators.base import Calculator, Input, Output, Slip, Values, choice, integer, number, optional
from quiz.calculators.block_quantize import ELEMENTS, RULES, Quantized, block_quantize, quantize
from quiz.calculators.distinct import when_distinct
from quiz.calculators.number_list import exact_numbers, significant
from quiz.calculators.rounding import (
    LARGEST_INPUT,
    as_binary64,
    away_from_zero,
    binary_exponent,
    plain,
    power,
    store,
    toward_zero,
)
from quiz.language import Text
from quiz.reference import Reference


def _numbers(i: Values) -> tuple[Fraction, ...]:
    return exact_numbers(i.values, "values")


def _largest(i: Values) -> Fraction:
    return max(map(abs, _numbers(i)))


def _amax(i: Values) -> Fraction | None:
    return None if i.tensor_amax is None else Fraction(str(i.tensor_amax))


def _is_nv(i: Values) -> bool:
    return bool(i.format == "nvfp4")


def _with(i: Values, **changes: Any) -> Quantized:
    given = {"format": i.format, "rule": i.rule, "tensor_amax": _amax(i), **changes}
    return quantize(_numbers(i), **given)


def _other_rule(i: Values) -> Quantized | None:
    return None if _is_nv(i) else _with(i, rule="ceil" if i.rule == "floor" else "floor")


def _unrounded_scale(i: Values) -> Fraction | None:
    """amax over the largest element: what the scale would be if it had all digits."""
    largest = _largest(i)
    return largest / ELEMENTS[i.format].largest if largest else None


def _no_emax(i: Values) -> Fraction | None:
    largest = _largest(i)
    return power(binary_exponent(largest)) if largest and not _is_nv(i) else None


def _as_mx(i: Values) -> Fraction | None:
    return _with(i, format="mxfp4", tensor_amax=None).scale if _is_nv(i) else None


def _code_with(i: Values, scale: Fraction | None) -> Any:
    if not scale:
        return None
    value = _numbers(i)[i.index - 1] / scale
    return plain(store(ELEMENTS[i.format], value, saturate=True))


def _number(value: Fraction | None) -> Any:
    return None if value is None else as_binary64(value)


def _at(i: Values, found: Quantized | None, pick: Callable[[Quantized], tuple[Fraction, ...]]) -> Any:
    return None if found is None else as_binary64(pick(found)[i.index - 1])


def _codes(found: Quantized) -> tuple[Fraction, ...]:
    return found.codes


def _restored(found: Quantized) -> tuple[Fraction, ...]:
    return found.restored


def _scale_worked(i: Values, o: Values) -> str:
    form, largest = ELEMENTS[i.format], significant(float(_largest(i)), 6)
    if _is_nv(i):
        return f"{significant(o.block_scale)}·{significant(o.tensor_scale)} = {significant(o.scale)}"
    if not _largest(i):
        return f"amax = 0: 2^−127 = {significant(o.scale)}"
    if i.rule == "floor":
        return f"2^(⌊log₂ {largest}⌋ − {form.largest_exponent}) = {significant(o.scale)}"
    return f"2^⌈log₂({largest}/{significant(float(form.largest))})⌉ = {significant(o.scale)}"


def _block_worked(i: Values, o: Values) -> str:
    if not _is_nv(i):
        return _scale_worked(i, o)
    return f"E4M3({significant(float(_largest(i)), 6)}/6/{significant(o.tensor_scale)}) = {significant(o.block_scale)}"


def _tensor_worked(i: Values, o: Values) -> str:
    if not _is_nv(i):
        return "MX: 1"
    largest = _largest(i) if i.tensor_amax is None else Fraction(str(i.tensor_amax))
    return f"{significant(float(largest), 6)}/(448·6) = {significant(o.tensor_scale)}"


def _code_worked(i: Values, o: Values) -> str:
    value = significant(float(_numbers(i)[i.index - 1]))
    return f"{value}/{significant(o.scale)} → {significant(o.code)}"


def _restored_worked(_: Values, o: Values) -> str:
    return f"{significant(o.code)}·{significant(o.scale)} = {significant(o.restored)}"


OTHER_RULE = Text("the power of two is rounded the other way", "2 的幂取整方向反了")
NO_EMAX = Text("the element format's own largest exponent is not taken off", "漏减了元素格式的最大指数 emax")
ALL_DIGITS = Text(
    "the scale is kept with all its digits, though the format rounds it", "scale 按原值保留了，没有舍入到规定的格式"
)
AS_MX = Text("the scale is taken to be a power of two, as MX has it", "把 scale 当成 2 的幂了，那是 MX 的做法")
UNSCALED = Text("the value is rounded without a scale", "没除以 scale 就直接舍入了")


def _scale_slips() -> tuple[Slip, ...]:
    slips = (
        Slip("other_rule", "scale", OTHER_RULE, lambda i: _number(found.scale) if (found := _other_rule(i)) else None),
        Slip("no_emax", "scale", NO_EMAX, lambda i: _number(_no_emax(i))),
        Slip("all_digits", "scale", ALL_DIGITS, lambda i: _number(_unrounded_scale(i))),
        Slip("as_mx", "scale", AS_MX, lambda i: _number(_as_mx(i))),
    )
    return tuple(when_distinct(block_quantize, slip) for slip in slips)


BLOCK_QUANTIZE = Calculator(
    name="block_quantize",
    title=Text("Quantizing a block", "分块量化"),
    inputs=(
        choice("format", Text("format", "格式"), tuple(ELEMENTS)),
        Input("values", "text", Text("the block's values: 1.2,-0.5,3", "这一块的数：1.2,-0.5,3")),
        choice("rule", Text("how MX rounds the scale's power of two", "MX 的 2 的幂怎么取整"), RULES, default="floor"),
        optional(
            number(
                "tensor_amax",
                Text(
                    "largest magnitude in the tensor (NVFP4; the block's if absent)",
                    "整个张量的最大绝对值（NVFP4；不给则取本块）",
                ),
                low=0,
                high=LARGEST_INPUT,
            )
        ),
        integer("index", Text("which value, from 1", "第几个数，从 1 数"), high=32, default=1),
    ),
    outputs=(
        Output(
            "scale",
            Text("scale of the block", "这一块的 scale"),
            "",
            "MX 2^(⌊log₂ amax⌋ − emax) or 2^⌈log₂(amax/largest)⌉; NVFP4 block_scale·tensor_scale",
            _scale_worked,
        ),
        Output(
            "block_scale",
            Text("scale as the block stores it", "块内存的 scale"),
            "",
            "NVFP4 E4M3(amax/6/tensor_scale); MX the scale",
            _block_worked,
        ),
        Output(
            "tensor_scale",
            Text("scale of the tensor (MX: 1)", "整个张量的 scale（MX 为 1）"),
            "",
            "tensor_amax/(448·6), as FP32",
            _tensor_worked,
        ),
        Output("code", Text("the value's code", "该数的编码值"), "", "round(value/scale), saturating", _code_worked),
        Output("restored", Text("what comes back", "还原值"), "", "code·scale", _restored_worked),
        Output(
            "error",
            Text("error", "误差"),
            "",
            "restored − value",
            lambda i, o: (
                f"{significant(o.restored)} − {significant(float(_numbers(i)[i.index - 1]))} = {significant(o.error)}"
            ),
        ),
        Output(
            "largest_error",
            Text("largest error in the block", "块内最大误差"),
            "",
            "max |restored − value|",
            lambda _, o: significant(o.largest_error),
        ),
        Output("codes", Text("all codes", "全部编码值"), "", "round(value/scale)", lambda _, o: o.codes),
    ),
    compute=block_quantize,
    convention=Text(
        "to nearest, ties to even, saturating; OCP's MX rule rounds the power of two down, Transformer Engine's up",
        "就近舍入、平局取偶、溢出取最大值；OCP 的 MX 规则向下取 2 的幂，Transformer Engine 向上取",
    ),
    slips=(
        *_scale_slips(),
        Slip(
            "no_tensor_scale",
            "block_scale",
            Text("the tensor's scale is left out", "漏了张量级的 scale"),
            lambda i: _number(_unrounded_scale(i)) if _is_nv(i) else None,
        ),
        Slip(
            "six_only",
            "tensor_scale",
            Text("the largest element, 6, is divided by, not 448·6", "只除了 6，应除以 448·6"),
            lambda i: (
                _number((_largest(i) if i.tensor_amax is None else Fraction(str(i.tensor_amax))) / 6)
                if _is_nv(i)
                else None
            ),
        ),
        Slip("other_rule", "code", OTHER_RULE, lambda i: _at(i, _other_rule(i), _codes)),
        Slip("all_digits", "code", ALL_DIGITS, lambda i: _code_with(i, _unrounded_scale(i))),
        Slip("unscaled", "code", UNSCALED, lambda i: _code_with(i, Fraction(1))),
        Slip(
            "truncated",
            "code",
            Text("digits are cut off instead of rounded to nearest", "直接截断，而不是就近舍入"),
            lambda i: _at(i, _with(i, rounded=toward_zero), _codes),
        ),
        Slip(
            "ties_away",
            "code",
            Text("ties are rounded away from zero, not to even", "平局时远离零舍入，而不是取偶"),
            lambda i: _at(i, _with(i, rounded=away_from_zero), _codes),
        ),
        Slip("other_rule", "restored", OTHER_RULE, lambda i: _at(i, _other_rule(i), _restored)),
        Slip(
            "code_itself",
            "restored",
            Text("the code is given, not multiplied by the scale", "给的是编码值，没乘回 scale"),
            lambda i: _at(i, _with(i), _codes),
        ),
        when_distinct(
            block_quantize,
            Slip(
                "not_rounded",
                "restored",
                Text("nothing is rounded", "没有做任何舍入"),
                lambda i: _number(_numbers(i)[i.index - 1]),
            ),
        ),
        Slip(
            "of_the_code",
            "largest_error",
            Text("the error of the codes is given, not multiplied by the scale", "给的是编码的误差，没乘回 scale"),
            lambda i: (
                _number(Fraction(block_quantize(**vars(i))["largest_error"]) / scale)
                if (scale := _with(i).scale)
                else None
            ),
        ),
    ),
    sources=(
        Reference(
            "Transformer Engine, NVFP4",
            "https://github.com/NVIDIA/TransformerEngine/blob/main/docs/features/low_precision_training/nvfp4/nvfp4.rst",
        ),
        Reference(
            "Transformer Engine, MXFP8",
            "https://github.com/NVIDIA/TransformerEngine/blob/main/docs/features/low_precision_training/mxfp8/mxfp8.rst",
        ),
        Reference(
            "CANN, aclnnDynamicMxQuant",
            "https://gitcode.com/cann/ops-nn/blob/master/quant/dynamic_mx_quant/docs/aclnnDynamicMxQuant.md",
        ),
    ),
)

CALCULATORS = (BLOCK_QUANTIZE,)
