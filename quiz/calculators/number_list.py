"""A few numbers as somebody typed them, exactly."""

from __future__ import annotations

from fractions import Fraction

from quiz.calculators.exact import Number
from quiz.calculators.rounding import LARGEST_INPUT
from quiz.errors import BadInput
from quiz.language import Text

MOST = 1024
COMMAS = str.maketrans("，、；;−", ",,,,-")


def exact_numbers(text: str, name: str) -> tuple[Fraction, ...]:
    """``1.2, -0.5, 1e-3`` as fractions, exact. BadInput for something that is no finite number, or too many of them."""
    parts = [part.strip() for part in text.translate(COMMAS).strip().strip("[]()").split(",")]
    if len(parts) > MOST:
        raise BadInput(Text(f"{name}: {MOST} numbers at most", f"{name}：最多 {MOST} 个数"))
    return tuple(_exact(part, name) for part in parts)


def _exact(part: str, name: str) -> Fraction:
    try:
        size = abs(float(part))
        if size <= LARGEST_INPUT and (size == 0 or size >= 1e-300):
            return Fraction(part)
    except ValueError:
        pass
    raise BadInput(
        Text(
            f"{name}: cannot read “{part}”; write numbers like 1.2,-0.5,3",
            f"{name}：读不懂“{part}”；请写成 1.2,-0.5,3 这样",
        )
    )


def significant(value: Number, digits: int = 9) -> str:
    """`value` to `digits` significant ones, whole numbers in full: ``26,785.7151``, ``0.0425196850``, ``-12``."""
    if value == int(value) and abs(value) < 10**15:
        return f"{int(value):,}"
    return f"{float(value):,.{digits}g}"


def at(values: tuple[Fraction, ...], index: int) -> Fraction:
    """The `index`-th of `values`, counted from 1. BadInput beyond them."""
    if index > len(values):
        raise BadInput(
            Text(f"there is no value {index} of {len(values)}", f"只有 {len(values)} 个数，没有第 {index} 个")
        )
    return values[index - 1]
