"""What a deployment takes: bytes on each GPU, the least time of a token and of the first one, the most requests."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.kv_cache import kv_cache
from quiz.calculators.kv_shape import share_of_fullest_gpu
from quiz.calculators.weights_read import read_parameters

MOST_REQUESTS = 10**9


def deployment_fit(
    *,
    parameters: int,
    active_parameters: int | None,
    embedding: int,
    experts: int | None,
    top_k: int | None,
    weight_bytes: Number,
    kv_bytes: Number,
    tokens: int,
    batch: int,
    prompt: int | None,
    tp: int,
    pp: int,
    chunks: int,
    memory: Number,
    utilisation: Number,
    peak: Number,
    bandwidth: Number,
    efficiency: Number,
    ttft_limit: Number | None,
    tpot_limit: Number | None,
    **shape: Any,
) -> dict[str, Any]:
    """A model on tp·pp GPUs, decoding `batch` requests with `tokens` of context each, prefilling one prompt at a time.

        weights_per_gpu = parameters·weight_bytes/(tp·pp)
        gpus_min = ⌈parameters·weight_bytes/(memory·utilisation)⌉              for the weights alone
        fits = weights_per_gpu + kv_per_gpu ≤ memory·utilisation
        tpot ≥ (weights read/tp + kv·share)/bandwidth                          stages of a pipeline follow one another
        ttft ≥ 2·active·prompt/(tp·pp·peak·efficiency) · (chunks + pp − 1)/chunks
        batch_max = the most requests that fit and stay within tpot_limit
        prompt_tokens_max = prompt tokens that are prefilled within ttft_limit

    `share` is the fullest rank's of the KV heads, as kv_cache has it; weights read are those that the batch touches. In
    byte, GPUs, s, requests and tokens. `efficiency` is the share of `peak` that prefill reaches. A prompt in one chunk
    passes the pipeline's stages one after the other, in many chunks it fills them. Communication is left out, so that
    both times are floors; so is prefill's attention (small below some ten thousand tokens).
    prompt_tokens_max is None without ttft_limit. BadInput without a shape.
    Source: How to Scale Your Model, serving LLaMA 3-70B, https://jax-ml.github.io/scaling-book/applied-inference
    """
    active = (parameters if active_parameters is None else active_parameters) - embedding
    room = decimal(memory) * decimal(utilisation)
    weights = parameters * decimal(weight_bytes)
    share = share_of_fullest_gpu(tp, shape.get("kv_heads"), shape.get("mla_latent"))
    whole = {**shape, "tokens": tokens, "bytes_per_element": kv_bytes, "tp": 1}
    each = decimal(kv_cache(**{**whole, "batch": 1})["total"])

    def per_gpu(requests: int) -> bool:
        return weights / (tp * pp) + requests * each * share / pp <= room

    def step(requests: int) -> float:
        read = read_parameters(parameters, active_parameters, embedding, experts, top_k, requests)
        return (read * float(weight_bytes) / tp + float(requests * each * share)) / float(bandwidth)

    filling = (chunks + pp - 1) / chunks
    rate = tp * pp * float(peak) * float(efficiency)
    asked = tokens if prompt is None else prompt
    return {
        "weights_per_gpu": plain(weights / (tp * pp)),
        "kv_per_gpu": plain(batch * each * share / pp),
        "gpus_min": math.ceil(weights / room),
        "fits": "yes" if per_gpu(batch) else "no",
        "tpot": step(batch),
        "ttft": 2 * active * asked / rate * filling,
        "batch_max": _most(lambda n: per_gpu(n) and (tpot_limit is None or step(n) <= tpot_limit)),
        "prompt_tokens_max": None if ttft_limit is None else int(ttft_limit * rate / filling / (2 * active)),
    }


def _most(holds: Callable[[int], bool]) -> int:
    """The largest number up to 10⁹ for which `holds`, true up to some number and false from there on; 0 for none."""
    low, high = 0, MOST_REQUESTS
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
