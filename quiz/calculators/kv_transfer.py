"""Moving a request's KV cache from prefill to decode: how many bytes, how long, and what a stream of them needs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, optional
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import LONGEST
from quiz.calculators.kv_cache import kv_cache
from quiz.calculators.kv_shape import FORMULA, SHAPE, WIDTH, WINDOWS, shape_slips
from quiz.calculators.kv_shape import SOURCES as KV_SOURCES
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference


def kv_transfer(
    *,
    tokens: int,
    bytes_per_element: Number,
    bandwidth: Number | None,
    links: int,
    efficiency: Number,
    rate: Number | None,
    **shape: Any,
) -> dict[str, Any]:
    """Handing one request's cache of `tokens` prompt tokens from a prefill worker to a decode worker.

        bytes = tokens·per_token as kv_cache has it
        time = bytes/(links·bandwidth·efficiency)      needed_bandwidth = rate·bytes      so that the hand-offs keep up

    In byte, s and byte/s; `bandwidth` is of one of `links` links in one direction; time is None without it and
    needed_bandwidth without a rate of requests a second. Sending layer by layer during the prefill hides all but the
    last layer of that time; it does not lower needed_bandwidth. BadInput without a shape.
    Source: Zhong et al. 2024 (DistServe), §3.3, https://arxiv.org/abs/2401.09670 (as quoted: 1.13 GB, 90 Gbps)
    """
    whole = {**shape, "tokens": tokens, "batch": 1, "bytes_per_element": bytes_per_element, "tp": 1}
    moved = decimal(kv_cache(**whole)["total"])
    time = None if bandwidth is None else float(moved / (links * Fraction(bandwidth) * decimal(efficiency)))
    return {
        "bytes": plain(moved),
        "time": time,
        "needed_bandwidth": None if rate is None else plain(decimal(rate) * moved),
    }


BITS = Text("bits are taken for bytes (400 Gb/s is 50 GB/s)", "把 bit 当成了字节（400 Gb/s 是 50 GB/s）")
ONE_LINK = Text("one link is counted, though several work side by side", "只算了一条链路，而有多条并行")
NO_EFFICIENCY = Text("the link is taken to reach its full rate", "按链路跑满标称带宽算了，漏了效率")


def _bytes_worked(i: Values, o: Values) -> str:
    if i.window:
        return f"{i.tokens:,} token → {figures.size(o.bytes)}"
    width = figures.number(i.bytes_per_element)
    each = f"({i.mla_latent} + {i.mla_rope or 0})" if i.mla_latent else f"2·{i.kv_heads}·{i.head_dim}"
    return f"{i.layers}·{each}·{width}·{i.tokens:,} = {figures.size(o.bytes)}"


def _time_worked(i: Values, o: Values) -> str:
    if o.time is None:
        return ""
    links = f"{i.links}·" if i.links > 1 else ""
    share = f"·{figures.number(i.efficiency)}" if i.efficiency != 1 else ""
    rate = figures.scaled(i.bandwidth, "B/s")
    return f"{figures.scaled(o.bytes, 'B')} / ({links}{rate}{share}) = {figures.seconds(o.time)}"


def _needed_worked(i: Values, o: Values) -> str:
    if o.needed_bandwidth is None:
        return ""
    bits = figures.scaled(8 * o.needed_bandwidth, "b/s")
    rate = figures.scaled(o.needed_bandwidth, "B/s")
    return f"{figures.number(i.rate)}/s·{figures.scaled(o.bytes, 'B')} = {rate} ({bits})"


def _carried(output: str, slips: tuple[Slip, ...]) -> tuple[Slip, ...]:
    """Mistakes about the bytes as they show in what is proportional to them."""

    def carried(slip: Slip) -> Slip:
        def value(i: Values) -> Any:
            right = kv_transfer(**vars(i))
            wrong = slip.value(i)
            return None if wrong is None or right[output] is None else right[output] * wrong / right["bytes"]

        return Slip(slip.name, output, slip.about, value)

    return tuple(carried(slip) for slip in slips)


_BYTES = shape_slips(kv_transfer, "bytes", "bytes_per_element")
_CARRIED = tuple(slip for slip in _BYTES if slip.name in ("query_heads", "forgot_v", "mla_as_heads", "mla_twice"))

KV_TRANSFER = Calculator(
    name="kv_transfer",
    title=Text("KV cache handed from prefill to decode", "prefill 到 decode 的 KV 传输"),
    inputs=(
        *SHAPE,
        *WINDOWS,
        integer("tokens", Text("prompt tokens", "prompt 的 token 数"), unit="token", high=LONGEST),
        WIDTH,
        optional(
            number("bandwidth", Text("bandwidth of a link, one direction", "单条链路的单向带宽"), unit="byte/s", low=1)
        ),
        integer("links", Text("links side by side", "并行的链路数"), high=10_000, default=1),
        number("efficiency", Text("share of the bandwidth that is reached", "带宽利用率"), low=0.01, high=1, default=1),
        optional(number("rate", Text("requests a second", "每秒请求数"), low=1e-6, high=1e9)),
    ),
    outputs=(
        Output("bytes", Text("of one request", "单个请求"), "byte", f"({FORMULA})·tokens", _bytes_worked),
        Output(
            "time",
            Text("time of one request", "单个请求的传输时间"),
            "s",
            "bytes/(links·bandwidth·efficiency)",
            _time_worked,
        ),
        Output(
            "needed_bandwidth",
            Text("bandwidth that all requests need", "全部请求所需带宽"),
            "byte/s",
            "rate·bytes",
            _needed_worked,
        ),
    ),
    compute=kv_transfer,
    convention=Text(
        "GB = 10⁹ bytes, links in one direction, networks in bits (Gb/s) divided by 8; not overlapped with prefill",
        "GB 为 10⁹ 字节，带宽按单向；网卡的 Gb/s 要除以 8；不计与 prefill 的重叠",
    ),
    slips=(
        *_BYTES,
        times(kv_transfer, "time", "bits_for_bytes", BITS, lambda _: 1 / 8),
        changed(kv_transfer, "time", "one_link", ONE_LINK, lambda i: {"links": 1} if i.links > 1 else None),
        changed(
            kv_transfer,
            "time",
            "no_efficiency",
            NO_EFFICIENCY,
            lambda i: {"efficiency": 1} if i.efficiency != 1 else None,
        ),
        *_carried("time", _CARRIED),
        times(kv_transfer, "needed_bandwidth", "bits_for_bytes", BITS, lambda _: 8),
        *_carried("needed_bandwidth", _CARRIED),
    ),
    sources=(
        *KV_SOURCES,
        Reference("Zhong et al. 2024, DistServe, §3.3", "https://arxiv.org/abs/2401.09670"),
    ),
)

CALCULATORS = (KV_TRANSFER,)
