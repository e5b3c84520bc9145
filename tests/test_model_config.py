"""A model's own config.json gives the shape and the parameters of its preset."""

from __future__ import annotations

from typing import Any

import pytest

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.model_config import read, shape
from quiz.calculators.model_shape import active_parameters, inputs, parameters
from quiz.calculators.models import MODELS
from quiz.errors import BadInput

LLAMA = {
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_attention_heads": 64,
    "num_hidden_layers": 80,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
    "attention_bias": False,
}
# The values of the released configurations; null and unused keys as they stand there.
CONFIGS: dict[str, dict[str, Any]] = {
    "llama-3-70b": LLAMA,
    "llama-2-7b": {
        "model_type": "llama",
        "hidden_size": 4096,
        "intermediate_size": 11008,
        "num_attention_heads": 32,
        "num_hidden_layers": 32,
        "num_key_value_heads": 32,
        "vocab_size": 32000,
        "tie_word_embeddings": False,
    },
    "qwen2.5-7b": {
        "model_type": "qwen2",
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "max_window_layers": 28,
        "num_attention_heads": 28,
        "num_hidden_layers": 28,
        "num_key_value_heads": 4,
        "sliding_window": 131072,
        "tie_word_embeddings": False,
        "use_sliding_window": False,
        "vocab_size": 152064,
    },
    "qwen3-8b": {
        "model_type": "qwen3",
        "attention_bias": False,
        "head_dim": 128,
        "hidden_size": 4096,
        "intermediate_size": 12288,
        "max_window_layers": 36,
        "num_attention_heads": 32,
        "num_hidden_layers": 36,
        "num_key_value_heads": 8,
        "sliding_window": None,
        "tie_word_embeddings": False,
        "use_sliding_window": False,
        "vocab_size": 151936,
    },
    "qwen3-30b-a3b": {
        "model_type": "qwen3_moe",
        "attention_bias": False,
        "decoder_sparse_step": 1,
        "head_dim": 128,
        "hidden_size": 2048,
        "intermediate_size": 6144,
        "max_window_layers": 48,
        "mlp_only_layers": [],
        "moe_intermediate_size": 768,
        "num_attention_heads": 32,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "num_hidden_layers": 48,
        "num_key_value_heads": 4,
        "sliding_window": None,
        "tie_word_embeddings": False,
        "use_sliding_window": False,
        "vocab_size": 151936,
    },
    "mixtral-8x7b": {
        "model_type": "mixtral",
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_experts_per_tok": 2,
        "num_hidden_layers": 32,
        "num_key_value_heads": 8,
        "num_local_experts": 8,
        "sliding_window": None,
        "tie_word_embeddings": False,
        "vocab_size": 32000,
    },
    "deepseek-v3": {
        "model_type": "deepseek_v3",
        "attention_bias": False,
        "first_k_dense_replace": 3,
        "hidden_size": 7168,
        "intermediate_size": 18432,
        "kv_lora_rank": 512,
        "moe_intermediate_size": 2048,
        "moe_layer_freq": 1,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "num_attention_heads": 128,
        "num_experts_per_tok": 8,
        "num_hidden_layers": 61,
        "num_key_value_heads": 128,
        "num_nextn_predict_layers": 1,
        "q_lora_rank": 1536,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "tie_word_embeddings": False,
        "v_head_dim": 128,
        "vocab_size": 129280,
    },
}


@pytest.mark.parametrize("name", CONFIGS)
def test_config_is_its_preset_to_the_last_parameter(name: str) -> None:
    model, preset = read(CONFIGS[name]), MODELS[name]
    assert parameters(model) == parameters(preset)
    assert active_parameters(model) == active_parameters(preset)
    wanted = set(inputs(preset)) - {"ffn"}
    assert shape(CONFIGS[name], wanted) == {k: v for k, v in inputs(preset).items() if k in wanted}


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("calculator", ["model_parameters", "kv_cache", "inference_memory", "decode_traffic"])
def test_calculator_gives_the_same_for_a_config_and_its_preset(name: str, calculator: str) -> None:
    found = find(calculator)
    more = {"tokens": 4096} if calculator != "model_parameters" else {}
    if calculator == "decode_traffic":
        more |= {"batch": 8}
    by_config = run(found, shape(CONFIGS[name], {field.name for field in found.inputs}) | more)
    assert by_config.outputs == run(found, {"model": name} | more).outputs


def test_language_model_of_a_multimodal_configuration() -> None:
    assert read({"model_type": "llava", "text_config": LLAMA}).layers == 80


def test_head_size_is_the_configurations_own() -> None:
    assert read(LLAMA).head_dim == 128
    assert read(LLAMA | {"head_dim": 64}).head_dim == 64


def test_sliding_layers_are_counted_from_the_layer_types() -> None:
    kinds = ["sliding_attention", "full_attention"] * 40
    model = read(LLAMA | {"sliding_window": 128, "layer_types": kinds})
    assert (model.window, model.window_layers) == (128, 40)


@pytest.mark.parametrize(
    ("kind", "more", "expected"),
    [
        ("mistral", {}, (4096, 80)),
        ("gemma2", {}, (4096, 40)),
        ("gemma3_text", {"sliding_window_pattern": 6}, (4096, 67)),
        ("qwen2", {"use_sliding_window": True, "max_window_layers": 70}, (4096, 10)),
        ("qwen2", {"use_sliding_window": False}, (0, 0)),
    ],
)
def test_sliding_layers_by_type(kind: str, more: dict[str, Any], expected: tuple[int, int]) -> None:
    model = read(LLAMA | {"model_type": kind, "sliding_window": 4096} | more)
    assert (model.window, model.window_layers) == expected


def test_parameters_of_an_unknown_type_are_not_guessed() -> None:
    new = LLAMA | {"model_type": "new_thing"}
    assert shape(new, {"parameters", "kv_heads"}) == {"kv_heads": 8}
    with pytest.raises(BadInput, match="new_thing"):
        shape(new, {field.name for field in find("model_parameters").inputs})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"num_hidden_layers": None}, "num_hidden_layers"),
        ({"hidden_size": "8192"}, "hidden_size"),
        ({"num_key_value_heads": -1}, "num_key_value_heads"),
        ({"layer_types": ["linear_attention"] * 80}, "linear_attention"),
        ({"sliding_window": 10, "model_type": "new_thing"}, "sliding window"),
        ({"num_experts": 8, "decoder_sparse_step": 2}, "decoder_sparse_step"),
    ],
)
def test_what_cannot_be_counted_is_told(change: dict[str, Any], named: str) -> None:
    with pytest.raises(BadInput, match=named):
        read(LLAMA | change)
