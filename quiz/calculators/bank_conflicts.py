"""Shared memory: how many threads of a warp meet in one bank when they read with a stride."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer
from quiz.calculators.slips import changed
from quiz.calculators.sm_limits import BEST_PRACTICES, GUIDE, WARP
from quiz.language import Text

BANKS = 32
WORD = 4
WIDTHS = ("1", "2", "4", "8", "16")


def bank_conflicts(*, stride: int, padding: int, element_bytes: str) -> dict[str, Any]:
    """A warp whose thread t reads element t·(stride + padding) of `element_bytes` bytes from shared memory.

        bank of a byte = ⌊address/4⌋ mod 32                     32 banks, 4 bytes wide
        ways = most different words that one bank has to serve at once; 1: no conflict
        wavefronts = ways over all parts of the request          a warp reads 128 bytes at a time: 8-byte elements go in two
                                                                 parts of 16 threads, 16-byte ones in four of 8
        efficiency = parts/wavefronts

    Threads that read the same word are served together (broadcast), so a stride of 0 has no conflict. With 4-byte
    elements ways = gcd(stride + padding, 32), and 1 for a stride of 0. `padding` is what is added to each row of a tile:
    reading a column of a tile 32 wide has stride 32, with a 33rd column stride 33.
    Sources: CUDA C++ Programming Guide, shared memory of compute capability 5.x; Best Practices Guide, Shared Memory
    """
    width = int(element_bytes)
    parts = max(1, width // WORD)
    lanes = WARP // parts
    worst = [_ways(range(part * lanes, (part + 1) * lanes), stride + padding, width) for part in range(parts)]
    return {"ways": max(worst), "wavefronts": sum(worst), "efficiency": parts / sum(worst)}


def _ways(lanes: range, stride: int, width: int) -> int:
    """Different words in the fullest bank for these threads."""
    words = set()
    for lane in lanes:
        first = lane * stride * width // WORD
        words |= set(range(first, first + max(1, width // WORD)))
    counts = [0] * BANKS
    for word in words:
        counts[word % BANKS] += 1
    return max(counts)


def _step(i: Values) -> str:
    return f"{i.stride} + {i.padding}" if i.padding else f"{i.stride}"


def _ways_worked(i: Values, o: Values) -> str:
    step = i.stride + i.padding
    if i.element_bytes == "4" and step:
        return f"gcd({_step(i)}, 32) = {o.ways}"
    return f"({_step(i)})·{i.element_bytes} B: {o.ways}"


def _wavefronts_worked(i: Values, o: Values) -> str:
    parts = max(1, int(i.element_bytes) // WORD)
    return f"{parts}·{figures.number(o.wavefronts / parts)} = {o.wavefronts}"


NO_PADDING = Text("the padding is left out", "漏了 padding")
STRIDE_ITSELF = Text(
    "the stride itself is given; what it shares with 32 counts", "直接用了步长，应取步长与 32 的最大公约数"
)
BYTES = Text("the stride is counted in bytes", "步长按字节算了，应按 4 字节的 bank 宽度")
NO_BROADCAST = Text(
    "threads that read the same word are counted as a conflict, though one read serves them all",
    "把读同一个字也算成冲突，其实会广播",
)
HALF = Text("16 banks are counted, as very old GPUs had", "按 16 个 bank 算了，那是早期 GPU")


def _itself(i: Values) -> int | None:
    step = i.stride + i.padding
    return min(step, WARP) if step > 1 and i.element_bytes == "4" else None


BANK_CONFLICTS = Calculator(
    name="bank_conflicts",
    title=Text("Bank conflicts in shared memory", "共享内存的 bank conflict"),
    inputs=(
        integer("stride", Text("elements from one thread to the next", "相邻线程间隔的元素数"), low=0, high=10**6),
        integer("padding", Text("elements added to each row", "每行补的元素数"), low=0, high=10**6, default=0),
        choice("element_bytes", Text("bytes an element", "每个元素的字节数"), WIDTHS, default="4"),
    ),
    outputs=(
        Output(
            "ways",
            Text("ways of the conflict (1: none)", "冲突路数（1 为无冲突）"),
            "",
            "gcd(stride + padding, 32) for 4-byte elements",
            _ways_worked,
        ),
        Output(
            "wavefronts",
            Text("passes over shared memory", "访问共享内存的趟数"),
            "",
            "sum of the ways over the parts of the request",
            _wavefronts_worked,
        ),
        Output(
            "efficiency",
            Text("share of the bandwidth that is used", "带宽利用率"),
            "",
            "parts/wavefronts",
            lambda i, o: f"{max(1, int(i.element_bytes) // WORD)}/{o.wavefronts} = {figures.percent(o.efficiency)}",
        ),
    ),
    compute=bank_conflicts,
    convention=Text(
        "32 banks of 4 bytes, a warp of 32; the same word is broadcast; 8- and 16-byte elements go in 2 and 4 parts",
        "32 个 4 字节 bank，warp 32 线程；同一个字会广播；8、16 字节元素分 2、4 次",
    ),
    slips=(
        changed(bank_conflicts, "ways", "no_padding", NO_PADDING, lambda i: {"padding": 0} if i.padding else None),
        Slip("stride_itself", "ways", STRIDE_ITSELF, _itself),
        changed(
            bank_conflicts,
            "ways",
            "in_bytes",
            BYTES,
            lambda i: {"stride": i.stride * 4, "padding": i.padding * 4} if i.element_bytes == "4" else None,
        ),
        Slip("no_broadcast", "ways", NO_BROADCAST, lambda i: WARP if i.stride + i.padding == 0 else None),
        Slip(
            "sixteen_banks",
            "ways",
            HALF,
            lambda i: math.gcd(i.stride + i.padding, 16) if i.element_bytes == "4" and i.stride + i.padding else None,
        ),
        changed(
            bank_conflicts, "wavefronts", "no_padding", NO_PADDING, lambda i: {"padding": 0} if i.padding else None
        ),
        changed(
            bank_conflicts, "efficiency", "no_padding", NO_PADDING, lambda i: {"padding": 0} if i.padding else None
        ),
    ),
    sources=(GUIDE, BEST_PRACTICES),
)

CALCULATORS = (BANK_CONFLICTS,)
