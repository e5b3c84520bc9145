"""Gradients reduced bucket by bucket while the backward pass still runs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, plain
from quiz.calculators.overlap import IN_FULL, PERFECT, seconds_input
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference

MIB = 2**20


def gradient_buckets(
    *, size: Number, bucket: Number, forward: Number, backward: Number, bandwidth: Number, latency: Number
) -> dict[str, Any]:
    """Time of a data-parallel step whose gradients are all-reduced bucket by bucket while the backward pass runs.

    k = ⌈size/bucket⌉ equal buckets become ready one after another, every backward/k; each takes r = latency + size/(k·B)
    on the wire, one at a time, B = `bandwidth` the all-reduce's rate of the buffer (algbw):

        time = forward + max(backward + r, backward/k + k·r)        the last bucket always follows the backward pass
        exposed = time − forward − backward
        unbucketed = forward + backward + latency + size/B          one all-reduce at the end

    Sizes in bytes, times in s. k is a count.

    Sources: derived; PyTorch, torch.nn.parallel.DistributedDataParallel (bucket_cap_mb, 25 MiB by default); Zhao et al. 2023,
    PyTorch FSDP, §3.3.1 (DDP's overlap), https://arxiv.org/abs/2304.11277
    """
    buckets = math.ceil(Fraction(size) / Fraction(bucket))
    f, b, start = Fraction(forward), Fraction(backward), Fraction(latency)
    wire = Fraction(size) / Fraction(bandwidth)
    each = start + wire / buckets
    time = f + max(b + each, b / buckets + buckets * each)
    alone = f + b + start + wire
    return {
        "buckets": buckets,
        "bucket_time": float(each),
        "time": float(time),
        "exposed": float(time - f - b),
        "unbucketed": float(alone),
        "hidden": plain(1 - (time - f - b) / (buckets * each)),
    }


def _sum_of(i: Values) -> float:
    return float(again(gradient_buckets, "buckets", i) * again(gradient_buckets, "bucket_time", i))


BUCKET_SLIPS = (
    Slip(
        "unbucketed",
        "time",
        Text("one all-reduce after the backward pass is taken", "按反向结束后一次 all-reduce 算了"),
        lambda i: again(gradient_buckets, "unbucketed", i),
    ),
    Slip("in_full", "time", IN_FULL, lambda i: i.forward + i.backward + _sum_of(i)),
    Slip("all_hidden", "time", PERFECT, lambda i: i.forward + i.backward),
    Slip(
        "longer_of_both",
        "time",
        Text(
            "the longer of backward pass and communication is taken: the last bucket follows the backward pass",
            "只取了反向与通信中较长的，而最后一个桶总在反向之后",
        ),
        lambda i: i.forward + max(i.backward, _sum_of(i)),
    ),
    Slip("in_full", "exposed", IN_FULL, _sum_of),
    changed(
        gradient_buckets,
        "time",
        "overlapped_with_forward",
        Text("the forward pass is taken to hide communication too", "以为前向也能隐藏梯度通信"),
        lambda i: {"backward": i.backward + i.forward, "forward": 0} if i.forward else None,
    ),
    changed(
        gradient_buckets,
        "buckets",
        "megabytes",
        Text("the bucket is taken in decimal megabytes, not MiB", "把桶大小按十进制 MB 算了，不是 MiB"),
        lambda i: {"bucket": i.bucket // MIB * 10**6} if i.bucket % MIB == 0 else None,
    ),
)


GRADIENT_BUCKETS = Calculator(
    name="gradient_buckets",
    title=Text("Gradient buckets", "梯度分桶"),
    inputs=(
        number("size", Text("gradients in all", "梯度总大小"), unit="byte", low=1, high=1e15),
        number("bucket", Text("size of a bucket", "每桶大小"), unit="byte", low=1, high=1e15, default=25 * MIB),
        seconds_input("forward", "time of the forward pass", "前向时间"),
        seconds_input("backward", "time of the backward pass", "反向时间"),
        number(
            "bandwidth",
            Text("rate of the all-reduce (algbw)", "all-reduce 的算法带宽（algbw）"),
            unit="byte/s",
            low=1,
            high=1e15,
        ),
        number("latency", Text("latency of one all-reduce", "一次 all-reduce 的延迟"), unit="s", high=60, default=0),
    ),
    outputs=(
        Output(
            "buckets",
            Text("buckets", "桶数"),
            "",
            "⌈size/bucket⌉",
            lambda i, o: f"⌈{figures.size(i.size)}/{figures.size(i.bucket)}⌉ = {o.buckets}",
        ),
        Output(
            "bucket_time",
            Text("all-reduce of one bucket", "每桶 all-reduce 的时间"),
            "s",
            "latency + size/(k·B)",
            lambda i, o: (
                f"{figures.seconds(i.latency)} + {figures.size(i.size)}/({o.buckets}·{figures.scaled(i.bandwidth, 'B/s')}) = "
                f"{figures.seconds(o.bucket_time)}"
            ),
        ),
        Output(
            "time",
            Text("time of the step", "步时间"),
            "s",
            "forward + max(backward + r, backward/k + k·r)",
            lambda i, o: (
                f"{figures.seconds(i.forward)} + max({figures.seconds(i.backward)} + {figures.seconds(o.bucket_time)}, "
                f"{figures.seconds(i.backward)}/{o.buckets} + {o.buckets}·{figures.seconds(o.bucket_time)}) = "
                f"{figures.seconds(o.time)}"
            ),
        ),
        Output(
            "exposed",
            Text("communication after the backward pass", "反向之后还剩的通信时间"),
            "s",
            "time − forward − backward",
            lambda _, o: figures.seconds(o.exposed),
        ),
        Output(
            "unbucketed",
            Text("with one all-reduce at the end", "反向后一次 all-reduce 的步时间"),
            "s",
            "forward + backward + latency + size/B",
            lambda _, o: figures.seconds(o.unbucketed),
        ),
        Output(
            "hidden",
            Text("share of communication that is hidden", "被隐藏的通信比例"),
            "",
            "1 − exposed/(k·r)",
            lambda _, o: figures.percent(o.hidden),
        ),
    ),
    compute=gradient_buckets,
    convention=Text(
        "buckets equal and ready at even intervals; DDP's default is 25 MiB",
        "各桶等大、等间隔就绪；DDP 默认 25 MiB",
    ),
    slips=tuple(when_distinct(gradient_buckets, slip) for slip in BUCKET_SLIPS),
    sources=(
        Reference("Zhao et al. 2023, PyTorch FSDP, §3.3.1", "https://arxiv.org/abs/2304.11277"),
        Reference(
            "PyTorch, torch.nn.parallel.DistributedDataParallel: bucket_cap_mb",
            "https://github.com/pytorch/pytorch/blob/main/torch/nn/parallel/distributed.py",
        ),
    ),
)

CALCULATORS = (GRADIENT_BUCKETS,)
