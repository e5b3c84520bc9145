"""What one transformer layer computes and moves, attention and MLP apart, in prefill and in decoding."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from quiz.calculators.base import integer, optional
from quiz.calculators.exact import decimal, plain
from quiz.calculators.model_shape import Model
from quiz.calculators.parameter_count import heads_of
from quiz.errors import BadInput
from quiz.language import Text

PHASES = ("prefill", "decode")


GUARDS = tuple(
    optional(integer(name, Text(en, zh), low=0))
    for name, en, zh in (
        ("experts", "experts (such layers are not counted here)", "专家数（这里不计 MoE 层）"),
        ("mla_latent", "MLA's latent (not counted here)", "MLA 潜向量（这里不计）"),
        ("window", "sliding window (not counted here)", "滑动窗口（这里不计）"),
    )
)


def is_plain(model: Model) -> bool:
    """Neither MLA nor experts nor windows: every layer is the same attention and one MLP."""
    return not (model.mla_latent or model.experts or model.window)


def matrices(given: Mapping[str, Any]) -> tuple[int, int]:
    """Parameters of one layer's attention and MLP matrices, biases and norms left out. BadInput for other layers."""
    refuse_other_layers(given)
    heads, kv_heads, head_dim = heads_of(given)
    attention = 2 * given["hidden"] * (heads + kv_heads) * head_dim
    return attention, (3 if given["gated"] else 2) * given["hidden"] * given["ffn"]


def refuse_other_layers(given: Mapping[str, Any]) -> None:
    """BadInput where a model's description has experts, MLA or windows, which a plain layer does not."""
    if any(given.get(guard.name) for guard in GUARDS):
        raise BadInput(
            Text(
                "layers with experts, MLA or a sliding window are not counted here; take another model",
                "这里不计带专家、MLA 或滑动窗口的层，请换一个模型",
            )
        )


def layer_compute(**given: Any) -> dict[str, Any]:
    """FLOPs, bytes and arithmetic intensity of one layer's forward pass, attention and MLP apart.

    b = `batch` sequences; t = b·s tokens in prefill, t = b in decoding (one a sequence, `sequence` tokens of context
    with it). n heads and k KV heads of d, weights of w, activations of a, cache of c bytes an element:

        attention FLOPs = 2·t·(2·h·n·d + 2·h·k·d) + 4·n·d·(pairs)     pairs: b·s² in prefill (causal: half), b·s decoding
        MLP FLOPs = 2·t·(3·h·f gated, 2·h·f plain)
        attention bytes = w·parameters + a·t·(2·h + 4·n·d) + c·2·k·d·(t + b·s)
        MLP bytes = w·parameters + a·t·(2·h + 2·f)

    Bytes as one kernel a matrix with a fused softmax and activation function moves them: QKV reads x and writes q and
    t new cache entries; attention reads q and the cache of b·s tokens and writes o; the output matrix reads o and
    writes its result; up and gate read x and write f, down reads f. The s² scores never reach memory. In decoding
    weights and cache are nearly all of it. FLOP, bytes, FLOP/byte.

    Source: Korthikanti et al. 2022, Appendix A (FLOPs), https://arxiv.org/abs/2205.05198; traffic derived
    """
    attention, mlp = matrices(given)
    heads, kv_heads, head_dim = heads_of(given)
    batch, sequence, hidden, ffn = given["batch"], given["sequence"], given["hidden"], given["ffn"]
    prefill = given["phase"] == "prefill"
    tokens, queries, keys = batch * (sequence if prefill else 1), heads * head_dim, kv_heads * head_dim
    pairs = Fraction(batch * sequence * (sequence if prefill else 1), 2 if prefill and given["causal"] else 1)
    weight, activation, cache = (decimal(given[name]) for name in ("weight_bytes", "activation_bytes", "kv_bytes"))

    attention_flops = 2 * tokens * attention + 4 * queries * pairs
    mlp_flops = Fraction(2 * tokens * mlp)
    moved = tokens * (2 * hidden + 4 * queries)
    attention_bytes = weight * attention + activation * moved + cache * 2 * keys * (tokens + batch * sequence)
    mlp_bytes = weight * mlp + activation * tokens * 2 * (hidden + ffn)
    flops, size = attention_flops + mlp_flops, attention_bytes + mlp_bytes
    return {
        "attention_flops": plain(attention_flops),
        "mlp_flops": plain(mlp_flops),
        "flops": plain(flops),
        "attention_bytes": plain(attention_bytes),
        "mlp_bytes": plain(mlp_bytes),
        "bytes": plain(size),
        "attention_intensity": plain(attention_flops / attention_bytes),
        "mlp_intensity": plain(mlp_flops / mlp_bytes),
        "intensity": plain(flops / size),
    }
