"""Activation memory: what the forward pass keeps for the backward pass, and what recomputation saves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.activation_count import MODES, activation_memory, layer_tensors
from quiz.calculators.base import Calculator, Input, Output, Slip, Values, choice, flag, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.inputs import LAYERS, TP
from quiz.calculators.layer_cost import GUARDS, is_plain
from quiz.calculators.models import MODELS
from quiz.calculators.parameter_count import GATED, HEAD_DIM, HEADS, HIDDEN, KV_HEADS, fill_shape, shape_preset
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference


def _gpt_block(i: Values) -> dict[str, Any] | None:
    if not i.gated and i.dropout and i.kv_heads in (None, i.heads) and i.ffn in (None, 4 * i.hidden):
        return None
    return {"gated": False, "dropout": True, "kv_heads": None, "head_dim": None, "heads": i.heads, "ffn": None}


def _safe_gpt_block(i: Values) -> dict[str, Any] | None:
    return _gpt_block(i) if i.hidden % i.heads == 0 else None


def _charged(i: Values) -> dict[str, Any] | None:
    if i.recompute == "none" and i.flash_attention:
        return {"flash_attention": False}
    return {"recompute": "none", "flash_attention": False} if i.recompute == "selective" else None


def _no_scores(i: Values) -> dict[str, Any] | None:
    return {"flash_attention": True} if i.recompute == "none" and not i.flash_attention else None


def _all_split(i: Values) -> dict[str, Any] | None:
    return {"sequence_parallel": True} if i.tp > 1 and not i.sequence_parallel and i.recompute != "full" else None


def _sequence_whole(i: Values) -> dict[str, Any] | None:
    return {"sequence_parallel": False} if i.sequence_parallel else None


def _not_recomputed(i: Values) -> dict[str, Any] | None:
    return {"recompute": "none"} if i.recompute == "full" else None


def _halved(output: str) -> Callable[[Values], Any]:
    return lambda i: None if i.dropout else plain(Fraction(activation_memory(**vars(i))[output]) / 2)


def _pipeline_divides(output: str) -> Callable[[Values], Any]:
    return lambda i: plain(Fraction(activation_memory(**vars(i))[output]) / i.pp) if i.pp > 1 else None


def _no_working_set(i: Values) -> Any:
    found = activation_memory(**vars(i))
    return found["total"] - found["working_set"]


CHARGED = Text(
    "the s×s scores are counted, though they are not kept here", "把 s×s 的分数也算进去了，而这里并不保存它们"
)
NO_SCORES = Text("the s×s scores are left out, though they are kept", "漏了 s×s 的分数，而这里要保存它们")
ALL_SPLIT = Text(
    "everything is divided by t; without sequence parallelism norms, block inputs and dropout masks stay whole",
    "全部除以了 t，而没有序列并行时 norm、块输入和 dropout 掩码不切分",
)
SEQUENCE_WHOLE = Text("sequence parallelism's division by t is left out", "没考虑序列并行再除以 t")
NOT_RECOMPUTED = Text("nothing is recomputed in this figure", "按不重算算了")
ONE_LAYER = Text("one layer is counted, not all", "只算了一层，应乘上层数")
PIPELINE_DIVIDES = Text(
    "pipelining is taken to divide activations by p; the first stage holds p micro-batches",
    "以为流水线让激活除以 p，而首级要同时保留 p 个 micro-batch",
)
GPT_BLOCK = Text("the 34·s·b·h of a GPT block is applied to another block", "把 GPT 块的 34·s·b·h 套到了别的结构上")
CONTEXT_WHOLE = Text("context parallelism is not taken into account", "没除以上下文并行度")
ELEMENTS = Text("elements are counted, not their two bytes", "数的是元素个数，没乘 2 字节")
NO_WORKING_SET = Text("the layer that is being recomputed is left out", "漏了正在重算的那一层")
SIZES = ("per_layer", "stored", "total")

SLIPS = (
    *(
        changed(activation_memory, output, name, about, change)
        for output in SIZES
        for name, about, change in (
            ("scores_charged", CHARGED, _charged),
            ("no_scores", NO_SCORES, _no_scores),
            ("all_split", ALL_SPLIT, _all_split),
            ("no_sequence_parallel", SEQUENCE_WHOLE, _sequence_whole),
            ("not_recomputed", NOT_RECOMPUTED, _not_recomputed),
            ("gpt_block", GPT_BLOCK, _safe_gpt_block),
            ("no_context_parallel", CONTEXT_WHOLE, lambda i: {"cp": 1} if i.cp > 1 else None),
        )
    ),
    *(
        changed(activation_memory, output, "one_layer", ONE_LAYER, lambda i: {"layers": 1} if i.layers > 1 else None)
        for output in ("stored", "total")
    ),
    *(Slip("pipeline_divides", output, PIPELINE_DIVIDES, _pipeline_divides(output)) for output in ("stored", "total")),
    *(Slip("elements", output, ELEMENTS, _halved(output)) for output in ("per_layer", "stored")),
    Slip("no_working_set", "total", NO_WORKING_SET, _no_working_set),
    changed(activation_memory, "factor", "scores_charged", CHARGED, _charged),
    changed(activation_memory, "factor", "no_scores", NO_SCORES, _no_scores),
    changed(activation_memory, "factor", "all_split", ALL_SPLIT, _all_split),
    changed(activation_memory, "factor", "no_sequence_parallel", SEQUENCE_WHOLE, _sequence_whole),
    changed(activation_memory, "factor", "not_recomputed", NOT_RECOMPUTED, _not_recomputed),
    changed(activation_memory, "factor", "gpt_block", GPT_BLOCK, _safe_gpt_block),
)


def _layer_worked(i: Values, o: Values) -> str:
    rows = f"{i.batch}·{i.sequence:,}" + (f"/{i.cp}" if i.cp > 1 else "")
    return f"{rows}·{i.hidden:,}·{figures.number(o.factor)} = {figures.size(o.per_layer)}"


def _factor_worked(i: Values, o: Values) -> str:
    """34 + 5·a·s/h, as its parts over s·b·h."""
    tensors = layer_tensors(vars(i))
    whole, split, scores = (float(tensors[part] / tensors["token"]) for part in ("whole", "split", "scores"))
    if i.recompute == "full":
        return f"2/{i.tp} = {figures.number(o.factor)}" if i.sequence_parallel else "2"
    parts = [figures.number(whole) + (f"/{i.tp}" if i.sequence_parallel else "")]
    parts.append(figures.number(split) + (f"/{i.tp}" if i.tp > 1 else ""))
    if i.recompute == "none" and not i.flash_attention:
        parts.append(figures.number(scores) + (f"/{i.tp}" if i.tp > 1 else ""))
    return f"{' + '.join(parts)} = {figures.number(o.factor)}"


def _stored_worked(i: Values, o: Values) -> str:
    more = f"·(1 + ({i.pp}−1)/({i.pp}·{i.chunks}))" if i.chunks > 1 else ""
    return f"{i.layers}·{figures.size(o.per_layer)}{more} = {figures.size(o.stored)}"


def _total_worked(_: Values, o: Values) -> str:
    parts = [figures.size(part) for part in (o.stored, o.working_set, o.outside) if part]
    return f"{' + '.join(parts)} = {figures.size(o.total)}"


def _fill(name: str, bound: Any) -> dict[str, Any]:
    """The shape; the ungated presets, GPT's, train with dropout."""
    return {**fill_shape(name, bound), "dropout": not MODELS[name].gated, "vocab": None}


