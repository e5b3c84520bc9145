"""The calculator for integer quantization, and the usual mistakes about its scale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators.base import Calculator, Input, Output, Slip, Values, choice, integer, number, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.int_quantize import SCHEMES, TIES, Quantized, groups, int_quantize, quantize
from quiz.calculators.number_list import exact_numbers, significant
from quiz.calculators.rounding import as_binary64, toward_zero
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference


def _numbers(i: Values) -> tuple[Fraction, ...]:
    return exact_numbers(i.values, "values")


def _group(i: Values) -> tuple[tuple[Fraction, ...], int]:
    """The group of the value that is asked for, and its place in it."""
    numbers = _numbers(i)
    size = len(numbers) if i.group is None else i.group
    return groups(numbers, i.group)[(i.index - 1) // size], (i.index - 1) % size


def _with(i: Values, **changes: Any) -> tuple[Quantized, int]:
    values, place = _group(i)
    clip = None if i.clip is None else Fraction(i.clip)
    given = {"bits": i.bits, "scheme": i.scheme, "clip": clip, "rounded": TIES[i.ties], **changes}
    return quantize(values, **given), place


def _code(i: Values, **changes: Any) -> int:
    found, place = _with(i, **changes)
    return found.codes[place]


def _scale(i: Values, **changes: Any) -> Any:
    return as_binary64(_with(i, **changes)[0].scale)


def _power_of_two(i: Values) -> int:
    return int(2 ** (i.bits - 1) if i.scheme == "symmetric" else 2**i.bits)


def _other_scheme(i: Values) -> dict[str, Any]:
    return {"scheme": "asymmetric" if i.scheme == "symmetric" else "symmetric"}


WHOLE_TENSOR = Text(
    "one scale is taken for the whole tensor, outliers included", "整个张量共用了一个 scale，被离群值撑大了"
)
POWER_OF_TWO = Text(
    "the range is divided by 2^bits instead of one step fewer", "除以了 2 的幂（128 或 256），应少 1 步（127 或 255）"
)
OTHER_SCHEME = Text("the other scheme (symmetric or with a zero point) is used", "对称与非对称弄反了")
TRUNCATED = Text("digits are cut off instead of rounded to nearest", "直接截断，而不是就近舍入")
OTHER_TIES = Text("ties are rounded the other way (to even, or away from zero)", "平局的舍入方式弄反了（取偶或远离零）")
INVERSE = Text("the inverse of the scale is given", "给的是 scale 的倒数")


def _range_worked(i: Values) -> str:
    values, _ = _group(i)
    low, high = min(*values, Fraction(0)), max(*values, Fraction(0))
    if i.clip is not None:
        low, high = max(low, -Fraction(i.clip)), min(high, Fraction(i.clip))
    if low == high:
        return "amax = 0: 1"
    if i.scheme == "symmetric":
        return f"{significant(float(max(-low, high)))}/{2 ** (i.bits - 1) - 1}"
    return f"({significant(float(high))} + {significant(float(-low))})/{2**i.bits - 1}"


def _value(i: Values) -> str:
    return significant(float(_numbers(i)[i.index - 1]))


def _code_worked(i: Values, o: Values) -> str:
    zero = f" + {o.zero_point}" if i.scheme == "asymmetric" else ""
    return f"{_value(i)}/{significant(o.scale, 6)}{zero} → {o.code}"


def _restored_worked(i: Values, o: Values) -> str:
    code = f"({o.code} − {o.zero_point})" if i.scheme == "asymmetric" else f"{o.code}"
    return f"{code}·{significant(o.scale, 6)} = {significant(o.restored, 6)}"


def _zero_worked(i: Values, o: Values) -> str:
    if i.scheme == "symmetric":
        return "0"
    values, _ = _group(i)
    return f"{significant(float(-min(*values, Fraction(0))))}/{significant(o.scale, 6)} → {o.zero_point}"


def _without_zero_point(i: Values) -> Any:
    found, place = _with(i)
    return as_binary64(found.codes[place] * found.scale) if i.scheme == "asymmetric" else None


_SLIPS = (
    changed(int_quantize, "scale", "whole_tensor", WHOLE_TENSOR, lambda i: {"group": None} if i.group else None),
    Slip("power_of_two", "scale", POWER_OF_TWO, lambda i: _scale(i, steps=_power_of_two(i))),
    changed(int_quantize, "scale", "other_scheme", OTHER_SCHEME, _other_scheme),
    Slip("inverse", "scale", INVERSE, lambda i: as_binary64(1 / _with(i)[0].scale)),
    changed(int_quantize, "zero_point", "signed", OTHER_SCHEME, _other_scheme),
    changed(int_quantize, "code", "whole_tensor", WHOLE_TENSOR, lambda i: {"group": None} if i.group else None),
    Slip("power_of_two", "code", POWER_OF_TWO, lambda i: _code(i, steps=_power_of_two(i))),
    changed(int_quantize, "code", "other_scheme", OTHER_SCHEME, _other_scheme),
    Slip("truncated", "code", TRUNCATED, lambda i: _code(i, rounded=toward_zero)),
    changed(int_quantize, "code", "other_ties", OTHER_TIES, lambda i: {"ties": "away" if i.ties == "even" else "even"}),
    changed(int_quantize, "restored", "whole_tensor", WHOLE_TENSOR, lambda i: {"group": None} if i.group else None),
    Slip(
        "no_zero_point",
        "restored",
        Text("the zero point is not taken off", "还原时漏减了零点"),
        _without_zero_point,
    ),
    Slip(
        "not_rounded",
        "restored",
        Text("nothing is rounded", "没有做任何舍入"),
        lambda i: as_binary64(_numbers(i)[i.index - 1]),
    ),
    changed(
        int_quantize, "largest_error", "whole_tensor", WHOLE_TENSOR, lambda i: {"group": None} if i.group else None
    ),
    Slip(
        "half_a_step",
        "largest_error",
        Text("half a step, the most that rounding can miss by, is given", "给的是半个步长（舍入误差的上限）"),
        lambda i: as_binary64(_with(i)[0].scale / 2),
    ),
    changed(int_quantize, "zeroed", "whole_tensor", WHOLE_TENSOR, lambda i: {"group": None} if i.group else None),
)
_EXACT = ("zero_point", "code", "zeroed")

INT_QUANTIZE = Calculator(
    name="int_quantize",
    title=Text("Integer quantization", "整数量化"),
    inputs=(
        Input("values", "text", Text("values: 1.2,-0.5,-10000", "待量化的数：1.2,-0.5,-10000")),
        integer("bits", Text("bits", "位数"), low=2, high=32, default=8),
        choice(
            "scheme", Text("symmetric, or with a zero point", "对称，或带零点的非对称"), SCHEMES, default="symmetric"
        ),
        optional(
            integer("group", Text("values a scale (all if absent)", "多少个数共用一个 scale（不给则全部）"), high=10**6)
        ),
        optional(number("clip", Text("magnitude beyond which values are cut off", "截断阈值"), high=1e30)),
        choice("ties", Text("ties to even or away from zero", "平局取偶，或远离零"), tuple(TIES), default="even"),
        integer("index", Text("which value, from 1", "第几个数，从 1 数"), high=10**6, default=1),
    ),
    outputs=(
        Output(
            "scale",
            Text("scale (step)", "scale（步长）"),
            "",
            "amax/(2^(bits−1) − 1); asymmetric (max − min)/(2^bits − 1)",
            lambda i, o: f"{_range_worked(i)} = {significant(o.scale, 6)}",
        ),
        Output("zero_point", Text("zero point", "零点"), "", "round(−min/scale); symmetric 0", _zero_worked),
        Output(
            "code", Text("the value's integer", "该数的整数编码"), "", "round(value/scale) + zero_point", _code_worked
        ),
        Output("restored", Text("what comes back", "还原值"), "", "(code − zero_point)·scale", _restored_worked),
        Output(
            "error",
            Text("error", "误差"),
            "",
            "restored − value",
            lambda i, o: f"{significant(o.restored)} − {_value(i)} = {significant(o.error, 6)}",
        ),
        Output(
            "largest_error",
            Text("largest error of all values", "全部数的最大误差"),
            "",
            "max |restored − value|",
            lambda _, o: significant(o.largest_error, 6),
        ),
        Output(
            "zeroed",
            Text("values other than 0 that come back as 0", "被量化成 0 的非零数个数"),
            "",
            "count of |value| below half a step",
            lambda _, o: f"{o.zeroed}",
        ),
        Output(
            "codes", Text("all integers", "全部整数编码"), "", "round(value/scale) + zero_point", lambda _, o: o.codes
        ),
    ),
    compute=int_quantize,
    convention=Text(
        "symmetric codes stop at ±127 (not −128); the range always holds 0; ties to even as PyTorch has it",
        "对称量化取 ±127（不用 −128）；量化范围总含 0；平局取偶，与 PyTorch 一致",
    ),
    slips=tuple(slip if slip.output in _EXACT else when_distinct(int_quantize, slip) for slip in _SLIPS),
    sources=(
        Reference(
            "Hugging Face, A Gentle Introduction to 8-bit Matrix Multiplication",
            "https://huggingface.co/blog/hf-bitsandbytes-integration",
        ),
    ),
)


CALCULATORS = (INT_QUANTIZE,)
