"""Batch arithmetic of training: micro-batches, accumulation, replicas, pipeline stages."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Input, Output, Slip, Values, integer, optional
from quiz.calculators.parallel_split import data_parallel
from quiz.calculators.slips import again, changed
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def global_batch(
    *, micro_batch: int, accumulation: int, gpus: int, tp: int, pp: int, cp: int, sequence: int | None
) -> dict[str, Any]:
    """Sequences that one optimizer step sees.

        dp = gpus/(tp·pp·cp)      global_batch = micro_batch·accumulation·dp      tokens = global_batch·sequence

    tp, pp and cp work on the same sequences; only data-parallel replicas have sequences of their own. In a pipeline the
    accumulated micro-batches are the ones in flight. tokens is None without a sequence length.
    BadInput where tp·pp·cp does not divide the GPUs.

    Source: Narayanan et al. 2021, §3.1 (p·t·d = n, m = B/(d·b)), https://arxiv.org/abs/2104.04473
    """
    dp = data_parallel(gpus, tp * pp * cp)
    batch = micro_batch * accumulation * dp
    return {"dp": dp, "global_batch": batch, "tokens": None if sequence is None else batch * sequence}


def pipeline_microbatches(
    *, global_batch: int, micro_batch: int, gpus: int, tp: int, pp: int, cp: int, chunks: int
) -> dict[str, Any]:
    """Micro-batches m that each pipeline works through in a step, and how large they may be.

        dp = gpus/(tp·pp·cp)      m = global_batch/(micro_batch·dp)      of ideal time it idles (p−1)/(v·m)

    With chunks v > 1 (interleaved) m has to be a multiple of the stages p. per_replica = m·micro_batch sequences.
    BadInput where it does not divide, where interleaving does not fit, or where chunks lack a pipeline.

    Source: Narayanan et al. 2021, §2.2 and §3.1, https://arxiv.org/abs/2104.04473
    """
    dp = data_parallel(gpus, tp * pp * cp)
    if global_batch % (micro_batch * dp):
        raise BadInput(
            Text(
                f"a global batch of {global_batch} is no multiple of micro_batch·dp = {micro_batch}·{dp}",
                f"全局 batch {global_batch} 不是 micro_batch·dp = {micro_batch}·{dp} 的整数倍",
            )
        )
    microbatches = global_batch // (micro_batch * dp)
    if chunks > 1 and (pp == 1 or microbatches % pp):
        raise BadInput(
            Text(
                f"interleaving needs micro-batches in multiples of the stages; {microbatches} over {pp} does not fit",
                f"交错调度要求 micro-batch 数是流水线级数的整数倍，{microbatches} 配 {pp} 级不行",
            )
        )
    return {
        "dp": dp,
        "microbatches": microbatches,
        "per_replica": global_batch // dp,
        "bubble_of_ideal": (pp - 1) / (chunks * microbatches),
    }


def _degree(name: str, en: str, zh: str) -> Input:
    return integer(name, Text(en, zh), high=65_536, default=1)


MICRO = integer("micro_batch", Text("sequences in a micro-batch b", "micro-batch 的序列数 b"), high=10**6)
LAYOUT = (
    integer("gpus", Text("GPUs in all", "GPU 总数"), high=10**7),
    _degree("tp", "tensor-parallel GPUs", "张量并行度"),
    _degree("pp", "pipeline stages p", "流水线级数 p"),
    _degree("cp", "context-parallel GPUs", "上下文并行度"),
)


def _without(compute: Callable[..., dict[str, Any]], output: str, name: str, degree: str, about: Text) -> Slip:
    """Every GPU of one dimension taken for a data-parallel replica."""
    return changed(compute, output, name, about, lambda i: {degree: 1} if getattr(i, degree) > 1 else None)


TENSOR_IS_DATA = Text("tensor-parallel GPUs are counted as replicas", "把张量并行的卡也当成数据并行副本")
PIPELINE_IS_DATA = Text("pipeline stages are counted as replicas", "把流水线各级也当成数据并行副本")
CONTEXT_IS_DATA = Text("context-parallel GPUs are counted as replicas", "把上下文并行的卡也当成数据并行副本")
ALL_GPUS = Text("every GPU is counted as a replica", "把每张 GPU 都当成一个副本")
NO_ACCUMULATION = Text("gradient accumulation is left out", "漏了梯度累积")
NO_REPLICAS = Text("data-parallel replicas are left out", "漏了数据并行度")


def _all_gpus(i: Values) -> dict[str, Any] | None:
    mixed = sum(degree > 1 for degree in (i.tp, i.pp, i.cp)) > 1
    return {"tp": 1, "pp": 1, "cp": 1} if mixed else None


def _one_replica(i: Values) -> dict[str, Any] | None:
    return {"gpus": i.tp * i.pp * i.cp} if i.gpus > i.tp * i.pp * i.cp else None


def _as_data(output: str) -> tuple[Slip, ...]:
    return (
        _without(global_batch, output, "tensor_is_data", "tp", TENSOR_IS_DATA),
        _without(global_batch, output, "pipeline_is_data", "pp", PIPELINE_IS_DATA),
        _without(global_batch, output, "context_is_data", "cp", CONTEXT_IS_DATA),
        changed(global_batch, output, "every_gpu", ALL_GPUS, _all_gpus),
    )


def _replica_slips() -> tuple[Slip, ...]:
    """The same in a pipeline's replicas, without asking whether the batch still divides."""

    def other(*degrees: str) -> Callable[[Values], Any]:
        def value(i: Values) -> int | None:
            factor = math.prod(getattr(i, degree) for degree in degrees)
            return i.gpus * factor // (i.tp * i.pp * i.cp) if factor > 1 else None

        return value

    return (
        Slip("tensor_is_data", "dp", TENSOR_IS_DATA, other("tp")),
        Slip("pipeline_is_data", "dp", PIPELINE_IS_DATA, other("pp")),
        Slip("context_is_data", "dp", CONTEXT_IS_DATA, other("cp")),
    )


