"""Global memory: the 32-byte sectors and 128-byte lines that a warp's access touches."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer
from quiz.calculators.slips import changed
from quiz.calculators.sm_limits import BEST_PRACTICES, WARP
from quiz.language import Text

SECTOR = 32
LINE = 128
CPU_LINE = 64


def coalescing(*, element_bytes: int, stride: int, offset: int, threads: int) -> dict[str, Any]:
    """A warp whose thread t accesses `element_bytes` bytes at offset + t·stride·element_bytes, from an aligned start.

        sectors = different 32-byte sectors touched        lines = different 128-byte lines touched
        bytes_moved = 32·sectors        efficiency = bytes used/bytes_moved        bytes that several threads use count once

    `offset` is in bytes, `stride` in elements; counts, byte and fractions. A warp that reads 4 bytes a thread side by
    side touches 4 sectors; shifted by anything but a multiple of 32 bytes, 5. Neighbouring warps may find the fifth in
    cache. Sources: CUDA C++ Best Practices Guide, Coalesced Access to Global Memory
    """
    sectors, lines, used = set(), set(), set()
    for thread in range(threads):
        first = offset + thread * stride * element_bytes
        last = first + element_bytes - 1
        sectors |= set(range(first // SECTOR, last // SECTOR + 1))
        lines |= set(range(first // LINE, last // LINE + 1))
        used.add(first)
    needed = (threads if stride else 1) * element_bytes
    return {
        "sectors": len(sectors),
        "lines": len(lines),
        "bytes_moved": SECTOR * len(sectors),
        "efficiency": needed / (SECTOR * len(sectors)),
    }


def _reach(i: Values) -> str:
    last = i.offset + (i.threads - 1) * i.stride * i.element_bytes + i.element_bytes - 1
    return f"{i.offset} … {last:,}"


def _in_units(unit: int, i: Values) -> int:
    touched = set()
    for thread in range(i.threads):
        first = i.offset + thread * i.stride * i.element_bytes
        touched |= set(range(first // unit, (first + i.element_bytes - 1) // unit + 1))
    return len(touched)


NO_OFFSET = Text("the misalignment is left out", "漏了没对齐的偏移")
NO_STRIDE = Text("the threads are taken to access side by side", "按相邻线程连续访问算了，漏了步长")
LINES = Text(
    "128-byte cache lines are counted, not 32-byte sectors", "按 128 字节 cache line 算了，应按 32 字节 sector"
)
CPU_LINES = Text("64-byte lines are counted, as CPUs have", "按 64 字节 cache line 算了，那是 CPU 的")


def _shared_slips(output: str) -> tuple[Slip, ...]:
    return (
        changed(coalescing, output, "no_offset", NO_OFFSET, lambda i: {"offset": 0} if i.offset else None),
        changed(coalescing, output, "no_stride", NO_STRIDE, lambda i: {"stride": 1} if i.stride > 1 else None),
    )


COALESCING = Calculator(
    name="coalescing",
    title=Text("Coalescing of a warp's access", "warp 访存的合并"),
    inputs=(
        integer(
            "element_bytes", Text("bytes a thread accesses", "每线程访问的字节数"), unit="byte", high=16, default=4
        ),
        integer(
            "stride", Text("elements from one thread to the next", "相邻线程间隔的元素数"), low=0, high=10**6, default=1
        ),
        integer(
            "offset",
            Text("start, past an aligned address", "起始地址相对对齐处的偏移"),
            unit="byte",
            low=0,
            high=10**6,
            default=0,
        ),
        integer("threads", Text("threads of the warp that take part", "参与访问的线程数"), high=WARP, default=WARP),
    ),
    outputs=(
        Output(
            "sectors",
            Text("32-byte sectors", "32 字节 sector 数"),
            "",
            "different ⌊address/32⌋",
            lambda i, o: f"{_reach(i)} → {o.sectors}",
        ),
        Output(
            "lines",
            Text("128-byte lines", "128 字节 cache line 数"),
            "",
            "different ⌊address/128⌋",
            lambda i, o: f"{_reach(i)} → {o.lines}",
        ),
        Output(
            "bytes_moved",
            Text("bytes moved", "实际传输的字节数"),
            "byte",
            "32·sectors",
            lambda _, o: f"32·{o.sectors} = {figures.number(o.bytes_moved)} B",
        ),
        Output(
            "efficiency",
            Text("share of them that is used", "有效比例"),
            "",
            "bytes used/(32·sectors)",
            lambda i, o: (
                f"{(i.threads if i.stride else 1) * i.element_bytes}/{o.bytes_moved} = {figures.percent(o.efficiency)}"
            ),
        ),
    ),
    compute=coalescing,
    convention=Text(
        "sectors of 32 bytes in lines of 128; nothing is in cache yet",
        "sector 32 字节，cache line 128 字节；缓存里什么都没有",
    ),
    slips=(
        *_shared_slips("sectors"),
        Slip("lines", "sectors", LINES, lambda i: _in_units(LINE, i)),
        Slip("cpu_lines", "sectors", CPU_LINES, lambda i: _in_units(CPU_LINE, i)),
        Slip(
            "thread_each",
            "sectors",
            Text("every thread is given a sector of its own", "按每个线程各占一个 sector 算了"),
            lambda i: i.threads,
        ),
        *_shared_slips("bytes_moved"),
        Slip("lines", "bytes_moved", LINES, lambda i: LINE * _in_units(LINE, i)),
        *_shared_slips("efficiency"),
        Slip(
            "lines",
            "efficiency",
            LINES,
            lambda i: ((i.threads if i.stride else 1) * i.element_bytes) / (LINE * _in_units(LINE, i)),
        ),
    ),
    sources=(BEST_PRACTICES,),
)


CALCULATORS = (COALESCING,)
