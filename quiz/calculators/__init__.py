"""The calculators by name. A topic's module is imported only when one of its calculators is asked for."""

from __future__ import annotations

import importlib

from quiz.calculators.base import Calculator, nearest
from quiz.errors import UnknownName
from quiz.language import say

TOPICS: dict[str, tuple[str, ...]] = {
    "roofline": ("gemm_roofline", "ridge_point"),
    "compute_bound": ("compute_bound_threshold",),
    "expert_tokens": ("expert_tokens",),
    "kv_cache": ("kv_cache", "kv_capacity"),
    "inference_memory": ("inference_memory",),
    "serving": ("serving_capacity", "prefill_decode_pools"),
    "model_states": ("model_states",),
    "zero_communication": ("zero_communication",),
    "pipeline": ("pipeline_bubble",),
    "collectives": ("collective",),
    "tensor_parallel": ("tensor_parallel_traffic",),
    "experts": ("expert_capacity", "expert_all_to_all"),
    "float_formats": ("float_add", "float_format"),
    "speculative": ("speculative_decoding",),
    "attention": ("online_softmax", "flash_attention_io"),
    "block_matmul": ("block_matmul",),
    "parameters": ("model_parameters",),
    "attention_share": ("attention_mlp_share",),
    "layer_compute": ("layer_compute",),
    "long_context": ("long_context_compute",),
    "training_compute": ("training_flops",),
    "compute_optimal": ("compute_optimal_split",),
    "training_time": ("training_time",),
    "utilization": ("model_flops_utilization",),
}


def names() -> tuple[str, ...]:
    """All calculators' names, by topic."""
    return tuple(name for topic in TOPICS.values() for name in topic)


def find(name: str) -> Calculator:
    """The calculator called `name`. UnknownName, with the nearest names, if there is none."""
    for topic, members in TOPICS.items():
        if name in members:
            for calculator in importlib.import_module(f"{__name__}.{topic}").CALCULATORS:
                if calculator.name == name:
                    return calculator
    raise UnknownName(say("calculator.unknown", name=name, near=nearest(name, names())))
