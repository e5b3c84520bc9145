"""A cache kept in host memory: fetching it back against prefilling its tokens again."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, preset
from quiz.calculators.exact import Number, decimal
from quiz.calculators.inputs import DEVICE as RATES_OF_DEVICE
from quiz.calculators.inputs import DTYPE, LONGEST, PARAMETERS, PEAK, SPARSE, TP
from quiz.calculators.kv_cache import kv_cache
from quiz.calculators.kv_shape import SHAPE, WIDTH, WINDOWS, share_of_fullest_gpu
from quiz.calculators.kv_shape import SOURCES as KV_SOURCES
from quiz.calculators.links import BEKMAN, BOTH, LINKS
from quiz.calculators.moe_deployment import ALL_FOR_ACTIVE, MULTIPLY_ADDS
from quiz.calculators.roofline import SPARSE_FOR_DENSE, with_sparse_peak
from quiz.calculators.slips import changed, times
from quiz.calculators.weights_read import ACTIVE, EMBEDDING, MODEL
from quiz.language import Text


def kv_reload(
    *,
    parameters: int,
    active_parameters: int | None,
    embedding: int,
    tokens: int,
    bytes_per_element: Number,
    bandwidth: Number,
    peak: Number,
    efficiency: Number,
    tp: int,
    **shape: Any,
) -> dict[str, Any]:
    """A prefix of `tokens` tokens whose cache was moved out: read it back, or compute it again.

        bytes as kv_cache has it            reload = bytes·share/bandwidth        each GPU over a link of its own
        recompute = 2·(active_parameters − embedding)·tokens/(tp·peak·efficiency)
        gain = recompute/reload             above 1 the copy is worth keeping

    In byte, s and a pure number; `share` is that of the fullest GPU, ⌈kv_heads/tp⌉/kv_heads, and 1 for MLA, whose cache
    every rank needs. Attention's own operations are left out, so that recompute is a floor: they grow with the square of
    the length and make reloading better still.
    Source: How to Scale Your Model, inference (FLOPs and cache of a token); Bekman, network (PCIe)
    """
    whole = {**shape, "tokens": tokens, "batch": 1, "bytes_per_element": bytes_per_element, "tp": 1}
    moved = kv_cache(**whole)["total"]
    active = (parameters if active_parameters is None else active_parameters) - embedding
    share = share_of_fullest_gpu(tp, shape.get("kv_heads"), shape.get("mla_latent"))
    reload = decimal(moved) * share / Fraction(bandwidth)
    again = 2 * active * tokens / (tp * Fraction(peak) * decimal(efficiency))
    return {"bytes": moved, "reload": float(reload), "recompute": float(again), "gain": float(again / reload)}


def _ranks(i: Values) -> str:
    return f"{i.tp}·" if i.tp > 1 else ""


def _reload_worked(i: Values, o: Values) -> str:
    share = share_of_fullest_gpu(i.tp, i.kv_heads, i.mla_latent)
    part = "" if share == 1 else f"·{share}"
    rate = figures.scaled(i.bandwidth, "B/s")
    return f"{figures.scaled(o.bytes, 'B')}{part} / ({rate}) = {figures.seconds(o.reload)}"


AT_PEAK = Text("prefill is taken to run at the peak", "按峰值算力算了，漏了 prefill 的效率")


def _all(i: Values) -> dict[str, Any] | None:
    sparse = i.active_parameters and i.active_parameters < i.parameters
    return {"active_parameters": None} if sparse else None


KV_RELOAD = Calculator(
    name="kv_reload",
    title=Text("Fetching a cached prefix back, or prefilling it again", "取回外存的 KV 还是重算"),
    inputs=(
        MODEL,
        PARAMETERS,
        ACTIVE,
        EMBEDDING,
        *SHAPE[1:],
        *WINDOWS,
        integer("tokens", Text("tokens of the prefix", "前缀的 token 数"), unit="token", high=LONGEST),
        WIDTH,
        preset("link", Text("link", "链路"), tuple(LINKS), lambda name, _: {"bandwidth": float(LINKS[name])}),
        number(
            "bandwidth",
            Text("bandwidth of a GPU's link, one direction (or give link)", "每卡链路的单向带宽（或给 link）"),
            unit="byte/s",
            low=1,
            high=1e18,
        ),
        preset(
            "device",
            Text("accelerator", "加速卡型号"),
            RATES_OF_DEVICE.choices,
            lambda name, bound: {
                key: value
                for key, value in (RATES_OF_DEVICE.fills(name, bound) if RATES_OF_DEVICE.fills else {}).items()
                if key == "peak"
            },
        ),
        DTYPE,
        SPARSE,
        PEAK,
        number(
            "efficiency", Text("share of the peak in prefill", "prefill 达到的峰值比例"), low=0.01, high=1, default=0.5
        ),
        TP,
    ),
    outputs=(
        Output(
            "bytes",
            Text("cache of the prefix", "前缀的 KV cache"),
            "byte",
            "tokens·per_token",
            lambda i, o: f"{i.tokens:,}·{figures.size(o.bytes / i.tokens)} = {figures.size(o.bytes)}",
        ),
        Output(
            "reload",
            Text("time to fetch it", "取回时间"),
            "s",
            "bytes·⌈kv_heads/tp⌉/kv_heads/bandwidth; MLA: bytes/bandwidth",
            _reload_worked,
        ),
        Output(
            "recompute",
            Text("time to prefill it again", "重算时间"),
            "s",
            "2·active·tokens/(tp·peak·efficiency)",
            lambda i, o: (
                f"2·{(i.active_parameters or i.parameters) - i.embedding:,}·{i.tokens:,} / "
                f"({_ranks(i)}{figures.peak(i.peak)}·{figures.number(i.efficiency)}) = {figures.seconds(o.recompute)}"
            ),
        ),
        Output(
            "gain",
            Text("how much faster fetching is", "取回比重算快多少倍"),
            "",
            "recompute/reload",
            lambda _, o: f"{figures.seconds(o.recompute)} / {figures.seconds(o.reload)} = {figures.number(o.gain)}",
        ),
    ),
    compute=kv_reload,
    convention=Text(
        "links in one direction; prefill without attention's own operations, so that recomputing is a floor",
        "链路按单向；prefill 不含注意力本身的运算，重算时间是下限",
    ),
    slips=(
        changed(kv_reload, "reload", "both_directions", BOTH, lambda i: {"bandwidth": 2 * i.bandwidth}),
        changed(kv_reload, "recompute", "at_peak", AT_PEAK, lambda i: {"efficiency": 1} if i.efficiency < 1 else None),
        changed(kv_reload, "recompute", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        times(kv_reload, "recompute", "multiply_adds", MULTIPLY_ADDS, lambda _: 0.5),
        changed(kv_reload, "recompute", "all_parameters", ALL_FOR_ACTIVE, _all),
        Slip(
            "inverse",
            "gain",
            Text("the ratio is turned round", "比例写反了"),
            lambda i: 1 / kv_reload(**vars(i))["gain"],
        ),
        changed(kv_reload, "gain", "both_directions", BOTH, lambda i: {"bandwidth": 2 * i.bandwidth}),
    ),
    sources=(*KV_SOURCES, BEKMAN),
)

CALCULATORS = (KV_RELOAD,)
