"""The usual mistakes about what full and hybrid sharding send."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators.base import Slip, Values
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import decimal, plain
from quiz.calculators.sharding_traffic import hybrid_sharding
from quiz.calculators.slips import changed, times
from quiz.language import Text


def volume(i: Values) -> Fraction:
    """Bytes gathered and scattered in a step: 2·S + R."""
    return Fraction(i.parameters * (2 * decimal(i.weight_bytes) + decimal(i.gradient_bytes)))


def gradients(i: Values) -> Fraction:
    """Bytes of all gradients, R."""
    return Fraction(i.parameters * decimal(i.gradient_bytes))


def _result(i: Values, output: str) -> Any:
    return hybrid_sharding(**vars(i))[output]


def _paper(i: Values) -> Any:
    """2·M·(W−1)/(G·W) with M the gradients: each host's share counted over all ranks."""
    ranks = i.nodes * i.gpus
    return plain(2 * gradients(i) * Fraction(ranks - 1, ranks) / i.gpus) if i.nics == i.gpus else None


ONE_NIC = Text(
    "the node's traffic is put through one NIC, not spread over all", "把整个节点的流量算在一块网卡上，没有分到各网卡"
)
PER_GPU = Text(
    "every GPU's ring traffic is put through a NIC; a ring crosses a node's edge once",
    "把每卡的环流量都算进网卡，而环每次进出节点只经过一条边",
)
OVER_ALL_RANKS = Text(
    "(n−1)/n of all ranks is taken; only the k nodes' (k−1)/k crosses the network",
    "按总卡数的 (n−1)/n 算了，而跨节点的只有节点数的 (k−1)/k",
)
NO_OWN = Text("the own share, 1/n or 1/k, is counted as sent", "把自己那一份 1/n（或 1/k）也算成要发送")
ALL_CROSSES = Text("HSDP is taken to gather weights across nodes too", "以为 HSDP 也要跨节点收集权重")
ONCE = Text(
    "the all-reduce is taken to send its tensor once, not 2·(k−1)/k of it", "按 all-reduce 只发一遍来算，漏了 2·(k−1)/k"
)
NOT_SHARDED = Text(
    "whole gradients are reduced across nodes by every GPU, not a g-th", "每卡都跨节点规约完整梯度，而其实只有 1/g"
)
TWO_PASSES = Text(
    "2·S is sent as in data parallelism; sharding gathers weights twice and scatters gradients, 3·S",
    "按数据并行的 2S 算了，而全分片要收集两次权重再散播梯度，共 3S",
)
GIGABITS = Text("the NIC's bits are taken for bytes", "把网卡的 bit 当成了 byte")
IN_SERIES = Text("the two phases are added, though they overlap", "把两个阶段相加了，而它们是重叠的")
OVERLAPPED = Text(
    "the slower phase alone is counted, though they run one after the other", "只取了较慢的阶段，而两个阶段是先后进行的"
)
NETWORK_ONLY = Text("NVLink's phase is left out", "漏了 NVLink 阶段")
BOTH_WAYS = Text("NVLink's both directions together are taken for one", "把 NVLink 双向合计带宽当成了单向")
ONE_PERCENTAGE = Text("the share of bytes is taken for the share of time", "把字节数减少的比例当成时间减少的比例")
NO_GROWTH = Text("states are taken to stay as sharded as before", "以为每卡的模型状态不变")
ALL_GPUS = Text("states are taken to grow by all GPUs, not by the nodes", "以为状态按总卡数增长，其实按节点数")
TIMES = ("fsdp_time", "fsdp_time_hierarchical", "hsdp_time", "hsdp_time_overlapped")


def _twice_link(i: Values) -> dict[str, Any]:
    return {"nvlink": 2 * i.nvlink}


def _phase(output: str, name: str, about: Text, value: Callable[[Values], Any]) -> Slip:
    return Slip(name, output, about, value)


_SLIPS = (
    *(
        changed(hybrid_sharding, output, "one_nic", ONE_NIC, lambda i: {"nics": 1} if i.nics > 1 else None)
        for output in ("fsdp_nic", "fsdp_nic_hierarchical", "hsdp_nic", *TIMES)
    ),
    times(hybrid_sharding, "fsdp_nic", "every_gpu", PER_GPU, lambda i: i.gpus),
    times(
        hybrid_sharding,
        "fsdp_nic",
        "two_passes",
        TWO_PASSES,
        lambda i: 2 / 3 if i.weight_bytes == i.gradient_bytes else None,
    ),
    times(
        hybrid_sharding,
        "fsdp_nic_hierarchical",
        "no_own_share",
        NO_OWN,
        lambda i: i.nodes / (i.nodes - 1) if i.nodes > 1 else None,
    ),
    times(
        hybrid_sharding, "hsdp_nic", "no_own_share", NO_OWN, lambda i: i.nodes / (i.nodes - 1) if i.nodes > 1 else None
    ),
    Slip("gather_across", "hsdp_nic", ALL_CROSSES, lambda i: _result(i, "fsdp_nic_hierarchical")),
    Slip("over_all_ranks", "hsdp_nic", OVER_ALL_RANKS, _paper),
    times(hybrid_sharding, "hsdp_nic", "sent_once", ONCE, lambda _: 0.5),
    times(hybrid_sharding, "hsdp_nic", "not_sharded", NOT_SHARDED, lambda i: i.gpus),
    times(
        hybrid_sharding, "hsdp_nvlink", "no_own_share", NO_OWN, lambda i: i.gpus / (i.gpus - 1) if i.gpus > 1 else None
    ),
    *(changed(hybrid_sharding, output, "gigabits", GIGABITS, lambda i: {"nic": 8 * i.nic}) for output in TIMES),
    *(changed(hybrid_sharding, output, "both_directions", BOTH_WAYS, _twice_link) for output in TIMES),
    _phase("hsdp_time", "overlapped", OVERLAPPED, lambda i: _result(i, "hsdp_time_overlapped")),
    _phase("hsdp_time_overlapped", "in_series", IN_SERIES, lambda i: _result(i, "hsdp_time")),
    _phase("hsdp_time", "network_only", NETWORK_ONLY, lambda i: _result(i, "hsdp_nic") / i.nic),
    _phase(
        "fsdp_time_hierarchical", "overlapped", OVERLAPPED, lambda i: _result(i, "fsdp_time_hierarchical_overlapped")
    ),
    _phase("fsdp_time_hierarchical_overlapped", "in_series", IN_SERIES, lambda i: _result(i, "fsdp_time_hierarchical")),
    Slip("one_percentage", "time_saving", ONE_PERCENTAGE, lambda i: _result(i, "nic_saving")),
    Slip(
        "hierarchical_instead",
        "nic_saving",
        Text(
            "it is set against a hierarchical all-gather, not a flat ring", "与分层 all-gather 比，而不是与平铺的环比"
        ),
        lambda i: _result(i, "nic_saving_hierarchical"),
    ),
    Slip(
        "flat_ring_instead",
        "nic_saving_hierarchical",
        Text(
            "it is set against a flat ring, not a hierarchical all-gather", "与平铺的环比，而不是与分层 all-gather 比"
        ),
        lambda i: _result(i, "nic_saving"),
    ),
    Slip("no_growth", "states_ratio", NO_GROWTH, lambda _: 1),
    Slip("all_gpus", "states_ratio", ALL_GPUS, lambda i: i.nodes * i.gpus),
)

SLIPS = tuple(when_distinct(hybrid_sharding, slip) for slip in _SLIPS)
