"""What checkpoints take on disk: those that training can go on from, and those that only hold weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import MODEL, PARAMETERS, bytes_each
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference


def checkpoint_storage(
    *,
    parameters: int,
    weight_bytes: Number,
    state_bytes: Number,
    versions: int,
    resumable: int | None,
    bandwidth: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """Bytes of `versions` saved versions, `resumable` of which (all if absent) hold the optimizer's state too.

        checkpoint = parameters·(weight_bytes + state_bytes)        2 + 12 = 14 bytes with mixed-precision Adam
        weights = parameters·weight_bytes
        total = resumable·checkpoint + (versions − resumable)·weights       saved = versions·checkpoint − total
        save_time = checkpoint/bandwidth

    In byte and s; save_time is None without a bandwidth. state_bytes is 12 for an FP32 master copy and Adam's two
    moments; gradients are not saved. ValueError for more resumable versions than there are.
    Source: BigScience 176B (bf16 weights 329 GB, full checkpoint 2.3 TB)
    """
    kept = versions if resumable is None else resumable
    if kept > versions:
        raise ValueError(f"{kept} resumable of {versions} versions")
    weights = parameters * decimal(weight_bytes)
    full = parameters * (decimal(weight_bytes) + decimal(state_bytes))
    total = kept * full + (versions - kept) * weights
    return {
        "checkpoint": plain(full),
        "weights": plain(weights),
        "total": plain(total),
        "saved": plain(versions * full - total),
        "save_time": None if bandwidth is None else float(full / Fraction(bandwidth)),
    }


WEIGHTS_ONLY = Text("only the weights are counted, not the optimizer's state", "只算了权重，漏了优化器状态")
WITH_GRADIENTS = Text("gradients are counted, though they are not saved", "把梯度也算进去了，而 checkpoint 不存梯度")
MOMENTS_ONLY = Text("the master copy is left out", "漏了 FP32 主权重")
ALL_FULL = Text("every version is taken to hold the optimizer's state", "按每个版本都存优化器状态算了")
NO_VERSIONS = Text("one version is counted", "只算了一个版本")


def _kept(i: Values) -> int:
    return int(i.versions if i.resumable is None else i.resumable)


CHECKPOINT_STORAGE = Calculator(
    name="checkpoint_storage",
    title=Text("Checkpoints on disk", "checkpoint 占用的存储"),
    inputs=(
        MODEL,
        PARAMETERS,
        bytes_each("weight_bytes", Text("bytes a saved weight", "保存的每个权重的字节数"), 2),
        bytes_each("state_bytes", Text("bytes of optimizer state a parameter", "每个参数的优化器状态字节数"), 12),
        integer("versions", Text("versions kept", "保留的版本数"), high=10**7, default=1),
        optional(
            integer("resumable", Text("of these with optimizer state", "其中带优化器状态的版本数"), low=0, high=10**7)
        ),
        optional(number("bandwidth", Text("storage bandwidth", "存储写带宽"), unit="byte/s", low=1, high=1e16)),
    ),
    outputs=(
        Output(
            "checkpoint",
            Text("a version that training can go on from", "可续训的一个版本"),
            "byte",
            "parameters·(weight_bytes + state_bytes)",
            lambda i, o: (
                f"{i.parameters:,}·({figures.number(i.weight_bytes)} + {figures.number(i.state_bytes)}) = "
                f"{figures.size(o.checkpoint)}"
            ),
        ),
        Output(
            "weights",
            Text("a version of weights only", "仅权重的一个版本"),
            "byte",
            "parameters·weight_bytes",
            lambda i, o: f"{i.parameters:,}·{figures.number(i.weight_bytes)} = {figures.size(o.weights)}",
        ),
        Output(
            "total",
            Text("all versions", "全部版本"),
            "byte",
            "resumable·checkpoint + (versions − resumable)·weights",
            lambda i, o: (
                f"{_kept(i):,}·{figures.scaled(o.checkpoint, 'B')} + {i.versions - _kept(i):,}·"
                f"{figures.scaled(o.weights, 'B')} = {figures.size(o.total)}"
            ),
        ),
        Output(
            "saved",
            Text("less than with all resumable", "比全部可续训省下"),
            "byte",
            "versions·checkpoint − total",
            lambda i, o: (
                f"{i.versions:,}·{figures.scaled(o.checkpoint, 'B')} − {figures.scaled(o.total, 'B')} = {figures.size(o.saved)}"
            ),
        ),
        Output(
            "save_time",
            Text("time to write one", "写一个版本的时间"),
            "s",
            "checkpoint/bandwidth",
            lambda i, o: (
                ""
                if o.save_time is None
                else f"{figures.scaled(o.checkpoint, 'B')} / ({figures.scaled(i.bandwidth, 'B/s')}) = "
                f"{figures.seconds(o.save_time)}"
            ),
        ),
    ),
    compute=checkpoint_storage,
    convention=Text(
        "FP32 master copy and two moments (12 bytes) beside 16-bit weights; gradients are not saved",
        "FP32 主权重加两个动量共 12 字节，另加 16 位权重；不存梯度",
    ),
    slips=tuple(
        when_distinct(checkpoint_storage, slip)
        for slip in (
            Slip("weights_only", "checkpoint", WEIGHTS_ONLY, lambda i: plain(i.parameters * decimal(i.weight_bytes))),
            changed(
                checkpoint_storage,
                "checkpoint",
                "with_gradients",
                WITH_GRADIENTS,
                lambda i: {"state_bytes": i.state_bytes + 2},
            ),
            changed(
                checkpoint_storage,
                "checkpoint",
                "moments_only",
                MOMENTS_ONLY,
                lambda i: {"state_bytes": 8} if i.state_bytes == 12 else None,
            ),
            changed(checkpoint_storage, "total", "all_resumable", ALL_FULL, lambda _: {"resumable": None}),
            changed(checkpoint_storage, "total", "weights_only", WEIGHTS_ONLY, lambda _: {"resumable": 0}),
            changed(
                checkpoint_storage,
                "total",
                "one_version",
                NO_VERSIONS,
                lambda i: {"versions": 1, "resumable": None} if i.versions > 1 else None,
            ),
            changed(
                checkpoint_storage,
                "save_time",
                "weights_only",
                WEIGHTS_ONLY,
                lambda i: None if i.bandwidth is None else {"state_bytes": 0},
            ),
        )
    ),
    sources=(
        Reference(
            "BigScience 176B Model: bf16 weights 329 GB, full checkpoint 2.3 TB",
            "https://bigscience.notion.site/BigScience-176B-Model-ad073ca07cdf479398d5f95d88e218c4",
        ),
    ),
)

CALCULATORS = (CHECKPOINT_STORAGE,)
