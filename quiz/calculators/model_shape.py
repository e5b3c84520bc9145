"""What a language model's config.json says of its shape, and how many parameters that makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quiz.reference import Reference


@dataclass(frozen=True, slots=True)
class Model:
    """A decoder-only transformer.

    `ffn` is the width of the dense MLP, `expert_ffn` of one expert; the first `dense_layers` layers of a mixture of
    experts have the dense MLP. With `mla_latent` (kv_lora_rank) the attention is multi-head latent attention, whose
    non-rotary query/key part and values are both `head_dim` wide; `mla_query` is q_lora_rank (0: no compression).
    `window_layers` layers attend to `window` tokens only. `biases` puts a bias on every linear layer, `qkv_bias` on
    the three input projections; `correction` is a bias beside the router for load balancing; `sinks` one learned
    logit a head; `positions` the rows of a learned position table.
    """

    name: str
    title: str
    repository: str
    source: Reference
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    tied: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    biases: bool = False
    gated: bool = True
    shifted_norm: bool = False
    positions: int = 0
    experts: int = 0
    top_k: int = 0
    shared_experts: int = 0
    expert_ffn: int = 0
    dense_layers: int = 0
    correction: bool = False
    mla_query: int = 0
    mla_latent: int = 0
    mla_rope: int = 0
    window: int = 0
    window_layers: int = 0
    sinks: bool = False

    @property
    def url(self) -> str:
        """Where the model's own description is."""
        return f"https://huggingface.co/{self.repository}" if self.repository else self.source.url


def parameters(model: Model) -> int:
    """All parameters: embedding (and the head where it is its own), every layer, the last norm.

        V·h·(1 or 2) + positions·h + Σ layers (attention + MLP or experts + router + 2 norms) + norm

    With n heads and k KV heads of d: attention h·n·d + 2·h·k·d + n·d·h; a gated MLP 3·h·f, a plain one 2·h·f.
    """
    return _outside_layers(model) + sum(_layer(model, layer, model.experts) for layer in range(model.layers))


def active_parameters(model: Model) -> int:
    """Parameters that one token passes: of the routed experts `top_k` a layer; the embedding counts in full."""
    return _outside_layers(model) + sum(_layer(model, layer, model.top_k) for layer in range(model.layers))


def attention_parameters(model: Model) -> int:
    """Parameters of one layer's attention, norms of queries and keys included."""
    h, n, k, d = model.hidden, model.heads, model.kv_heads, model.head_dim
    if model.mla_latent:
        query_width = n * (d + model.mla_rope)
        query = h * model.mla_query + model.mla_query + model.mla_query * query_width
        down = h * (model.mla_latent + model.mla_rope) + model.mla_latent
        return (query if model.mla_query else h * query_width) + down + model.mla_latent * n * 2 * d + n * d * h
    weights = h * n * d + 2 * h * k * d + n * d * h
    biases = (n + 2 * k) * d * (model.qkv_bias or model.biases) + h * model.biases
    return weights + biases + 2 * d * model.qk_norm + n * model.sinks


def mlp_parameters(model: Model, width: int) -> int:
    """Parameters of one MLP of `width`: three matrices where gated, else two."""
    ups = 2 if model.gated else 1
    return (ups + 1) * model.hidden * width + (ups * width + model.hidden) * model.biases


def inputs(model: Model) -> Mapping[str, int]:
    """What a calculator can ask of a model, by input name; what a model does not have is left out."""
    shape = {
        "parameters": parameters(model),
        "active_parameters": active_parameters(model),
        "layers": model.layers,
        "hidden": model.hidden,
        "heads": model.heads,
        "kv_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "ffn": model.ffn,
        "vocab": model.vocab,
        "experts": model.experts,
        "top_k": model.top_k,
        "shared_experts": model.shared_experts,
        "expert_ffn": model.expert_ffn,
        "mla_latent": model.mla_latent,
        "mla_rope": model.mla_rope,
        "window": model.window,
        "window_layers": model.window_layers,
    }
    return {name: value for name, value in shape.items() if value}


def _outside_layers(model: Model) -> int:
    embeddings = model.vocab * model.hidden * (1 if model.tied else 2) + model.positions * model.hidden
    return embeddings + _norm(model)


def _layer(model: Model, layer: int, routed: int) -> int:
    common = attention_parameters(model) + 2 * _norm(model)
    if not model.experts or layer < model.dense_layers:
        return common + mlp_parameters(model, model.ffn)
    router = model.hidden * model.experts + model.experts * (model.biases or model.correction)
    return common + router + (routed + model.shared_experts) * mlp_parameters(model, model.expert_ffn)


def _norm(model: Model) -> int:
    return model.hidden * (2 if model.shifted_norm else 1)
