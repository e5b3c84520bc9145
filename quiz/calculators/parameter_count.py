"""A transformer's shape as inputs, and its parameters counted from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from quiz.calculators.base import Input, flag, integer, optional, preset
from quiz.calculators.inputs import LAYERS
from quiz.calculators.model_shape import Model, active_parameters, attention_parameters, parameters
from quiz.calculators.models import MODELS
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

DESCRIPTION = {"name", "title", "repository", "source", "window", "window_layers"}
SHAPE = tuple(field.name for field in fields(Model) if field.name not in DESCRIPTION)
FLAGS = ("tied", "qkv_bias", "qk_norm", "biases", "shifted_norm", "correction", "sinks")


def model_parameters(**given: Any) -> dict[str, Any]:
    """All parameters of a decoder-only transformer, exactly, and those that one token passes.

        total = V·h·(1 if tied else 2) + positions·h + Σ layers (attention + MLP + 2·h) + h
        attention = 2·h·n·d + 2·h·k·d [+ biases] [+ 2·d of query and key norms]   n heads, k KV heads of d
        MLA: h·q + q + q·n·(d + r) + h·(c + r) + c + c·n·2d + n·d·h   query latent q (none: h·n·(d + r)), latent c, rotary r
        MLP = 3·h·f gated, 2·h·f plain; a layer of experts: h·E (router) + (E + shared)·3·h·f_expert
        active: of the E routed experts the top_k

    `shifted_norm` is LayerNorm with a bias (2·h a norm). total_without_embedding leaves out the embedding, the head
    and learned positions; active_without_embedding the input embedding alone, which is looked up and not multiplied (a
    tied one is the head as well and stays). attention, mlp and layer are of one layer, of one with experts where there
    are some. Batch and sequence do not enter. Multi-token-prediction modules and quantization scales are not counted.
    Counts in parameters. BadInput for a shape that does not fit together.

    Sources: Narayanan et al. 2021, Eq. 2, https://arxiv.org/abs/2104.04473; DeepSeek-V3, §2.1,
    https://arxiv.org/abs/2412.19437; Megatron-LM, theoretical_memory_usage.py
    """
    model = shape_of(given)
    table = model.vocab * model.hidden
    outside = table * (1 if model.tied else 2) + model.positions * model.hidden
    total, active, layer = parameters(model), active_parameters(model), layer_parameters(model, model.layers - 1)
    attention = attention_parameters(model)
    return {
        "total": total,
        "active": active,
        "total_without_embedding": total - outside,
        "active_without_embedding": active - (0 if model.tied else table),
        "embedding": outside,
        "attention": attention,
        "mlp": layer - attention - 2 * norm_parameters(model),
        "layer": layer,
    }


def shape_of(given: Mapping[str, Any]) -> Model:
    """The model that `given` describes; fields that it does not have are 0. BadInput where it does not fit together."""
    heads, kv_heads, head_dim = heads_of(given)
    if given.get("experts"):
        if not given["top_k"] or not given["expert_ffn"] or given["top_k"] > given["experts"]:
            raise BadInput(
                Text(
                    "experts need top_k, no more than there are, and expert_ffn",
                    "有 experts 就要给 top_k（不超过专家数）和 expert_ffn",
                )
            )
    elif not given["ffn"]:
        raise BadInput(Text("give ffn, the width of the MLP, or a model", "请给 ffn（MLP 宽度）或 model"))
    if given.get("experts") and (given.get("dense_layers") or 0) >= given["layers"]:
        raise BadInput(Text("dense_layers leaves no layer with experts", "dense_layers 不少于总层数，没有 MoE 层了"))
    shape: dict[str, Any] = {name: given.get(name) or 0 for name in SHAPE}
    shape |= {name: bool(given.get(name)) for name in FLAGS}
    shape |= {"gated": bool(given["gated"]), "heads": heads, "kv_heads": kv_heads, "head_dim": head_dim}
    return Model("", "", "", Reference(""), **shape)


def heads_of(given: Mapping[str, Any]) -> tuple[int, int, int]:
    """Heads, KV heads (all heads if absent) and head size (hidden/heads if absent). BadInput where that is not whole."""
    heads, hidden = given["heads"], given["hidden"]
    kv_heads, head_dim = given.get("kv_heads") or heads, given.get("head_dim")
    if head_dim is None:
        if hidden % heads:
            raise BadInput(
                _fit(f"hidden {hidden} over {heads} heads", f"hidden {hidden} 除以 {heads} 个头", "head_dim")
            )
        head_dim = hidden // heads
    if heads % kv_heads:
        raise BadInput(
            _fit(f"{heads} heads over {kv_heads} KV heads", f"{heads} 个头分给 {kv_heads} 个 KV 头", "kv_heads")
        )
    return heads, kv_heads, head_dim


def _fit(en: str, zh: str, name: str) -> Text:
    return Text(f"{en} is not whole; give another {name}", f"{zh} 除不尽，请另给 {name}")


def layer_parameters(model: Model, layer: int) -> int:
    """Parameters of the layer with that number, from 0."""
    dense = int(layer < model.dense_layers)
    return parameters(replace(model, layers=1, dense_layers=dense, vocab=0, positions=0)) - norm_parameters(model)


def norm_parameters(model: Model) -> int:
    return model.hidden * (2 if model.shifted_norm else 1)


def shape_preset(of: Callable[[Model], bool] = lambda _: True) -> Input:
    """The models for which `of` is true, as a preset that fills every field of the shape."""
    names = tuple(name for name, model in MODELS.items() if of(model))
    return preset("model", Text("model", "模型"), names, fill_shape)


def fill_shape(name: str, _: Mapping[str, Any]) -> Mapping[str, Any]:
    """Every shape field of the preset, and its parameters, by input name."""
    model = MODELS[name]
    known = {field: getattr(model, field) for field in SHAPE}
    return known | {"parameters": parameters(model), "active_parameters": active_parameters(model)}


def count(name: str, en: str, zh: str, high: int = 10**7) -> Input:
    """A field of the shape that is 0 where a model has no such thing."""
    return integer(name, Text(en, zh), low=0, high=high, default=0)


HIDDEN = integer("hidden", Text("hidden size h (or give model)", "隐藏维度 h（或给 model）"), high=10**7)
HEADS = integer("heads", Text("query heads n (or give model)", "query 头数 n（或给 model）"), high=100_000)
KV_HEADS = optional(
    integer("kv_heads", Text("KV heads k (all heads if absent)", "KV 头数 k（不给则与头数相同）"), high=100_000)
)
HEAD_DIM = optional(integer("head_dim", Text("head size d (h/n if absent)", "head_dim（不给则 h/n）"), high=100_000))
FFN = integer("ffn", Text("width of the MLP f (or give model)", "MLP 宽度 f（或给 model）"), high=10**8)
GATED = flag("gated", Text("gated MLP: three matrices", "门控 MLP（三个矩阵）"), default=True)

INPUTS = (
    shape_preset(),
    LAYERS,
    HIDDEN,
    HEADS,
    KV_HEADS,
    HEAD_DIM,
    count("ffn", "width of the dense MLP f", "稠密 MLP 宽度 f"),
    integer("vocab", Text("vocabulary V (or give model)", "词表大小 V（或给 model）"), high=10**8),
    flag("tied", Text("the head shares the embedding", "输出头与词表矩阵共享")),
    flag("qkv_bias", Text("biases on Q, K, V", "Q、K、V 带偏置")),
    flag("biases", Text("biases on every linear layer", "所有线性层都带偏置")),
    flag("qk_norm", Text("norms on queries and keys", "Q、K 各有一层 norm")),
    GATED,
    flag("shifted_norm", Text("LayerNorm with a bias", "带偏置的 LayerNorm")),
    count("positions", "learned positions", "可学习的位置数"),
    count("experts", "routed experts a layer E", "每层路由专家数 E"),
    count("top_k", "experts a token takes", "每个 token 选的专家数"),
    count("shared_experts", "shared experts", "共享专家数"),
    count("expert_ffn", "width of an expert", "专家宽度"),
    count("dense_layers", "first layers without experts", "开头的稠密层数"),
    flag("correction", Text("balancing bias beside the router", "路由旁的均衡偏置")),
    count("mla_query", "MLA's query latent, q_lora_rank", "MLA 的 q_lora_rank"),
    count("mla_latent", "MLA's latent, kv_lora_rank", "MLA 的 kv_lora_rank"),
    count("mla_rope", "MLA's rotary part", "MLA 的 RoPE 维度"),
    flag("sinks", Text("a learned sink a head", "每头一个可学习 sink")),
    optional(integer("batch", Text("batch (does not enter)", "batch（不影响参数量）"), high=10**9)),
    optional(integer("sequence", Text("sequence (does not enter)", "序列长度（不影响参数量）"), high=10**9)),
)
