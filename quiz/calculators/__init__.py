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
    "zero_bubble": ("split_backward_bubble",),
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
    "hybrid_sharding": ("hybrid_sharding",),
    "parallel_layout": ("parallel_memory", "parallel_layouts"),
    "lora": ("lora_memory",),
    "rl_memory": ("rl_memory",),
    "batch": ("global_batch", "pipeline_microbatches"),
    "rollout": ("rollout_batch",),
    "overlap": ("exposed_communication",),
    "gradient_buckets": ("gradient_buckets",),
    "context_parallel": ("context_parallel_traffic",),
    "activations": ("activation_memory",),
    "recomputation": ("recomputation_overhead",),
    "memory_bound": ("spmv", "elementwise"),
    "reduction": ("reduction",),
    "kv_transfer": ("kv_transfer",),
    "kv_reload": ("kv_reload",),
    "deployment": ("deployment_fit",),
    "moe_deployment": ("moe_deployment",),
    "decode_traffic": ("decode_traffic",),
    "paged_cache": ("paged_cache_waste",),
    "block_scale": ("block_scaled_size",),
    "block_quantizer": ("block_quantize",),
    "int_quantizer": ("int_quantize",),
    "smoothquant": ("smoothquant_scale",),
    "weight_quantization": ("weight_quantization",),
    "occupancy": ("occupancy",),
    "launch": ("launch_configuration",),
    "bank_conflicts": ("bank_conflicts",),
    "coalescing": ("coalescing",),
    "im2col": ("im2col",),
    "peak_rates": ("cpu_peak", "gpu_peak"),
    "latency_hiding": ("latency_hiding",),
    "links": ("pcie_link", "link_transfer"),
    "failures": ("failure_rate", "checkpoint_interval"),
    "checkpoint_storage": ("checkpoint_storage",),
    "token_cost": ("cost_per_token",),
}


def names() -> tuple[str, ...]:
    """All calculators' names, by topic."""
    return tuple(name for topic in TOPICS.values() for name in topic)


def find(name: str) -> Calculator:
    """The calculator called `name`. UnknownName, with the nearest names, if there is none."""
    for topic, members in TOPICS.items():
        if name in members:
            calculators: tuple[Calculator, ...] = importlib.import_module(f"{__name__}.{topic}").CALCULATORS
            return next(calculator for calculator in calculators if calculator.name == name)
    raise UnknownName(say("calculator.unknown", name=name, near=nearest(name, names())))
