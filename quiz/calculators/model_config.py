"""A model's own config.json as the shape that calculators ask for.

The keys are those of the Hugging Face configuration classes. What a configuration leaves out takes its class's
default; a kind of layer that none of the calculators counts is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import fields
from typing import Any

from quiz.calculators.model_shape import Model, inputs
from quiz.calculators.weights_read import kept_wide, looked_up
from quiz.errors import BadInput
from quiz.language import Text, say
from quiz.reference import Reference

Config = Mapping[str, Any]

QKV_BIAS = frozenset({"qwen2", "qwen2_moe"})
QK_NORM = frozenset({"qwen3", "qwen3_moe"})
TIED = frozenset({"gemma", "gemma2", "gemma3", "gemma3_text"})
EXACT = frozenset(
    {"llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "deepseek_v2", "deepseek_v3", "gpt_oss"}
)
"""Types whose every parameter is counted here; of others only the shape is used."""

FULL, SLIDING = "full_attention", "sliding_attention"
HIGHEST = 10**9


def shape(config: Config, wanted: Container[str]) -> Mapping[str, int]:
    """Those of the `wanted` inputs that `config` fills, by name.

    BadInput where it does not describe a decoder that is counted here, or where every parameter has to be counted and
    the type is none whose parameters are known.
    """
    model, kind = read(config), str(_text(config).get("model_type", ""))
    filled = dict(inputs(model))
    if kind in EXACT:
        structure = {field.name: getattr(model, field.name) for field in fields(model)}
        numbers = {
            name: value
            for name, value in structure.items()
            if isinstance(value, bool) or (value and isinstance(value, int))
        }
        filled = numbers | {"embedding": looked_up(model), "wide_parameters": kept_wide(model)} | filled
    elif "tied" in wanted:
        raise BadInput(say("calculator.config_type", kind=kind or "?", known=", ".join(sorted(EXACT))))
    else:
        for name in ("parameters", "active_parameters"):
            filled.pop(name)
    return {name: value for name, value in filled.items() if name in wanted}


def read(config: Config) -> Model:
    """The model that a parsed config.json describes; of a multimodal one its language model."""
    config = _text(config)
    kind = str(config.get("model_type", ""))
    hidden, heads = _whole(config, "hidden_size"), _whole(config, "num_attention_heads")
    layers = _whole(config, "num_hidden_layers")
    experts = _first(config, "n_routed_experts", "num_experts", "num_local_experts")
    expert_ffn = _first(config, "moe_intermediate_size", "intermediate_size") if experts else 0
    latent = _first(config, "kv_lora_rank")
    window, window_layers = _window(config, kind, layers)
    return Model(
        name="config.json",
        title=str(config.get("_name_or_path") or kind or "config.json"),
        repository="",
        source=Reference("config.json"),
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=_first(config, "num_key_value_heads") or heads,
        head_dim=_head_dim(config, hidden, heads, latent),
        ffn=_first(config, "intermediate_size"),
        vocab=_whole(config, "vocab_size"),
        tied=bool(config.get("tie_word_embeddings", kind in TIED)),
        qkv_bias=bool(config.get("attention_bias", kind in QKV_BIAS)) and kind != "gpt_oss",
        qk_norm=kind in QK_NORM,
        biases=kind == "gpt_oss",
        sinks=kind == "gpt_oss",
        experts=experts,
        top_k=_first(config, "num_experts_per_tok", "moe_topk") if experts else 0,
        shared_experts=_shared(config, expert_ffn) if experts else 0,
        expert_ffn=expert_ffn,
        dense_layers=_dense_layers(config, layers) if experts else 0,
        correction=kind == "deepseek_v3",
        mla_query=_first(config, "q_lora_rank"),
        mla_latent=latent,
        mla_rope=_first(config, "qk_rope_head_dim") if latent else 0,
        window=window,
        window_layers=window_layers,
    )


def _text(config: Config) -> Config:
    inner = config.get("text_config")
    return inner if isinstance(inner, Mapping) else config


def _whole(config: Config, name: str) -> int:
    value = _first(config, name)
    if not value:
        raise BadInput(say("calculator.config_misses", name=name))
    return value


def _first(config: Config, *names: str) -> int:
    """The first of `names` that is there and not null; 0 if none is. BadInput unless it is a whole number."""
    for name in names:
        value = config.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= HIGHEST:
            raise BadInput(say("calculator.config_bad", name=name, value=repr(value)[:40]))
        return value
    return 0


def _head_dim(config: Config, hidden: int, heads: int, latent: int) -> int:
    if latent:
        rotary_free, values = _first(config, "qk_nope_head_dim"), _first(config, "v_head_dim")
        if rotary_free != values:
            raise BadInput(say("calculator.config_bad", name="v_head_dim", value=values))
        return values
    return _first(config, "head_dim") or hidden // heads


def _shared(config: Config, expert_ffn: int) -> int:
    """Shared experts, counted in routed experts' widths."""
    width = _first(config, "shared_expert_intermediate_size")
    if width % (expert_ffn or 1):
        raise BadInput(say("calculator.config_bad", name="shared_expert_intermediate_size", value=width))
    return _first(config, "n_shared_experts") or width // (expert_ffn or 1)


def _dense_layers(config: Config, layers: int) -> int:
    """How many layers, the first ones, have the dense MLP."""
    step, only = _first(config, "decoder_sparse_step", "moe_layer_freq") or 1, config.get("mlp_only_layers") or []
    dense = _first(config, "first_k_dense_replace")
    if step != 1 or list(only) not in ([], list(range(len(only)))) or len(only) > layers:
        raise BadInput(say("calculator.config_bad", name="decoder_sparse_step / mlp_only_layers", value=step))
    return dense or len(only)


def _window(config: Config, kind: str, layers: int) -> tuple[int, int]:
    """(tokens that a sliding layer attends to, how many layers slide)."""
    window = _first(config, "sliding_window")
    kinds = config.get("layer_types")
    if isinstance(kinds, list):
        unknown = {str(one) for one in kinds} - {FULL, SLIDING}
        if unknown:
            raise BadInput(say("calculator.config_layers", kinds=", ".join(sorted(unknown))[:60]))
        sliding = sum(one == SLIDING for one in kinds)
    elif not window or config.get("use_sliding_window") is False:
        sliding = 0
    elif "use_sliding_window" in config:
        sliding = max(0, layers - _first(config, "max_window_layers"))
    elif kind == "mistral":
        sliding = layers
    elif kind == "gemma2":
        sliding = (layers + 1) // 2
    elif _first(config, "sliding_window_pattern"):
        sliding = layers - layers // _first(config, "sliding_window_pattern")
    elif kind in ("mixtral", "llama"):
        sliding = layers if kind == "mixtral" else 0
    else:
        raise BadInput(say("calculator.config_window", kind=Text(kind, kind)))
    return (window, sliding) if sliding else (0, 0)
