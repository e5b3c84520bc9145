"""Floating-point formats: their limits and what they store; sums beside them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators.base import Calculator, Output, Slip, Values, choice, flag, number, optional
from quiz.calculators.exact import Number
from quiz.calculators.float_add import FLOAT_ADD
from quiz.calculators.rounding import (
    FORMATS,
    LARGEST_INPUT,
    Format,
    as_binary64,
    as_number,
    away_from_zero,
    digits,
    plain,
    power,
    store,
    toward_zero,
    typed,
)
from quiz.language import Text
from quiz.reference import Reference


def float_format(*, format: str, value: Number | None, saturate: bool) -> dict[str, Any]:
    """The limits of `format`, and what it stores for `value`.

    With e exponent bits, m mantissa bits and bias b = 2^(e−1) − 1:

        largest = (2 − 2^−m)·2^b     smallest_normal = 2^(1−b)     smallest_subnormal = 2^(1−b−m)     epsilon = 2^−m

    E4M3 (FN) uses the top exponent for numbers and only its last code for NaN: 1.75·2^8 = 448; E2M1 has numbers only: 6.
    epsilon is the distance from 1 to the next number (some give half of it, the unit roundoff). bits counts what the
    format defines: TF32 has 19, held in 32. stored and ulp are None without a value; stored is "inf" or "nan" where
    `value` overflows and nothing saturates. Pure numbers.

    Sources: Micikevicius et al. 2022, Table 1, https://arxiv.org/abs/2209.05433; ONNX, Float stored in 8 bits and in 4
    bits, https://onnx.ai/onnx/technical/; CUDA Math API, __nv_tf32
    """
    form = FORMATS[format]
    held = None if value is None else store(form, Fraction(value), saturate=saturate)
    return {
        "largest": plain(form.largest),
        "smallest_normal": plain(form.smallest_normal),
        "smallest_subnormal": plain(form.smallest_subnormal),
        "epsilon": plain(form.epsilon),
        "bits": form.bits,
        "stored": None if held is None else plain(held),
        "ulp": plain(form.spacing(held)) if isinstance(held, Fraction) else None,
    }


def _form(i: Values) -> Format:
    return FORMATS[i.format]


def _ieee_largest(i: Values) -> Number | None:
    """The largest number if the format kept its top exponent for infinity and NaN, as IEEE formats do."""
    form = _form(i)
    return None if form.top == "ieee" else as_number(Format("", form.exponent_bits, form.mantissa_bits).largest)


def _all_codes_largest(i: Values) -> Number | None:
    """The largest number if every code were a number."""
    form = _form(i)
    return as_binary64(Format("", form.exponent_bits, form.mantissa_bits, "numbers").largest)


def _held(i: Values) -> Fraction | None:
    if i.value is None:
        return None
    found = store(_form(i), Fraction(i.value), saturate=i.saturate)
    return found if isinstance(found, Fraction) else None


SAME_WIDTH = {"bf16": "fp16", "fp16": "bf16", "fp8_e4m3": "fp8_e5m2", "fp8_e5m2": "fp8_e4m3"}


def _same_width_largest(i: Values) -> Number | None:
    return as_number(FORMATS[SAME_WIDTH[i.format]].largest) if i.format in SAME_WIDTH else None


def _limit(name: str) -> Any:
    def line(i: Values, o: Values) -> str:
        form = _form(i)
        e, m, b = form.exponent_bits, form.mantissa_bits, form.bias
        return {
            "largest": f"{'1.75' if form.top == 'nan' else f'(2 − 2^−{m})'}·2^{form.largest_exponent} = {digits(o.largest)}",
            "smallest_normal": f"2^(1 − {b}) = {digits(o.smallest_normal)}",
            "smallest_subnormal": f"2^(1 − {b} − {m}) = {digits(o.smallest_subnormal)}",
            "epsilon": f"2^−{m} = {digits(o.epsilon)}",
            "bits": f"1 + {e} + {m} = {o.bits}",
        }[name]

    return line


FLOAT_FORMAT = Calculator(
    name="float_format",
    title=Text("Floating-point format", "浮点格式"),
    inputs=(
        choice("format", Text("format", "格式"), tuple(FORMATS)),
        optional(number("value", Text("a value to store", "要存的数"), low=-LARGEST_INPUT, high=LARGEST_INPUT)),
        flag("saturate", Text("overflow gives the largest number", "溢出时取最大值（饱和）")),
    ),
    outputs=(
        Output("largest", Text("largest number", "最大值"), "", "(2 − 2^−m)·2^b; E4M3 1.75·2^8", _limit("largest")),
        Output(
            "smallest_normal", Text("smallest normal number", "最小规格化数"), "", "2^(1−b)", _limit("smallest_normal")
        ),
        Output(
            "smallest_subnormal",
            Text("smallest subnormal number", "最小非规格化数"),
            "",
            "2^(1−b−m)",
            _limit("smallest_subnormal"),
        ),
        Output(
            "epsilon",
            Text("machine epsilon, the step above 1", "机器 epsilon（1 之上的间距）"),
            "",
            "2^−m",
            _limit("epsilon"),
        ),
        Output("bits", Text("bits", "位数"), "", "1 + e + m", _limit("bits")),
        Output(
            "stored",
            Text("the value as stored", "实际存下的值"),
            "",
            "round(value), to nearest, ties to even",
            lambda i, o: "" if i.value is None else f"{typed(i.value)} → {digits(o.stored)}",
        ),
        Output(
            "ulp",
            Text("unit in the last place of the stored value", "存下的值处的 ulp"),
            "",
            "2^(⌊log₂|value|⌋ − m)",
            lambda _, o: "" if o.ulp is None else f"ulp({digits(o.stored)}) = {digits(o.ulp)}",
        ),
    ),
    compute=float_format,
    convention=Text(
        "E4M3 is E4M3FN (largest 448, no infinity); epsilon is 2^−m, not half of it",
        "E4M3 指 E4M3FN（最大 448，没有无穷）；epsilon 取 2^−m，不取其一半",
    ),
    slips=(
        Slip(
            "as_ieee",
            "largest",
            Text(
                "the top exponent is kept for infinity and NaN, as IEEE formats do",
                "按 IEEE 的做法把最大指数留给了无穷和 NaN",
            ),
            _ieee_largest,
        ),
        Slip(
            "every_code_a_number",
            "largest",
            Text("the codes of infinity and NaN are counted as numbers", "把无穷和 NaN 的编码也当成普通数"),
            _all_codes_largest,
        ),
        Slip(
            "power_of_two",
            "largest",
            Text("the mantissa is left out and the next power of two given", "没算尾数，直接取了下一个 2 的幂"),
            lambda i: as_binary64(power(_form(i).largest_exponent + 1)),
        ),
        Slip(
            "format_of_the_same_width",
            "largest",
            Text("the other format of that width is meant", "记成了同样位宽的另一种格式"),
            _same_width_largest,
        ),
        Slip(
            "exponent_zero",
            "smallest_normal",
            Text(
                "exponent code 0 is counted as a normal number's, though it holds the subnormals",
                "把指数编码 0 当成规格化数，而它留给非规格化数",
            ),
            lambda i: as_binary64(_form(i).smallest_normal / 2),
        ),
        Slip(
            "subnormal",
            "smallest_normal",
            Text("the smallest subnormal is given for the smallest normal number", "把最小非规格化数当成最小规格化数"),
            lambda i: as_number(_form(i).smallest_subnormal),
        ),
        Slip(
            "no_subnormals",
            "smallest_subnormal",
            Text("subnormal numbers are forgotten", "忘了非规格化数"),
            lambda i: as_number(_form(i).smallest_normal),
        ),
        Slip(
            "exponent_zero",
            "smallest_subnormal",
            Text("subnormal numbers are given the exponent −b instead of 1−b", "把非规格化数的指数取成 −b，应为 1−b"),
            lambda i: as_binary64(_form(i).smallest_subnormal / 2),
        ),
        Slip(
            "unit_roundoff",
            "epsilon",
            Text("half the step above 1, the unit roundoff, is given", "给的是间距的一半（单位舍入误差）"),
            lambda i: as_binary64(_form(i).epsilon / 2),
        ),
        Slip(
            "hidden_bit_stored",
            "epsilon",
            Text("the hidden leading bit is taken out of the stored mantissa bits", "把隐含的首位当成占了一位尾数"),
            lambda i: as_binary64(_form(i).epsilon * 2),
        ),
        Slip(
            "container",
            "bits",
            Text(
                "the 32 bits that hold TF32 are counted, not the 19 that it has",
                "数的是存放 TF32 的 32 位，而它只有 19 位",
            ),
            lambda i: 32 if i.format == "tf32" else None,
        ),
        Slip(
            "no_sign",
            "bits",
            Text("the sign bit is left out", "漏了符号位"),
            lambda i: _form(i).bits - 1,
        ),
        Slip(
            "truncated",
            "stored",
            Text("digits are cut off instead of rounded to nearest", "直接截断，而不是就近舍入"),
            lambda i: (
                None
                if i.value is None
                else as_number(store(_form(i), Fraction(i.value), saturate=i.saturate, rounded=toward_zero))
            ),
        ),
        Slip(
            "ties_away",
            "stored",
            Text("ties are rounded away from zero, not to even", "平局时远离零舍入，而不是取偶"),
            lambda i: (
                None
                if i.value is None
                else as_number(store(_form(i), Fraction(i.value), saturate=i.saturate, rounded=away_from_zero))
            ),
        ),
        Slip(
            "not_rounded",
            "stored",
            Text("the number is kept as written, not as the format stores it", "照写的数保留，没有舍入到该格式"),
            lambda i: i.value,
        ),
        Slip(
            "epsilon",
            "ulp",
            Text("the machine epsilon, the ulp at 1, is used as it stands", "直接用机器 epsilon（1 处的 ulp）"),
            lambda i: None if _held(i) is None else as_number(_form(i).epsilon),
        ),
        Slip(
            "half",
            "ulp",
            Text("half an ulp, the largest rounding error, is given for the ulp", "把半个 ulp（最大舍入误差）当成 ulp"),
            lambda i: None if (held := _held(i)) is None else as_binary64(_form(i).spacing(held) / 2),
        ),
        Slip(
            "epsilon_times_value",
            "ulp",
            Text(
                "epsilon is multiplied by the number itself, not by the power of two below it",
                "用 epsilon 乘这个数本身，而不是乘它下面的 2 的幂",
            ),
            lambda i: None if (held := _held(i)) is None else as_binary64(_form(i).epsilon * abs(held)),
        ),
    ),
    sources=(
        *FLOAT_ADD.sources,
        Reference("ONNX, Float stored in 4 bits", "https://onnx.ai/onnx/technical/float4.html"),
        Reference(
            "CUDA Math API, __nv_tf32",
            "https://docs.nvidia.com/cuda/developer-preview/13.4/cuda-math-api/cuda_math_api/struct____nv__tf32.html",
        ),
    ),
)

CALCULATORS = (FLOAT_ADD, FLOAT_FORMAT)
