"""Pipeline parallelism: how much of a step each stage idles, and how many micro-batches it holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer
from quiz.calculators.exact import Number, plain
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

SCHEDULES = ("gpipe", "1f1b", "interleaved")


def pipeline_bubble(*, stages: int, microbatches: int, schedule: str, chunks: int) -> dict[str, Any]:
    """Idle share of each of `stages` equal stages over a step of `microbatches` micro-batches.

    With p stages, m micro-batches and v model chunks a device (v = 1 unless interleaved):

        fraction_of_total = (p−1)/(v·m + p−1)      fraction_of_ideal = (p−1)/(v·m)

    GPipe and 1F1B idle alike. stashed_microbatches is how many micro-batches' activations the first stage holds at
    most: m in GPipe, min(p, m) in 1F1B; interleaving warms up 2·(p−1) + (v−1)·p chunks before its first backward one
    and so holds min(m, p + (p−1)/v) micro-batches' worth. Communication is not counted. Pure numbers.
    BadInput where an interleaved schedule's micro-batches are no multiple of its stages, or another schedule has chunks.

    Sources: Narayanan et al. 2021, §2.2, https://arxiv.org/abs/2104.04473; Megatron-LM,
    megatron/training/theoretical_memory_usage.py (1 + (p−1)/(p·v) times the activations when interleaved)
    """
    if schedule == "interleaved" and microbatches % stages:
        raise BadInput(
            Text(
                f"interleaving needs micro-batches in multiples of the stages; {microbatches} is no multiple of {stages}",
                f"交错调度要求 micro-batch 数是流水线级数的整数倍，{microbatches} 不是 {stages} 的倍数",
            )
        )
    if schedule != "interleaved" and chunks != 1:
        raise BadInput(
            Text(
                f"{schedule} has one chunk a device; chunks={chunks} needs schedule=interleaved",
                f"{schedule} 每卡只有一段；chunks={chunks} 需要 schedule=interleaved",
            )
        )
    idle, busy = stages - 1, chunks * microbatches
    return {
        "fraction_of_total": idle / (busy + idle),
        "fraction_of_ideal": idle / busy,
        "stashed_microbatches": _stashed(stages, microbatches, schedule, chunks),
    }


def _stashed(stages: int, microbatches: int, schedule: str, chunks: int) -> Number:
    if schedule == "gpipe":
        return microbatches
    beyond = Fraction(stages - 1, chunks) if chunks > 1 else 0
    return plain(Fraction(min(microbatches, stages + beyond)))


def _busy(i: Values) -> str:
    return f"{i.microbatches}" if i.chunks == 1 else f"{i.chunks}·{i.microbatches}"


def _worked_stash(i: Values, o: Values) -> str:
    if i.schedule == "gpipe":
        return f"m = {i.microbatches}"
    held = f"{i.stages} + ({i.stages}−1)/{i.chunks}" if i.chunks > 1 else f"{i.stages}"
    return f"min({i.microbatches}, {held}) = {figures.number(o.stashed_microbatches, 6)}"


PIPELINE_BUBBLE = Calculator(
    name="pipeline_bubble",
    title=Text("Pipeline bubble", "流水线气泡"),
    inputs=(
        integer("stages", Text("pipeline stages p", "流水线级数 p"), high=1024),
        integer("microbatches", Text("micro-batches a step m", "每步 micro-batch 数 m"), high=1_000_000),
        choice("schedule", Text("schedule", "调度方式"), SCHEDULES, default="1f1b"),
        integer(
            "chunks",
            Text("model chunks a device v (interleaved)", "每卡模型段数 v（交错调度）"),
            high=64,
            default=1,
        ),
    ),
    outputs=(
        Output(
            "fraction_of_total",
            Text("idle share of the whole step", "空闲占整步时间的比例"),
            formula="(p−1)/(v·m + p−1)",
            worked=lambda i, o: (
                f"({i.stages}−1)/({_busy(i)} + {i.stages}−1) = "
                f"{i.stages - 1}/{i.chunks * i.microbatches + i.stages - 1} = {figures.percent(o.fraction_of_total)}"
            ),
        ),
        Output(
            "fraction_of_ideal",
            Text("idle time over ideal time", "空闲时间与理想时间之比"),
            formula="(p−1)/(v·m)",
            worked=lambda i, o: f"({i.stages}−1)/({_busy(i)}) = {figures.percent(o.fraction_of_ideal)}",
        ),
        Output(
            "stashed_microbatches",
            Text(
                "micro-batches whose activations the first stage holds at most", "首级最多同时保留激活的 micro-batch 数"
            ),
            formula="GPipe m; 1F1B min(m, p); interleaved min(m, p + (p−1)/v)",
            worked=_worked_stash,
        ),
    ),
    compute=pipeline_bubble,
    convention=Text(
        "share of the whole step and share of the ideal time differ: say which",
        "占整步时间与占理想时间是两个数，要说清分母",
    ),
    slips=(
        Slip(
            "of_ideal_time",
            "fraction_of_total",
            Text(
                "the share of the ideal time, (p−1)/m, is taken for the share of the whole step",
                "把占理想时间的比例 (p−1)/m 当成占整步时间的比例",
            ),
            lambda i: (i.stages - 1) / (i.chunks * i.microbatches),
        ),
        Slip(
            "of_total_time",
            "fraction_of_ideal",
            Text(
                "the share of the whole step is taken for the share of the ideal time",
                "把占整步时间的比例当成占理想时间的比例",
            ),
            lambda i: (i.stages - 1) / (i.chunks * i.microbatches + i.stages - 1),
        ),
        Slip(
            "stages_for_stages_minus_one",
            "fraction_of_total",
            Text("p idle slots are counted instead of p−1", "把空等的时隙数成了 p 个，而不是 p−1 个"),
            lambda i: i.stages / (i.chunks * i.microbatches + i.stages - 1),
        ),
        Slip(
            "stages_for_stages_minus_one",
            "fraction_of_ideal",
            Text("p idle slots are counted instead of p−1", "把空等的时隙数成了 p 个，而不是 p−1 个"),
            lambda i: i.stages / (i.chunks * i.microbatches),
        ),
        Slip(
            "ramp_counted_twice",
            "fraction_of_total",
            Text("the ramp is counted twice: 2(p−1)/(m + 2(p−1))", "把爬升算了两遍：2(p−1)/(m + 2(p−1))"),
            lambda i: 2 * (i.stages - 1) / (i.chunks * i.microbatches + 2 * (i.stages - 1)),
        ),
        Slip(
            "ramp_counted_twice",
            "fraction_of_ideal",
            Text("the ramp is counted twice: 2(p−1)/m", "把爬升算了两遍：2(p−1)/m"),
            lambda i: 2 * (i.stages - 1) / (i.chunks * i.microbatches),
        ),
        Slip(
            "chunks_ignored",
            "fraction_of_total",
            Text("interleaving's v chunks are left out", "漏了交错调度的 v 段"),
            lambda i: (i.stages - 1) / (i.microbatches + i.stages - 1) if i.chunks > 1 else None,
        ),
        Slip(
            "chunks_ignored",
            "fraction_of_ideal",
            Text("interleaving's v chunks are left out", "漏了交错调度的 v 段"),
            lambda i: (i.stages - 1) / i.microbatches if i.chunks > 1 else None,
        ),
        Slip(
            "as_gpipe",
            "stashed_microbatches",
            Text("all micro-batches are held until the end, as in GPipe", "按 GPipe 那样把所有 micro-batch 都留到最后"),
            lambda i: i.microbatches,
        ),
        Slip(
            "as_1f1b",
            "stashed_microbatches",
            Text("only p micro-batches are held, as in plain 1F1B", "按普通 1F1B 那样只留 p 个 micro-batch"),
            lambda i: min(i.stages, i.microbatches),
        ),
    ),
    sources=(
        Reference(
            "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, §2.2",
            "https://arxiv.org/abs/2104.04473",
        ),
        Reference(
            "Megatron-LM, theoretical_memory_usage.py",
            "https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/training/theoretical_memory_usage.py",
        ),
    ),
)

CALCULATORS = (PIPELINE_BUBBLE,)
