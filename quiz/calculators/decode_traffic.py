"""What one decoding step reads from memory: the weights that its tokens use, and every request's cache."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import BANDWIDTH, DEVICE, LONGEST, PARAMETERS, element_bytes
from quiz.calculators.kv_cache import kv_cache
from quiz.calculators.kv_shape import FORMULA, SHAPE, WINDOWS, shape_slips, total_slips
from quiz.calculators.kv_shape import SOURCES as KV_SOURCES
from quiz.calculators.moe_deployment import LOOK_UP, ONE_TOKEN, TIMES_BATCH
from quiz.calculators.slips import changed
from quiz.calculators.weights_read import ACTIVE, EMBEDDING, EXPERTS, MODEL, TOP_K, is_mixture, read_parameters
from quiz.language import Text
from quiz.reference import Reference


def decode_traffic(
    *,
    parameters: int,
    active_parameters: int | None,
    embedding: int,
    experts: int | None,
    top_k: int | None,
    weight_bytes: Number,
    batch: int,
    tokens: int,
    kv_bytes: Number,
    gpus: int,
    bandwidth: Number | None,
    **shape: Any,
) -> dict[str, Any]:
    """Bytes that a decoding step of `batch` requests with `tokens` of context each reads.

        weights = (parameters − embedding)·weight_bytes                       dense
        weights = (that − (parameters − active)·(1 − k/E)^(batch−1))·w        a mixture of experts: those touched, once
        kv = batch·tokens·per_token as kv_cache has it                        each request reads its own
        total = weights + kv      per_token = total/batch      time = total/(gpus·bandwidth), the floor of a step

    In byte and s; time is None without a bandwidth, and assumes that `gpus` ranks share the reading evenly. Activations
    and the written cache entry are left out (below 0.1 %). The input embedding is looked up, not read.
    BadInput without a shape; ValueError as read_parameters.
    Sources: DeepSeek-V3 (671B, 37B active), https://arxiv.org/abs/2412.19437; Insights into DeepSeek-V3, Table 1
    (70.272 KB a token), https://arxiv.org/abs/2505.09343; How to Scale Your Model, inference
    """
    read = read_parameters(parameters, active_parameters, embedding, experts, top_k, batch) * float(weight_bytes)
    weights: Number = int(read) if read == int(read) else read
    whole = {**shape, "tokens": tokens, "batch": batch, "bytes_per_element": kv_bytes, "tp": 1}
    kv = kv_cache(**whole)["total"]
    total = weights + kv
    return {
        "weights": weights,
        "kv": kv,
        "total": total,
        "per_token": plain(decimal(total) / batch),
        "time": None if bandwidth is None else float(total / (gpus * Fraction(bandwidth))),
    }


RESIDENT = Text(
    "every parameter is read each step, also experts that no token chose",
    "按每步读全部参数算了，没被选中的专家其实不读",
)
NO_KV = Text("the KV cache is left out", "漏了读 KV cache")
WEIGHTS_EACH = Text("each request is taken to read the weights anew", "按每个请求都重读一遍权重算了")


def _weights(i: Values, **changes: Any) -> Any:
    return decode_traffic(**{**vars(i), **changes})["weights"]


def _all_parameters(i: Values) -> Any:
    return plain(i.parameters * decimal(i.weight_bytes)) if is_mixture(i) else None


_WEIGHT_SLIPS = (
    when_distinct(decode_traffic, Slip("all_parameters", "weights", RESIDENT, _all_parameters)),
    Slip(
        "times_batch",
        "weights",
        TIMES_BATCH,
        lambda i: i.batch * _weights(i, batch=1) if i.batch > 1 and is_mixture(i) else None,
    ),
    Slip(
        "weights_for_each",
        "weights",
        WEIGHTS_EACH,
        lambda i: i.batch * _weights(i) if i.batch > 1 and not is_mixture(i) else None,
    ),
    Slip("one_token", "weights", ONE_TOKEN, lambda i: _weights(i, batch=1) if i.batch > 1 and is_mixture(i) else None),
    when_distinct(
        decode_traffic,
        changed(
            decode_traffic, "weights", "embedding_read", LOOK_UP, lambda i: {"embedding": 0} if i.embedding else None
        ),
    ),
)
_KV_SLIPS = (*shape_slips(decode_traffic, "kv", "kv_bytes"), *total_slips(decode_traffic, "kv"))
_CARRIED = ("all_parameters", "times_batch", "weights_for_each", "query_heads", "forgot_v", "mla_as_heads", "no_batch")


def _in_total(output: str) -> tuple[Slip, ...]:
    """Mistakes about one part, carried into the sum and what follows from it."""

    def carried(slip: Slip) -> Slip:
        def value(i: Values) -> Any:
            wrong, right = slip.value(i), decode_traffic(**vars(i))
            if wrong is None or right[output] is None:
                return None
            return right[output] * (right["total"] - right[slip.output] + wrong) / right["total"]

        return Slip(slip.name, output, slip.about, value)

    def without_kv(i: Values) -> Any:
        right = decode_traffic(**vars(i))
        return None if right[output] is None else right[output] * right["weights"] / right["total"]

    kept = tuple(carried(slip) for slip in (*_WEIGHT_SLIPS, *_KV_SLIPS) if slip.name in _CARRIED)
    return tuple(when_distinct(decode_traffic, slip) for slip in (*kept, Slip("no_kv", output, NO_KV, without_kv)))


def _weights_worked(i: Values, o: Values) -> str:
    base, width = f"{i.parameters - i.embedding:,}", figures.number(i.weight_bytes)
    if not is_mixture(i):
        return f"{base}·{width} = {figures.size(o.weights)}"
    spared = f"{i.parameters - i.active_parameters:,}·(1 − {i.top_k}/{i.experts})^{i.batch - 1:,}"
    return f"({base} − {spared})·{width} = {figures.size(o.weights)}"


def _kv_worked(i: Values, o: Values) -> str:
    if i.window:
        return f"{i.batch:,}·{figures.scaled(o.kv / i.batch, 'B')} = {figures.size(o.kv)}"
    width = figures.number(i.kv_bytes)
    each = f"({i.mla_latent} + {i.mla_rope or 0})" if i.mla_latent else f"2·{i.kv_heads}·{i.head_dim}"
    return f"{i.layers}·{each}·{width}·{i.tokens:,}·{i.batch:,} = {figures.size(o.kv)}"


def _time_worked(i: Values, o: Values) -> str:
    if o.time is None:
        return ""
    ranks = f"{i.gpus}·" if i.gpus > 1 else ""
    rate = figures.scaled(i.bandwidth, "B/s")
    return f"{figures.scaled(o.total, 'B')} / ({ranks}{rate}) = {figures.seconds(o.time)}"


DECODE_TRAFFIC = Calculator(
    name="decode_traffic",
    title=Text("Memory traffic of a decoding step", "每个 decode 步的访存量"),
    inputs=(
        MODEL,
        PARAMETERS,
        ACTIVE,
        EMBEDDING,
        optional(EXPERTS),
        optional(TOP_K),
        *SHAPE[1:],
        *WINDOWS,
        element_bytes("weight_bytes", Text("bytes a weight (FP8: 1)", "每个权重的字节数（FP8 为 1）")),
        integer("batch", Text("requests a step", "每步的请求数 batch"), high=10**7, default=1),
        integer("tokens", Text("context of a request", "每个请求的上下文长度"), unit="token", low=0, high=LONGEST),
        element_bytes("kv_bytes", Text("bytes a cached element", "KV cache 每个元素的字节数")),
        integer("gpus", Text("GPUs that share the reading", "分摊读取的 GPU 数"), high=100_000, default=1),
        DEVICE,
        optional(BANDWIDTH),
    ),
    outputs=(
        Output(
            "weights",
            Text("weights read", "读取的权重"),
            "byte",
            "(parameters − embedding − (parameters − active)·(1 − k/E)^(batch−1))·weight_bytes",
            _weights_worked,
        ),
        Output("kv", Text("KV cache read", "读取的 KV cache"), "byte", f"({FORMULA})·tokens·batch", _kv_worked),
        Output(
            "total",
            Text("in all", "合计"),
            "byte",
            "weights + kv",
            lambda _, o: f"{figures.scaled(o.weights, 'B')} + {figures.scaled(o.kv, 'B')} = {figures.size(o.total)}",
        ),
        Output(
            "per_token",
            Text("for each token of the step", "平均每个 token"),
            "byte",
            "total/batch",
            lambda i, o: f"{figures.scaled(o.total, 'B')} / {i.batch:,} = {figures.size(o.per_token)}",
        ),
        Output("time", Text("shortest time of a step", "每步最短时间"), "s", "total/(gpus·bandwidth)", _time_worked),
    ),
    compute=decode_traffic,
    convention=Text(
        "each weight once a step, experts routed evenly; the embedding is looked up; MLA's cache stored once",
        "每个权重每步读一次，专家路由均匀；embedding 只查表；MLA 的缓存只存一份",
    ),
    slips=(*_WEIGHT_SLIPS, *_KV_SLIPS, *_in_total("total"), *_in_total("time")),
    sources=(
        Reference("DeepSeek-V3 Technical Report", "https://arxiv.org/abs/2412.19437"),
        *KV_SOURCES,
        Reference(
            "How to Scale Your Model, serving LLaMA 3-70B", "https://jax-ml.github.io/scaling-book/applied-inference"
        ),
    ),
)

CALCULATORS = (DECODE_TRAFFIC,)
