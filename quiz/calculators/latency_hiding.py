"""Little's law on a GPU: bytes that have to be on their way for memory to be busy all the time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, integer, number, preset
from quiz.calculators.devices import DEVICES
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import BANDWIDTH
from quiz.calculators.slips import changed, times
from quiz.calculators.sm_limits import GPUS, WARP
from quiz.language import Text
from quiz.reference import Reference


def latency_hiding(*, bandwidth: Number, latency: Number, sms: int, bytes_per_thread: int, **_: Any) -> dict[str, Any]:
    """What has to be in flight to keep `bandwidth` busy while each access takes `latency` seconds.

        in_flight = bandwidth·latency                 of the whole chip
        per_sm = in_flight/sms                        threads_per_sm = ⌈per_sm/bytes_per_thread⌉
        warps_per_sm = ⌈threads_per_sm/32⌉

    In byte, threads and warps; `bytes_per_thread` are what a thread has asked for and not received yet: 16 for one
    vector load, 64 for four of them. Fewer threads need more bytes each (unrolling, asynchronous copies). Latency grows
    under load, so that real kernels need more than an idle memory's latency says.
    Sources: Little's law; CCCL (CUB), arch_to_min_bytes_in_flight: 16 KiB an SM on A100, 32 on H100, 64 on B200
    """
    flying = decimal(bandwidth) * _exactly(latency)
    threads = math.ceil(flying / sms / bytes_per_thread)
    return {
        "in_flight": plain(flying),
        "per_sm": plain(flying / sms),
        "threads_per_sm": threads,
        "warps_per_sm": math.ceil(threads / WARP),
    }


def _exactly(latency: Number) -> Any:
    """The decimal that was meant, to a thousandth of a nanosecond: 6e-7 s is 600 ns."""
    return decimal(float(latency) * 1e12) / 10**12


def _fill(name: str, _: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"bandwidth": DEVICES[name].bandwidth, "sms": GPUS[name][1]}


WHOLE_CHIP = Text("the whole chip's bytes are given for one SM", "把整个芯片的在途字节数当成了一个 SM 的")
THREADS_FOR_WARPS = Text("threads are given for warps", "把线程数当成了 warp 数")
FOUR_BYTES = Text("4 bytes a thread are counted", "按每线程 4 字节算了")
DIVIDED = Text("bandwidth is divided by the latency", "用带宽除以了延迟，应当相乘")

LATENCY_HIDING = Calculator(
    name="latency_hiding",
    title=Text("Bytes in flight to hide memory latency", "掩盖访存延迟所需的在途字节数"),
    inputs=(
        preset("device", Text("GPU", "GPU 型号"), tuple(GPUS), _fill),
        BANDWIDTH,
        number("latency", Text("latency of an access", "一次访存的延迟"), unit="s", low=1e-12, high=1),
        integer("sms", Text("SMs (or give device)", "SM 数（或给 device）"), high=100_000),
        integer(
            "bytes_per_thread",
            Text("bytes in flight a thread", "每线程在途字节数"),
            unit="byte",
            high=10**6,
            default=16,
        ),
    ),
    outputs=(
        Output(
            "in_flight",
            Text("in flight on the whole GPU", "整卡在途字节数"),
            "byte",
            "bandwidth·latency",
            lambda i, o: (
                f"{figures.scaled(i.bandwidth, 'B/s')}·{figures.seconds(i.latency)} = {figures.size(o.in_flight)}"
            ),
        ),
        Output(
            "per_sm",
            Text("in flight on each SM", "每 SM 在途字节数"),
            "byte",
            "bandwidth·latency/sms",
            lambda i, o: f"{figures.scaled(o.in_flight, 'B')}/{i.sms} = {figures.size(o.per_sm)}",
        ),
        Output(
            "threads_per_sm",
            Text("threads an SM needs", "每 SM 所需线程数"),
            "",
            "⌈per_sm/bytes_per_thread⌉",
            lambda i, o: f"⌈{o.per_sm:,.8g}/{i.bytes_per_thread}⌉ = {o.threads_per_sm:,}",
        ),
        Output(
            "warps_per_sm",
            Text("warps an SM needs", "每 SM 所需 warp 数"),
            "",
            "⌈threads_per_sm/32⌉",
            lambda _, o: f"⌈{o.threads_per_sm:,}/32⌉ = {o.warps_per_sm}",
        ),
    ),
    compute=latency_hiding,
    convention=Text(
        "idle latency: a lower bound; under load more has to be in flight", "按空载延迟，是下限；有负载时需要更多"
    ),
    slips=(
        Slip("divided", "in_flight", DIVIDED, lambda i: i.bandwidth / i.latency),
        times(latency_hiding, "per_sm", "whole_chip", WHOLE_CHIP, lambda i: i.sms),
        changed(
            latency_hiding, "threads_per_sm", "whole_chip", WHOLE_CHIP, lambda i: {"sms": 1} if i.sms > 1 else None
        ),
        changed(
            latency_hiding,
            "threads_per_sm",
            "four_bytes",
            FOUR_BYTES,
            lambda i: {"bytes_per_thread": 4} if i.bytes_per_thread != 4 else None,
        ),
        Slip("threads", "warps_per_sm", THREADS_FOR_WARPS, lambda i: latency_hiding(**vars(i))["threads_per_sm"]),
        changed(
            latency_hiding,
            "warps_per_sm",
            "four_bytes",
            FOUR_BYTES,
            lambda i: {"bytes_per_thread": 4} if i.bytes_per_thread != 4 else None,
        ),
    ),
    sources=(
        Reference("Modal, GPU Glossary: Little's Law", "https://modal.com/gpu-glossary/perf/littles-law"),
        Reference(
            "CCCL, cub/device/dispatch/tuning/tuning_transform.cuh (bytes in flight an SM)",
            "https://github.com/NVIDIA/cccl/blob/main/cub/cub/device/dispatch/tuning/tuning_transform.cuh",
        ),
    ),
)

CALCULATORS = (LATENCY_HIDING,)
