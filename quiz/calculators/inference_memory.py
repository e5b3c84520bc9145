"""Memory of a serving deployment: weights, KV cache and a reserve, in all and on each GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import LONGEST, PARAMETERS, TP, element_bytes, model_of
from quiz.calculators.kv_cache import kv_cache
from quiz.calculators.kv_shape import (
    BATCH,
    BEYOND_HEADS,
    FORMULA,
    MLA_SPLIT,
    SHAPE,
    SOURCES,
    WINDOWS,
    shape_slips,
    share_of_fullest_gpu,
    total_slips,
)
from quiz.calculators.models import active_parameters
from quiz.calculators.slips import again, changed
from quiz.language import Text


def inference_memory(
    *,
    parameters: int,
    weight_bytes: Number,
    tokens: int,
    batch: int,
    kv_bytes: Number,
    tp: int,
    reserve: Number,
    **shape: Any,
) -> dict[str, Any]:
    """Bytes that serving takes.

        weights = parameters·weight_bytes               all of them: a mixture of experts keeps every expert resident
        kv = as kv_cache, of `batch` requests of `tokens` each (prompt and answer)
        total = weights + kv + tp·reserve
        per_gpu = weights/tp + kv·⌈kv_heads/tp⌉/kv_heads + reserve       MLA's cache is on every GPU

    In bytes; `reserve` is each GPU's: activations, workspaces, CUDA context. Norms and the like that tensor
    parallelism copies are left out (about 0.01 % of the weights).
    BadInput without a shape. Sources: as kv_cache; Hugging Face, Llama 3.1, "How much memory does Llama 3.1 need?"
    https://huggingface.co/blog/llama31
    """
    cache = kv_cache(tokens=tokens, batch=batch, bytes_per_element=kv_bytes, tp=tp, **shape)
    weights, kept = parameters * decimal(weight_bytes), decimal(reserve)
    return {
        "weights": plain(weights),
        "kv": cache["total"],
        "total": plain(weights + decimal(cache["total"]) + tp * kept),
        "per_gpu": plain(weights / tp + decimal(cache["per_gpu"]) + kept),
    }


ONE_BYTE = Text("a parameter is counted as one byte", "每个参数按 1 字节算了")
ACTIVE_ONLY = Text(
    "only the parameters that a token uses are counted; all experts stay resident",
    "只算了激活参数，而所有专家都要常驻显存",
)
WEIGHTS_ONLY = Text("only the weights are counted, not the cache", "只算了权重，漏了 KV cache")
NO_RESERVE = Text("the reserve of each GPU is left out", "漏了每张卡的预留显存")
NOT_SPLIT = Text("the whole deployment is put on one GPU", "没按张量并行分摊到每张卡")


def _active(i: Values) -> dict[str, Any] | None:
    model = model_of(i)
    return {"parameters": active_parameters(model)} if model and model.experts else None


def _of_total(output: str) -> tuple[Slip, ...]:
    def only_weights(i: Values) -> Any:
        weights = again(inference_memory, "weights", i)
        return weights if output == "total" else plain(decimal(weights) / i.tp)

    return (
        Slip("weights_only", output, WEIGHTS_ONLY, only_weights),
        changed(
            inference_memory,
            output,
            "one_byte_weights",
            ONE_BYTE,
            lambda i: {"weight_bytes": 1} if i.weight_bytes != 1 else None,
        ),
        changed(inference_memory, output, "active_only", ACTIVE_ONLY, _active),
        changed(inference_memory, output, "no_reserve", NO_RESERVE, lambda i: {"reserve": 0} if i.reserve else None),
        *_where_kv_changes(output),
    )


def _where_kv_changes(output: str) -> tuple[Slip, ...]:
    """The mistakes about the cache, carried into the sum."""

    def carried(slip: Slip) -> Slip:
        def value(i: Values) -> Any:
            wrong = slip.value(i)
            if wrong is None:
                return None
            gap = decimal(wrong) - decimal(again(inference_memory, "kv", i))
            share = share_of_fullest_gpu(i.tp, i.kv_heads, i.mla_latent) if output == "per_gpu" else 1
            return plain(decimal(again(inference_memory, output, i)) + gap * share)

        return Slip(slip.name, output, slip.about, value)

    kept = (
        "query_heads",
        "forgot_v",
        "mla_as_hidden",
        "mla_as_heads",
        "no_batch",
        "window_ignored",
        "window_everywhere",
    )
    return tuple(carried(slip) for slip in _KV_SLIPS if slip.name in kept)


def _kv_over(divisor: Callable[[Values], bool], about: Text, name: str) -> Slip:
    """per_gpu where the cache is divided by tp in spite of `divisor`."""

    def value(i: Values) -> Any:
        if not divisor(i):
            return None
        kv = decimal(again(inference_memory, "kv", i))
        share = share_of_fullest_gpu(i.tp, i.kv_heads, i.mla_latent)
        return plain(decimal(again(inference_memory, "per_gpu", i)) + kv / i.tp - kv * share)

    return Slip(name, "per_gpu", about, value)


_KV_SLIPS = (*shape_slips(inference_memory, "kv", "kv_bytes"), *total_slips(inference_memory, "kv"))


def _per_gpu_worked(i: Values, o: Values) -> str:
    share = share_of_fullest_gpu(i.tp, i.kv_heads, i.mla_latent)
    kept = f" + {figures.scaled(i.reserve, 'B')}" if i.reserve else ""
    return f"{figures.scaled(o.weights, 'B')}/{i.tp} + {figures.scaled(o.kv, 'B')}·{share}{kept} = {figures.size(o.per_gpu)}"


def _kv_worked(i: Values, o: Values) -> str:
    width = figures.number(i.kv_bytes)
    each = f"({i.mla_latent} + {i.mla_rope or 0})" if i.mla_latent else f"2·{i.kv_heads}·{i.head_dim}"
    kept = f"{i.layers}·{i.tokens:,}"
    if i.window:
        windowed = i.window_layers or i.layers
        kept = f"({i.layers - windowed}·{i.tokens:,} + {windowed}·{min(i.tokens, i.window):,})"
    return f"{each}·{width}·{kept}·{i.batch:,} = {figures.size(o.kv)}"


def _total_worked(i: Values, o: Values) -> str:
    kept = f" + {i.tp}·{figures.scaled(i.reserve, 'B')}" if i.reserve else ""
    return f"{figures.scaled(o.weights, 'B')} + {figures.scaled(o.kv, 'B')}{kept} = {figures.size(o.total)}"


INFERENCE_MEMORY = Calculator(
    name="inference_memory",
    title=Text("Memory of serving a model", "推理显存"),
    inputs=(
        PARAMETERS,
        element_bytes("weight_bytes", Text("bytes a weight", "每个权重的字节数")),
        *SHAPE,
        *WINDOWS,
        integer("tokens", Text("context of a request", "每个请求的上下文长度"), unit="token", low=0, high=LONGEST),
        BATCH,
        element_bytes("kv_bytes", Text("bytes a cached element", "KV cache 每个元素的字节数")),
        TP,
        number("reserve", Text("reserve of each GPU", "每张卡的预留显存"), unit="byte", high=1e15, default=0),
    ),
    outputs=(
        Output(
            "weights",
            Text("weights", "权重"),
            "byte",
            "parameters·weight_bytes",
            lambda i, o: f"{i.parameters:,}·{figures.number(i.weight_bytes)} = {figures.size(o.weights)}",
        ),
        Output(
            "kv",
            Text("KV cache of all requests", "全部请求的 KV cache"),
            "byte",
            f"({FORMULA})·tokens·batch",
            _kv_worked,
        ),
        Output("total", Text("in all", "合计"), "byte", "weights + kv + tp·reserve", _total_worked),
        Output(
            "per_gpu",
            Text("on each GPU", "每张 GPU"),
            "byte",
            "weights/tp + kv·⌈kv_heads/tp⌉/kv_heads + reserve",
            _per_gpu_worked,
        ),
    ),
    compute=inference_memory,
    convention=Text(
        "all parameters resident, the cache at full length; GB = 10⁹ bytes, GiB beside it",
        "全部参数常驻，KV 按满长度；GB 为 10⁹ 字节，括号里是 GiB",
    ),
    slips=(
        changed(inference_memory, "weights", "one_byte_weights", ONE_BYTE, lambda _: {"weight_bytes": 1}),
        changed(inference_memory, "weights", "active_only", ACTIVE_ONLY, _active),
        *_KV_SLIPS,
        *_of_total("total"),
        *_of_total("per_gpu"),
        changed(inference_memory, "per_gpu", "not_split", NOT_SPLIT, lambda i: {"tp": 1} if i.tp > 1 else None),
        _kv_over(lambda i: not i.mla_latent and i.tp > (i.kv_heads or i.tp), BEYOND_HEADS, "beyond_kv_heads"),
        _kv_over(lambda i: bool(i.mla_latent) and i.tp > 1, MLA_SPLIT, "mla_split"),
    ),
    sources=SOURCES,
)

CALCULATORS = (INFERENCE_MEMORY,)
