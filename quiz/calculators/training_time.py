"""How long a training run takes, in days, GPU-hours and money."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.amounts import HOUR, count, duration
from quiz.calculators.attention_flops import ACTIVE, TOTAL_FOR_ACTIVE, total_for_active, used
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, optional
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import DEVICE, DTYPE, MODEL, PARAMETERS, PEAK, SPARSE, sparse_peak
from quiz.calculators.slips import again, changed
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def training_time(
    *,
    parameters: int | None,
    active_parameters: int | None,
    tokens: int | None,
    flops: Number | None,
    flops_per_parameter: Number,
    gpus: int,
    peak: Number,
    mfu: Number,
    price_per_hour: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """Time of a run of F FLOPs on n = `gpus` GPUs of `peak` FLOP/s, of which they sustain the share `mfu`.

        F = flops_per_parameter·N·D, unless `flops` is given      N what a token passes, D = `tokens`
        time = F/(n·peak·mfu)      gpu_time = n·time = F/(peak·mfu)      cost = gpu_time in hours·price_per_hour

    flops_per_parameter and mfu belong together: 6 with MFU (recomputation not counted), 8 with a utilization that
    counts a full recomputation (HFU). Restarts, evaluation and warm-up come on top. Seconds, GPU·s and USD; cost is
    None without a price. BadInput without flops and without parameters and tokens.

    Source: Narayanan et al. 2021, Eq. 4 (8·T·P/(n·X), with recomputation), https://arxiv.org/abs/2104.04473
    """
    if flops is None:
        if parameters is None or tokens is None:
            raise BadInput(
                Text(
                    "give parameters (or model) and tokens, or flops",
                    "请给 parameters（或 model）和 tokens，或给 flops",
                )
            )
        work = decimal(flops_per_parameter) * used(parameters, active_parameters) * tokens
    else:
        work = Fraction(flops)
    gpu_time = work / (Fraction(peak) * decimal(mfu))
    return {
        "flops": plain(work),
        "time": plain(gpu_time / gpus),
        "gpu_time": plain(gpu_time),
        "cost": None if price_per_hour is None else float(gpu_time / HOUR * decimal(price_per_hour)),
    }


def _work(i: Values, o: Values) -> str:
    if i.flops is not None:
        return figures.number(o.flops)
    return f"{figures.number(i.flops_per_parameter)}·{count(used(i.parameters, i.active_parameters))}·{count(i.tokens)}"


def _rate(i: Values) -> str:
    return f"{figures.peak(i.peak)}·{figures.number(i.mfu)}"


def _hours(gpu_time: Number) -> str:
    return f"{count(gpu_time / HOUR)} GPU-hours"


def _flops_each(value: int) -> Callable[[Values], dict[str, Any] | None]:
    return lambda i: None if i.flops is not None or i.flops_per_parameter == value else {"flops_per_parameter": value}


def _total(i: Values) -> dict[str, Any] | None:
    return total_for_active(i) if i.flops is None else None


def _sparse(i: Values) -> dict[str, Any] | None:
    peak = sparse_peak(i)
    return {"peak": peak} if peak else None


PERFECT = Text("the GPUs are taken to run at their peak (MFU 100 %)", "按 GPU 跑满峰值（MFU 100 %）算了")
SPARSE_PEAK = Text("the peak with 2:4 sparsity is taken", "用了带 2:4 稀疏的峰值")
FORWARD_ONLY = Text("only the forward pass is counted, 2·N·D", "只算了前向，2·N·D")
RECOMPUTED = Text("recomputation is counted, 8·N·D, though MFU leaves it out", "按重算的 8·N·D 算了，而 MFU 不计重算")
NOT_RECOMPUTED = Text(
    "recomputation is left out, 6·N·D, though the utilization counts it", "按 6·N·D 算，而这里的利用率（HFU）计了重算"
)
ONE_GPU = Text("the time of one GPU is given", "给的是单张 GPU 的时间")
WALL_CLOCK = Text("wall-clock time is given, not the GPUs' time together", "给的是墙钟时间，没有乘 GPU 数")


def _slips(output: str) -> tuple[Slip, ...]:
    return (
        changed(training_time, output, "perfect", PERFECT, lambda i: {"mfu": 1} if i.mfu != 1 else None),
        changed(training_time, output, "sparse_peak", SPARSE_PEAK, _sparse),
        changed(training_time, output, "forward_only", FORWARD_ONLY, _flops_each(2)),
        changed(training_time, output, "recomputed", RECOMPUTED, lambda i: _flops_each(8)(i) if _is(i, 6) else None),
        changed(
            training_time, output, "not_recomputed", NOT_RECOMPUTED, lambda i: _flops_each(6)(i) if _is(i, 8) else None
        ),
        changed(training_time, output, "total_for_active", TOTAL_FOR_ACTIVE, _total),
    )


def _is(i: Values, each: int) -> bool:
    return bool(i.flops_per_parameter == each)


SLIPS = (
    *(slip for output in ("time", "gpu_time", "cost") for slip in _slips(output)),
    changed(training_time, "flops", "forward_only", FORWARD_ONLY, _flops_each(2)),
    changed(training_time, "flops", "total_for_active", TOTAL_FOR_ACTIVE, _total),
    changed(training_time, "time", "one_gpu", ONE_GPU, lambda i: {"gpus": 1} if i.gpus > 1 else None),
    Slip("wall_clock", "gpu_time", WALL_CLOCK, lambda i: again(training_time, "time", i) if i.gpus > 1 else None),
    Slip(
        "wall_clock",
        "cost",
        WALL_CLOCK,
        lambda i: again(training_time, "cost", i) / i.gpus if i.gpus > 1 and i.price_per_hour is not None else None,
    ),
)

TRAINING_TIME = Calculator(
    name="training_time",
    title=Text("Training time and cost", "训练时间与成本"),
    inputs=(
        MODEL,
        optional(PARAMETERS),
        ACTIVE,
        optional(integer("tokens", Text("training tokens D", "训练 token 数 D"), unit="token", high=10**18)),
        optional(
            number("flops", Text("FLOPs of the run, instead of N and D", "总计算量（代替 N 和 D）"), unit="FLOP", low=1)
        ),
        number(
            "flops_per_parameter",
            Text(
                "FLOPs a parameter and token: 6, or 8 with recomputation in mfu",
                "每参数每 token 的 FLOP：6；利用率计重算时为 8",
            ),
            low=2,
            high=12,
            default=6,
        ),
        integer("gpus", Text("GPUs n", "GPU 数 n"), high=10**7),
        DEVICE,
        DTYPE,
        SPARSE,
        PEAK,
        number(
            "mfu", Text("share of the peak that is sustained", "达到峰值的比例（MFU）"), low=0.001, high=1, default=0.4
        ),
        optional(
            number(
                "price_per_hour", Text("price of a GPU for an hour", "单卡每小时价格"), unit="USD", low=0.01, high=1e6
            )
        ),
    ),
    outputs=(
        Output(
            "flops",
            Text("FLOPs of the run", "总计算量"),
            "FLOP",
            "6·N·D",
            lambda i, o: f"{_work(i, o)} = {figures.number(o.flops)}" if i.flops is None else figures.number(o.flops),
        ),
        Output(
            "time",
            Text("wall-clock time", "墙钟时间"),
            "s",
            "F/(n·peak·MFU)",
            lambda i, o: f"{_work(i, o)}/({i.gpus:,}·{_rate(i)}) = {duration(o.time)}",
        ),
        Output(
            "gpu_time",
            Text("time of all GPUs together", "所有 GPU 合计的时间"),
            "GPU·s",
            "F/(peak·MFU)",
            lambda i, o: f"{_work(i, o)}/({_rate(i)}) = {_hours(o.gpu_time)}",
        ),
        Output(
            "cost",
            Text("cost", "费用"),
            "USD",
            "GPU-hours·price_per_hour",
            lambda i, o: (
                f"{_hours(o.gpu_time)}·${figures.number(i.price_per_hour)} = ${count(o.cost)}"
                if o.cost is not None
                else ""
            ),
        ),
    ),
    compute=training_time,
    convention=Text(
        "6·N·D goes with MFU; where recomputation is counted in the utilization (HFU), 8·N·D",
        "6·N·D 配 MFU；利用率若计入重算（HFU），用 8·N·D",
    ),
    slips=SLIPS,
    sources=(
        Reference(
            "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, §5.1",
            "https://arxiv.org/abs/2104.04473",
        ),
        Reference("DeepSeek-V3 Technical Report, Table 1", "https://arxiv.org/abs/2412.19437"),
    ),
)

CALCULATORS = (TRAINING_TIME,)