def _micro_slips(output: str) -> tuple[Slip, ...]:
    """m for wrong replicas where that divides evenly, the nearest fraction's value otherwise."""

    def other(degree: str) -> Callable[[Values], Any]:
        return lambda i: (
            i.global_batch / (i.micro_batch * again(pipeline_microbatches, "dp", i) * getattr(i, degree))
            if getattr(i, degree) > 1
            else None
        )

    return (
        Slip("tensor_is_data", output, TENSOR_IS_DATA, other("tp")),
        Slip("pipeline_is_data", output, PIPELINE_IS_DATA, other("pp")),
        Slip("context_is_data", output, CONTEXT_IS_DATA, other("cp")),
        Slip("no_replicas", output, NO_REPLICAS, lambda i: i.global_batch / i.micro_batch),
    )


def _dp_worked(i: Values, o: Values) -> str:
    return f"{i.gpus}/({i.tp}·{i.pp}·{i.cp}) = {o.dp}"


GLOBAL_BATCH = Calculator(
    name="global_batch",
    title=Text("Global batch", "全局 batch"),
    inputs=(
        MICRO,
        integer("accumulation", Text("micro-batches accumulated", "梯度累积次数"), high=10**6, default=1),
        *LAYOUT,
        optional(integer("sequence", Text("tokens a sequence", "每条序列的 token 数"), unit="token", high=10**9)),
    ),
    outputs=(
        Output("dp", Text("data-parallel replicas", "数据并行度"), "", "gpus/(tp·pp·cp)", _dp_worked),
        Output(
            "global_batch",
            Text("sequences a step", "每步序列数"),
            "",
            "micro_batch·accumulation·dp",
            lambda i, o: f"{i.micro_batch}·{i.accumulation}·{o.dp} = {o.global_batch:,}",
        ),
        Output(
            "tokens",
            Text("tokens a step", "每步 token 数"),
            "token",
            "global_batch·sequence",
            lambda i, o: f"{o.global_batch:,}·{i.sequence:,} = {o.tokens:,}" if o.tokens is not None else "",
        ),
    ),
    compute=global_batch,
    slips=(
        *_as_data("dp"),
        *_as_data("global_batch"),
        *_as_data("tokens"),
        *(
            slip
            for output in ("global_batch", "tokens")
            for slip in (
                changed(
                    global_batch,
                    output,
                    "no_accumulation",
                    NO_ACCUMULATION,
                    lambda i: {"accumulation": 1} if i.accumulation > 1 else None,
                ),
                changed(global_batch, output, "no_replicas", NO_REPLICAS, _one_replica),
            )
        ),
    ),
    sources=(
        Reference(
            "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, §3.1",
            "https://arxiv.org/abs/2104.04473",
        ),
    ),
)

PIPELINE_MICROBATCHES = Calculator(
    name="pipeline_microbatches",
    title=Text("Micro-batches of a pipeline", "流水线的 micro-batch 数"),
    inputs=(
        integer("global_batch", Text("sequences a step B", "每步序列数 B"), high=10**9),
        MICRO,
        *LAYOUT,
        integer(
            "chunks", Text("model chunks a stage v (interleaved)", "每级模型段数 v（交错调度）"), high=64, default=1
        ),
    ),
    outputs=(
        Output("dp", Text("data-parallel replicas", "数据并行度"), "", "gpus/(tp·pp·cp)", _dp_worked),
        Output(
            "microbatches",
            Text("micro-batches a step and pipeline m", "每条流水线每步的 micro-batch 数 m"),
            "",
            "B/(b·dp)",
            lambda i, o: f"{i.global_batch}/({i.micro_batch}·{o.dp}) = {o.microbatches}",
        ),
        Output(
            "per_replica",
            Text("sequences a step and replica", "每个副本每步的序列数"),
            "",
            "B/dp",
            lambda i, o: f"{i.global_batch}/{o.dp} = {o.per_replica}",
        ),
        Output(
            "bubble_of_ideal",
            Text("idle time over ideal time", "空闲时间与理想时间之比"),
            "",
            "(p−1)/(v·m)",
            lambda i, o: f"({i.pp}−1)/({i.chunks}·{o.microbatches}) = {figures.percent(o.bubble_of_ideal)}",
        ),
    ),
    compute=pipeline_microbatches,
    slips=(
        *_replica_slips(),
        *_micro_slips("microbatches"),
        Slip("no_replicas", "per_replica", NO_REPLICAS, lambda i: i.global_batch),
        Slip(
            "of_total_time",
            "bubble_of_ideal",
            Text("the share of the whole step is taken", "算成了占整步时间的比例"),
            lambda i: (i.pp - 1) / (i.chunks * again(pipeline_microbatches, "microbatches", i) + i.pp - 1),
        ),
    ),
    sources=(
        Reference(
            "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, §2.2, §3.1",
            "https://arxiv.org/abs/2104.04473",
        ),
    ),
)

CALCULATORS = (GLOBAL_BATCH, PIPELINE_MICROBATCHES)
