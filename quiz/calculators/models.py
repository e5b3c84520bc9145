"""Language models as presets: the shapes of their config.json, and parameter counts exact to the last one.

A model's `url` is where its config.json lives, `source` what its shape was read in. Counts are of the model that
generates text: DeepSeek's multi-token-prediction module and quantization scales are left out.
"""

from __future__ import annotations

from quiz.calculators.model_shape import Model, active_parameters, inputs, parameters
from quiz.reference import Reference

__all__ = ["MODELS", "Model", "active_parameters", "inputs", "parameters"]

MLC = Reference(
    "config.json of each model, in MLC-LLM's model_preset.py",
    "https://github.com/mlc-ai/mlc-llm/blob/main/python/mlc_llm/model/model_preset.py",
)
LITGPT = Reference(
    "config.json of each model, in LitGPT's config.py",
    "https://github.com/Lightning-AI/litgpt/blob/main/litgpt/config.py",
)
GPT3 = Reference(
    "Brown et al. 2020, Language Models are Few-Shot Learners, Table 2.1", "https://arxiv.org/abs/2005.14165"
)
DEEPSEEK_V2 = Reference("DeepSeek-V2, §3.1.2", "https://arxiv.org/abs/2405.04434")
DEEPSEEK_V3 = Reference(
    "transformers, DeepseekV3Config",
    "https://github.com/huggingface/transformers/blob/main/src/transformers/models/deepseek_v3/configuration_deepseek_v3.py",
)
GPT_OSS = Reference(
    "openai/gpt-oss, torch/model.py", "https://github.com/openai/gpt-oss/blob/main/gpt_oss/torch/model.py"
)


