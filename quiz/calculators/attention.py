"""Attention: what standard and tiled attention move through HBM; the online softmax beside it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer
from quiz.calculators.exact import plain
from quiz.calculators.online_softmax import ONLINE_SOFTMAX
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def flash_attention_io(*, tokens: int, head_dim: int, sram: int, heads: int) -> dict[str, Any]:
    """Elements that forward attention moves between HBM and SRAM, standard and tiled, for `heads` heads.

    With N = `tokens`, d = `head_dim` and M = `sram`, the elements (not bytes) that SRAM holds, d ≤ M ≤ N·d:

        standard = N² + N·d      flash = N²·d²/M      ratio = standard/flash

    are the paper's orders, without their constants. Counted from its algorithms they are

        standard_counted = 4·N² + 4·N·d: read Q and K, write S; read S, write P; read P and V, write O
        flash_counted = 2·N·d + T·(3·N·d + 4·N) with T = ⌈N/⌈M/(4d)⌉⌉ passes: read K and V once, in every pass read Q,
                        O, l, m and write O, l, m (the zeros written at first are not counted)

    The arithmetic does not shrink: 4·N²·d FLOP forward either way. BadInput where M is not between d and N·d.

    Source: Dao et al. 2022, Theorem 2 and Algorithms 0 and 1, https://arxiv.org/abs/2205.14135
    """
    if not head_dim <= sram <= tokens * head_dim:
        raise BadInput(
            Text(
                f"sram is {sram:,} elements; it has to lie between d = {head_dim:,} and N·d = {tokens * head_dim:,}",
                f"sram 是 {sram:,} 个元素，应在 d = {head_dim:,} 与 N·d = {tokens * head_dim:,} 之间",
            )
        )
    n, d = tokens, head_dim
    standard, flash = Fraction(n * n + n * d), Fraction(n * n * d * d, sram)
    passes = _passes(n, d, sram)
    return {
        "standard": plain(heads * standard),
        "flash": plain(heads * flash),
        "ratio": float(standard / flash),
        "standard_counted": heads * (4 * n * n + 4 * n * d),
        "flash_counted": heads * (2 * n * d + passes * (3 * n * d + 4 * n)),
    }


def _passes(tokens: int, head_dim: int, sram: int) -> int:
    """Blocks of K and V, each a pass over Q and O."""
    columns = -(-sram // (4 * head_dim))
    return -(-tokens // columns)


def _heads(i: Values) -> str:
    return f"{i.heads}·" if i.heads > 1 else ""


def _flash(i: Values, *, power: int = 2, sram: Fraction | None = None) -> Fraction:
    """N²·d²/M with another power of d or another M."""
    return Fraction(int(i.heads) * int(i.tokens) ** 2 * int(i.head_dim) ** power) / (sram or int(i.sram))


def _standard(i: Values) -> int:
    return int(i.heads * (i.tokens**2 + i.tokens * i.head_dim))


BYTES_FOR_ELEMENTS = Text("M is taken in bytes of FP16, not in elements", "M 用了 FP16 的字节数，而应是元素个数")

FLASH_ATTENTION_IO = Calculator(
    name="flash_attention_io",
    title=Text("HBM accesses of standard attention and FlashAttention", "标准注意力与 FlashAttention 的 HBM 访问量"),
    inputs=(
        integer("tokens", Text("sequence length N", "序列长度 N"), unit="token", high=10**9),
        integer("head_dim", Text("head dimension d", "head 维度 d"), high=65_536),
        integer("sram", Text("elements that SRAM holds M", "SRAM 能放的元素数 M"), high=10**12),
        integer("heads", Text("heads (times sequences)", "head 数（乘序列数）"), high=10**9, default=1),
    ),
    outputs=(
        Output(
            "standard",
            Text("standard attention, order of elements accessed", "标准注意力访问元素数（量级）"),
            "",
            "N² + N·d",
            lambda i, o: f"{_heads(i)}({i.tokens:,}² + {i.tokens:,}·{i.head_dim}) = {figures.number(o.standard, 6)}",
        ),
        Output(
            "flash",
            Text("FlashAttention, order of elements accessed", "FlashAttention 访问元素数（量级）"),
            "",
            "N²·d²/M",
            lambda i, o: f"{_heads(i)}{i.tokens:,}²·{i.head_dim}²/{i.sram:,} = {figures.number(o.flash, 6)}",
        ),
        Output(
            "ratio",
            Text("standard over FlashAttention", "标准与 FlashAttention 之比"),
            "",
            "(N² + N·d)·M/(N²·d²) = (1 + d/N)·M/d²",
            lambda i, o: f"(1 + {i.head_dim}/{i.tokens:,})·{i.sram:,}/{i.head_dim}² = {figures.number(o.ratio, 6)}",
        ),
        Output(
            "standard_counted",
            Text("standard attention, elements counted from its algorithm", "标准注意力访问元素数（按算法逐项计）"),
            "",
            "4·N² + 4·N·d: Q, K, V read, O written; S and P written and read",
            lambda i, o: (
                f"{_heads(i)}(4·{i.tokens:,}² + 4·{i.tokens:,}·{i.head_dim}) = {figures.number(o.standard_counted, 6)}"
            ),
        ),
        Output(
            "flash_counted",
            Text("FlashAttention, elements counted from its algorithm", "FlashAttention 访问元素数（按算法逐项计）"),
            "",
            "2·N·d + T·(3·N·d + 4·N), T = ⌈N/⌈M/(4d)⌉⌉",
            lambda i, o: (
                f"T = {_passes(i.tokens, i.head_dim, i.sram)}: {_heads(i)}(2·{i.tokens:,}·{i.head_dim} + "
                f"T·(3·{i.tokens:,}·{i.head_dim} + 4·{i.tokens:,})) = {figures.number(o.flash_counted, 6)}"
            ),
        ),
    ),
    compute=flash_attention_io,
    convention=Text(
        "elements of the forward pass, not bytes; standard and flash are orders without constants, *_counted has them",
        "只计前向，按元素数不按字节；standard 与 flash 是不带常数的量级，*_counted 带常数",
    ),
    slips=(
        Slip(
            "flops",
            "standard",
            Text("FLOPs are counted, not accesses", "算的是 FLOPs，不是访存"),
            lambda i: 4 * i.heads * i.tokens**2 * i.head_dim,
        ),
        Slip(
            "no_scores",
            "standard",
            Text("only Q, K, V and O are counted, not the N×N scores", "只算了 Q、K、V、O，漏了 N×N 的分数矩阵"),
            lambda i: 4 * i.heads * i.tokens * i.head_dim,
        ),
        Slip(
            "one_head",
            "standard",
            Text("one head is counted", "只算了一个 head"),
            lambda i: _standard(i) // i.heads if i.heads > 1 else None,
        ),
        Slip(
            "d_not_squared",
            "flash",
            Text("d is taken once, not squared", "d 没有平方"),
            lambda i: plain(_flash(i, power=1)),
        ),
        Slip("bytes_for_elements", "flash", BYTES_FOR_ELEMENTS, lambda i: plain(_flash(i, sram=Fraction(2 * i.sram)))),
        Slip(
            "linear",
            "flash",
            Text("traffic is taken to be linear in N: only Q, K, V and O", "当成与 N 成线性，只搬 Q、K、V、O"),
            lambda i: 4 * i.heads * i.tokens * i.head_dim,
        ),
        Slip(
            "one_head",
            "flash",
            Text("one head is counted", "只算了一个 head"),
            lambda i: plain(_flash(i) / i.heads) if i.heads > 1 else None,
        ),
        Slip(
            "d_not_squared",
            "ratio",
            Text("d is taken once, not squared", "d 没有平方"),
            lambda i: float(_standard(i) / _flash(i, power=1)),
        ),
        Slip(
            "bytes_for_elements",
            "ratio",
            BYTES_FOR_ELEMENTS,
            lambda i: float(_standard(i) / _flash(i, sram=Fraction(2 * i.sram))),
        ),
        Slip(
            "flops",
            "ratio",
            Text(
                "FLOPs are compared, which FlashAttention does not reduce",
                "比的是 FLOPs，而 FlashAttention 并不减少 FLOPs",
            ),
            lambda _: 1,
        ),
    ),
    sources=(Reference("Dao et al. 2022, FlashAttention, Theorem 2, Algorithm 1", "https://arxiv.org/abs/2205.14135"),),
)

CALCULATORS = (ONLINE_SOFTMAX, FLASH_ATTENTION_IO)
