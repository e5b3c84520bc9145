"""What a request keeps in the KV cache: shapes, sliding windows, tensor parallelism, and the usual mistakes about them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators.base import Slip, Values, integer, optional
from quiz.calculators.inputs import LAYERS, LONGEST, MODEL, element_bytes, hidden_of
from quiz.calculators.slips import changed, times
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def elements_per_layer(
    kv_heads: int | None, head_dim: int | None, mla_latent: int | None, mla_rope: int | None, **_: Any
) -> int:
    """Elements that one token adds to one layer's cache: 2·KV heads·head size, or MLA's latent and rotary key.

    BadInput where neither is given.
    """
    if mla_latent:
        return mla_latent + (mla_rope or 0)
    if kv_heads is None or head_dim is None:
        raise BadInput(
            Text(
                "give kv_heads and head_dim, or mla_latent and mla_rope, or a model",
                "请给 kv_heads 和 head_dim，或 mla_latent 和 mla_rope，或给 model",
            )
        )
    return 2 * kv_heads * head_dim


def share_of_fullest_gpu(tp: int, kv_heads: int | None, mla_latent: int | None, **_: Any) -> Fraction:
    """What one of `tp` GPUs holds: ⌈KV heads/tp⌉ of the heads, never less than one; MLA's latent is on every GPU."""
    if mla_latent or not kv_heads:
        return Fraction(1)
    return Fraction(math.ceil(kv_heads / tp), kv_heads)


def cached_tokens(layers: int, tokens: int, window: int | None, window_layers: int | None, **_: Any) -> int:
    """Tokens kept over all layers; a layer with a sliding window keeps no more than the window.

    BadInput where more layers have a window than there are.
    """
    if not window:
        return layers * tokens
    windowed = layers if window_layers is None else window_layers
    if windowed > layers:
        raise BadInput(
            Text(
                f"window_layers is {windowed}, but there are only {layers} layers",
                f"window_layers 是 {windowed}，但总共只有 {layers} 层",
            )
        )
    return (layers - windowed) * tokens + windowed * min(tokens, window)


QUERY_HEADS = Text(
    "the query heads are counted, though keys and values have fewer heads", "用了 query 头数，而 K、V 的头更少"
)
FORGOT_V = Text("only the keys are counted; values take as much again", "只算了 K，V 还要同样大的一份")
HEAD_SIZE = Text(
    "hidden/heads is taken for the head size, though the configuration sets another",
    "把 hidden/heads 当成 head_dim，而配置里另有取值",
)
ELEMENTS = Text("elements are taken for bytes", "把元素个数当成了字节数")
ONE_LAYER = Text("one layer is counted, not all", "只算了一层，应乘上层数")
NO_BATCH = Text("one request is counted, not the batch", "只算了一个请求，漏了 batch")
NO_ROPE = Text(
    "MLA's rotary key is left out; it is cached beside the latent", "漏了 MLA 的 RoPE 部分，它和潜向量一起缓存"
)
MLA_TWICE = Text(
    "MLA's latent is doubled for K and V, though it serves both", "把 MLA 的潜向量按 K、V 算了两份，其实共用一份"
)
MLA_TWICE_NO_ROPE = Text(
    "MLA's latent is doubled for K and V and its rotary key left out",
    "把 MLA 的潜向量按 K、V 算了两份，又漏了 RoPE 部分",
)
MLA_HIDDEN = Text("MLA is counted as keys and values of the hidden size", "把 MLA 当成 hidden 大小的 K 和 V 来算了")
MLA_HEADS = Text("MLA is counted as full keys and values of every head", "把 MLA 当成每个头都存完整的 K 和 V 了")
WINDOW_IGNORED = Text("no layer's sliding window is taken into account", "没考虑滑动窗口，所有层都按全长算了")
WINDOW_EVERYWHERE = Text("the sliding window is applied to every layer", "把滑动窗口用到了所有层")
BEYOND_HEADS = Text(
    "the cache is divided by tp, though there are fewer KV heads than GPUs",
    "直接除以 tp，而 KV 头比 GPU 少，多出的卡只能复制",
)
MLA_SPLIT = Text(
    "the cache is divided by tp, though MLA's latent is on every GPU", "直接除以 tp，而 MLA 的潜向量每张卡都要存一份"
)
NOT_SPLIT = Text("tensor parallelism is not taken into account", "没除以张量并行度")


def _plain_heads(change: Callable[[Values], dict[str, Any] | None]) -> Callable[[Values], dict[str, Any] | None]:
    """A change that applies to keys and values by head only, not to MLA."""
    return lambda i: None if i.mla_latent else change(i)


def _mla(change: Callable[[Values], dict[str, Any] | None]) -> Callable[[Values], dict[str, Any] | None]:
    return lambda i: change(i) if i.mla_latent else None


def _query_heads(i: Values) -> dict[str, Any] | None:
    return {"kv_heads": i.heads} if i.heads and i.heads != i.kv_heads else None