def _model() -> Input:
    plain_models = shape_preset(is_plain)
    return Input("model", "preset", plain_models.about, choices=plain_models.choices, required=False, fills=_fill)


ACTIVATION_MEMORY = Calculator(
    name="activation_memory",
    title=Text("Activation memory", "激活显存"),
    inputs=(
        _model(),
        integer("batch", Text("sequences in a micro-batch b", "micro-batch 的序列数 b"), high=10**6, default=1),
        integer("sequence", Text("tokens a sequence s", "每条序列的 token 数 s"), unit="token", high=10**9),
        HIDDEN,
        HEADS,
        KV_HEADS,
        HEAD_DIM,
        optional(integer("ffn", Text("width of the MLP f (4·h if absent)", "MLP 宽度 f（不给则 4·h）"), high=10**8)),
        GATED,
        *GUARDS,
        flag("dropout", Text("dropout in attention and after both blocks", "注意力内和两个子块之后有 dropout")),
        flag("flash_attention", Text("FlashAttention: scores are never stored", "用 FlashAttention，不保存分数")),
        choice("recompute", Text("recomputation", "重算方式"), MODES, default="none"),
        LAYERS,
        TP,
        flag("sequence_parallel", Text("sequence parallelism beside tp", "在 tp 组内做序列并行")),
        integer("pp", Text("pipeline stages p (1F1B)", "流水线级数 p（1F1B）"), high=1024, default=1),
        integer(
            "chunks", Text("model chunks a stage v (interleaved)", "每级模型段数 v（交错调度）"), high=64, default=1
        ),
        integer("cp", Text("context-parallel GPUs", "上下文并行的 GPU 数"), high=4096, default=1),
        optional(integer("vocab", Text("vocabulary, to count the logits", "词表大小（给了才计 logits）"), high=10**8)),
    ),
    outputs=(
        Output(
            "per_layer",
            Text("one layer, one micro-batch, each GPU", "每卡、一层、一个 micro-batch"),
            "byte",
            "s·b·h·factor",
            _layer_worked,
        ),
        Output(
            "factor",
            Text("bytes a token and hidden element, one layer", "每层激活是 s·b·h 的多少倍"),
            "",
            "GPT block: 10 + 24/t + 5·a·s/(h·t); sequence parallel (34 + 5·a·s/h)/t; no scores 34; full 2",
            _factor_worked,
        ),
        Output(
            "stored",
            Text("all layers' worth, on the first stage's GPU", "首级每卡保存的全部激活"),
            "byte",
            "L·per_layer; interleaved × (1 + (p−1)/(p·v))",
            _stored_worked,
        ),
        Output(
            "working_set",
            Text("what recomputation holds of one layer", "重算时一层的临时激活"),
            "byte",
            "full: one layer's tensors; selective: its scores",
            lambda _, o: figures.size(o.working_set),
        ),
        Output(
            "outside",
            Text("embedding, head and logits (with vocab)", "词表、输出头与 logits（需给 vocab）"),
            "byte",
            "s·b·h·p + 4·s·b·(h + V) where p = 1",
            lambda _, o: figures.size(o.outside) if o.outside is not None else "",
        ),
        Output(
            "total",
            Text("peak of the first stage's GPU", "首级每卡的峰值"),
            "byte",
            "stored + working_set + outside",
            _total_worked,
        ),
    ),
    compute=activation_memory,
    convention=Text(
        "34·s·b·h is a GPT block's (MHA, GELU, 4·h, dropout); other blocks are counted from their own tensors, "
        "16-bit, with fused SwiGLU",
        "34·s·b·h 只对应 GPT 块（MHA、GELU、4h、dropout）；其他结构按各自的 16 位张量逐个数，SwiGLU 视为融合",
    ),
    slips=tuple(when_distinct(activation_memory, slip) for slip in SLIPS),
    sources=(
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models, §4, Table 2",
            "https://arxiv.org/abs/2205.05198",
        ),
    ),
)

CALCULATORS = (ACTIVATION_MEMORY,)
