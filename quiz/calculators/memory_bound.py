"""Kernels that memory bounds: a sparse matrix times a vector, and a function of every element."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Values, choice, flag, integer, number, optional
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import BANDWIDTH, DEVICE, element_bytes
from quiz.calculators.roofline import ELEMENTS_FOR_BYTES, INTENSITY, MULTIPLY_ADDS, half
from quiz.calculators.slips import changed, times, unless_negligible
from quiz.language import Text
from quiz.reference import Reference

SPARSE_FORMATS = ("csr", "coo")
GPU_BACKGROUND = Reference(
    "NVIDIA, GPU Performance Background User's Guide, table 1",
    "https://docs.nvidia.com/deeplearning/performance/dl-performance-gpu-background/index.html",
)


def spmv(
    *,
    rows: int,
    columns: int | None,
    nonzeros: int,
    format: str,
    value_bytes: Number,
    index_bytes: Number,
    reuse: bool,
    bandwidth: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """y = A·x with a sparse A of `rows` × `columns` (square if absent), v bytes a value and i bytes an index.

        flops = 2·nonzeros
        bytes = nonzeros·(v + i) + (rows + 1)·i [CSR] or nonzeros·i [COO] + x + rows·v      y is written once
        x = columns·v with reuse (each element read once), nonzeros·v without (read for every nonzero)
        arithmetic_intensity = flops/bytes        time = bytes/bandwidth

    In FLOP, byte, FLOP/byte and s; time is None without a bandwidth. ValueError for more nonzeros than the matrix holds.
    Derived from CSR's three arrays; arithmetic intensity as in NVIDIA's GPU Performance Background User's Guide.
    """
    wide = rows if columns is None else columns
    if nonzeros > rows * wide:
        raise ValueError(f"{rows} × {wide} holds {rows * wide} elements, fewer than {nonzeros}")
    v, i = decimal(value_bytes), decimal(index_bytes)
    index_of_rows = (rows + 1) * i if format == "csr" else nonzeros * i
    moved = nonzeros * (v + i) + index_of_rows + (wide if reuse else nonzeros) * v + rows * v
    return cost(Fraction(2 * nonzeros), moved, bandwidth)


def elementwise(
    *,
    elements: int,
    reads: int,
    writes: int,
    flops_per_element: Number,
    bytes_per_element: Number,
    bandwidth: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """One kernel that reads `reads` tensors of `elements` each, computes, and writes `writes` of the same size.

        flops = elements·flops_per_element      bytes = elements·(reads + writes)·bytes_per_element
        arithmetic_intensity = flops_per_element/((reads + writes)·bytes_per_element)     time = bytes/bandwidth

    In FLOP, byte, FLOP/byte and s; time is None without a bandwidth. The intensity does not depend on the size, so a
    larger tensor never makes such a kernel compute bound; fusing it with its neighbours does away with reads and writes.
    Source: NVIDIA, GPU Performance Background User's Guide, table 1 (ReLU: 0.25 FLOP/byte)
    """
    flops = elements * decimal(flops_per_element)
    return cost(flops, elements * (reads + writes) * decimal(bytes_per_element), bandwidth)


def cost(flops: Fraction, moved: Fraction, bandwidth: Number | None) -> dict[str, Any]:
    """FLOP, bytes, their ratio and the time at `bandwidth`, by output name."""
    return {
        "flops": plain(flops),
        "bytes": plain(moved),
        "arithmetic_intensity": float(flops / moved),
        "time": None if bandwidth is None else float(moved / decimal(bandwidth)),
    }


def time_worked(i: Values, o: Values) -> str:
    if o.time is None:
        return ""
    return f"{figures.scaled(o.bytes, 'B')} / {figures.scaled(i.bandwidth, 'B/s')} = {figures.seconds(o.time)}"


def intensity_worked(_: Values, o: Values) -> str:
    return (
        f"{figures.scaled(o.flops, 'FLOP')} / {figures.scaled(o.bytes, 'B')} = "
        f"{figures.number(o.arithmetic_intensity)} {INTENSITY}"
    )


def _spmv_bytes_worked(i: Values, o: Values) -> str:
    v, w = figures.number(i.value_bytes), figures.number(i.index_bytes)
    lists = f"{i.rows + 1:,}·{w}" if i.format == "csr" else f"{i.nonzeros:,}·{w}"
    vector = (i.columns or i.rows) if i.reuse else i.nonzeros
    return f"{i.nonzeros:,}·({v} + {w}) + {lists} + {vector:,}·{v} + {i.rows:,}·{v} = {figures.size(o.bytes)}"


INTENSITY_OUTPUT = Output(
    "arithmetic_intensity", Text("arithmetic intensity", "算术强度"), INTENSITY, "flops/bytes", intensity_worked
)
TIME_OUTPUT = Output(
    "time", Text("time at the memory's bandwidth", "按显存带宽的时间"), "s", "bytes/bandwidth", time_worked
)

NO_INDICES = Text(
    "only the values are counted, though every nonzero carries an index", "只算了非零值，漏了每个非零元的下标"
)
NO_VECTORS = Text("only the matrix is counted, not x and y", "只算了矩阵，漏了读 x 和写 y")
OTHER_REUSE = Text(
    "x is taken to be read for every nonzero, though each of its elements is read once",
    "按每个非零元都重读一次 x 算了，而这里 x 只读一遍",
)
NO_REUSE = Text(
    "x is taken to be read once, though it is read anew for every nonzero",
    "按 x 只读一遍算了，而这里每个非零元都重读 x",
)
AS_DENSE = Text("the zeros are counted too, as in a dense matrix", "把零元素也算进去了，当成了稠密矩阵")


def _without_vectors(i: Values) -> float:
    full = spmv(**vars(i))["bytes"]
    wide = i.rows if i.columns is None else i.columns
    vectors = ((wide if i.reuse else i.nonzeros) + i.rows) * i.value_bytes
    return float((full - vectors) / full)


def _as_dense(i: Values) -> float:
    return float(Fraction(i.rows * (i.columns or i.rows), i.nonzeros))


def _spmv_traffic(output: str) -> tuple[Any, ...]:
    inverse = output == "arithmetic_intensity"
    slips = (
        changed(spmv, output, "no_indices", NO_INDICES, lambda _: {"index_bytes": 0}),
        times(
            spmv,
            output,
            "no_vectors",
            NO_VECTORS,
            lambda i: 1 / _without_vectors(i) if inverse else _without_vectors(i),
        ),
        changed(spmv, output, "x_for_every_nonzero", OTHER_REUSE, lambda i: {"reuse": False} if i.reuse else None),
        changed(spmv, output, "x_read_once", NO_REUSE, lambda i: None if i.reuse else {"reuse": True}),
        changed(spmv, output, "elements_for_bytes", ELEMENTS_FOR_BYTES, lambda _: {"value_bytes": 1, "index_bytes": 1}),
    )
    return tuple(unless_negligible(spmv, slip) for slip in slips)


SPMV = Calculator(
    name="spmv",
    title=Text("Sparse matrix times vector", "稀疏矩阵乘向量（SpMV）"),
    inputs=(
        integer("rows", Text("rows", "行数"), high=10**12),
        optional(integer("columns", Text("columns (square if absent)", "列数（不给则为方阵）"), high=10**12)),
        integer("nonzeros", Text("nonzero elements", "非零元个数 nnz"), high=10**15),
        choice("format", Text("format", "存储格式"), SPARSE_FORMATS, default="csr"),
        element_bytes("value_bytes", Text("bytes a value", "每个数值的字节数"), 4),
        element_bytes("index_bytes", Text("bytes an index", "每个下标的字节数"), 4),
        flag(
            "reuse", Text("x stays in cache: each element is read once", "x 留在缓存，每个元素只读一次"), default=True
        ),
        DEVICE,
        optional(BANDWIDTH),
    ),
    outputs=(
        Output(
            "flops",
            Text("operations", "运算量"),
            "FLOP",
            "2·nonzeros",
            lambda i, o: f"2·{i.nonzeros:,} = {figures.scaled(o.flops, 'FLOP')}",
        ),
        Output(
            "bytes",
            Text("memory traffic", "访存量"),
            "byte",
            "nnz·(v + i) + (rows + 1)·i + columns·v + rows·v; COO: nnz·i for (rows + 1)·i; no reuse: nnz·v for columns·v",
            _spmv_bytes_worked,
        ),
        INTENSITY_OUTPUT,
        TIME_OUTPUT,
    ),
    compute=spmv,
    convention=Text(
        "indices and both vectors are traffic; x counts once with reuse, for every nonzero without",
        "下标和两个向量都算访存；有复用时 x 只算一遍，没有复用则每个非零元算一次",
    ),
    slips=(
        times(spmv, "flops", "multiply_adds", MULTIPLY_ADDS, half),
        times(spmv, "flops", "as_dense", AS_DENSE, _as_dense),
        *_spmv_traffic("bytes"),
        *_spmv_traffic("arithmetic_intensity"),
        times(spmv, "arithmetic_intensity", "multiply_adds", MULTIPLY_ADDS, half),
        changed(spmv, "time", "no_indices", NO_INDICES, lambda i: None if i.bandwidth is None else {"index_bytes": 0}),
    ),
    sources=(GPU_BACKGROUND,),
)


def _one(name: str, about: Text, output: str) -> Any:
    return changed(elementwise, output, f"one_of_{name}", about, lambda i: {name: 1} if getattr(i, name) > 1 else None)


NO_WRITE = Text("only what is read is counted, not what is written", "只算了读，漏了写回")
ONE_READ = Text("one input is counted, though several are read", "只算了一个输入，而要读多个")


def _elementwise_traffic(output: str) -> tuple[Any, ...]:
    return (
        changed(elementwise, output, "no_write", NO_WRITE, lambda _: {"writes": 0}),
        _one("reads", ONE_READ, output),
        changed(
            elementwise,
            output,
            "elements_for_bytes",
            ELEMENTS_FOR_BYTES,
            lambda i: {"bytes_per_element": 1} if i.bytes_per_element != 1 else None,
        ),
    )


ELEMENTWISE = Calculator(
    name="elementwise",
    title=Text("Elementwise kernel", "逐元素算子"),
    inputs=(
        integer("elements", Text("elements", "元素个数"), high=10**15),
        integer("reads", Text("tensors read", "读入的张量数"), high=100, default=1),
        integer("writes", Text("tensors written", "写出的张量数"), high=100, default=1),
        number(
            "flops_per_element", Text("operations an element", "每个元素的运算次数"), unit="FLOP", high=1e6, default=1
        ),
        element_bytes("bytes_per_element", Text("bytes an element", "每个元素的字节数")),
        DEVICE,
        optional(BANDWIDTH),
    ),
    outputs=(
        Output(
            "flops",
            Text("operations", "运算量"),
            "FLOP",
            "elements·flops_per_element",
            lambda i, o: f"{i.elements:,}·{figures.number(i.flops_per_element)} = {figures.scaled(o.flops, 'FLOP')}",
        ),
        Output(
            "bytes",
            Text("memory traffic", "访存量"),
            "byte",
            "elements·(reads + writes)·bytes_per_element",
            lambda i, o: (
                f"{i.elements:,}·({i.reads} + {i.writes})·{figures.number(i.bytes_per_element)} = {figures.size(o.bytes)}"
            ),
        ),
        Output(
            "arithmetic_intensity",
            Text("arithmetic intensity", "算术强度"),
            INTENSITY,
            "flops_per_element/((reads + writes)·bytes_per_element)",
            lambda i, o: (
                f"{figures.number(i.flops_per_element)}/(({i.reads} + {i.writes})·{figures.number(i.bytes_per_element)}) = "
                f"{figures.number(o.arithmetic_intensity)} {INTENSITY}"
            ),
        ),
        TIME_OUTPUT,
    ),
    compute=elementwise,
    convention=Text(
        "every tensor passes memory once; a function counts as many FLOP as you say",
        "每个张量只进出一次显存；一次函数算几个 FLOP 由你给定",
    ),
    slips=(
        *_elementwise_traffic("bytes"),
        *_elementwise_traffic("arithmetic_intensity"),
        changed(
            elementwise,
            "flops",
            "one_operation",
            Text("one operation an element is counted", "每个元素只按 1 次运算算了"),
            lambda i: {"flops_per_element": 1} if i.flops_per_element != 1 else None,
        ),
        changed(elementwise, "time", "no_write", NO_WRITE, lambda i: None if i.bandwidth is None else {"writes": 0}),
    ),
    sources=(GPU_BACKGROUND,),
)

CALCULATORS = (SPMV, ELEMENTWISE)
