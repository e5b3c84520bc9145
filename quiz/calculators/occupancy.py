"""Occupancy: how many blocks of a kernel an SM holds at once, and what limits it."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer, preset
from quiz.calculators.sm_limits import (
    BEST_PRACTICES,
    CAPABILITIES,
    GPUS,
    GUIDE,
    HEADER,
    MOST_REGISTERS,
    MOST_THREADS,
    PARTITIONS,
    REGISTER_STEP,
    REGISTERS,
    WARP,
)
from quiz.language import Text

UNLIMITED = 2**31 - 1


def occupancy(*, threads: int, registers: int, shared: int, capability: str, **_: Any) -> dict[str, Any]:
    """Blocks of `threads` threads that one SM holds, each thread with `registers`, each block with `shared` bytes.

        warps a block = ⌈threads/32⌉                        by_warps = ⌊warps of the SM/warps a block⌋
        registers a warp = 32·registers, up to a multiple of 256
        by_registers = ⌊4·⌊(65,536/4)/registers a warp⌋/warps a block⌋         registers lie in four partitions
        by_shared = ⌊shared memory of the SM/(shared + 1 KiB, up to a multiple of 128)⌋     7.x: no 1 KiB, 256
        blocks = min(by_warps, by_registers, by_shared, blocks of the SM)
        active_warps = blocks·warps a block                 occupancy = active_warps/warps of the SM

    All integers but occupancy; `shared` is static and dynamic together, with the larger dynamic limit opted into.
    by_registers and by_shared are None where the kernel uses none. limiter names what sets the minimum, all of them where several do. A block that asks for more than a block may have
    (shared memory, or 65,536 registers with warps rounded up to four) cannot be launched: blocks is 0 then.
    Sources: cuda_occupancy.h of CUDA 13.0; CUDA C++ Programming Guide, table "Technical Specifications"
    """
    sm = CAPABILITIES[capability]
    limits = block_limits(threads, registers, shared, capability)
    warps = math.ceil(threads / WARP)
    blocks = min(limits.values())
    return {
        "blocks": blocks,
        "active_warps": blocks * warps,
        "occupancy": blocks * warps / sm.warps,
        "limiter": ", ".join(name for name, limit in limits.items() if limit == blocks),
        "by_warps": limits["warps"],
        "by_registers": _or_none(limits["registers"]),
        "by_shared": _or_none(limits["shared_memory"]),
    }


def block_limits(threads: int, registers: int, shared: int, capability: str) -> dict[str, int]:
    """Blocks that each resource allows, by resource; UNLIMITED where the kernel does not use it."""
    sm = CAPABILITIES[capability]
    warps = math.ceil(threads / WARP)
    warp_registers = _up(WARP * registers, REGISTER_STEP)
    block_shared = _up(shared + sm.reserved, sm.step)
    return {
        "warps": sm.warps // warps,
        "registers": _by_registers(warp_registers, warps),
        "shared_memory": _by_shared(block_shared, sm.shared, sm.shared_per_block + sm.reserved),
        "blocks": sm.blocks,
    }


def _or_none(limit: int) -> int | None:
    return None if limit == UNLIMITED else limit


def _up(value: int, step: int) -> int:
    return math.ceil(value / step) * step


def _by_registers(warp_registers: int, warps: int) -> int:
    if not warp_registers:
        return UNLIMITED
    if warp_registers * _up(warps, PARTITIONS) > REGISTERS:
        return 0
    return REGISTERS // PARTITIONS // warp_registers * PARTITIONS // warps


def _by_shared(block_shared: int, whole: int, most: int) -> int:
    if block_shared > most:
        return 0
    return whole // block_shared if block_shared else UNLIMITED


def _warps(i: Values) -> int:
    warps: int = -(-i.threads // WARP)
    return warps


def _limit(name: str) -> Any:
    """A limit, or nothing where the kernel does not use the resource."""

    def worked(i: Values, o: Values) -> str:
        return "" if getattr(o, name) is None else _LINES[name](i, o)

    return worked


def _registers_worked(i: Values, o: Values) -> str:
    each = _up(WARP * i.registers, REGISTER_STEP)
    return f"⌊4·⌊16,384/{each:,}⌋/{_warps(i)}⌋ = {o.by_registers}"


def _shared_worked(i: Values, o: Values) -> str:
    sm = CAPABILITIES[i.capability]
    each = _up(i.shared + sm.reserved, sm.step)
    return f"⌊{sm.shared:,}/{each:,}⌋ = {o.by_shared}"


_LINES = {"by_registers": _registers_worked, "by_shared": _shared_worked}


def _limits(i: Values) -> dict[str, int]:
    return block_limits(i.threads, i.registers, i.shared, i.capability)


def _blocks(i: Values, **limits: int) -> int:
    """Blocks with some limits replaced."""
    return min((_limits(i) | limits).values())


def _exact_registers(i: Values) -> int | None:
    return int(REGISTERS // (i.registers * i.threads)) if i.registers else None


def _no_reserve(i: Values) -> int:
    sm = CAPABILITIES[i.capability]
    return int(sm.shared // i.shared) if i.shared else UNLIMITED


NO_ROUNDING = Text(
    "registers are counted exactly, though a warp gets them in steps of 256",
    "寄存器按精确数算了，而每个 warp 按 256 个一档分配",
)
NO_RESERVE = Text(
    "the 1 KiB that the system takes of each block's shared memory is left out",
    "漏了系统为每个 block 保留的 1 KiB 共享内存",
)
WARPS_ONLY = Text(
    "only the threads are looked at, not registers and shared memory", "只看了线程数，没看寄存器和共享内存"
)
NO_BLOCK_LIMIT = Text("the limit on resident blocks is left out", "漏了每个 SM 的驻留 block 数上限")


def _share(i: Values, blocks: int | None) -> float | None:
    return None if blocks is None else blocks * _warps(i) / CAPABILITIES[i.capability].warps


def _without_block_limit(i: Values) -> int | None:
    limits = _limits(i)
    usual = min(limit for name, limit in limits.items() if name != "blocks")
    return usual if usual > limits["blocks"] else None


def _registers_exactly(i: Values) -> int | None:
    exact = _exact_registers(i)
    return None if exact is None else _blocks(i, registers=exact)


def _slips(output: str, shape: Any) -> tuple[Slip, ...]:
    return (
        Slip("no_rounding", output, NO_ROUNDING, lambda i: shape(i, _registers_exactly(i))),
        Slip("no_reserve", output, NO_RESERVE, lambda i: shape(i, _blocks(i, shared_memory=_no_reserve(i)))),
        Slip("warps_only", output, WARPS_ONLY, lambda i: shape(i, occupancy(**vars(i))["by_warps"])),
        Slip("no_block_limit", output, NO_BLOCK_LIMIT, lambda i: shape(i, _without_block_limit(i))),
    )


OCCUPANCY = Calculator(
    name="occupancy",
    title=Text("Occupancy of a kernel", "kernel 的占用率"),
    inputs=(
        preset(
            "device",
            Text("GPU", "GPU 型号"),
            tuple(GPUS),
            lambda name, _: {"capability": GPUS[name][0]},
        ),
        choice(
            "capability", Text("compute capability (or give device)", "计算能力（或给 device）"), tuple(CAPABILITIES)
        ),
        integer("threads", Text("threads a block", "每 block 线程数"), high=MOST_THREADS),
        integer("registers", Text("registers a thread", "每线程寄存器数"), low=0, high=MOST_REGISTERS, default=32),
        integer(
            "shared", Text("shared memory a block", "每 block 共享内存"), unit="byte", low=0, high=2**20, default=0
        ),
    ),
    outputs=(
        Output(
            "blocks",
            Text("blocks that an SM holds", "每 SM 驻留的 block 数"),
            "",
            "min(by warps, by registers, by shared memory, blocks of the SM)",
            lambda i, o: (
                f"min({', '.join(str(n) for n in (o.by_warps, o.by_registers, o.by_shared) if n is not None)}, "
                f"{CAPABILITIES[i.capability].blocks}) = {o.blocks}"
            ),
        ),
        Output(
            "active_warps",
            Text("warps that an SM holds", "每 SM 驻留的 warp 数"),
            "",
            "blocks·⌈threads/32⌉",
            lambda i, o: f"{o.blocks}·⌈{i.threads}/32⌉ = {o.active_warps}",
        ),
        Output(
            "occupancy",
            Text("share of the warps that an SM can hold", "占用率"),
            "",
            "active_warps/warps of the SM",
            lambda i, o: f"{o.active_warps}/{CAPABILITIES[i.capability].warps} = {figures.percent(o.occupancy)}",
        ),
        Output(
            "limiter", Text("what limits it", "受限于什么"), "", "the smallest of the limits", lambda _, o: o.limiter
        ),
        Output(
            "by_warps",
            Text("blocks by warps", "按 warp 数可驻留的 block"),
            "",
            "⌊warps of the SM/⌈threads/32⌉⌋",
            lambda i, o: f"⌊{CAPABILITIES[i.capability].warps}/{_warps(i)}⌋ = {o.by_warps}",
        ),
        Output(
            "by_registers",
            Text("blocks by registers", "按寄存器可驻留的 block"),
            "",
            "⌊4·⌊16,384/(32·registers, up to 256)⌋/⌈threads/32⌉⌋",
            _limit("by_registers"),
        ),
        Output(
            "by_shared",
            Text("blocks by shared memory", "按共享内存可驻留的 block"),
            "",
            "⌊shared memory of the SM/(shared + 1 KiB, up to 128)⌋",
            _limit("by_shared"),
        ),
    ),
    compute=occupancy,
    convention=Text(
        "KiB = 1024 bytes; the system's 1 KiB a block counts from 8.0 on; one barrier a block, no clusters",
        "KiB 为 1024 字节；8.0 起每个 block 另计系统保留的 1 KiB；每 block 一个 barrier，不含 cluster",
    ),
    slips=(
        *_slips("blocks", lambda _, blocks: blocks),
        *_slips("active_warps", lambda i, blocks: None if blocks is None else blocks * _warps(i)),
        *_slips("occupancy", _share),
        Slip("no_rounding", "by_registers", NO_ROUNDING, _exact_registers),
        Slip("no_reserve", "by_shared", NO_RESERVE, lambda i: _no_reserve(i) if i.shared else None),
        Slip(
            "of_the_block",
            "occupancy",
            Text("the block's threads are put over the most that a block may have", "用每 block 线程数除以 1024 了"),
            lambda i: i.threads / MOST_THREADS,
        ),
    ),
    sources=(HEADER, GUIDE, BEST_PRACTICES),
)

CALCULATORS = (OCCUPANCY,)
