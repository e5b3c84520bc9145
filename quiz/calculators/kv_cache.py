"""KV cache: what a token, a batch and a GPU hold of it, and how many tokens fit."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Values, integer, number
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import LONGEST, TP
from quiz.calculators.kv_shape import (
    BATCH,
    BEYOND_HEADS,
    FORMULA,
    MLA_SPLIT,
    NOT_SPLIT,
    SHAPE,
    SOURCES,
    WIDTH,
    WINDOWS,
    cached_tokens,
    elements_per_layer,
    shape_slips,
    share_of_fullest_gpu,
    total_slips,
    tp_ignoring_heads,
)
from quiz.calculators.slips import changed, times
from quiz.language import Text


def kv_cache(
    *,
    layers: int,
    tokens: int,
    batch: int,
    bytes_per_element: Number,
    tp: int,
    kv_heads: int | None,
    head_dim: int | None,
    mla_latent: int | None,
    mla_rope: int | None,
    window: int | None,
    window_layers: int | None,
    **_: Any,
) -> dict[str, Any]:
    """Bytes of cached keys and values.

        per_token = 2·layers·kv_heads·head_dim·bytes           MLA: layers·(mla_latent + mla_rope)·bytes, stored once
        total = per_token·tokens·batch                          layers with a window keep min(tokens, window)
        per_gpu = total·⌈kv_heads/tp⌉/kv_heads                  total/min(tp, kv_heads) where they divide; MLA: total

    In bytes; `tokens` of each of `batch` requests, prompt and answer. Tensor parallelism splits whole KV heads and
    copies them beyond tp = kv_heads; MLA's latent belongs to all heads, so every GPU has it.
    BadInput without a shape, or with more window layers than layers.
    Sources: Insights into DeepSeek-V3 (ISCA 2025), Table 1, https://arxiv.org/abs/2505.09343; Kwon et al. 2023
    (PagedAttention), §3, https://arxiv.org/abs/2309.06180
    """
    shape = {"kv_heads": kv_heads, "head_dim": head_dim, "mla_latent": mla_latent, "mla_rope": mla_rope}
    each = elements_per_layer(**shape) * decimal(bytes_per_element)
    total = each * cached_tokens(layers, tokens, window, window_layers) * batch
    return {
        "per_token": plain(each * layers),
        "total": plain(total),
        "per_gpu": plain(total * share_of_fullest_gpu(tp, kv_heads, mla_latent)),
    }


def kv_capacity(
    *,
    layers: int,
    memory: Number,
    bytes_per_element: Number,
    tp: int,
    kv_heads: int | None,
    head_dim: int | None,
    mla_latent: int | None,
    mla_rope: int | None,
    **_: Any,
) -> dict[str, Any]:
    """Tokens, over all requests, whose keys and values fit into `memory` bytes on `tp` GPUs together.

        tokens_max = ⌊memory/tp / (per_token·⌈kv_heads/tp⌉/kv_heads)⌋

    that is ⌊memory/per_token⌋ up to tp = kv_heads; beyond, and with MLA, the copies take their share.
    BadInput without a shape. Source: as kv_cache.
    """
    shape = {"kv_heads": kv_heads, "head_dim": head_dim, "mla_latent": mla_latent, "mla_rope": mla_rope}
    per_token = elements_per_layer(**shape) * decimal(bytes_per_element) * layers
    copies = share_of_fullest_gpu(tp, kv_heads, mla_latent) * tp
    return {"tokens_max": math.floor(decimal(memory) / (per_token * copies))}


def _per_token_worked(i: Values, o: Values) -> str:
    width = figures.number(i.bytes_per_element)
    if i.mla_latent:
        return f"{i.layers}·({i.mla_latent} + {i.mla_rope or 0})·{width} = {figures.size(o.per_token)}"
    return f"2·{i.layers}·{i.kv_heads}·{i.head_dim}·{width} = {figures.size(o.per_token)}"


def _total_worked(i: Values, o: Values) -> str:
    if not i.window:
        return f"{o.per_token:,.10g} B·{i.tokens:,}·{i.batch:,} = {figures.size(o.total)}"
    windowed = i.layers if i.window_layers is None else i.window_layers
    return (
        f"{o.per_token / i.layers:,.10g} B·({i.layers - windowed}·{i.tokens:,} + {windowed}·{min(i.tokens, i.window):,})·"
        f"{i.batch:,} = {figures.size(o.total)}"
    )


def _per_gpu_worked(i: Values, o: Values) -> str:
    if i.mla_latent:
        return f"{figures.scaled(o.total, 'B')}·1 = {figures.size(o.per_gpu)}"
    return f"{figures.scaled(o.total, 'B')}·⌈{i.kv_heads}/{i.tp}⌉/{i.kv_heads} = {figures.size(o.per_gpu)}"


KV_CACHE = Calculator(
    name="kv_cache",
    title=Text("KV cache", "KV cache 大小"),
    inputs=(
        *SHAPE,
        *WINDOWS,
        integer("tokens", Text("tokens a request", "每个请求的 token 数"), unit="token", high=LONGEST, default=1),
        BATCH,
        WIDTH,
        TP,
    ),
    outputs=(
        Output("per_token", Text("of one token, all layers", "每 token，所有层"), "byte", FORMULA, _per_token_worked),
        Output("total", Text("of all requests", "全部请求合计"), "byte", "per_token·tokens·batch", _total_worked),
        Output(
            "per_gpu",
            Text("on each GPU", "每张 GPU"),
            "byte",
            "total·⌈kv_heads/tp⌉/kv_heads; MLA: total",
            _per_gpu_worked,
        ),
    ),
    compute=kv_cache,
    convention=Text(
        "K and V of the KV heads; MLA's latent and rotary key once, on every GPU; whole heads a GPU",
        "按 KV 头算 K 和 V；MLA 的潜向量和 RoPE 部分只存一份，每卡都有；KV 头不可拆分",
    ),
    slips=(
        *shape_slips(kv_cache, "per_token", "bytes_per_element"),
        *shape_slips(kv_cache, "total", "bytes_per_element"),
        *total_slips(kv_cache, "total"),
        *shape_slips(kv_cache, "per_gpu", "bytes_per_element"),
        *total_slips(kv_cache, "per_gpu"),
        times(kv_cache, "per_gpu", "beyond_kv_heads", BEYOND_HEADS, tp_ignoring_heads),
        times(kv_cache, "per_gpu", "mla_split", MLA_SPLIT, lambda i: 1 / i.tp if i.mla_latent else None),
        changed(
            kv_cache, "per_gpu", "not_split", NOT_SPLIT, lambda i: {"tp": 1} if i.tp > 1 and not i.mla_latent else None
        ),
    ),
    sources=SOURCES,
)

KV_CAPACITY = Calculator(
    name="kv_capacity",
    title=Text("Tokens that fit into the KV cache", "KV cache 能放多少 token"),
    inputs=(
        *SHAPE,
        number(
            "memory",
            Text("free for the cache on all GPUs together", "所有 GPU 合计留给 KV cache 的显存"),
            unit="byte",
            low=1,
            high=1e18,
        ),
        WIDTH,
        TP,
    ),
    outputs=(
        Output(
            "tokens_max",
            Text("tokens of all requests", "全部请求合计的 token 数"),
            "token",
            "⌊memory/tp / (per_token·⌈kv_heads/tp⌉/kv_heads)⌋",
            lambda i, o: f"⌊{figures.scaled(i.memory, 'B')} / {_bytes_each(i)}⌋ = {o.tokens_max:,} token",
        ),
    ),
    compute=kv_capacity,
    convention=Text(
        "every layer keeps every token (no sliding window); copied heads and MLA's copies take their share",
        "每层都保留全部 token（不计滑动窗口）；复制的 KV 头和 MLA 的副本都占显存",
    ),
    slips=(
        *shape_slips(kv_capacity, "tokens_max", "bytes_per_element"),
        changed(
            kv_capacity,
            "tokens_max",
            "copies_ignored",
            Text("the copies that tensor parallelism makes are not taken into account", "没算张量并行带来的副本"),
            lambda i: {"tp": 1} if i.tp > 1 else None,
        ),
    ),
    sources=SOURCES,
)


def _bytes_each(i: Values) -> str:
    one = kv_cache(**{**vars(i), "tokens": 1, "batch": 1, "window": None, "window_layers": None})
    copies = float(share_of_fullest_gpu(i.tp, i.kv_heads, i.mla_latent) * i.tp)
    return f"{one['per_token']:,.10g} B" if copies == 1 else f"({one['per_token']:,.10g} B·{figures.number(copies)})"


CALCULATORS = (KV_CACHE, KV_CAPACITY)
