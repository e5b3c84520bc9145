"""How many GPUs a load of requests takes, how many requests are in flight, and how prefill and decode share the GPUs."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, optional
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.slips import again, changed, times
from quiz.language import Text
from quiz.reference import Reference


def serving_capacity(
    *,
    rate: Number,
    latency: Number,
    input_tokens: int,
    output_tokens: int,
    tokens_per_second_per_gpu: Number,
    utilisation: Number,
    kv_per_token: Number | None,
) -> dict[str, Any]:
    """What λ = `rate` requests a second take, each W = `latency` seconds in the system.

        concurrency L = λ·W                                                    Little's law, from means
        gpus = ⌈λ·output_tokens/(tokens_per_second_per_gpu·utilisation)⌉       for the generated tokens
        kv = L·(input_tokens + output_tokens)·kv_per_token                     every request at its full length

    In requests, GPUs and byte; kv is None without kv_per_token. Means size for the mean: take p95 lengths to size for
    the tail. Over its life a request holds input + output/2 tokens on average; an allocator must have room for all.
    Source: Little's law; lengths as in DeepSeek's day 6 overview ("average kvcache length per output token"),
    https://github.com/deepseek-ai/open-infra-index
    """
    concurrency = decimal(rate) * decimal(latency)
    held = None
    if kv_per_token is not None:
        held = plain(concurrency * (input_tokens + output_tokens) * decimal(kv_per_token))
    return {
        "concurrency": plain(concurrency),
        "gpus": math.ceil(_load(rate, output_tokens, tokens_per_second_per_gpu, utilisation)),
        "kv": held,
    }


def prefill_decode_pools(
    *,
    rate: Number,
    input_tokens: int,
    output_tokens: int,
    prefill_rate: Number,
    decode_rate: Number,
    utilisation: Number,
) -> dict[str, Any]:
    """GPUs of two pools for λ = `rate` requests a second, with tokens a second that one GPU prefills and decodes.

        prefill_gpus = ⌈λ·input_tokens/(prefill_rate·utilisation)⌉
        decode_gpus = ⌈λ·output_tokens/(decode_rate·utilisation)⌉
        ratio = (input_tokens/prefill_rate)/(output_tokens/decode_rate)      GPU seconds of prefill a GPU second of decode

    GPUs are whole, the ratio exact and without utilisation; from means, as serving_capacity.
    Source: DeepSeek-V3/R1 inference system overview (73.7k and 14.8k tokens/s a node),
    https://github.com/deepseek-ai/open-infra-index
    """
    prefill = Fraction(input_tokens) / decimal(prefill_rate)
    decode = Fraction(output_tokens) / decimal(decode_rate)
    return {
        "prefill_gpus": math.ceil(_load(rate, input_tokens, prefill_rate, utilisation)),
        "decode_gpus": math.ceil(_load(rate, output_tokens, decode_rate, utilisation)),
        "ratio": float(prefill / decode),
    }


def _load(rate: Number, tokens: int, per_gpu: Number, utilisation: Number) -> Fraction:
    return decimal(rate) * tokens / decimal(per_gpu) / decimal(utilisation)


NO_HEADROOM = Text(
    "the GPUs are run at 100 %; the target utilisation is left out", "按 100% 利用率算了，漏了目标利用率"
)
ROUNDED_DOWN = Text("the count is rounded down; a part of a GPU takes a whole one", "向下取整了，不足一张也要一整张")
TIMES_UTILISATION = Text("the load is multiplied by the utilisation, not divided", "乘了利用率，应当除以利用率")
PROMPT_TOO = Text("prompt tokens are counted at the decode rate", "把输入 token 也按 decode 速率算了")
PROMPT_ONLY = Text("the prompt is counted, not the tokens that are generated", "只算了输入，漏了要生成的 token")
ANSWER_ONLY = Text("only the generated tokens are counted, not the prompt", "只算了生成的 token，漏了输入")
HALF_WAY = Text(
    "each request is counted half way through its answer: input + output/2",
    "按平均长度算了（输入 + 输出/2），而要按满长度留足",
)
ONE_REQUEST = Text("one request is counted, not all in flight", "只算了一个请求，应乘上在途请求数")
PER_SECOND = Text(
    "the requests of one second are counted, not those in flight", "只算了一秒的请求数，应是在途的全部请求"
)


def _floor(name: str, output: str, tokens: str, per_gpu: str) -> Slip:
    return Slip(
        name,
        output,
        ROUNDED_DOWN,
        lambda i: math.floor(_load(i.rate, getattr(i, tokens), getattr(i, per_gpu), i.utilisation)),
    )


def _multiplied(output: str, tokens: str, per_gpu: str) -> Slip:
    return Slip(
        "times_utilisation",
        output,
        TIMES_UTILISATION,
        lambda i: math.ceil(_load(i.rate, getattr(i, tokens), getattr(i, per_gpu), 1) * decimal(i.utilisation)),
    )


def _full(i: Values) -> dict[str, Any] | None:
    return {"utilisation": 1} if i.utilisation != 1 else None


def _gpus_worked(i: Values, tokens: int, per_gpu: Number, gpus: int) -> str:
    load = float(_load(i.rate, tokens, per_gpu, i.utilisation))
    return (
        f"⌈{figures.number(i.rate)}·{tokens:,}/({figures.number(per_gpu)}·{figures.number(i.utilisation)})⌉ = "
        f"⌈{figures.number(load)}⌉ = {gpus:,}"
    )


def _kv_worked(i: Values, o: Values) -> str:
    if o.kv is None:
        return ""
    return (
        f"{figures.number(o.concurrency)}·({i.input_tokens:,} + {i.output_tokens:,})·{figures.number(i.kv_per_token)} B = "
        f"{figures.size(o.kv)}"
    )


def _when_kv(change: dict[str, Any]) -> Any:
    return lambda i: change if i.kv_per_token is not None else None


RATE = number("rate", Text("requests a second λ", "每秒请求数 λ"), low=1e-6, high=1e9)
INPUT = integer("input_tokens", Text("prompt tokens a request", "每请求输入 token 数"), unit="token", high=10**9)
OUTPUT = integer("output_tokens", Text("generated tokens a request", "每请求输出 token 数"), unit="token", high=10**9)
UTILISATION = number("utilisation", Text("target utilisation", "目标利用率"), low=0.01, high=1, default=0.7)


def _token_rate(name: str, about: Text) -> Any:
    return number(name, about, unit="token/s", low=1e-3, high=1e12)


DAY_6 = Reference(
    "DeepSeek-V3/R1 inference system overview",
    "https://github.com/deepseek-ai/open-infra-index/blob/main/202502OpenSourceWeek/day_6_one_more_thing_deepseekV3R1_inference_system_overview.md",
)

SERVING_CAPACITY = Calculator(
    name="serving_capacity",
    title=Text("GPUs and requests in flight for a load", "给定负载的卡数与并发"),
    inputs=(
        RATE,
        number(
            "latency", Text("time of a request in the system W", "请求在系统内的时间 W"), unit="s", low=1e-6, high=1e7
        ),
        INPUT,
        OUTPUT,
        _token_rate(
            "tokens_per_second_per_gpu", Text("tokens that a GPU generates a second", "单卡每秒生成的 token 数")
        ),
        UTILISATION,
        optional(
            number(
                "kv_per_token", Text("KV cache of a token", "每 token 的 KV cache"), unit="byte", low=0.01, high=1e12
            )
        ),
    ),
    outputs=(
        Output(
            "concurrency",
            Text("requests in flight", "在途请求数"),
            "",
            "λ·W",
            lambda i, o: f"{figures.number(i.rate)}·{figures.number(i.latency)} s = {figures.number(o.concurrency)}",
        ),
        Output(
            "gpus",
            Text("GPUs for the generated tokens", "生成所需的 GPU 数"),
            "",
            "⌈λ·output_tokens/(tokens_per_second_per_gpu·utilisation)⌉",
            lambda i, o: _gpus_worked(i, i.output_tokens, i.tokens_per_second_per_gpu, o.gpus),
        ),
        Output(
            "kv",
            Text("KV cache of the requests in flight", "在途请求的 KV cache"),
            "byte",
            "λ·W·(input_tokens + output_tokens)·kv_per_token",
            _kv_worked,
        ),
    ),
    compute=serving_capacity,
    convention=Text(
        "means by Little's law, KV at full length; size by p95 lengths and leave room for failures",
        "用均值和 Little 定律，KV 按满长度；实际按 p95 长度配，并留故障余量",
    ),
    slips=(
        Slip("per_second", "concurrency", PER_SECOND, lambda i: i.rate),
        Slip(
            "divided",
            "concurrency",
            Text("the rate is divided by the latency, not multiplied", "用请求率除以了时延，应当相乘"),
            lambda i: plain(decimal(i.rate) / decimal(i.latency)),
        ),
        changed(serving_capacity, "gpus", "no_headroom", NO_HEADROOM, _full),
        _multiplied("gpus", "output_tokens", "tokens_per_second_per_gpu"),
        _floor("rounded_down", "gpus", "output_tokens", "tokens_per_second_per_gpu"),
        Slip(
            "prompt_too",
            "gpus",
            PROMPT_TOO,
            lambda i: again(serving_capacity, "gpus", i, output_tokens=i.input_tokens + i.output_tokens),
        ),
        changed(serving_capacity, "kv", "prompt_only", PROMPT_ONLY, _when_kv({"output_tokens": 0})),
        changed(serving_capacity, "kv", "answer_only", ANSWER_ONLY, _when_kv({"input_tokens": 0})),
        times(
            serving_capacity,
            "kv",
            "half_way",
            HALF_WAY,
            lambda i: (i.input_tokens + i.output_tokens / 2) / (i.input_tokens + i.output_tokens),
        ),
        changed(serving_capacity, "kv", "one_request", ONE_REQUEST, _when_kv({"rate": 1, "latency": 1})),
        changed(serving_capacity, "kv", "per_second", PER_SECOND, _when_kv({"latency": 1})),
    ),
    sources=(DAY_6,),
)


def _pool_slips(output: str, tokens: str, per_gpu: str, other: str) -> tuple[Slip, ...]:
    return (
        changed(prefill_decode_pools, output, "no_headroom", NO_HEADROOM, _full),
        _multiplied(output, tokens, per_gpu),
        _floor("rounded_down", output, tokens, per_gpu),
        changed(
            prefill_decode_pools,
            output,
            "other_rate",
            Text("the other phase's rate is taken", "用了另一个阶段的速率"),
            lambda i: {per_gpu: getattr(i, other)} if getattr(i, other) != getattr(i, per_gpu) else None,
        ),
        changed(
            prefill_decode_pools,
            output,
            "all_tokens",
            Text("prompt and answer are counted together", "把输入和输出 token 加在一起算了"),
            lambda i: {tokens: i.input_tokens + i.output_tokens},
        ),
    )


PREFILL_DECODE_POOLS = Calculator(
    name="prefill_decode_pools",
    title=Text("Prefill and decode pools", "prefill 与 decode 的配比"),
    inputs=(
        RATE,
        INPUT,
        OUTPUT,
        _token_rate("prefill_rate", Text("tokens that a GPU prefills a second", "单卡每秒 prefill 的 token 数")),
        _token_rate("decode_rate", Text("tokens that a GPU generates a second", "单卡每秒生成的 token 数")),
        UTILISATION,
    ),
    outputs=(
        Output(
            "prefill_gpus",
            Text("GPUs of the prefill pool", "prefill 池的 GPU 数"),
            "",
            "⌈λ·input_tokens/(prefill_rate·utilisation)⌉",
            lambda i, o: _gpus_worked(i, i.input_tokens, i.prefill_rate, o.prefill_gpus),
        ),
        Output(
            "decode_gpus",
            Text("GPUs of the decode pool", "decode 池的 GPU 数"),
            "",
            "⌈λ·output_tokens/(decode_rate·utilisation)⌉",
            lambda i, o: _gpus_worked(i, i.output_tokens, i.decode_rate, o.decode_gpus),
        ),
        Output(
            "ratio",
            Text("prefill GPUs for one decode GPU", "每张 decode 卡对应的 prefill 卡数"),
            "",
            "(input_tokens/prefill_rate)/(output_tokens/decode_rate)",
            lambda i, o: (
                f"({i.input_tokens:,}/{figures.number(i.prefill_rate)})/({i.output_tokens:,}/{figures.number(i.decode_rate)}) = "
                f"{figures.number(o.ratio)}"
            ),
        ),
    ),
    compute=prefill_decode_pools,
    convention=Text(
        "both pools at the same utilisation, GPUs rounded up, the ratio not; from mean lengths",
        "两个池利用率相同，卡数向上取整，比例不取整；按平均长度算",
    ),
    slips=(
        *_pool_slips("prefill_gpus", "input_tokens", "prefill_rate", "decode_rate"),
        *_pool_slips("decode_gpus", "output_tokens", "decode_rate", "prefill_rate"),
        Slip(
            "tokens_only",
            "ratio",
            Text("the tokens are compared, not the GPU seconds that they take", "只比了 token 数，没除以各自的速率"),
            lambda i: i.input_tokens / i.output_tokens,
        ),
        Slip(
            "rates_only",
            "ratio",
            Text("the rates are compared, not the load that they carry", "只比了速率，没乘上各自的 token 数"),
            lambda i: i.decode_rate / i.prefill_rate,
        ),
        Slip(
            "inverse",
            "ratio",
            Text("decode is put over prefill", "把比例写反了，成了 decode 比 prefill"),
            lambda i: 1 / prefill_decode_pools(**vars(i))["ratio"],
        ),
    ),
    sources=(DAY_6,),
)

CALCULATORS = (SERVING_CAPACITY, PREFILL_DECODE_POOLS)
