"""Matrix multiplication over a square grid of servers: memory and traffic in units of one N×N matrix."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, optional
from quiz.calculators.exact import Number, decimal, plain
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def block_matmul(*, n: int | None, grid: int, panel: Number, bytes_per_element: Number | None) -> dict[str, Any]:
    """SUMMA on g×g servers (g = `grid`): C = A·B, all three N×N and cut into g×g blocks, one of each a server.

    For every panel of width w·N (w = `panel`) along the contraction, the owners send their part of A's columns along
    the rows of the grid and their part of B's rows along its columns. A server then holds, in units of N²:

        resident = 3/g²: its blocks of A, B and C
        peak = 3/g² + 2·w/g: with one received panel of A (N/g × w·N) and one of B
        received = 2·(g−1)/g²: over the whole product, all of A's row and B's column of blocks but its own

    w is at most 1/g, a whole block; double buffering doubles 2·w/g. With `n` and `bytes_per_element` the same in bytes,
    else None. BadInput for a panel wider than a block.

    Source: Gunnels, Lin, Morrow, van de Geijn 1998, Analysis of a Class of Parallel Matrix Multiplication Algorithms
    (broadcast-broadcast, known as SUMMA); the memory follows from the blocks
    """
    width = decimal(panel)
    if width * grid > 1:
        raise BadInput(
            Text(
                f"panel is {figures.number(panel, 6)} of N, but a block is only 1/{grid}; give 1/{grid} or less",
                f"panel 是 N 的 {figures.number(panel, 6)}，而一个块只有 1/{grid}；请不超过 1/{grid}",
            )
        )
    resident = Fraction(3, grid**2)
    peak = resident + 2 * width / grid
    received = Fraction(2 * (grid - 1), grid**2)
    size = None if n is None or bytes_per_element is None else n**2 * decimal(bytes_per_element)
    return {
        "resident": plain(resident),
        "peak": plain(peak),
        "received": plain(received),
        "resident_bytes": None if size is None else plain(resident * size),
        "peak_bytes": None if size is None else plain(peak * size),
        "received_bytes": None if size is None else plain(received * size),
    }


def _block(i: Values, count: int) -> Fraction:
    return Fraction(count, i.grid**2)


def _panels(i: Values) -> Fraction:
    return 2 * decimal(i.panel) / int(i.grid)


def _bytes(name: str) -> Any:
    def line(i: Values, o: Values) -> str:
        found = getattr(o, f"{name}_bytes")
        if found is None:
            return ""
        return f"{figures.number(getattr(o, name), 6)}·{i.n:,}²·{figures.number(i.bytes_per_element, 6)} = {figures.size(found)}"

    return line


BLOCK_MATMUL = Calculator(
    name="block_matmul",
    title=Text("Matrix multiplication over a grid of servers (SUMMA)", "二维网格上的分块矩阵乘（SUMMA）"),
    inputs=(
        optional(integer("n", Text("size of the matrices N", "矩阵大小 N"), high=10**9)),
        integer("grid", Text("servers on a side of the grid g", "网格边长 g（共 g² 台）"), low=2, high=10_000),
        number(
            "panel",
            Text("width of a received panel over N", "每次收到的 panel 宽度（占 N 的比例）"),
            low=1e-6,
            high=0.5,
        ),
        optional(number("bytes_per_element", Text("bytes an element", "每个元素的字节数"), low=0.125, high=16)),
    ),
    outputs=(
        Output(
            "resident",
            Text("resident on a server, in N²", "每台常驻量（以 N² 计）"),
            "",
            "3/g²",
            lambda i, o: f"3/{i.grid}² = {figures.number(o.resident, 6)}",
        ),
        Output(
            "peak",
            Text("resident and received panels, in N²", "常驻量加收到的 panel（以 N² 计）"),
            "",
            "3/g² + 2·w/g",
            lambda i, o: f"3/{i.grid}² + 2·{figures.number(i.panel, 6)}/{i.grid} = {figures.number(o.peak, 6)}",
        ),
        Output(
            "received",
            Text("received by a server in all, in N²", "每台总接收量（以 N² 计）"),
            "",
            "2·(g−1)/g²",
            lambda i, o: f"2·({i.grid}−1)/{i.grid}² = {figures.number(o.received, 6)}",
        ),
        Output(
            "resident_bytes", Text("resident on a server", "每台常驻量"), "byte", "3/g²·N²·bytes", _bytes("resident")
        ),
        Output(
            "peak_bytes",
            Text("resident and received panels", "常驻量加收到的 panel"),
            "byte",
            "(3/g² + 2·w/g)·N²·bytes",
            _bytes("peak"),
        ),
        Output(
            "received_bytes",
            Text("received by a server in all", "每台总接收量"),
            "byte",
            "2·(g−1)/g²·N²·bytes",
            _bytes("received"),
        ),
    ),
    compute=block_matmul,
    convention=Text(
        "a server keeps its own blocks of A, B and C; panels count on top of them, without double buffering",
        "每台保留自己的 A、B、C 块；panel 另算，不含双缓冲",
    ),
    slips=(
        Slip(
            "only_c",
            "resident",
            Text("the server's own blocks of A and B are left out", "漏了本机自己的 A、B 块"),
            lambda i: plain(_block(i, 1)),
        ),
        Slip(
            "no_c",
            "resident",
            Text("the block of C is left out", "漏了 C 块"),
            lambda i: plain(_block(i, 2)),
        ),
        Slip(
            "one_dimension",
            "resident",
            Text("the matrices are cut in one dimension into g strips", "只按一维切成 g 条"),
            lambda i: plain(Fraction(3, i.grid)),
        ),
        Slip(
            "own_blocks_forgotten",
            "peak",
            Text(
                "C and the received panels are counted, but not the server's own blocks of A and B",
                "只算了 C 和收到的 panel，漏了本机自己的 A、B 块",
            ),
            lambda i: plain(_block(i, 1) + _panels(i)),
        ),
        Slip(
            "no_panels",
            "peak",
            Text("the received panels are left out", "漏了收到的 panel"),
            lambda i: plain(_block(i, 3)),
        ),
        Slip(
            "one_panel",
            "peak",
            Text("a panel of only one of the two matrices is counted", "只算了 A、B 其中一个的 panel"),
            lambda i: plain(_block(i, 3) + _panels(i) / 2),
        ),
        Slip(
            "whole_blocks",
            "peak",
            Text("whole blocks are received instead of panels", "按收整块来算，而不是收 panel"),
            lambda i: plain(_block(i, 5)),
        ),
        Slip(
            "rows_only",
            "received",
            Text(
                "the matrices are cut by rows, so that each server needs all of B but its own strip",
                "按行一维切分，每台都要收齐其余的 B",
            ),
            lambda i: plain(1 - _block(i, 1)),
        ),
        Slip(
            "own_block_received",
            "received",
            Text("the server's own blocks are counted as received", "把本机自己的块也算成收到的"),
            lambda i: plain(Fraction(2, i.grid)),
        ),
        Slip(
            "one_matrix",
            "received",
            Text("only one of the two matrices is counted", "只算了 A、B 其中一个"),
            lambda i: plain(Fraction(i.grid - 1, i.grid**2)),
        ),
    ),
    sources=(
        Reference(
            "Gunnels, Lin, Morrow, van de Geijn 1998, Analysis of a Class of Parallel Matrix Multiplication Algorithms",
        ),
    ),
)

CALCULATORS = (BLOCK_MATMUL,)
