"""Links between host, GPUs and nodes: what PCIe carries by generation and lanes, and how long a transfer takes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, number, preset
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference

# transfers a second and lane in GT/s, and the share of them that carries data
GENERATIONS: dict[str, tuple[Fraction, Fraction]] = {
    "1": (Fraction(5, 2), Fraction(8, 10)),
    "2": (Fraction(5), Fraction(8, 10)),
    "3": (Fraction(8), Fraction(128, 130)),
    "4": (Fraction(16), Fraction(128, 130)),
    "5": (Fraction(32), Fraction(128, 130)),
    "6": (Fraction(64), Fraction(242, 256)),
    "7": (Fraction(128), Fraction(242, 256)),
}
LANES = ("1", "2", "4", "8", "16")

GIGA = 10**9


def lane_rate(generation: str) -> Fraction:
    """Bytes a second that one lane carries in one direction."""
    transfers, share = GENERATIONS[generation]
    return transfers * GIGA * share / 8


# one direction, of one GPU or one adapter
LINKS: dict[str, Fraction] = {
    **{f"pcie-{generation}-x16": 16 * lane_rate(generation) for generation in ("3", "4", "5", "6")},
    "nvlink-3": Fraction(300 * GIGA),
    "nvlink-4": Fraction(450 * GIGA),
    "nvlink-5": Fraction(900 * GIGA),
    "network-100g": Fraction(100 * GIGA, 8),
    "network-200g": Fraction(200 * GIGA, 8),
    "network-400g": Fraction(400 * GIGA, 8),
    "network-800g": Fraction(800 * GIGA, 8),
}


def pcie_link(*, generation: str, lanes: str) -> dict[str, Any]:
    """What a PCIe slot carries.

        bandwidth = lanes·transfers·encoding/8 bits      transfers 2.5, 5, 8, 16, 32, 64, 128 GT/s a lane by generation
        encoding = 8/10 (1, 2), 128/130 (3 to 5), 242/256 (6, 7: flits)            both_directions = 2·bandwidth

    In byte/s; packet headers take some per cent more. Vendors often print both directions together.
    Source: Bekman, Machine Learning Engineering, network: PCIe (63 GB/s for generation 5 × 16 in one direction)
    """
    rate = int(lanes) * lane_rate(generation)
    return {"bandwidth": plain(rate), "both_directions": plain(2 * rate)}


def link_transfer(*, size: Number, bandwidth: Number, efficiency: Number, latency: Number, **_: Any) -> dict[str, Any]:
    """Time of moving `size` bytes over a link in one direction: latency + size/(bandwidth·efficiency), in s.

    rate is what that comes to, size/time in byte/s. Presets have one GPU's or adapter's theoretical rate in one direction.
    From pageable host memory a copy goes through a staging buffer first and reaches perhaps half.
    Source: Bekman, Machine Learning Engineering, network
    """
    time = float(latency) + float(decimal(size) / (Fraction(bandwidth) * decimal(efficiency)))
    return {"time": time, "rate": size / time if time else 0.0}


BOTH = Text("both directions are counted together, as data sheets print them", "把双向带宽加在一起了，规格表常这样写")
NO_ENCODING = Text("the encoding is left out", "漏了编码开销")
BITS = Text("bits are taken for bytes", "把 bit 当成了字节")
NO_EFFICIENCY = Text("the link is taken to reach its full rate", "按链路跑满标称带宽算了")

BEKMAN = Reference(
    "Bekman, Machine Learning Engineering, network",
    "https://github.com/stas00/ml-engineering/blob/master/network/README.md",
)


def _share(i: Values) -> float:
    return float(1 / GENERATIONS[i.generation][1])


PCIE_LINK = Calculator(
    name="pcie_link",
    title=Text("PCIe bandwidth", "PCIe 带宽"),
    inputs=(
        choice("generation", Text("generation", "代数"), tuple(GENERATIONS)),
        choice("lanes", Text("lanes", "通道数"), LANES, default="16"),
    ),
    outputs=(
        Output(
            "bandwidth",
            Text("in one direction", "单向带宽"),
            "byte/s",
            "lanes·GT/s·encoding/8",
            lambda i, o: (
                f"{i.lanes}·{float(GENERATIONS[i.generation][0]):g} GT/s·"
                f"{'8/10' if i.generation in '12' else '128/130' if i.generation in '345' else '242/256'}/8 = "
                f"{figures.scaled(o.bandwidth, 'B/s')}"
            ),
        ),
        Output(
            "both_directions",
            Text("both directions together", "双向合计"),
            "byte/s",
            "2·bandwidth",
            lambda _, o: f"2·{figures.scaled(o.bandwidth, 'B/s')} = {figures.scaled(o.both_directions, 'B/s')}",
        ),
    ),
    compute=pcie_link,
    convention=Text("GB/s in one direction after the encoding, before packet headers", "单向 GB/s，扣除编码，不扣包头"),
    slips=(
        times(pcie_link, "bandwidth", "both_directions", BOTH, lambda _: 2),
        times(pcie_link, "bandwidth", "bits_for_bytes", BITS, lambda _: 8),
        times(
            pcie_link, "bandwidth", "no_encoding", NO_ENCODING, lambda i: _share(i) if i.generation in "12" else None
        ),
        times(
            pcie_link, "both_directions", "one_direction", Text("one direction is given", "给的是单向"), lambda _: 0.5
        ),
    ),
    sources=(BEKMAN,),
)

LINK_TRANSFER = Calculator(
    name="link_transfer",
    title=Text("Moving data over a link", "链路传输时间"),
    inputs=(
        number("size", Text("what is moved", "传输的数据量"), unit="byte", high=1e21),
        preset("link", Text("link", "链路"), tuple(LINKS), lambda name, _: {"bandwidth": float(LINKS[name])}),
        number(
            "bandwidth",
            Text("bandwidth in one direction (or give link)", "单向带宽（或给 link）"),
            unit="byte/s",
            low=1,
            high=1e18,
        ),
        number("efficiency", Text("share of the bandwidth that is reached", "带宽利用率"), low=0.01, high=1, default=1),
        number("latency", Text("latency", "延迟"), unit="s", high=1e6, default=0),
    ),
    outputs=(
        Output(
            "time",
            Text("time", "时间"),
            "s",
            "latency + size/(bandwidth·efficiency)",
            lambda i, o: (
                f"{f'{figures.seconds(i.latency)} + ' if i.latency else ''}{figures.scaled(i.size, 'B')} / "
                f"({figures.scaled(i.bandwidth, 'B/s')}{f'·{figures.number(i.efficiency)}' if i.efficiency != 1 else ''}) = "
                f"{figures.seconds(o.time)}"
            ),
        ),
        Output(
            "rate",
            Text("rate that is reached", "实际速率"),
            "byte/s",
            "size/time",
            lambda i, o: f"{figures.scaled(i.size, 'B')} / {figures.seconds(o.time)} = {figures.scaled(o.rate, 'B/s')}",
        ),
    ),
    compute=link_transfer,
    convention=Text(
        "GB = 10⁹ bytes, one direction; PCIe after its encoding, networks in bits divided by 8",
        "GB 为 10⁹ 字节，单向；PCIe 扣除编码，网络的 bit 除以 8",
    ),
    slips=(
        changed(link_transfer, "time", "both_directions", BOTH, lambda i: {"bandwidth": 2 * i.bandwidth}),
        changed(link_transfer, "time", "bits_for_bytes", BITS, lambda i: {"bandwidth": 8 * i.bandwidth}),
        changed(
            link_transfer,
            "time",
            "no_efficiency",
            NO_EFFICIENCY,
            lambda i: {"efficiency": 1} if i.efficiency != 1 else None,
        ),
        Slip(
            "latency_only",
            "time",
            Text("only the latency is counted", "只算了延迟"),
            lambda i: i.latency or None,
        ),
    ),
    sources=(BEKMAN,),
)

CALCULATORS = (PCIE_LINK, LINK_TRANSFER)
