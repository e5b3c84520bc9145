"""Whether a model fits on some GPUs and meets its latency targets, and how many requests it can decode together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Values, integer, number, optional, preset
from quiz.calculators.deployment_cost import MOST_REQUESTS, deployment_fit
from quiz.calculators.deployment_slips import SLIPS
from quiz.calculators.devices import DEVICES
from quiz.calculators.inputs import BANDWIDTH, DTYPE, LONGEST, PARAMETERS, PEAK, SPARSE, TP, element_bytes
from quiz.calculators.inputs import DEVICE as RATES_OF_DEVICE
from quiz.calculators.kv_shape import SHAPE, WINDOWS
from quiz.calculators.weights_read import ACTIVE, EMBEDDING, EXPERTS, MODEL, TOP_K, read_parameters
from quiz.language import Text
from quiz.reference import Reference


def _fill_device(name: str, bound: Mapping[str, Any]) -> Mapping[str, Any]:
    rates = RATES_OF_DEVICE.fills(name, bound) if RATES_OF_DEVICE.fills else {}
    return {**rates, "memory": DEVICES[name].memory}


def _gpus(i: Values) -> str:
    return f"{i.tp}" if i.pp == 1 else f"({i.tp}·{i.pp})"


def _tpot_worked(i: Values, o: Values) -> str:
    read = read_parameters(i.parameters, i.active_parameters, i.embedding, i.experts, i.top_k, i.batch) * i.weight_bytes
    cache = f" + {figures.scaled(o.kv_per_gpu * i.pp, 'B')}" if o.kv_per_gpu else ""
    rate = figures.scaled(i.bandwidth, "B/s")
    return f"({figures.scaled(read, 'B')}/{i.tp}{cache}) / ({rate}) = {figures.seconds(o.tpot)}"


def _ttft_worked(i: Values, o: Values) -> str:
    active = (i.active_parameters or i.parameters) - i.embedding
    filling = f"·({i.chunks} + {i.pp} − 1)/{i.chunks}" if i.pp > 1 else ""
    return (
        f"2·{active:,}·{(i.tokens if i.prompt is None else i.prompt):,} / ({_gpus(i)}·{figures.peak(i.peak)}·"
        f"{figures.number(i.efficiency)}){filling} = {figures.seconds(o.ttft)}"
    )


def _batch_worked(i: Values, o: Values) -> str:
    limit = "" if i.tpot_limit is None else f", TPOT ≤ {figures.seconds(i.tpot_limit)}"
    return f"≤ {figures.scaled(i.memory * i.utilisation, 'B')}/GPU{limit}: {o.batch_max:,}"


def _prompt_worked(i: Values, o: Values) -> str:
    if o.prompt_tokens_max is None:
        return ""
    active = (i.active_parameters or i.parameters) - i.embedding
    filling = f"·{i.chunks}/({i.chunks} + {i.pp} − 1)" if i.pp > 1 else ""
    return (
        f"{figures.seconds(i.ttft_limit)}·{_gpus(i)}·{figures.peak(i.peak)}·{figures.number(i.efficiency)}{filling} / "
        f"(2·{active:,}) = {o.prompt_tokens_max:,} token"
    )


DEPLOYMENT_FIT = Calculator(
    name="deployment_fit",
    title=Text("Does a deployment fit, and meet its targets?", "部署放不放得下、达不达标"),
    inputs=(
        MODEL,
        PARAMETERS,
        ACTIVE,
        EMBEDDING,
        optional(EXPERTS),
        optional(TOP_K),
        *SHAPE[1:],
        *WINDOWS,
        element_bytes("weight_bytes", Text("bytes a weight (FP8: 1)", "每个权重的字节数（FP8 为 1）")),
        element_bytes("kv_bytes", Text("bytes a cached element", "KV cache 每个元素的字节数")),
        integer("tokens", Text("context of a request", "每个请求的上下文长度"), unit="token", low=0, high=LONGEST),
        integer("batch", Text("requests decoded together", "同时 decode 的请求数"), high=MOST_REQUESTS, default=1),
        optional(
            integer(
                "prompt",
                Text("tokens prefilled together (the context if absent)", "一起 prefill 的 token 数（不给则同上下文）"),
                unit="token",
                high=LONGEST,
            )
        ),
        TP,
        integer("pp", Text("pipeline stages", "流水线级数"), high=1024, default=1),
        integer("chunks", Text("chunks that a prompt is prefilled in", "prefill 分成的块数"), high=100_000, default=1),
        preset("device", Text("accelerator", "加速卡型号"), tuple(DEVICES), _fill_device),
        DTYPE,
        SPARSE,
        number(
            "memory", Text("memory of a GPU (or give device)", "单卡显存（或给 device）"), unit="byte", low=1, high=1e15
        ),
        number("utilisation", Text("share of the memory to be used", "显存利用率上限"), low=0.01, high=1, default=0.9),
        PEAK,
        BANDWIDTH,
        number(
            "efficiency", Text("share of the peak in prefill", "prefill 达到的峰值比例"), low=0.01, high=1, default=0.5
        ),
        optional(number("ttft_limit", Text("target for the first token", "TTFT 目标"), unit="s", low=1e-6, high=1e6)),
        optional(
            number("tpot_limit", Text("target for each further token", "TPOT 目标"), unit="s", low=1e-6, high=1e6)
        ),
    ),
    outputs=(
        Output(
            "weights_per_gpu",
            Text("weights on each GPU", "每卡权重"),
            "byte",
            "parameters·weight_bytes/(tp·pp)",
            lambda i, o: (
                f"{i.parameters:,}·{figures.number(i.weight_bytes)}/{_gpus(i)} = {figures.size(o.weights_per_gpu)}"
            ),
        ),
        Output(
            "kv_per_gpu",
            Text("KV cache on each GPU", "每卡 KV cache"),
            "byte",
            "batch·tokens·per_token·⌈kv_heads/tp⌉/kv_heads/pp",
            lambda i, o: f"{i.batch:,}·{figures.size(o.kv_per_gpu / i.batch)} = {figures.size(o.kv_per_gpu)}",
        ),
        Output(
            "gpus_min",
            Text("GPUs for the weights alone", "仅放权重所需的 GPU 数"),
            "",
            "⌈parameters·weight_bytes/(memory·utilisation)⌉",
            lambda i, o: (
                f"⌈{figures.scaled(i.parameters * i.weight_bytes, 'B')} / ({figures.scaled(i.memory, 'B')}·"
                f"{figures.number(i.utilisation)})⌉ = {o.gpus_min}"
            ),
        ),
        Output(
            "fits",
            Text("whether it fits", "放不放得下"),
            "",
            "weights + KV ≤ memory·utilisation",
            lambda i, o: (
                f"{figures.scaled(o.weights_per_gpu, 'B')} + {figures.scaled(o.kv_per_gpu, 'B')} "
                f"{'≤' if o.fits == 'yes' else '>'} {figures.scaled(i.memory * i.utilisation, 'B')}: {o.fits}"
            ),
        ),
        Output(
            "tpot",
            Text("shortest time of a token", "TPOT 下限"),
            "s",
            "(weights read/tp + KV·share)/bandwidth",
            _tpot_worked,
        ),
        Output(
            "ttft",
            Text("shortest time to the first token", "TTFT 下限"),
            "s",
            "2·active·prompt/(tp·pp·peak·efficiency)·(chunks + pp − 1)/chunks",
            _ttft_worked,
        ),
        Output(
            "batch_max",
            Text("most requests decoded together", "最多同时 decode 的请求数"),
            "",
            "most that fit and keep TPOT",
            _batch_worked,
        ),
        Output(
            "prompt_tokens_max",
            Text("prompt tokens within the target for the first", "TTFT 目标内最多 prefill 的 token 数"),
            "token",
            "ttft_limit·tp·pp·peak·efficiency/(2·active)·chunks/(chunks + pp − 1)",
            _prompt_worked,
        ),
    ),
    compute=deployment_fit,
    convention=Text(
        "memory as on the label (80 GB = 80·10⁹ bytes; an H100 reports 85.5·10⁹); dense peak; floors without communication",
        "显存按标称（80 GB 即 80·10⁹ 字节，H100 实际报 85.5·10⁹）；稠密峰值；时间是不含通信的下限",
    ),
    slips=SLIPS,
    sources=(
        Reference(
            "How to Scale Your Model, serving LLaMA 3-70B", "https://jax-ml.github.io/scaling-book/applied-inference"
        ),
    ),
)

CALCULATORS = (DEPLOYMENT_FIT,)
