"""A kernel's launch: blocks for the work, warps a block, waves over the GPU, and threads that have nothing to do."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional, preset
from quiz.calculators.distinct import when_distinct
from quiz.calculators.slips import changed
from quiz.calculators.sm_limits import BEST_PRACTICES, GPUS, MOST_THREADS, WARP
from quiz.language import Text


def launch_configuration(
    *, elements: int, threads: int, per_thread: int, sms: int | None, blocks_per_sm: int, **_: Any
) -> dict[str, Any]:
    """Blocks of `threads` threads over `elements` elements, `per_thread` of them for each thread.

        blocks = ⌈elements/(threads·per_thread)⌉        warps_per_block = ⌈threads/32⌉
        idle_threads = blocks·threads − ⌈elements/per_thread⌉           the guard `if (i < n)` turns them away
        waves = blocks/(sms·blocks_per_sm)              blocks_per_sm as the occupancy calculator has it
        wave_efficiency = waves/⌈waves⌉                 how full the waves are, the last one included

    Counts and fractions; waves and wave_efficiency are None without sms. Blocks are taken to last equally long.
    Source: CUDA C++ Best Practices Guide, Execution Configuration Optimizations
    """
    blocks = math.ceil(elements / (threads * per_thread))
    waves = None if sms is None else blocks / (sms * blocks_per_sm)
    return {
        "blocks": blocks,
        "warps_per_block": math.ceil(threads / WARP),
        "idle_threads": blocks * threads - math.ceil(elements / per_thread),
        "waves": waves,
        "wave_efficiency": None if waves is None else waves / math.ceil(waves),
    }


def _share(i: Values) -> str:
    return f"{i.threads}·{i.per_thread}" if i.per_thread > 1 else f"{i.threads}"


ROUNDED_DOWN = Text("the last, partly filled block is left out", "漏了最后一个没填满的 block")
ONE_EACH = Text("one element a thread is counted", "按每线程 1 个元素算了")
ONE_BLOCK = Text("one block an SM at a time is counted", "按每个 SM 同时只有 1 个 block 算了")

_SLIPS = (
    Slip("rounded_down", "blocks", ROUNDED_DOWN, lambda i: i.elements // (i.threads * i.per_thread)),
    changed(
        launch_configuration,
        "blocks",
        "one_each",
        ONE_EACH,
        lambda i: {"per_thread": 1} if i.per_thread > 1 else None,
    ),
    Slip("rounded_down", "warps_per_block", ROUNDED_DOWN, lambda i: i.threads // WARP if i.threads >= WARP else None),
    Slip(
        "wavefront",
        "warps_per_block",
        Text(
            "64 threads a warp are counted, as in AMD's wavefronts", "按 64 线程一个 warp 算了，那是 AMD 的 wavefront"
        ),
        lambda i: math.ceil(i.threads / 64),
    ),
    changed(
        launch_configuration,
        "waves",
        "one_block",
        ONE_BLOCK,
        lambda i: {"blocks_per_sm": 1} if i.blocks_per_sm > 1 and i.sms is not None else None,
    ),
)

LAUNCH_CONFIGURATION = Calculator(
    name="launch_configuration",
    title=Text("Launching a kernel", "kernel 的启动配置"),
    inputs=(
        integer("elements", Text("elements", "元素个数"), high=10**15),
        integer("threads", Text("threads a block", "每 block 线程数"), high=MOST_THREADS),
        integer("per_thread", Text("elements a thread", "每线程处理的元素数"), high=10**6, default=1),
        preset("device", Text("GPU", "GPU 型号"), tuple(GPUS), lambda name, _: {"sms": GPUS[name][1]}),
        optional(integer("sms", Text("SMs of the GPU (or give device)", "GPU 的 SM 数（或给 device）"), high=10_000)),
        integer("blocks_per_sm", Text("blocks that an SM holds", "每 SM 驻留的 block 数"), high=64, default=1),
    ),
    outputs=(
        Output(
            "blocks",
            Text("blocks of the grid", "grid 的 block 数"),
            "",
            "⌈elements/(threads·per_thread)⌉",
            lambda i, o: f"⌈{i.elements:,}/({_share(i)})⌉ = {o.blocks:,}",
        ),
        Output(
            "warps_per_block",
            Text("warps a block", "每 block 的 warp 数"),
            "",
            "⌈threads/32⌉",
            lambda i, o: f"⌈{i.threads}/32⌉ = {o.warps_per_block}",
        ),
        Output(
            "idle_threads",
            Text("threads without an element", "没有元素可做的线程数"),
            "",
            "blocks·threads − ⌈elements/per_thread⌉",
            lambda i, o: f"{o.blocks:,}·{i.threads} − ⌈{i.elements:,}/{i.per_thread}⌉ = {o.idle_threads:,}",
        ),
        Output(
            "waves",
            Text("waves", "wave 数"),
            "",
            "blocks/(sms·blocks_per_sm)",
            lambda i, o: (
                "" if o.waves is None else f"{o.blocks:,}/({i.sms}·{i.blocks_per_sm}) = {figures.number(o.waves)}"
            ),
        ),
        Output(
            "wave_efficiency",
            Text("how full the waves are", "wave 的填充率"),
            "",
            "waves/⌈waves⌉",
            lambda _, o: (
                ""
                if o.waves is None
                else f"{figures.number(o.waves)}/{math.ceil(o.waves)} = {figures.percent(o.wave_efficiency)}"
            ),
        ),
    ),
    compute=launch_configuration,
    convention=Text(
        "a warp is 32 threads; a block's last warp may be partly empty",
        "一个 warp 为 32 线程；block 的最后一个 warp 可以不满",
    ),
    slips=tuple(when_distinct(launch_configuration, slip) for slip in _SLIPS),
    sources=(BEST_PRACTICES,),
)

CALCULATORS = (LAUNCH_CONFIGURATION,)