def _hidden_over_heads(i: Values) -> dict[str, Any] | None:
    hidden = hidden_of(i)
    return {"head_dim": hidden // i.heads} if hidden and i.heads and hidden // i.heads != i.head_dim else None


def _hidden_for_latent(i: Values) -> dict[str, Any] | None:
    hidden = hidden_of(i)
    return {"mla_latent": None, "kv_heads": 1, "head_dim": hidden, "tp": 1} if hidden else None


def _heads_for_latent(i: Values) -> dict[str, Any] | None:
    if not i.heads or not i.head_dim:
        return None
    return {"mla_latent": None, "kv_heads": i.heads, "head_dim": i.head_dim, "tp": 1}


def shape_slips(compute: Callable[..., dict[str, Any]], output: str, width: str) -> tuple[Slip, ...]:
    """The usual mistakes about what is cached, as they show in `output`; `width` is the input with the bytes an element."""
    inverse = output == "tokens_max"
    half, twice = (2.0, 0.5) if inverse else (0.5, 2.0)
    return (
        changed(compute, output, "query_heads", QUERY_HEADS, _plain_heads(_query_heads)),
        times(compute, output, "forgot_v", FORGOT_V, lambda i: None if i.mla_latent else half),
        changed(compute, output, "hidden_over_heads", HEAD_SIZE, _plain_heads(_hidden_over_heads)),
        changed(
            compute, output, "elements_for_bytes", ELEMENTS, lambda i: None if getattr(i, width) == 1 else {width: 1}
        ),
        changed(compute, output, "one_layer", ONE_LAYER, _one_layer),
        changed(compute, output, "no_rope", NO_ROPE, _mla(lambda i: {"mla_rope": 0} if i.mla_rope else None)),
        times(compute, output, "mla_twice", MLA_TWICE, lambda i: twice if i.mla_latent else None),
        changed(
            compute,
            output,
            "mla_twice_no_rope",
            MLA_TWICE_NO_ROPE,
            _mla(lambda i: {"mla_latent": 2 * i.mla_latent, "mla_rope": 0}),
        ),
        changed(compute, output, "mla_as_hidden", MLA_HIDDEN, _mla(_hidden_for_latent)),
        changed(compute, output, "mla_as_heads", MLA_HEADS, _mla(_heads_for_latent)),
    )


def _one_layer(i: Values) -> dict[str, Any] | None:
    windowed = getattr(i, "window", None) if hasattr(i, "window") else None
    return {"layers": 1} if i.layers > 1 and not windowed else None


def total_slips(compute: Callable[..., dict[str, Any]], output: str) -> tuple[Slip, ...]:
    """The usual mistakes about how many tokens are kept."""
    return (
        changed(compute, output, "no_batch", NO_BATCH, lambda i: {"batch": 1} if i.batch > 1 else None),
        changed(compute, output, "window_ignored", WINDOW_IGNORED, lambda i: {"window": None} if i.window else None),
        changed(
            compute,
            output,
            "window_everywhere",
            WINDOW_EVERYWHERE,
            lambda i: {"window_layers": None} if i.window and i.window_layers is not None else None,
        ),
    )


def tp_ignoring_heads(i: Values) -> float | None:
    """total/tp over the right share, where KV heads are fewer than GPUs."""
    share = share_of_fullest_gpu(i.tp, i.kv_heads, None)
    return None if i.mla_latent or i.tp <= (i.kv_heads or i.tp) else float(1 / (share * i.tp))


KV_HEADS = integer("kv_heads", Text("KV heads (or give model)", "KV 头数（或给 model）"), high=100_000)
HEAD_DIM = integer("head_dim", Text("head size (or give model)", "head_dim（或给 model）"), high=100_000)
HEADS = integer("heads", Text("query heads", "query 头数"), high=100_000)
MLA_LATENT = integer("mla_latent", Text("MLA's latent, kv_lora_rank", "MLA 潜向量维度 kv_lora_rank"), high=100_000)
MLA_ROPE = integer(
    "mla_rope", Text("MLA's rotary key, qk_rope_head_dim", "MLA 的 RoPE 维度 qk_rope_head_dim"), low=0, high=100_000
)
WINDOW = integer("window", Text("sliding window", "滑动窗口长度"), unit="token", high=LONGEST)
WINDOW_LAYERS = integer(
    "window_layers", Text("layers with the window (all if absent)", "用滑动窗口的层数（不给则全部）"), high=10_000
)

SHAPE = (
    MODEL,
    LAYERS,
    *(optional(field) for field in (KV_HEADS, HEAD_DIM, HEADS, MLA_LATENT, MLA_ROPE)),
)
WINDOWS = (optional(WINDOW), optional(WINDOW_LAYERS))
WIDTH = element_bytes("bytes_per_element", Text("bytes a cached element", "缓存每个元素的字节数"))
BATCH = integer("batch", Text("requests", "请求数 batch"), high=10**9, default=1)

SOURCES = (
    Reference("Insights into DeepSeek-V3 (ISCA 2025), Table 1", "https://arxiv.org/abs/2505.09343"),
    Reference("Kwon et al. 2023, PagedAttention, §3", "https://arxiv.org/abs/2309.06180"),
)
FORMULA = "2·layers·kv_heads·head_dim·bytes; MLA: layers·(mla_latent + mla_rope)·bytes"
