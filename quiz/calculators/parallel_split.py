"""Model states under tensor, pipeline, context and data parallelism, and the layouts that a cluster allows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quiz.calculators.exact import Number, decimal, plain
from quiz.errors import BadInput
from quiz.language import Text


def bytes_of_parameter(
    shards: int, zero: int, weight_bytes: Number, gradient_bytes: Number, optimizer_bytes: Number, **_: Any
) -> Fraction:
    """Bytes that one parameter of a model shard takes on a GPU, with ZeRO over `shards` GPUs."""
    widths = ((weight_bytes, 3), (gradient_bytes, 2), (optimizer_bytes, 1))
    return sum((decimal(width) / (shards if zero >= stage else 1) for width, stage in widths), Fraction(0))


def parallel_memory(**given: Any) -> dict[str, Any]:
    """Bytes of model states on a GPU of a layout of tp·pp·cp·dp GPUs.

        dp = gpus/(tp·pp·cp)
        per_gpu = P/(tp·pp)·(w + g + o), o over dp·cp from ZeRO-1, g from ZeRO-2, w at ZeRO-3
        first_stage = (layers' parameters/pp + V·h)/tp·(the same); with one stage an untied head too

    Data parallelism copies weights; ZeRO shares states in the dp·cp GPUs that hold the same shard, never over tp and pp. The
    first stage has the embedding beside its layers (Megatron's most loaded shard); None without hidden and vocab.
    kv_copies is how many of the tp GPUs hold the same KV head. w, g, o: bytes of `weight_bytes`, `gradient_bytes`,
    `optimizer_bytes`; activations come on top. Bytes. BadInput where tp·pp·cp does not divide the GPUs, ValueError for more embedding than parameters.

    Source: Megatron-LM, megatron/training/theoretical_memory_usage.py and docs/user-guide/features/dist_optimizer.md
    """
    tp, pp = given["tp"], given["pp"]
    dp = data_parallel(given["gpus"], tp * pp * given["cp"])
    each = bytes_of_parameter(dp * given["cp"], **_states(given))
    most = most_loaded(given)
    return {
        "dp": dp,
        "bytes_per_parameter": plain(each),
        "per_gpu": plain(given["parameters"] * each / (tp * pp)),
        "first_stage": None if most is None else plain(most * each),
        "kv_copies": None if given["kv_heads"] is None else max(1, plain(Fraction(tp, given["kv_heads"]))),
    }


def data_parallel(gpus: int, model_parallel: int) -> int:
    """Replicas of a model that takes `model_parallel` GPUs. BadInput where that does not divide them."""
    if gpus % model_parallel:
        raise BadInput(
            Text(
                f"tp·pp·cp is {model_parallel}, which does not divide {gpus} GPUs",
                f"tp·pp·cp 是 {model_parallel}，不能整除 {gpus} 张 GPU",
            )
        )
    return gpus // model_parallel


def most_loaded(given: dict[str, Any]) -> Fraction | None:
    """Parameters of one GPU of the first stage, embedding included; None without the embedding's shape."""
    if given["hidden"] is None or given["vocab"] is None:
        return None
    table = given["hidden"] * given["vocab"]
    block = given["parameters"] - table * (1 if given["tied"] else 2)
    if block < 0:
        raise ValueError(f"embedding and head of {given['parameters'] - block:,} are more than all parameters")
    head = table if given["pp"] == 1 and not given["tied"] else 0
    return Fraction(Fraction(block, given["pp"]) + table + head) / int(given["tp"])


@dataclass(frozen=True, slots=True)
class Layout:
    """tp·pp·dp GPUs and the bytes of model states on each."""

    tp: int
    pp: int
    dp: int
    size: Fraction


def parallel_layouts(**given: Any) -> dict[str, Any]:
    """The (tp, pp, dp) into which a model's layers, heads and GPUs divide, and the smallest model-parallel one that fits.

    legal: tp divides a node's GPUs, the heads and the KV heads; pp divides the layers; tp·pp divides the GPUs.
    fitting: of those, where states per GPU, P/(tp·pp)·(w + g + o over dp as ZeRO shares them), take no more than memory −
    reserve. smallest is the least tp·pp among them, with the fewest stages where several have it; tp, pp, dp and per_gpu
    are of that one. All None where nothing fits. The reserve is for activations, buffers and the framework.

    Source: Narayanan et al. 2021, §3 (tensor parallelism inside a node, pipelines across, data parallelism last),
    https://arxiv.org/abs/2104.04473
    """
    legal = list(layouts(given))
    room = Fraction(given["memory"]) - Fraction(given["reserve"])
    fitting = [layout for layout in legal if layout.size <= room]
    best = min(fitting, key=lambda layout: (layout.tp * layout.pp, layout.pp), default=None)
    return {
        "legal": len(legal),
        "fitting": len(fitting),
        "smallest": best.tp * best.pp if best else None,
        "tp": best.tp if best else None,
        "pp": best.pp if best else None,
        "dp": best.dp if best else None,
        "per_gpu": plain(best.size) if best else None,
    }


def layouts(given: dict[str, Any]) -> Iterator[Layout]:
    """Every legal layout of `given`, small tp first."""
    kv_heads = given["kv_heads"] or given["heads"]
    for tp in divisors(given["gpus_per_node"]):
        if given["heads"] % tp or kv_heads % tp:
            continue
        for pp in divisors(given["layers"]):
            if given["gpus"] % (tp * pp) == 0:
                dp = given["gpus"] // (tp * pp)
                yield Layout(tp, pp, dp, given["parameters"] * bytes_of_parameter(dp, **_states(given)) / (tp * pp))


def divisors(number: int) -> list[int]:
    """All divisors, ascending."""
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    return sorted({*small, *(number // d for d in small)})


def _states(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("zero", "weight_bytes", "gradient_bytes", "optimizer_bytes")}
