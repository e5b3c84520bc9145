"""A floating-point sum, bit by bit: what is stored, what it rounds to, what disappears."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators.base import Calculator, Output, Slip, Values, choice, flag, number
from quiz.calculators.exact import Number
from quiz.calculators.rounding import (
    FORMATS,
    LARGEST_INPUT,
    Format,
    Rounding,
    Stored,
    added,
    as_binary64,
    as_number,
    away_from_zero,
    binary_exponent,
    digits,
    negated,
    plain,
    store,
    toward_zero,
    typed,
)
from quiz.language import Text
from quiz.reference import Reference


def float_add(*, format: str, big: Number, small: Number, subtract: bool, saturate: bool) -> dict[str, Any]:
    """big − small (big + small without `subtract`) as `format` computes it, to the bit.

    Both operands are stored first, then the exact sum of what is stored is rounded once, to nearest, ties to even, with
    subnormals. ulp is the distance from the stored big to the next larger number: a second operand below half of it
    disappears (below a quarter where big is a power of two and the sum falls into the finer spacing under it).
    absorbed says whether a second operand other than 0 left the stored big unchanged; overflow whether an operand or
    the sum went beyond the largest number: the result is then "inf", "-inf" or, in E4M3, "nan", the largest number with
    `saturate` and always in E2M1. ulp is None where big itself overflowed. Pure numbers; inputs are read as binary64.

    Sources: Micikevicius et al. 2022, FP8 Formats for Deep Learning, Table 1, https://arxiv.org/abs/2209.05433; ONNX,
    Float stored in 8 bits (casts with and without saturation), https://onnx.ai/onnx/technical/float8.html
    """
    form = FORMATS[format]
    first, second = _operands(form, big, small, subtract, saturate)
    result = added(form, first, second, saturate=saturate)
    return {
        "result": plain(result),
        "stored_big": plain(first),
        "stored_small": plain(negated(second) if subtract else second),
        "ulp": plain(form.spacing(first)) if isinstance(first, Fraction) else None,
        "absorbed": "yes" if small != 0 and isinstance(result, Fraction) and result == first else "no",
        "overflow": "yes" if _overflows(form, big, small, first, second) else "no",
    }


def _operands(form: Format, big: Number, small: Number, subtract: bool, saturate: bool) -> tuple[Stored, Stored]:
    first, second = store(form, Fraction(big), saturate=saturate), store(form, Fraction(small), saturate=saturate)
    return first, negated(second) if subtract else second


def _overflows(form: Format, big: Number, small: Number, first: Stored, second: Stored) -> bool:
    exact = [Fraction(big), Fraction(small)]
    if isinstance(first, Fraction) and isinstance(second, Fraction):
        exact.append(first + second)
    return any(abs(round(value / form.spacing(value))) * form.spacing(value) > form.largest for value in exact)


def _exact_sum(i: Values) -> Fraction:
    return Fraction(i.big) - Fraction(i.small) if i.subtract else Fraction(i.big) + Fraction(i.small)


def _sum(i: Values, rounded: Rounding) -> Number | None:
    """The sum with another rounding of both steps; None where it is no number."""
    form = FORMATS[i.format]
    first = store(form, Fraction(i.big), saturate=i.saturate, rounded=rounded)
    second = store(form, Fraction(i.small), saturate=i.saturate, rounded=rounded)
    return as_number(
        added(form, first, negated(second) if i.subtract else second, saturate=i.saturate, rounded=rounded)
    )


def _stored_big(i: Values) -> Fraction | None:
    found = store(FORMATS[i.format], Fraction(i.big), saturate=i.saturate)
    return found if isinstance(found, Fraction) else None


def _kept(i: Values) -> Number | None:
    """The big operand as given, with the small one left out as absorbed."""
    return i.big if _absorbed(i) else None


def _unrounded(i: Values) -> Number | None:
    """The exact decimal result, where binary64 can tell it from the big operand."""
    found = as_binary64(_exact_sum(i))
    return None if found == i.big and i.small != 0 else found


def _absorbed(i: Values) -> bool:
    return bool(float_add(**vars(i))["absorbed"] == "yes")


def _wrongly_absorbed(i: Values) -> Number | None:
    """The stored big operand, where the small one is below an ulp and still moves it."""
    found = _stored_big(i)
    if found is None or _absorbed(i) or abs(Fraction(i.small)) >= FORMATS[i.format].spacing(found):
        return None
    return as_number(found)


def _wrongly_moved(i: Values) -> Number | None:
    """One ulp away, where the small operand disappears."""
    found = _stored_big(i)
    if found is None or not _absorbed(i):
        return None
    step = FORMATS[i.format].spacing(found)
    return as_number(found - step if (Fraction(i.small) > 0) == i.subtract else found + step)


def _decimal_ulp(i: Values) -> Number | None:
    """A unit in the last of as many decimal digits as the format has for sure."""
    found = _stored_big(i)
    if not found:
        return None
    digits = int((FORMATS[i.format].mantissa_bits + 1) * 0.30103)
    exponent = len(str(int(abs(found)))) - 1 if abs(found) >= 1 else None
    return None if exponent is None else as_binary64(Fraction(10) ** (exponent - max(digits - 1, 0)))


def _worked_sum(i: Values, o: Values) -> str:
    sign = "−" if i.subtract else "+"
    return f"{digits(o.stored_big)} {sign} {digits(o.stored_small)} → {digits(o.result)}"


FLOAT_ADD = Calculator(
    name="float_add",
    title=Text("Floating-point sum, to the bit", "浮点加减，逐位精确"),
    inputs=(
        choice("format", Text("format", "格式"), tuple(name for name in FORMATS if name != "fp4_e2m1")),
        number("big", Text("first operand", "第一个操作数"), low=-LARGEST_INPUT, high=LARGEST_INPUT),
        number("small", Text("second operand", "第二个操作数"), low=-LARGEST_INPUT, high=LARGEST_INPUT),
        flag("subtract", Text("subtract the second from the first", "做减法（第一个减第二个）"), default=True),
        flag("saturate", Text("overflow gives the largest number", "溢出时取最大值（饱和）")),
    ),
    outputs=(
        Output(
            "result",
            Text("stored result", "实际存下的结果"),
            "",
            "round(round(big) − round(small)), to nearest, ties to even",
            _worked_sum,
        ),
        Output(
            "stored_big",
            Text("first operand as stored", "第一个操作数实际存下的值"),
            "",
            "round(big)",
            lambda i, o: f"{typed(i.big)} → {digits(o.stored_big)}",
        ),
        Output(
            "stored_small",
            Text("second operand as stored", "第二个操作数实际存下的值"),
            "",
            "round(small)",
            lambda i, o: f"{typed(i.small)} → {digits(o.stored_small)}",
        ),
        Output(
            "ulp",
            Text("unit in the last place of the stored first operand", "第一个操作数处的 ulp"),
            "",
            "2^(⌊log₂|big|⌋ − mantissa bits)",
            lambda i, o: (
                ""
                if o.ulp is None or not o.stored_big
                else f"2^({binary_exponent(Fraction(o.stored_big))} − {FORMATS[i.format].mantissa_bits}) = {digits(o.ulp)}"
            ),
        ),
        Output(
            "absorbed",
            Text("whether the second operand disappears", "第二个操作数是否被吞掉"),
            "",
            "round(big ∓ small) = round(big)",
            _worked_sum,
        ),
        Output(
            "overflow",
            Text("whether anything exceeds the largest number", "是否溢出"),
            "",
            "|rounded| > largest",
            lambda i, _: f"{i.format}: ±{digits(plain(FORMATS[i.format].largest))}",
        ),
    ),
    compute=float_add,
    convention=Text(
        "operands are stored first, one rounding to nearest even after; ulp is the step upward from the stored value; "
        "E4M3 is E4M3FN (largest 448, no infinity)",
        "先存两个操作数，再按就近舍入、平局取偶舍入一次；ulp 指向上的间距；E4M3 指 E4M3FN（最大 448，没有无穷）",
    ),
    slips=(
        Slip("not_rounded", "result", Text("nothing is rounded", "完全没有做舍入"), _unrounded),
        Slip(
            "big_not_rounded",
            "result",
            Text(
                "the first operand is kept as written, not as the format stores it",
                "第一个操作数照写的数保留，没有先舍入到该格式",
            ),
            _kept,
        ),
        Slip(
            "absorbed_too_early",
            "result",
            Text(
                "whatever is below an ulp is taken to disappear, not what is below half of one",
                "把小于 1 个 ulp 的数都当成会被吞掉，而界限是半个 ulp",
            ),
            _wrongly_absorbed,
        ),
        Slip(
            "moved_by_an_ulp",
            "result",
            Text(
                "what is below half an ulp is taken to move the result by one",
                "不到半个 ulp 的数也算成让结果移动 1 个 ulp",
            ),
            _wrongly_moved,
        ),
        Slip(
            "truncated",
            "result",
            Text("digits are cut off instead of rounded to nearest", "直接截断，而不是就近舍入"),
            lambda i: _sum(i, toward_zero),
        ),
        Slip(
            "ties_away",
            "result",
            Text("ties are rounded away from zero, not to even", "平局时远离零舍入，而不是取偶"),
            lambda i: _sum(i, away_from_zero),
        ),
        Slip(
            "big_not_rounded",
            "stored_big",
            Text("the number is kept as written, not as the format stores it", "照写的数保留，没有舍入到该格式"),
            lambda i: i.big,
        ),
        Slip(
            "truncated",
            "stored_big",
            Text("digits are cut off instead of rounded to nearest", "直接截断，而不是就近舍入"),
            lambda i: as_number(store(FORMATS[i.format], Fraction(i.big), saturate=i.saturate, rounded=toward_zero)),
        ),
        Slip(
            "small_not_rounded",
            "stored_small",
            Text("the number is kept as written, not as the format stores it", "照写的数保留，没有舍入到该格式"),
            lambda i: i.small,
        ),
        Slip(
            "half",
            "ulp",
            Text("half an ulp, the largest rounding error, is given for the ulp", "把半个 ulp（最大舍入误差）当成 ulp"),
            lambda i: None if (held := _stored_big(i)) is None else as_binary64(FORMATS[i.format].spacing(held) / 2),
        ),
        Slip(
            "epsilon",
            "ulp",
            Text("the machine epsilon, the ulp at 1, is used as it stands", "直接用机器 epsilon（1 处的 ulp）"),
            lambda i: as_number(FORMATS[i.format].epsilon),
        ),
        Slip(
            "epsilon_times_value",
            "ulp",
            Text(
                "epsilon is multiplied by the number itself, not by the power of two below it",
                "用 epsilon 乘这个数本身，而不是乘它下面的 2 的幂",
            ),
            lambda i: as_binary64(FORMATS[i.format].epsilon * abs(Fraction(i.big))),
        ),
        Slip(
            "decimal_digits",
            "ulp",
            Text("decimal digits are counted instead of bits", "按十进制有效位数来算，而不是按二进制位"),
            _decimal_ulp,
        ),
        Slip(
            "kept",
            "absorbed",
            Text(
                "the result is compared with what was written, not with what is stored",
                "拿写出来的数比较，而不是拿实际存下的数",
            ),
            lambda i: "no" if _absorbed(i) else None,
        ),
        Slip(
            "precision_for_range",
            "overflow",
            Text("lost digits are taken for an overflow", "把丢失精度当成溢出"),
            lambda i: "yes" if _absorbed(i) else None,
        ),
    ),
    sources=(
        Reference(
            "Micikevicius et al. 2022, FP8 Formats for Deep Learning, Table 1", "https://arxiv.org/abs/2209.05433"
        ),
    ),
)
