"""Collective operations: who sends how much, in how many steps, in how long."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Values, choice, integer, number, optional
from quiz.calculators.collective_cost import (
    ALGORITHMS,
    OPERATIONS,
    READINGS,
    bus_factor,
    cost,
    cost_of,
    whole,
    whole_of,
)
from quiz.calculators.collective_slips import SLIPS
from quiz.calculators.exact import Number, plain
from quiz.language import Text
from quiz.reference import Reference


def collective(
    *, op: str, ranks: int, size: Number, size_is: str, algorithm: str, latency: Number, bandwidth: Number | None
) -> dict[str, Any]:
    """Traffic, steps and time of one collective over n = `ranks` ranks.

    S is the size that nccl-tests prints: the tensor of an all-reduce or a broadcast, the gathered buffer of an
    all-gather (n shards), the unreduced buffer of a reduce-scatter, the whole send buffer of one rank of an
    all-to-all. With size_is=chunk, `size` is one of the n chunks and S = n·size.

        ring    all_reduce 2·(n−1)/n·S a rank in 2·(n−1) steps; all_gather, reduce_scatter and (pairwise)
                all_to_all (n−1)/n·S in n−1 steps; broadcast S down a pipelined chain of n−1 hops
        tree    double binary tree, ideally pipelined: all_reduce 2·S in 2·⌈log₂n⌉ steps, broadcast S in ⌈log₂n⌉;
                sent_per_rank is that of the busiest rank, the mean being 2·(n−1)/n·S as in a ring
        naive   a root receives and adds n−1 tensors, then sends n−1: the root sends (n−1)·S and its link is busy
                twice that long; steps 2·(n−1), broadcast half of it

    time = steps·latency + (bytes that one link carries in series)/bandwidth, with bandwidth in one direction;
    algbw = S/time, busbw = algbw times nccl-tests' factor, whatever the algorithm. time, algbw and busbw are None
    without a bandwidth. In-switch reduction (NVLS, SHARP) follows other factors. Sizes in bytes, times in seconds.
    BadInput for a tree or a root of other operations and for a tree of fewer than 4 ranks.

    Sources: NVIDIA, nccl-tests, doc/PERFORMANCE.md; Rajbhandari et al. 2020, ZeRO, §7.1 (all-reduce =
    reduce-scatter + all-gather), https://arxiv.org/abs/1910.02054
    """
    found, full = cost(op, ranks, algorithm), whole(size, size_is, ranks)
    time = algbw = busbw = None
    if bandwidth is not None:
        seconds = found.steps * Fraction(latency) + found.in_series * full / Fraction(bandwidth)
        time, algbw, busbw = float(seconds), float(full / seconds), float(full / seconds * bus_factor(op, ranks))
    return {
        "sent_per_rank": plain(found.sent * full),
        "sent_in_all": plain(found.in_all * full),
        "steps": found.steps,
        "time": time,
        "factor": plain(found.sent * full / Fraction(size)),
        "algbw": algbw,
        "busbw": busbw,
    }


def _share(i: Values) -> str:
    """The factor with n in figures, as one writes it."""
    n = i.ranks
    if i.algorithm == "naive":
        return f"({n}−1)"
    if i.algorithm == "tree" or i.op == "broadcast":
        return "2" if i.op == "all_reduce" else "1"
    return f"2·({n}−1)/{n}" if i.op == "all_reduce" else f"({n}−1)/{n}"


def _buffer(i: Values) -> str:
    return f"{i.ranks}·{figures.scaled(i.size, 'B')}" if i.size_is == "chunk" else figures.scaled(i.size, "B")


def _steps(i: Values, o: Values) -> str:
    n, twice = i.ranks, "2·" if i.op == "all_reduce" else ""
    return f"{twice}⌈log₂{n}⌉ = {o.steps}" if i.algorithm == "tree" else f"{twice}({n}−1) = {o.steps}"


def _time(i: Values, o: Values) -> str:
    if o.time is None:
        return ""
    carried = plain(cost_of(i).in_series * whole_of(i))
    waits = f"{o.steps}·{figures.seconds(i.latency)} + " if i.latency else ""
    return f"{waits}{figures.scaled(carried, 'B')}/({figures.scaled(i.bandwidth, 'B/s')}) = {figures.seconds(o.time)}"


COLLECTIVE = Calculator(
    name="collective",
    title=Text("Collective operation: traffic and time", "集合通信的通信量与时间"),
    inputs=(
        choice("op", Text("operation", "操作"), OPERATIONS),
        integer("ranks", Text("ranks n", "rank 数 n"), low=2, high=1_000_000),
        number(
            "size",
            Text("buffer S in bytes, as nccl-tests counts it", "缓冲区 S（字节，按 nccl-tests 的口径）"),
            unit="byte",
            low=1,
        ),
        choice(
            "size_is",
            Text("whether size is the whole buffer or one of its n chunks", "size 指整个缓冲区，还是 n 份中的一份"),
            READINGS,
            default="tensor",
        ),
        choice("algorithm", Text("algorithm", "算法"), ALGORITHMS, default="ring"),
        number("latency", Text("latency of one step α", "每一步的延迟 α"), unit="s", high=60, default=0),
        optional(
            number("bandwidth", Text("bandwidth of one rank, one direction B", "每卡单向带宽 B"), unit="byte/s", low=1)
        ),
    ),
    outputs=(
        Output(
            "sent_per_rank",
            Text("sent by each rank (by the busiest, where they differ)", "每卡发送量（各卡不同时取最多的一卡）"),
            "byte",
            "all-reduce 2·(n−1)/n·S; all-gather, reduce-scatter, all-to-all (n−1)/n·S; broadcast S; "
            "tree all-reduce 2·S; root (n−1)·S",
            lambda i, o: f"{_share(i)}·{_buffer(i)} = {figures.size(o.sent_per_rank)}",
        ),
        Output(
            "sent_in_all",
            Text("sent by all ranks together", "所有卡发送量之和"),
            "byte",
            "all-reduce 2·(n−1)·S; the others (n−1)·S",
            lambda i, o: (
                f"{'2·' if i.op == 'all_reduce' else ''}({i.ranks}−1)·{_buffer(i)} = {figures.size(o.sent_in_all)}"
            ),
        ),
        Output(
            "steps",
            Text("serial steps", "串行步数"),
            "",
            "all-reduce 2·(n−1), the others n−1; tree 2·⌈log₂n⌉, broadcast ⌈log₂n⌉",
            _steps,
        ),
        Output(
            "time",
            Text("time", "时间"),
            "s",
            "steps·α + bytes on one link in series/B",
            _time,
        ),
        Output(
            "factor",
            Text("sent by each rank over size", "每卡发送量与 size 之比"),
            "",
            "sent_per_rank/size",
            lambda i, o: f"{_share(i)}{f'·{i.ranks}' if i.size_is == 'chunk' else ''} = {figures.number(o.factor, 6)}",
        ),
        Output(
            "algbw",
            Text("algorithm bandwidth", "算法带宽（algbw）"),
            "byte/s",
            "S/time",
            lambda i, o: (
                f"{_buffer(i)}/{figures.seconds(o.time)} = {figures.scaled(o.algbw, 'B/s')}"
                if o.time is not None
                else ""
            ),
        ),
        Output(
            "busbw",
            Text("bus bandwidth", "总线带宽（busbw）"),
            "byte/s",
            "algbw × (all-reduce 2·(n−1)/n; all-gather, reduce-scatter, all-to-all (n−1)/n; broadcast 1)",
            lambda i, o: (
                f"{figures.scaled(o.algbw, 'B/s')}·{figures.number(plain(bus_factor(i.op, i.ranks)), 6)} = {figures.scaled(o.busbw, 'B/s')}"
                if o.time is not None
                else ""
            ),
        ),
    ),
    compute=collective,
    convention=Text(
        "S is nccl-tests' size, the whole buffer and not one rank's shard; bandwidth is one direction of one rank",
        "S 取 nccl-tests 的 size，指整个缓冲区而不是一张卡的分片；带宽指单卡单向",
    ),
    slips=SLIPS,
    sources=(
        Reference(
            "NVIDIA, nccl-tests: Performance reported by NCCL tests",
            "https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md",
        ),
        Reference(
            "Rajbhandari et al. 2020, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, §7.1",
            "https://arxiv.org/abs/1910.02054",
        ),
    ),
)

CALCULATORS = (COLLECTIVE,)
