"""FLOPs and memory traffic of one transformer layer, attention and MLP apart, in prefill and in decoding."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.attention_flops import CAUSAL, CAUSAL_HALF, FULL_SQUARE, MACS, SEQUENCE
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import element_bytes
from quiz.calculators.layer_cost import GUARDS, PHASES, is_plain, layer_compute, matrices
from quiz.calculators.parameter_count import FFN, GATED, HEAD_DIM, HEADS, HIDDEN, KV_HEADS, heads_of, shape_preset
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference


def _tokens(i: Values) -> int:
    return int(i.batch * (i.sequence if i.phase == "prefill" else 1))


def _queries(i: Values) -> int:
    heads, _, head_dim = heads_of(vars(i))
    return heads * head_dim


def _right(i: Values, output: str) -> Fraction:
    return Fraction(layer_compute(**vars(i))[output])


def _all_heads(i: Values) -> dict[str, Any] | None:
    return {"kv_heads": None} if i.kv_heads and i.kv_heads != i.heads else None


def _two_matrices(i: Values) -> dict[str, Any] | None:
    return {"gated": False} if i.gated else None


def _no_scores(i: Values, output: str) -> Number:
    attention, mlp = matrices(vars(i))
    return 2 * _tokens(i) * (attention + (mlp if output == "flops" else 0))


def _no_cache(i: Values, output: str) -> Number | None:
    if i.phase == "prefill":
        return None
    _, kv_heads, head_dim = heads_of(vars(i))
    return plain(_right(i, output) - decimal(i.kv_bytes) * 2 * kv_heads * head_dim * (i.batch * i.sequence))


def _weights_each(i: Values, output: str) -> Number | None:
    attention, mlp = matrices(vars(i))
    counted = {"attention_bytes": attention, "mlp_bytes": mlp, "bytes": attention + mlp}[output]
    return plain(_right(i, output) + decimal(i.weight_bytes) * counted * (i.batch - 1)) if i.batch > 1 else None


def _scores_stored(i: Values, output: str) -> Number | None:
    if i.phase == "decode":
        return None
    return plain(_right(i, output) + 4 * decimal(i.activation_bytes) * i.batch * i.heads * i.sequence**2)


def _quadratic(i: Values, output: str) -> Number | None:
    if i.phase == "prefill" or i.sequence == 1:
        return None
    return plain(_right(i, output) + 4 * _queries(i) * i.batch * i.sequence * (i.sequence - 1))


def _elements(i: Values) -> dict[str, Any] | None:
    bytes_ = (i.weight_bytes, i.activation_bytes, i.kv_bytes)
    return {"weight_bytes": 1, "activation_bytes": 1, "kv_bytes": 1} if set(bytes_) != {1} else None


def _other_mask(i: Values, causal: bool) -> dict[str, Any] | None:
    return {"causal": not causal} if i.phase == "prefill" and i.causal == causal else None


ALL_HEADS = Text("keys and values are given every query head, as without GQA", "没考虑 GQA，K、V 按 query 头数算了")
TWO_MATRICES = Text(
    "the MLP is counted with two matrices; a gated one has three", "MLP 按两个矩阵算了，门控 MLP 有三个"
)
NO_SCORES = Text("only the matrices are counted, not scores and values", "只算了矩阵乘，漏了分数和加权求和")
NO_CACHE = Text("reading the KV cache is left out", "漏了读 KV cache")
WEIGHTS_EACH = Text(
    "the weights are read again for each sequence; a batch reads them once",
    "每条序列都重读一遍权重，其实整个 batch 只读一次",
)
SCORES_STORED = Text(
    "the s×s scores are written to memory and read back, as without FlashAttention",
    "s×s 的分数写回显存又读出，没有用 FlashAttention",
)
QUADRATIC = Text(
    "decoding is given the square of the context; one new token meets each key once",
    "解码按上下文的平方算了，其实一个新 token 只和每个 K 算一次",
)
ELEMENTS = Text("elements are taken for bytes", "把元素个数当成了字节数")
FLOPS = ("attention_flops", "mlp_flops", "flops")
BYTES = ("attention_bytes", "mlp_bytes", "bytes")


def _of(function: Callable[[Values, str], Any], output: str) -> Callable[[Values], Any]:
    return lambda i: function(i, output)


def _flops_slips(output: str) -> tuple[Slip, ...]:
    found = [times(layer_compute, output, "macs", MACS, lambda _: 0.5)]
    if output != "mlp_flops":
        found += [
            changed(layer_compute, output, "gqa_ignored", ALL_HEADS, _all_heads),
            Slip("no_scores", output, NO_SCORES, _of(_no_scores, output)),
            Slip("quadratic", output, QUADRATIC, _of(_quadratic, output)),
            changed(layer_compute, output, "causal_half", CAUSAL_HALF, lambda i: _other_mask(i, False)),
            changed(layer_compute, output, "full_square", FULL_SQUARE, lambda i: _other_mask(i, True)),
        ]
    if output != "attention_flops":
        found.append(changed(layer_compute, output, "two_matrices", TWO_MATRICES, _two_matrices))
    return tuple(found)


def _bytes_slips(output: str) -> tuple[Slip, ...]:
    found = [
        changed(layer_compute, output, "elements_for_bytes", ELEMENTS, _elements),
        Slip("weights_each_sequence", output, WEIGHTS_EACH, _of(_weights_each, output)),
    ]
    if output != "mlp_bytes":
        found += [
            changed(layer_compute, output, "gqa_ignored", ALL_HEADS, _all_heads),
            Slip("no_cache", output, NO_CACHE, _of(_no_cache, output)),
            Slip("scores_stored", output, SCORES_STORED, _of(_scores_stored, output)),
        ]
    if output != "attention_bytes":
        found.append(changed(layer_compute, output, "two_matrices", TWO_MATRICES, _two_matrices))
    return tuple(found)


def _attention_flops_worked(i: Values, o: Values) -> str:
    attention, _ = matrices(vars(i))
    tokens, mask = f"{_tokens(i):,}", "/2" if i.causal and i.phase == "prefill" else ""
    pairs = f"{i.batch}·{i.sequence:,}" + ("²" if i.phase == "prefill" else "")
    total = figures.scaled(o.attention_flops, "FLOP")
    return f"2·{tokens}·{attention:,} + 4·{_queries(i):,}·{pairs}{mask} = {total}"


def _attention_bytes_worked(i: Values, o: Values) -> str:
    attention, _ = matrices(vars(i))
    _, kv_heads, head_dim = heads_of(vars(i))
    w, a, c = (figures.number(width) for width in (i.weight_bytes, i.activation_bytes, i.kv_bytes))
    moved = f"{a}·{_tokens(i):,}·(2·{i.hidden:,} + 4·{_queries(i):,})"
    cache = f"{c}·2·{kv_heads}·{head_dim}·({_tokens(i):,} + {i.batch}·{i.sequence:,})"
    return f"{w}·{attention:,} + {moved} + {cache} = {figures.size(o.attention_bytes)}"


def _mlp_bytes_worked(i: Values, o: Values) -> str:
    _, mlp = matrices(vars(i))
    w, a = figures.number(i.weight_bytes), figures.number(i.activation_bytes)
    moved = f"{a}·{_tokens(i):,}·2·({i.hidden:,} + {i.ffn:,})"
    return f"{w}·{mlp:,} + {moved} = {figures.size(o.mlp_bytes)}"


def _sum(unit: str, part: str) -> Callable[[Values, Values], str]:
    def worked(_: Values, o: Values) -> str:
        parts = [getattr(o, f"{name}_{part}") for name in ("attention", "mlp")]
        shown = [figures.scaled(value, unit) for value in (*parts, getattr(o, part))]
        return f"{shown[0]} + {shown[1]} = {shown[2]}"

    return worked


def _ratio(name: str) -> Callable[[Values, Values], str]:
    def worked(_: Values, o: Values) -> str:
        flops, size = getattr(o, f"{name}flops"), getattr(o, f"{name}bytes")
        value = figures.number(getattr(o, f"{name}intensity"))
        return f"{figures.scaled(flops, 'FLOP')}/{figures.scaled(size, 'B')} = {value} FLOP/byte"

    return worked


def _output(name: str, en: str, zh: str, unit: str, formula: str, worked: Any) -> Output:
    return Output(name, Text(en, zh), unit, formula, worked)


SLIPS = (
    *(slip for output in FLOPS for slip in _flops_slips(output)),
    *(slip for output in BYTES for slip in _bytes_slips(output)),
    *(times(layer_compute, f"{part}intensity", "macs", MACS, lambda _: 0.5) for part in ("attention_", "mlp_", "")),
    changed(layer_compute, "attention_intensity", "gqa_ignored", ALL_HEADS, _all_heads),
    changed(layer_compute, "intensity", "gqa_ignored", ALL_HEADS, _all_heads),
)

LAYER_COMPUTE = Calculator(
    name="layer_compute",
    title=Text("FLOPs and traffic of one layer", "一层的计算量与访存量"),
    inputs=(
        shape_preset(is_plain),
        HIDDEN,
        HEADS,
        KV_HEADS,
        HEAD_DIM,
        FFN,
        GATED,
        integer("batch", Text("sequences b", "序列数 b"), high=10**9, default=1),
        SEQUENCE,
        choice(
            "phase",
            Text("phase: prefill, or decode one token a sequence", "阶段：预填充，或每条序列解码一个 token"),
            PHASES,
        ),
        CAUSAL,
        *GUARDS,
        element_bytes("weight_bytes", Text("bytes a weight", "每个权重的字节数")),
        element_bytes("activation_bytes", Text("bytes an activation", "每个激活的字节数")),
        element_bytes("kv_bytes", Text("bytes a cached element", "缓存每个元素的字节数")),
    ),
    outputs=(
        _output(
            "attention_flops",
            "attention, FLOPs",
            "注意力计算量",
            "FLOP",
            "2·t·attention + 4·n·d·b·s² (decode b·s)",
            _attention_flops_worked,
        ),
        _output(
            "mlp_flops",
            "MLP, FLOPs",
            "MLP 计算量",
            "FLOP",
            "2·t·mlp",
            lambda i, o: f"2·{_tokens(i):,}·{matrices(vars(i))[1]:,} = {figures.scaled(o.mlp_flops, 'FLOP')}",
        ),
        _output("flops", "the layer, FLOPs", "整层计算量", "FLOP", "attention + MLP", _sum("FLOP", "flops")),
        _output(
            "attention_bytes",
            "attention, memory traffic",
            "注意力访存量",
            "byte",
            "w·attention + a·t·(2h + 4·n·d) + c·2·k·d·(t + b·s)",
            _attention_bytes_worked,
        ),
        _output("mlp_bytes", "MLP, memory traffic", "MLP 访存量", "byte", "w·mlp + a·t·(2h + 2f)", _mlp_bytes_worked),
        _output("bytes", "the layer, memory traffic", "整层访存量", "byte", "attention + MLP", _sum("B", "bytes")),
        _output(
            "attention_intensity",
            "attention, arithmetic intensity",
            "注意力的计算强度",
            "FLOP/byte",
            "FLOPs/bytes",
            _ratio("attention_"),
        ),
        _output(
            "mlp_intensity", "MLP, arithmetic intensity", "MLP 的计算强度", "FLOP/byte", "FLOPs/bytes", _ratio("mlp_")
        ),
        _output(
            "intensity", "the layer, arithmetic intensity", "整层的计算强度", "FLOP/byte", "FLOPs/bytes", _ratio("")
        ),
    ),
    compute=layer_compute,
    convention=Text(
        "the full square of scores (causal=true: half); traffic with FlashAttention and fused activation, weights read once",
        "分数按完整方阵（causal=true 为一半）；访存按 FlashAttention、激活融合、权重只读一次算",
    ),
    slips=tuple(when_distinct(layer_compute, slip) for slip in SLIPS),
    sources=(
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation, Appendix A", "https://arxiv.org/abs/2205.05198"
        ),
    ),
)

CALCULATORS = (LAYER_COMPUTE,)
