"""From FSDP to HSDP: bytes through each NIC and NVLink, and the time of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Values, integer, number
from quiz.calculators.inputs import MODEL, PARAMETERS, element_bytes
from quiz.calculators.sharding_slips import SLIPS, gradients, volume
from quiz.calculators.sharding_traffic import hybrid_sharding
from quiz.language import Text
from quiz.reference import Reference


def _gb(value: Any) -> str:
    return figures.scaled(float(value), "B")


def _ring_worked(i: Values, value: Any, over: str) -> str:
    ranks = i.nodes * i.gpus
    return f"({ranks}−1)/{ranks}·{_gb(volume(i))}{over} = {figures.size(float(value))}"


def _share_worked(count: int, what: Any, over: str, value: Any, twice: str = "") -> str:
    return f"{twice}({count}−1)/{count}·{_gb(what)}{over} = {figures.size(float(value))}"


def _series(i: Values, first: Any, total: float, sign: str) -> str:
    inside = hybrid_sharding(**vars(i))["hsdp_nvlink"]
    parts = f"{_gb(first)}/({_gb(i.nic)}/s) {sign} {_gb(inside)}/({_gb(i.nvlink)}/s)"
    return f"{parts} = {figures.seconds(total)}" if sign == "+" else f"max of both: {figures.seconds(total)}"


def _output(name: str, about: Text, unit: str, formula: str, worked: Callable[[Values, Values], str]) -> Output:
    return Output(name, about, unit, formula, worked)


OUTPUTS = (
    _output(
        "fsdp_nic",
        Text("FSDP, flat ring: through each NIC", "FSDP 平铺环：每块网卡"),
        "byte",
        "(n−1)/n·3S/nics",
        lambda i, o: _ring_worked(i, o.fsdp_nic, f"/{i.nics}"),
    ),
    _output(
        "fsdp_nic_hierarchical",
        Text("FSDP, hierarchical: through each NIC", "FSDP 分层：每块网卡"),
        "byte",
        "(k−1)/k·3S/nics",
        lambda i, o: _share_worked(i.nodes, volume(i), f"/{i.nics}", o.fsdp_nic_hierarchical),
    ),
    _output(
        "hsdp_nic",
        Text("HSDP: through each NIC", "HSDP：每块网卡"),
        "byte",
        "2·(k−1)/k·S/nics",
        lambda i, o: _share_worked(i.nodes, gradients(i), f"/{i.nics}", o.hsdp_nic, "2·"),
    ),
    _output(
        "fsdp_nvlink",
        Text("FSDP, flat ring: through each GPU's NVLink", "FSDP 平铺环：每卡 NVLink"),
        "byte",
        "(n−1)/n·3S",
        lambda i, o: _ring_worked(i, o.fsdp_nvlink, ""),
    ),
    _output(
        "hsdp_nvlink",
        Text("HSDP: through each GPU's NVLink", "HSDP：每卡 NVLink"),
        "byte",
        "(g−1)/g·3S",
        lambda i, o: _share_worked(i.gpus, volume(i), "", o.hsdp_nvlink),
    ),
    _output(
        "fsdp_time",
        Text("FSDP, flat ring: time", "FSDP 平铺环的时间"),
        "s",
        "max(NIC bytes/NIC, NVLink bytes/NVLink)",
        lambda i, o: (
            f"max({_gb(o.fsdp_nic)}/({_gb(i.nic)}/s), {_gb(o.fsdp_nvlink)}/({_gb(i.nvlink)}/s)) = {figures.seconds(o.fsdp_time)}"
        ),
    ),
    _output(
        "fsdp_time_hierarchical",
        Text("FSDP, hierarchical: time, phases in series", "FSDP 分层的时间（两阶段先后）"),
        "s",
        "NIC + NVLink",
        lambda i, o: _series(i, o.fsdp_nic_hierarchical, o.fsdp_time_hierarchical, "+"),
    ),
    _output(
        "fsdp_time_hierarchical_overlapped",
        Text("FSDP, hierarchical: time, phases overlapped", "FSDP 分层的时间（两阶段重叠）"),
        "s",
        "max(NIC, NVLink)",
        lambda i, o: _series(i, o.fsdp_nic_hierarchical, o.fsdp_time_hierarchical_overlapped, "max"),
    ),
    _output(
        "hsdp_time",
        Text("HSDP: time, phases in series", "HSDP 的时间（两阶段先后）"),
        "s",
        "NIC + NVLink",
        lambda i, o: _series(i, o.hsdp_nic, o.hsdp_time, "+"),
    ),
    _output(
        "hsdp_time_overlapped",
        Text("HSDP: time, phases overlapped", "HSDP 的时间（两阶段重叠）"),
        "s",
        "max(NIC, NVLink)",
        lambda i, o: _series(i, o.hsdp_nic, o.hsdp_time_overlapped, "max"),
    ),
    _output(
        "nic_saving",
        Text("NIC bytes spared against the flat ring", "相比平铺环，网卡字节数减少的比例"),
        "",
        "1 − hsdp_nic/fsdp_nic",
        lambda _, o: (
            "" if o.nic_saving is None else f"1 − {_gb(o.hsdp_nic)}/{_gb(o.fsdp_nic)} = {figures.percent(o.nic_saving)}"
        ),
    ),
    _output(
        "nic_saving_hierarchical",
        Text("NIC bytes spared against the hierarchical FSDP", "相比分层 FSDP，网卡字节数减少的比例"),
        "",
        "1 − hsdp_nic/fsdp_nic_hierarchical",
        lambda _, o: (
            ""
            if o.nic_saving is None
            else f"1 − {_gb(o.hsdp_nic)}/{_gb(o.fsdp_nic_hierarchical)} = {figures.percent(o.nic_saving_hierarchical)}"
        ),
    ),
    _output(
        "time_saving",
        Text(
            "time spared against the flat ring, phases in series (negative: slower)",
            "相比平铺环减少的时间比例（两阶段先后；负数为变慢）",
        ),
        "",
        "1 − hsdp_time/fsdp_time",
        lambda _, o: (
            ""
            if o.time_saving is None
            else f"1 − {figures.seconds(o.hsdp_time)}/{figures.seconds(o.fsdp_time)} = {figures.percent(o.time_saving)}"
        ),
    ),
    _output(
        "states_ratio",
        Text("model states of a GPU, times", "每卡模型状态变为几倍"),
        "",
        "k",
        lambda i, o: f"{i.nodes * i.gpus}/{i.gpus} = {o.states_ratio}",
    ),
)

HYBRID_SHARDING = Calculator(
    name="hybrid_sharding",
    title=Text("From FSDP to HSDP", "从 FSDP 到 HSDP"),
    inputs=(
        MODEL,
        PARAMETERS,
        element_bytes("weight_bytes", Text("bytes a gathered weight", "收集的权重每个的字节数")),
        element_bytes("gradient_bytes", Text("bytes a reduced gradient", "规约的梯度每个的字节数")),
        integer("nodes", Text("nodes k", "节点数 k"), high=100_000),
        integer("gpus", Text("GPUs a node g", "每节点 GPU 数 g"), high=1024, default=8),
        integer("nics", Text("NICs a node", "每节点网卡数"), high=1024, default=8),
        number(
            "nic",
            Text("bandwidth of a NIC, one direction", "单块网卡单向带宽"),
            unit="byte/s",
            low=1e6,
            high=1e13,
            default=50e9,
        ),
        number(
            "nvlink",
            Text("NVLink bandwidth of a GPU, one direction", "每卡 NVLink 单向带宽"),
            unit="byte/s",
            low=1e6,
            high=1e14,
            default=450e9,
        ),
    ),
    outputs=OUTPUTS,
    compute=hybrid_sharding,
    convention=Text(
        "no one percentage holds for every fabric: bytes and times, flat ring and hierarchical, series and overlap are all given",
        "没有一个对所有网络都成立的百分比：字节数与时间、平铺环与分层、先后与重叠都要分开说",
    ),
    slips=SLIPS,
    sources=(Reference("Zhao et al. 2023, PyTorch FSDP, §3.2", "https://arxiv.org/abs/2304.11277"),),
)

CALCULATORS = (HYBRID_SHARDING,)
