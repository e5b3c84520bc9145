"""Block-scaled formats: what an element takes, its share of the scales included."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional, preset
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference

# bits an element, bits a scale (zero point included), elements a scale, bits once a tensor
FORMATS: dict[str, tuple[int, int, int, int]] = {
    "mxfp8": (8, 8, 32, 0),
    "mxfp6": (6, 8, 32, 0),
    "mxfp4": (4, 8, 32, 0),
    "mxint8": (8, 8, 32, 0),
    "nvfp4": (4, 8, 16, 32),
    "fp8-1x128": (8, 32, 128, 0),
    "fp8-128x128": (8, 32, 16_384, 0),
    "nf4": (4, 32, 64, 0),
    "int4-g128": (4, 16, 128, 0),
    "int4-g128-zero": (4, 20, 128, 0),
    "q4_0": (4, 16, 32, 0),
    "q8_0": (8, 16, 32, 0),
}


def block_scaled_size(
    *, element_bits: int, scale_bits: int, block: int, tensor_bits: int, elements: int | None, **_: Any
) -> dict[str, Any]:
    """Bits of an element that shares a scale with the rest of its block.

        per_element = element_bits + scale_bits/block (+ tensor_bits/elements)        compression = 16/per_element
        overhead = per_element/element_bits − 1
        size = elements·element_bits + ⌈elements/block⌉·scale_bits + tensor_bits

    per_element and size in byte (an eighth of the bits: 4.25 bit is 0.53125 byte); the others pure numbers. `scale_bits`
    is all that a block has beside its elements, a zero point too; `tensor_bits` once a tensor is spread over `elements`,
    and left out where they are not given; size is None then. A last block that is not full has a whole scale.
    Sources: Transformer Engine, NVFP4 (an E4M3 scale for 16 elements, an FP32 one once a tensor) and MXFP8 (an E8M0
    scale for 32)
    """
    each = element_bits + Fraction(scale_bits, block) + (Fraction(tensor_bits, elements) if elements else 0)
    size = None
    if elements is not None:
        size = Fraction(elements * element_bits + math.ceil(elements / block) * scale_bits + tensor_bits, 8)
        each = size * 8 / elements
    return {
        "per_element": plain(each / 8),
        "overhead": float(each / element_bits - 1),
        "compression": float(16 / each),
        "size": None if size is None else plain(size),
    }


def _worked(i: Values, o: Values) -> str:
    tensor = f" + {i.tensor_bits}/{i.elements:,}" if i.tensor_bits and i.elements else ""
    return f"{i.element_bits} + {i.scale_bits}/{i.block}{tensor} = {figures.number(8 * o.per_element, 6)} bit"


def _size_worked(i: Values, o: Values) -> str:
    if o.size is None:
        return ""
    tensor = f" + {i.tensor_bits}" if i.tensor_bits else ""
    blocks = f"⌈{i.elements:,}/{i.block}⌉·{i.scale_bits}"
    return f"({i.elements:,}·{i.element_bits} + {blocks}{tensor})/8 = {figures.size(o.size)}"


NO_SCALE = Text("the scales are left out", "漏了缩放因子")
OTHER_BLOCK = Text(
    "a scale for 32 elements is taken, though it is one for 16", "按 32 个元素共用一个 scale 算了，实际是 16 个"
)
SMALLER_BLOCK = Text(
    "a scale for 16 elements is taken, though it is one for 32", "按 16 个元素共用一个 scale 算了，实际是 32 个"
)
WIDE_SCALE = Text("a 32-bit scale is taken, though it has fewer bits", "按 32 位 scale 算了，实际位数更少")


def _slips(output: str) -> tuple[Slip, ...]:
    return tuple(
        when_distinct(block_scaled_size, slip)
        for slip in (
            changed(block_scaled_size, output, "no_scale", NO_SCALE, lambda _: {"scale_bits": 0, "tensor_bits": 0}),
            changed(
                block_scaled_size,
                output,
                "block_of_32",
                OTHER_BLOCK,
                lambda i: {"block": 32} if i.block == 16 else None,
            ),
            changed(
                block_scaled_size,
                output,
                "block_of_16",
                SMALLER_BLOCK,
                lambda i: {"block": 16} if i.block == 32 else None,
            ),
            changed(
                block_scaled_size,
                output,
                "wide_scale",
                WIDE_SCALE,
                lambda i: {"scale_bits": 32} if i.scale_bits < 32 else None,
            ),
        )
    )


BLOCK_SCALED_SIZE = Calculator(
    name="block_scaled_size",
    title=Text("Size of a block-scaled format", "分块缩放格式的位数"),
    inputs=(
        preset(
            "format",
            Text("format", "格式"),
            tuple(FORMATS),
            lambda name, _: dict(
                zip(("element_bits", "scale_bits", "block", "tensor_bits"), FORMATS[name], strict=True)
            ),
        ),
        integer("element_bits", Text("bits an element (or give format)", "每个元素的位数（或给 format）"), high=64),
        integer("scale_bits", Text("bits a block beside its elements", "每块 scale（含零点）的位数"), low=0, high=1024),
        integer("block", Text("elements a scale", "共用一个 scale 的元素数"), high=10**9),
        integer("tensor_bits", Text("bits once a tensor", "每个张量一份的位数"), low=0, high=1024, default=0),
        optional(integer("elements", Text("elements of the tensor", "张量的元素数"), high=10**18)),
    ),
    outputs=(
        Output(
            "per_element",
            Text("an element with its share of the scales", "每个元素（含分摊的 scale）"),
            "byte",
            "element_bits + scale_bits/block (+ tensor_bits/elements)",
            _worked,
        ),
        Output(
            "overhead",
            Text("what the scales add", "scale 的额外开销"),
            "",
            "per_element/element_bits − 1",
            lambda i, o: f"{figures.number(8 * o.per_element, 6)}/{i.element_bits} − 1 = {figures.percent(o.overhead)}",
        ),
        Output(
            "compression",
            Text("how much smaller than 16 bits", "相对 16 位的压缩倍数"),
            "",
            "16/per_element",
            lambda _, o: f"16/{figures.number(8 * o.per_element, 6)} = {figures.number(o.compression)}",
        ),
        Output(
            "size",
            Text("the tensor", "整个张量"),
            "byte",
            "(elements·element_bits + ⌈elements/block⌉·scale_bits + tensor_bits)/8",
            _size_worked,
        ),
    ),
    compute=block_scaled_size,
    convention=Text(
        "the scales count; NVFP4's FP32 scale of the whole tensor only where its elements are given",
        "scale 计入；NVFP4 每个张量一个的 FP32 scale 只在给出元素数时分摊",
    ),
    slips=(*_slips("per_element"), *_slips("compression"), *_slips("size")),
    sources=(
        Reference(
            "Transformer Engine, NVFP4",
            "https://github.com/NVIDIA/TransformerEngine/blob/main/docs/features/low_precision_training/nvfp4/nvfp4.rst",
        ),
        Reference(
            "Transformer Engine, MXFP8",
            "https://github.com/NVIDIA/TransformerEngine/blob/main/docs/features/low_precision_training/mxfp8/mxfp8.rst",
        ),
    ),
)

CALCULATORS = (BLOCK_SCALED_SIZE,)
