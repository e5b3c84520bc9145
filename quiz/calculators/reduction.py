"""Reductions: the shape that is left, how far apart the reduced elements lie, and what it costs to read them all."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Input, Output, Slip, Values, optional
from quiz.calculators.exact import Number, decimal
from quiz.calculators.inputs import BANDWIDTH, DEVICE, element_bytes
from quiz.calculators.memory_bound import GPU_BACKGROUND, INTENSITY_OUTPUT, NO_WRITE, TIME_OUTPUT, cost
from quiz.calculators.roofline import ELEMENTS_FOR_BYTES
from quiz.calculators.slips import changed, times, unless_negligible
from quiz.errors import BadInput
from quiz.language import Text

MOST_DIMENSIONS = 16


def dimensions(text: str) -> tuple[int, ...]:
    """The sizes that ``128,16,256,256`` or ``[128, 16, 256, 256]`` writes. BadInput for anything else."""
    parts = [part.strip() for part in text.strip().strip("[]()").replace("×", ",").replace("x", ",").split(",")]
    parts = [part for part in parts if part]
    if not all(part.isdecimal() and 0 < int(part) <= 10**12 for part in parts) or len(parts) > MOST_DIMENSIONS:
        raise BadInput(Text(f"{text} is no shape; write 128,16,256,256", f"{text} 不是形状；写成 128,16,256,256"))
    if not parts:
        raise BadInput(Text("the shape is empty; write 128,16,256,256", "形状为空；写成 128,16,256,256"))
    return tuple(int(part) for part in parts)


def axes(text: str, rank: int) -> tuple[int, ...]:
    """The axes that ``1`` or ``2,3`` or ``-1`` names, counted from 0, in order. BadInput if there are none such."""
    found = set()
    for part in text.strip().strip("[]()").split(","):
        try:
            axis = int(part)
        except ValueError:
            raise BadInput(Text(f"{part} is no axis; write 1 or 2,3", f"{part} 不是轴；写成 1 或 2,3")) from None
        if not -rank <= axis < rank:
            raise BadInput(
                Text(f"there is no axis {axis}; axes go from 0 to {rank - 1}", f"没有轴 {axis}，轴从 0 到 {rank - 1}")
            )
        found.add(axis % rank)
    return tuple(sorted(found))


def reduction(
    *, shape: str, axis: str, element_bytes: Number, output_bytes: Number | None, bandwidth: Number | None, **_: Any
) -> dict[str, Any]:
    """Sum (or maximum) of a row-major tensor of `shape` over `axis`, counted from 0; several axes as ``2,3``.

        output_shape = shape without the axes       length = elements that make one result, the product of the axes
        stride = elements from one reduced element to the next: the product of the sizes behind the last reduced axis
        flops = elements − outputs                  one addition fewer than there are elements in each result
        bytes = elements·b + outputs·b_out          read once, written once
        arithmetic_intensity = flops/bytes          time = bytes/bandwidth

    In elements, FLOP, byte, FLOP/byte and s; time is None without a bandwidth. BadInput for no shape or axis of it.
    A stride of 1 lets neighbouring threads share a row and finish with shuffles; a large one lets each thread keep a
    column of its own, and neighbouring threads still read neighbouring addresses.
    Derived; arithmetic intensity as in NVIDIA's GPU Performance Background User's Guide.
    """
    sizes = dimensions(shape)
    chosen = axes(axis, len(sizes))
    kept = tuple(size for place, size in enumerate(sizes) if place not in chosen)
    elements, outputs = math.prod(sizes), math.prod(kept)
    width = decimal(element_bytes)
    moved = elements * width + outputs * (width if output_bytes is None else decimal(output_bytes))
    return {
        "output_shape": f"[{', '.join(map(str, kept))}]",
        "output_elements": outputs,
        "length": elements // outputs,
        "stride": math.prod(sizes[chosen[-1] + 1 :]),
        **cost(decimal(elements - outputs), moved, bandwidth),
    }


def _sizes(i: Values) -> tuple[int, ...]:
    return dimensions(i.shape)


def _chosen(i: Values) -> tuple[int, ...]:
    return axes(i.axis, len(_sizes(i)))


def _product(sizes: tuple[int, ...]) -> str:
    return "·".join(f"{size:,}" for size in sizes) or "1"


def _kept(i: Values) -> tuple[int, ...]:
    chosen = _chosen(i)
    return tuple(size for place, size in enumerate(_sizes(i)) if place not in chosen)


def _bytes_worked(i: Values, o: Values) -> str:
    wide = i.element_bytes if i.output_bytes is None else i.output_bytes
    return (
        f"{_product(_sizes(i))}·{figures.number(i.element_bytes)} + {o.output_elements:,}·{figures.number(wide)} = "
        f"{figures.size(o.bytes)}"
    )


def _next_axis(i: Values) -> dict[str, Any] | None:
    """One axis further on, where there is one and a single axis is reduced."""
    chosen = _chosen(i)
    return {"axis": str((chosen[0] + 1) % len(_sizes(i)))} if len(chosen) == 1 and len(_sizes(i)) > 1 else None


def _last_axis(i: Values) -> dict[str, Any] | None:
    last, chosen = len(_sizes(i)) - 1, _chosen(i)
    return {"axis": str(last)} if last not in chosen and chosen != (last - 1,) else None


WRONG_AXIS = Text(
    "the axes are counted from 1, so that the next axis is reduced", "轴从 1 开始数了，结果归约的是后面一个轴"
)
LAST_AXIS = Text("the last axis is reduced", "归约成了最后一个轴")
OUTPUTS_FOR_LENGTH = Text(
    "the elements of one result are taken for the results", "把每个结果所归约的元素数当成了结果个数"
)


def _axis_slips(output: str) -> tuple[Slip, ...]:
    return (
        changed(reduction, output, "axis_from_one", WRONG_AXIS, _next_axis),
        changed(reduction, output, "last_axis", LAST_AXIS, _last_axis),
    )


REDUCTION = Calculator(
    name="reduction",
    title=Text("Reduction over an axis", "沿轴归约"),
    inputs=(
        Input("shape", "text", Text("shape, row-major: 128,16,256,256", "张量形状（行优先）：128,16,256,256")),
        Input("axis", "text", Text("axis or axes, from 0: 1 or 2,3", "归约的轴，从 0 数：1 或 2,3")),
        element_bytes("element_bytes", Text("bytes an element", "每个元素的字节数"), 4),
        optional(
            element_bytes("output_bytes", Text("bytes a result (as an element if absent)", "每个结果的字节数"), None)
        ),
        DEVICE,
        optional(BANDWIDTH),
    ),
    outputs=(
        Output(
            "output_shape",
            Text("shape that is left", "结果形状"),
            "",
            "shape without the axes",
            lambda i, o: f"[{', '.join(map(str, _sizes(i)))}] → {o.output_shape}",
        ),
        Output(
            "output_elements",
            Text("results", "结果元素数"),
            "element",
            "product of the other sizes",
            lambda i, o: f"{_product(_kept(i))} = {o.output_elements:,}",
        ),
        Output(
            "length",
            Text("elements that make one result", "每个结果归约的元素数"),
            "element",
            "product of the reduced sizes",
            lambda i, o: f"{_product(tuple(_sizes(i)[place] for place in _chosen(i)))} = {o.length:,}",
        ),
        Output(
            "stride",
            Text("elements from one reduced element to the next", "相邻被归约元素间隔的元素数"),
            "element",
            "product of the sizes behind the last reduced axis",
            lambda i, o: f"{_product(_sizes(i)[_chosen(i)[-1] + 1 :])} = {o.stride:,}",
        ),
        Output(
            "flops",
            Text("operations", "运算量"),
            "FLOP",
            "elements − results",
            lambda i, o: f"{_product(_sizes(i))} − {o.output_elements:,} = {figures.scaled(o.flops, 'FLOP')}",
        ),
        Output(
            "bytes", Text("memory traffic", "访存量"), "byte", "elements·bytes + results·output_bytes", _bytes_worked
        ),
        INTENSITY_OUTPUT,
        TIME_OUTPUT,
    ),
    compute=reduction,
    convention=Text(
        "axes count from 0, row-major; n elements take n − 1 additions; each element is read once",
        "轴从 0 数，行优先；n 个元素做 n − 1 次加法；每个元素只读一次",
    ),
    slips=(
        *_axis_slips("output_elements"),
        Slip("length", "output_elements", OUTPUTS_FOR_LENGTH, lambda i: reduction(**vars(i))["length"]),
        *_axis_slips("length"),
        Slip(
            "results",
            "length",
            Text("the results are taken for the elements of one result", "把结果个数当成了每个结果归约的元素数"),
            lambda i: reduction(**vars(i))["output_elements"],
        ),
        *_axis_slips("stride"),
        times(
            reduction,
            "stride",
            "axis_included",
            Text("the reduced axis itself is multiplied in", "把被归约的轴自己也乘进去了"),
            lambda i: float(_sizes(i)[_chosen(i)[-1]]),
        ),
        *(
            unless_negligible(reduction, slip)
            for slip in (
                changed(reduction, "bytes", "no_write", NO_WRITE, lambda _: {"output_bytes": 0}),
                changed(
                    reduction,
                    "bytes",
                    "elements_for_bytes",
                    ELEMENTS_FOR_BYTES,
                    lambda _: {"element_bytes": 1, "output_bytes": 1},
                ),
                *_axis_slips("bytes"),
                *_axis_slips("arithmetic_intensity"),
                changed(
                    reduction,
                    "arithmetic_intensity",
                    "elements_for_bytes",
                    ELEMENTS_FOR_BYTES,
                    lambda _: {"element_bytes": 1, "output_bytes": 1},
                ),
            )
        ),
        changed(
            reduction,
            "time",
            "elements_for_bytes",
            ELEMENTS_FOR_BYTES,
            lambda i: None if i.bandwidth is None else {"element_bytes": 1, "output_bytes": 1},
        ),
    ),
    sources=(GPU_BACKGROUND,),
)

CALCULATORS = (REDUCTION,)
