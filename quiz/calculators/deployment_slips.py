"""The usual mistakes about whether a deployment fits and how fast it can be."""

from __future__ import annotations

from typing import Any

from quiz.calculators.base import Slip, Values
from quiz.calculators.deployment_cost import deployment_fit
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import decimal, plain
from quiz.calculators.kv_cache import kv_cache
from quiz.calculators.kv_shape import share_of_fullest_gpu
from quiz.calculators.moe_deployment import ACTIVE_FOR_ALL, ALL_FOR_ACTIVE, MULTIPLY_ADDS
from quiz.calculators.roofline import SPARSE_FOR_DENSE, with_sparse_peak
from quiz.calculators.slips import changed, times
from quiz.calculators.weights_read import is_mixture
from quiz.language import Text

STAGES_AT_ONCE = Text(
    "pipeline stages are taken to read at the same time, though a token passes them one by one",
    "把各级流水线当成同时读权重了，而一个 token 要逐级经过",
)
ONE_GPU = Text("one GPU's bandwidth is used for all weights", "用了单卡带宽，没按张量并行分摊")
ALL_OF_IT = Text("prefill is taken to run at the peak", "按峰值算力算了，漏了 prefill 的效率")
NO_HEADROOM = Text("the GPUs are filled to the last byte", "把显存全部用满了，漏了利用率上限")
ROUNDED_DOWN = Text("the count is rounded down", "向下取整了，不足一张也要一整张")
NO_CACHE = Text("only the weights are read; the KV cache is left out", "只算了读权重，漏了读 KV cache")
MEMORY_ONLY = Text("only memory is looked at, not the time of a token", "只看了显存，没看 TPOT 限制")
NO_LIMIT_OF_MEMORY = Text("the weights are taken to need no memory", "没扣掉权重占用的显存")
NOT_SPLIT = Text("the weights are not split over the GPUs", "权重没按 GPU 数分摊")


def _without_weights(i: Values) -> Any:
    share = share_of_fullest_gpu(i.tp, i.kv_heads, i.mla_latent)
    given = {**vars(i), "batch": 1, "bytes_per_element": i.kv_bytes}
    each = decimal(kv_cache(**{**given, "tp": 1})["total"])
    return int(decimal(i.memory) * decimal(i.utilisation) / (each * share / i.pp)) if each else None


def _active_only(i: Values) -> Any:
    return plain(i.active_parameters * decimal(i.weight_bytes) / (i.tp * i.pp)) if is_mixture(i) else None


def _all_computed(i: Values) -> float | None:
    return (i.parameters - i.embedding) / (i.active_parameters - i.embedding) if is_mixture(i) else None


_SLIPS = (
    Slip("active_only", "weights_per_gpu", ACTIVE_FOR_ALL, _active_only),
    times(
        deployment_fit,
        "weights_per_gpu",
        "not_split",
        NOT_SPLIT,
        lambda i: i.tp * i.pp,
    ),
    changed(
        deployment_fit,
        "gpus_min",
        "no_headroom",
        NO_HEADROOM,
        lambda i: {"utilisation": 1} if i.utilisation < 1 else None,
    ),
    Slip(
        "rounded_down",
        "gpus_min",
        ROUNDED_DOWN,
        lambda i: int(i.parameters * decimal(i.weight_bytes) / (decimal(i.memory) * decimal(i.utilisation))),
    ),
    changed(
        deployment_fit,
        "tpot",
        "stages_at_once",
        STAGES_AT_ONCE,
        lambda i: {"tp": i.tp * i.pp, "pp": 1} if i.pp > 1 else None,
    ),
    changed(deployment_fit, "tpot", "one_gpu", ONE_GPU, lambda i: {"tp": 1} if i.tp > 1 else None),
    changed(deployment_fit, "tpot", "no_cache", NO_CACHE, lambda i: {"tokens": 0, "prompt": 1} if i.tokens else None),
    changed(deployment_fit, "ttft", "at_peak", ALL_OF_IT, lambda i: {"efficiency": 1} if i.efficiency < 1 else None),
    changed(deployment_fit, "ttft", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
    times(deployment_fit, "ttft", "multiply_adds", MULTIPLY_ADDS, lambda _: 0.5),
    times(deployment_fit, "ttft", "all_parameters", ALL_FOR_ACTIVE, _all_computed),
    changed(
        deployment_fit,
        "ttft",
        "stages_at_once",
        STAGES_AT_ONCE,
        lambda i: {"tp": i.tp * i.pp, "pp": 1} if i.pp > 1 else None,
    ),
    changed(
        deployment_fit,
        "batch_max",
        "memory_only",
        MEMORY_ONLY,
        lambda i: {"tpot_limit": None} if i.tpot_limit is not None else None,
    ),
    changed(
        deployment_fit,
        "batch_max",
        "no_headroom",
        NO_HEADROOM,
        lambda i: {"utilisation": 1} if i.utilisation < 1 else None,
    ),
    Slip("weights_need_none", "batch_max", NO_LIMIT_OF_MEMORY, _without_weights),
    changed(
        deployment_fit,
        "prompt_tokens_max",
        "at_peak",
        ALL_OF_IT,
        lambda i: {"efficiency": 1} if i.efficiency < 1 and i.ttft_limit is not None else None,
    ),
    times(deployment_fit, "prompt_tokens_max", "multiply_adds", MULTIPLY_ADDS, lambda _: 2),
)

SLIPS = tuple(when_distinct(deployment_fit, slip) for slip in _SLIPS)
