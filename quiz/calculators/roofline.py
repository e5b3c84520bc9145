"""Roofline: what a matrix multiplication computes and moves, and which of the two bounds it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import OPTIONAL_RATES, RATES, element_bytes, link_both_ways, sparse_peak
from quiz.calculators.slips import changed, times, unless_negligible
from quiz.language import Text
from quiz.reference import Reference

INTENSITY = "FLOP/byte"
SPARSE_FOR_DENSE = Text(
    "the 2:4-sparse peak that data sheets print is taken for the dense one",
    "用了规格表上的 2:4 稀疏峰值，而不是稠密峰值",
)
LINK_FOR_MEMORY = Text("the GPU-to-GPU link's bandwidth is taken for the memory's", "把卡间互联带宽当成了显存带宽")
MULTIPLY_ADDS = Text("a multiply-add is counted as one operation, not two", "一次乘加只算 1 次运算，应算 2 次")
NO_OUTPUT = Text("only A and B are counted, the result C that is written is not", "只算了读 A、B，漏了写回的 C")
WEIGHTS_ONLY = Text("only the weights are counted as traffic, not A and C", "访存只算了权重，漏了激活 A 和输出 C")
ELEMENTS_FOR_BYTES = Text("elements are taken for bytes", "把元素个数当成了字节数")
OUTPUT_AS_A = Text("C is counted in A's width, though it is written in its own", "C 按 A 的位宽算了，实际输出位宽不同")

NVIDIA_GUIDE = Reference(
    "NVIDIA, Matrix Multiplication Background User's Guide, §2",
    "https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/index.html",
)
SCALING_BOOK = Reference("How to Scale Your Model, rooflines", "https://jax-ml.github.io/scaling-book/roofline")


def gemm_roofline(
    *,
    m: int,
    n: int,
    k: int,
    a_bytes: Number,
    b_bytes: Number,
    c_bytes: Number,
    peak: Number | None,
    bandwidth: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """C[m,n] = A[m,k]·B[k,n] with each matrix moved once between memory and chip.

        flops = 2·m·n·k                      bytes = a·m·k + b·k·n + c·m·n
        arithmetic_intensity = flops/bytes   ridge = peak/bandwidth
        time = max(flops/peak, bytes/bandwidth), bound by compute from the ridge on, else by memory

    In FLOP, byte, FLOP/byte and s; a, b, c are bytes an element. ridge, time and bound are None where peak or
    bandwidth is not given.
    Sources: NVIDIA, Matrix Multiplication Background User's Guide, §2; How to Scale Your Model, rooflines
    """
    flops = 2 * m * n * k
    moved = decimal(a_bytes) * m * k + decimal(b_bytes) * k * n + decimal(c_bytes) * m * n
    known = {"flops": flops, "bytes": plain(moved), "arithmetic_intensity": float(flops / moved)}
    if peak is None or bandwidth is None:
        return known | {"ridge": None, "time": None, "bound": None}
    computing, moving = Fraction(flops) / Fraction(peak), moved / Fraction(bandwidth)
    return known | {
        "ridge": peak / bandwidth,
        "time": float(max(computing, moving)),
        "bound": "compute" if computing >= moving else "memory",
    }


def ridge_point(*, peak: Number, bandwidth: Number, **_: Any) -> dict[str, Any]:
    """The arithmetic intensity from which on a kernel can reach the peak: ridge = peak/bandwidth, in FLOP/byte.

    Source: How to Scale Your Model, rooflines, https://jax-ml.github.io/scaling-book/roofline
    """
    return {"ridge": peak / bandwidth}


def half(_: Values) -> float:
    return 0.5


def double(_: Values) -> float:
    return 2


def with_sparse_peak(i: Values) -> dict[str, Any] | None:
    peak = sparse_peak(i)
    return None if peak is None else {"peak": peak}


def _with_link(i: Values) -> dict[str, Any] | None:
    link = link_both_ways(i)
    return None if link is None or i.bandwidth is None else {"bandwidth": link}


def output_as_a(i: Values) -> dict[str, Any] | None:
    return None if i.c_bytes == i.a_bytes else {"c_bytes": i.a_bytes}


def _traffic_slips(output: str) -> tuple[Slip, ...]:
    """The usual mistakes about what is moved. Leaving out what is small is none."""
    slips = (
        changed(gemm_roofline, output, "no_output", NO_OUTPUT, lambda _: {"c_bytes": 0}),
        changed(gemm_roofline, output, "output_in_input_width", OUTPUT_AS_A, output_as_a),
        changed(gemm_roofline, output, "elements_for_bytes", ELEMENTS_FOR_BYTES, _one_byte),
        changed(gemm_roofline, output, "weights_only", WEIGHTS_ONLY, lambda _: {"a_bytes": 0, "c_bytes": 0}),
    )
    return tuple(unless_negligible(gemm_roofline, slip) for slip in slips)


def _one_byte(_: Values) -> dict[str, Any]:
    return {"a_bytes": 1, "b_bytes": 1, "c_bytes": 1}


def ridge_worked(i: Values, ridge: float) -> str:
    return f"{figures.peak(i.peak)} / {figures.scaled(i.bandwidth, 'B/s')} = {figures.number(ridge)} {INTENSITY}"


def _time_worked(i: Values, o: Values) -> str:
    if o.time is None:
        return ""
    work, moved = figures.scaled(o.flops, "FLOP"), figures.scaled(o.bytes, "B")
    computing, moving = figures.seconds(o.flops / i.peak), figures.seconds(o.bytes / i.bandwidth)
    return (
        f"max({work} / {figures.peak(i.peak)}, {moved} / {figures.scaled(i.bandwidth, 'B/s')}) = "
        f"max({computing}, {moving}) = {figures.seconds(o.time)}"
    )


def _bound_worked(_: Values, o: Values) -> str:
    if o.bound is None:
        return ""
    sign = "≥" if o.bound == "compute" else "<"
    return f"{figures.number(o.arithmetic_intensity)} {sign} {figures.number(o.ridge)} {INTENSITY}: {o.bound}"


def _time_of(i: Values, part: str) -> float | None:
    if i.peak is None or i.bandwidth is None:
        return None
    known = gemm_roofline(**vars(i))
    computing, moving = float(known["flops"] / i.peak), float(known["bytes"] / i.bandwidth)
    return {"sum": computing + moving, "compute": computing, "memory": moving}[part]


def _other_time(i: Values, part: str) -> float | None:
    """The time by one of the two rates where the other one binds."""
    found = _time_of(i, part)
    return None if found is None or found == _time_of(i, "compute" if part == "memory" else "memory") else found


MATRIX_BYTES = (
    element_bytes("a_bytes", Text("bytes an element of A (activations)", "A（激活）每个元素的字节数")),
    element_bytes("b_bytes", Text("bytes an element of B (weights)", "B（权重）每个元素的字节数")),
    element_bytes("c_bytes", Text("bytes an element of C (output)", "C（输出）每个元素的字节数")),
)

GEMM_ROOFLINE = Calculator(
    name="gemm_roofline",
    title=Text("GEMM roofline", "GEMM 的 roofline"),
    inputs=(
        integer("m", Text("rows of A and C (tokens)", "A、C 的行数 m（token 数）"), high=10**9),
        integer("n", Text("columns of B and C", "B、C 的列数 n"), high=10**9),
        integer("k", Text("columns of A, rows of B", "A 的列数、B 的行数 k"), high=10**9),
        *MATRIX_BYTES,
        *OPTIONAL_RATES,
    ),
    outputs=(
        Output(
            "flops",
            Text("operations", "运算量"),
            "FLOP",
            "2·m·n·k",
            lambda i, o: f"2·{i.m:,}·{i.n:,}·{i.k:,} = {figures.scaled(o.flops, 'FLOP')}",
        ),
        Output(
            "bytes",
            Text("memory traffic, each matrix once", "访存量（每个矩阵一次）"),
            "byte",
            "a·m·k + b·k·n + c·m·n",
            lambda i, o: (
                f"{figures.number(i.a_bytes)}·{i.m:,}·{i.k:,} + {figures.number(i.b_bytes)}·{i.k:,}·{i.n:,} + "
                f"{figures.number(i.c_bytes)}·{i.m:,}·{i.n:,} = {figures.size(o.bytes)}"
            ),
        ),
        Output(
            "arithmetic_intensity",
            Text("arithmetic intensity", "算术强度"),
            INTENSITY,
            "2·m·n·k / (a·m·k + b·k·n + c·m·n)",
            lambda _, o: (
                f"{figures.scaled(o.flops, 'FLOP')} / {figures.scaled(o.bytes, 'B')} = "
                f"{figures.number(o.arithmetic_intensity)} {INTENSITY}"
            ),
        ),
        Output(
            "ridge",
            Text("ridge point of the device", "设备的拐点"),
            INTENSITY,
            "peak/bandwidth",
            lambda i, o: "" if o.ridge is None else ridge_worked(i, o.ridge),
        ),
        Output(
            "time",
            Text("shortest time", "最短耗时"),
            "s",
            "max(FLOP/peak, bytes/bandwidth)",
            _time_worked,
        ),
        Output(
            "bound",
            Text("what bounds it", "受限于什么"),
            "",
            "intensity ≥ ridge ? compute : memory",
            _bound_worked,
        ),
    ),
    compute=gemm_roofline,
    convention=Text(
        "dense peak, each matrix moved once, a multiply-add is two FLOP",
        "按稠密峰值，每个矩阵只进出一次显存，一次乘加算 2 FLOP",
    ),
    slips=(
        times(gemm_roofline, "flops", "multiply_adds", MULTIPLY_ADDS, half),
        *_traffic_slips("bytes"),
        times(gemm_roofline, "arithmetic_intensity", "multiply_adds", MULTIPLY_ADDS, half),
        *_traffic_slips("arithmetic_intensity"),
        changed(gemm_roofline, "ridge", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        changed(gemm_roofline, "ridge", "link_for_memory", LINK_FOR_MEMORY, _with_link),
        changed(gemm_roofline, "time", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        changed(gemm_roofline, "time", "link_for_memory", LINK_FOR_MEMORY, _with_link),
        Slip(
            "sum_of_both",
            "time",
            Text("computing and moving are added up, though they overlap", "把计算时间和访存时间相加了，两者是重叠的"),
            lambda i: _time_of(i, "sum"),
        ),
        Slip(
            "compute_only",
            "time",
            Text("only the computing time is taken, though memory is what binds", "只算了计算时间，而这里受限于访存"),
            lambda i: _other_time(i, "compute"),
        ),
        Slip(
            "memory_only",
            "time",
            Text("only the memory time is taken, though computing is what binds", "只算了访存时间，而这里受限于计算"),
            lambda i: _other_time(i, "memory"),
        ),
    ),
    sources=(NVIDIA_GUIDE, SCALING_BOOK),
)

RIDGE_POINT = Calculator(
    name="ridge_point",
    title=Text("Ridge point of a device", "设备的 roofline 拐点"),
    inputs=RATES,
    outputs=(
        Output(
            "ridge",
            Text("intensity from which on compute binds", "从这个算术强度起受限于计算"),
            INTENSITY,
            "peak/bandwidth",
            lambda i, o: ridge_worked(i, o.ridge),
        ),
    ),
    compute=ridge_point,
    convention=Text(
        "dense peak of the dtype over memory bandwidth; boards of one chip differ (B200: 7.7 or 8 TB/s)",
        "该数据格式的稠密峰值除以显存带宽；同一芯片的板卡会不同（B200 有 7.7 和 8 TB/s）",
    ),
    slips=(
        changed(ridge_point, "ridge", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        changed(ridge_point, "ridge", "link_for_memory", LINK_FOR_MEMORY, _with_link),
        times(ridge_point, "ridge", "multiply_adds", MULTIPLY_ADDS, half),
    ),
    sources=(SCALING_BOOK,),
)

CALCULATORS = (GEMM_ROOFLINE, RIDGE_POINT)