def _llama(name: str, title: str, repository: str, shape: tuple[int, ...], source: Reference, **more: bool) -> Model:
    layers, hidden, heads, kv_heads, ffn, vocab = shape
    return Model(name, title, repository, source, layers, hidden, heads, kv_heads, hidden // heads, ffn, vocab, **more)


def _qwen25(size: str, shape: tuple[int, ...], *, tied: bool = False) -> Model:
    return _llama(
        f"qwen2.5-{size.lower()}", f"Qwen2.5-{size}", f"Qwen/Qwen2.5-{size}", shape, LITGPT, tied=tied, qkv_bias=True
    )


def _qwen3(size: str, shape: tuple[int, ...], *, tied: bool = False) -> Model:
    layers, hidden, heads, ffn = shape
    return Model(
        f"qwen3-{size.lower()}",
        f"Qwen3-{size}",
        f"Qwen/Qwen3-{size}",
        LITGPT,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=8,
        head_dim=128,
        ffn=ffn,
        vocab=151_936,
        tied=tied,
        qk_norm=True,
    )


def _qwen3_moe(size: str, layers: int, hidden: int, heads: int, ffn: int, expert_ffn: int) -> Model:
    return Model(
        f"qwen3-{size.lower()}",
        f"Qwen3-{size}",
        f"Qwen/Qwen3-{size}",
        LITGPT,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=4,
        head_dim=128,
        ffn=ffn,
        vocab=151_936,
        qk_norm=True,
        experts=128,
        top_k=8,
        expert_ffn=expert_ffn,
    )


def _mixtral(size: str, layers: int, hidden: int, heads: int, ffn: int) -> Model:
    return Model(
        f"mixtral-{size.lower()}",
        f"Mixtral {size.replace('x', '×')}",
        f"mistralai/Mixtral-{size}-v0.1",
        LITGPT,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=8,
        head_dim=128,
        ffn=ffn,
        vocab=32_000,
        experts=8,
        top_k=2,
        expert_ffn=ffn,
    )


def _gpt3(size: str, layers: int, hidden: int, heads: int) -> Model:
    return Model(
        f"gpt-3-{size.lower()}",
        f"GPT-3 {size}",
        "",
        GPT3,
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        ffn=4 * hidden,
        vocab=50_257,
        tied=True,
        biases=True,
        gated=False,
        shifted_norm=True,
        positions=2048,
    )


def _gpt_oss(size: str, layers: int, experts: int) -> Model:
    return Model(
        f"gpt-oss-{size.lower()}",
        f"gpt-oss-{size}",
        f"openai/gpt-oss-{size}",
        GPT_OSS,
        layers=layers,
        hidden=2880,
        heads=64,
        kv_heads=8,
        head_dim=64,
        ffn=2880,
        vocab=201_088,
        biases=True,
        experts=experts,
        top_k=4,
        expert_ffn=2880,
        window=128,
        window_layers=layers // 2,
        sinks=True,
    )


_LLAMA_3_8B = (32, 4096, 32, 8, 14_336, 128_256)
_LLAMA_3_70B = (80, 8192, 64, 8, 28_672, 128_256)

_ALL = (
    _llama("llama-2-7b", "Llama 2 7B", "meta-llama/Llama-2-7b-hf", (32, 4096, 32, 32, 11_008, 32_000), MLC),
    _llama("llama-2-13b", "Llama 2 13B", "meta-llama/Llama-2-13b-hf", (40, 5120, 40, 40, 13_824, 32_000), MLC),
    _llama("llama-2-70b", "Llama 2 70B", "meta-llama/Llama-2-70b-hf", (80, 8192, 64, 8, 28_672, 32_000), MLC),
    _llama("llama-3-8b", "Llama 3 8B", "meta-llama/Meta-Llama-3-8B", _LLAMA_3_8B, LITGPT),
    _llama("llama-3-70b", "Llama 3 70B", "meta-llama/Meta-Llama-3-70B", _LLAMA_3_70B, LITGPT),
    _llama("llama-3.1-8b", "Llama 3.1 8B", "meta-llama/Llama-3.1-8B", _LLAMA_3_8B, LITGPT),
    _llama("llama-3.1-70b", "Llama 3.1 70B", "meta-llama/Llama-3.1-70B", _LLAMA_3_70B, LITGPT),
    _llama(
        "llama-3.1-405b", "Llama 3.1 405B", "meta-llama/Llama-3.1-405B", (126, 16_384, 128, 8, 53_248, 128_256), LITGPT
    ),
    _llama(
        "llama-3.2-1b", "Llama 3.2 1B", "meta-llama/Llama-3.2-1B", (16, 2048, 32, 8, 8192, 128_256), LITGPT, tied=True
    ),
    _llama(
        "llama-3.2-3b", "Llama 3.2 3B", "meta-llama/Llama-3.2-3B", (28, 3072, 24, 8, 8192, 128_256), LITGPT, tied=True
    ),
    _llama("llama-3.3-70b", "Llama 3.3 70B", "meta-llama/Llama-3.3-70B-Instruct", _LLAMA_3_70B, LITGPT),
    _llama("mistral-7b", "Mistral 7B v0.3", "mistralai/Mistral-7B-v0.3", (32, 4096, 32, 8, 14_336, 32_768), MLC),
    _mixtral("8x7B", 32, 4096, 32, 14_336),
    _mixtral("8x22B", 56, 6144, 48, 16_384),
    _qwen25("0.5B", (24, 896, 14, 2, 4864, 151_936), tied=True),
    _qwen25("1.5B", (28, 1536, 12, 2, 8960, 151_936), tied=True),
    _qwen25("3B", (36, 2048, 16, 2, 11_008, 151_936), tied=True),
    _qwen25("7B", (28, 3584, 28, 4, 18_944, 152_064)),
    _qwen25("14B", (48, 5120, 40, 8, 13_824, 152_064)),
    _qwen25("32B", (64, 5120, 40, 8, 27_648, 152_064)),
    _qwen25("72B", (80, 8192, 64, 8, 29_568, 152_064)),
    _qwen3("0.6B", (28, 1024, 16, 3072), tied=True),
    _qwen3("1.7B", (28, 2048, 16, 6144), tied=True),
    _qwen3("4B", (36, 2560, 32, 9728), tied=True),
    _qwen3("8B", (36, 4096, 32, 12_288)),
    _qwen3("14B", (40, 5120, 40, 17_408)),
    _qwen3("32B", (64, 5120, 64, 25_600)),
    _qwen3_moe("30B-A3B", 48, 2048, 32, 6144, 768),
    _qwen3_moe("235B-A22B", 94, 4096, 64, 12_288, 1536),
    Model(
        "deepseek-v2",
        "DeepSeek-V2",
        "deepseek-ai/DeepSeek-V2",
        DEEPSEEK_V2,
        layers=60,
        hidden=5120,
        heads=128,
        kv_heads=128,
        head_dim=128,
        ffn=12_288,
        vocab=102_400,
        experts=160,
        top_k=6,
        shared_experts=2,
        expert_ffn=1536,
        dense_layers=1,
        mla_query=1536,
        mla_latent=512,
        mla_rope=64,
    ),
    Model(
        "deepseek-v2-lite",
        "DeepSeek-V2-Lite",
        "deepseek-ai/DeepSeek-V2-Lite",
        MLC,
        layers=27,
        hidden=2048,
        heads=16,
        kv_heads=16,
        head_dim=128,
        ffn=10_944,
        vocab=102_400,
        experts=64,
        top_k=6,
        shared_experts=2,
        expert_ffn=1408,
        dense_layers=1,
        mla_latent=512,
        mla_rope=64,
    ),
    Model(
        "deepseek-v3",
        "DeepSeek-V3",
        "deepseek-ai/DeepSeek-V3",
        DEEPSEEK_V3,
        layers=61,
        hidden=7168,
        heads=128,
        kv_heads=128,
        head_dim=128,
        ffn=18_432,
        vocab=129_280,
        experts=256,
        top_k=8,
        shared_experts=1,
        expert_ffn=2048,
        dense_layers=3,
        correction=True,
        mla_query=1536,
        mla_latent=512,
        mla_rope=64,
    ),
    _gpt_oss("20b", 24, 32),
    _gpt_oss("120b", 36, 128),
    _gpt3("125M", 12, 768, 12),
    _gpt3("350M", 24, 1024, 16),
    _gpt3("760M", 24, 1536, 16),
    _gpt3("1.3B", 24, 2048, 16),
    _gpt3("2.7B", 32, 2560, 32),
    _gpt3("6.7B", 32, 4096, 32),
    _gpt3("13B", 40, 5120, 40),
    _gpt3("175B", 96, 12_288, 96),
)

MODELS = {model.name: model for model in _ALL}
