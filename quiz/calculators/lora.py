"""LoRA and QLoRA: trainable parameters, and the memory of base and adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import decimal, plain
from quiz.calculators.inputs import LAYERS, PARAMETERS, bytes_each
from quiz.calculators.layer_cost import GUARDS, is_plain, matrices
from quiz.calculators.parameter_count import FFN, GATED, HEAD_DIM, HEADS, HIDDEN, KV_HEADS, heads_of, shape_preset
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference

BITS = {
    "bf16": Fraction(16),
    "int8": Fraction(8),
    "nf4": 4 + Fraction(32, 64),
    "nf4-double": 4 + Fraction(8, 64) + Fraction(32, 64 * 256),
}
TARGETS = ("q,v", "q,k,v,o", "all-linear")
FULL = 16


def lora_memory(**given: Any) -> dict[str, Any]:
    """Trainable parameters of rank-r adapters, and bytes of a frozen base with them.

        adapter_parameters = L·r·Σ(in + out) over the adapted matrices    q, o: h + n·d   k, v: h + k·d   MLP: h + f each
        base = P·bits/8       bf16 16, int8 8, nf4 4 + 32/64, nf4-double 4 + 8/64 + 32/(64·256) = 4.127 bits
        adapters = state_bytes·adapter_parameters       16: weight, gradient, master weight, two moments
        total = base + adapters        full = 16·P of full fine-tuning

    base_linear quantizes the layers' matrices alone and keeps embedding, head and norms at 16 bits, as Linear4bit modules
    do. The base has no gradients and no optimizer states; its activations are kept as ever. Parameters and bytes.

    Sources: Hu et al. 2021, LoRA, §4.2, §7.1, https://arxiv.org/abs/2106.09685; Dettmers et al. 2023, QLoRA, §3,
    https://arxiv.org/abs/2305.14314; bitsandbytes, Linear4bit
    """
    parameters, bits = given["parameters"], BITS[given["base"]]
    trained = given["layers"] * given["rank"] * adapted_width(given)
    adapters = trained * decimal(given["state_bytes"])
    linear = given["layers"] * sum(matrices(given))
    return {
        "adapter_parameters": trained,
        "share": plain(Fraction(trained, parameters)),
        "base": plain(parameters * bits / 8),
        "base_linear": plain(linear * bits / 8 + 2 * (parameters - linear)),
        "adapters": plain(adapters),
        "total": plain(parameters * bits / 8 + adapters),
        "full": FULL * parameters,
        "saving": plain(FULL * parameters / (parameters * bits / 8 + adapters)),
    }


def adapted_width(given: Mapping[str, Any]) -> int:
    """Σ(in + out) of one layer's adapted matrices."""
    heads, kv_heads, head_dim = heads_of(given)
    hidden, queries, keys = given["hidden"], heads * head_dim, kv_heads * head_dim
    two = (hidden + queries) + (hidden + keys)
    if given["targets"] == "q,v":
        return int(two)
    mlp = (3 if given["gated"] else 2) * (hidden + given["ffn"]) if given["targets"] == "all-linear" else 0
    return int(2 * two + mlp)


def _all_heads(i: Values) -> dict[str, Any] | None:
    return {"kv_heads": None} if i.kv_heads and i.kv_heads != i.heads else None


def _two_matrices(i: Values) -> dict[str, Any] | None:
    return {"gated": False} if i.gated and i.targets == "all-linear" else None


def _one_layer(i: Values) -> dict[str, Any] | None:
    return {"layers": 1} if i.layers > 1 else None


def _half(output: str) -> Callable[[Values], Any]:
    return lambda i: plain(Fraction(again(lora_memory, output, i)) / 2)


def _square(i: Values) -> int:
    """r·in·out instead of r·(in + out), for as many matrices of the hidden size as are adapted."""
    count = {"q,v": 2, "q,k,v,o": 4, "all-linear": 7 if i.gated else 6}[i.targets]
    return int(i.layers * i.rank * count * i.hidden)


def _sixteen_bits(i: Values) -> dict[str, Any] | None:
    return {"base": "bf16"} if i.base != "bf16" else None


def _four_bits(i: Values) -> Any:
    if not i.base.startswith("nf4"):
        return None
    return plain(Fraction(i.parameters, 2) + Fraction(again(lora_memory, "adapters", i)))


ONE_MATRIX = Text("one of the two low-rank matrices is counted, r once", "只算了两个低秩矩阵中的一个，r 只算了一次")
SQUARE = Text("every adapted matrix is given one side of the hidden size, r·h", "每个矩阵只按 r·h 算，漏了另一边")
ALL_HEADS = Text("k and v are given the queries' width, as without GQA", "没考虑 GQA，k、v 按 query 宽度算了")
TWO_MATRICES = Text("the MLP is adapted in two matrices; a gated one has three", "MLP 按两个矩阵算了，门控 MLP 有三个")
ONE_LAYER = Text("one layer is counted, not all", "只算了一层，应乘上层数")
WEIGHTS_ONLY = Text("the adapters' gradients and optimizer states are left out", "漏了适配器的梯度和优化器状态")
BASE_TRAINED = Text("the frozen base is given gradients and optimizer states too", "给冻结的底座也算了梯度和优化器状态")
SIXTEEN_BITS = Text("the base is counted in 16 bits, though it is quantized", "底座按 16 位算了，而它已量化")
FOUR_BITS = Text("the scales are left out: 4.0 bits a weight", "漏了量化常数，按每权重 4.0 位算了")
NO_BASE = Text("the frozen base is left out", "漏了冻结的底座")

SLIPS = (
    *(
        slip
        for output in ("adapter_parameters", "share", "adapters")
        for slip in (
            Slip("one_matrix", output, ONE_MATRIX, _half(output)),
            changed(lora_memory, output, "gqa_ignored", ALL_HEADS, _all_heads),
            changed(lora_memory, output, "two_matrices", TWO_MATRICES, _two_matrices),
            changed(lora_memory, output, "one_layer", ONE_LAYER, _one_layer),
        )
    ),
    Slip("one_side", "adapter_parameters", SQUARE, _square),
    changed(
        lora_memory,
        "adapters",
        "weights_only",
        WEIGHTS_ONLY,
        lambda i: {"state_bytes": 2} if i.state_bytes != 2 else None,
    ),
    *(
        changed(lora_memory, output, "sixteen_bits", SIXTEEN_BITS, _sixteen_bits)
        for output in ("base", "base_linear", "total", "saving")
    ),
    Slip("four_bits", "base", FOUR_BITS, lambda i: i.parameters / 2 if i.base.startswith("nf4") else None),
    Slip("four_bits", "total", FOUR_BITS, _four_bits),
    Slip(
        "all_quantized",
        "base_linear",
        Text("embedding and head are quantized too", "词表和输出头也按量化算了"),
        lambda i: again(lora_memory, "base", i),
    ),
    Slip("base_trained", "total", BASE_TRAINED, lambda i: again(lora_memory, "full", i)),
    Slip("no_base", "total", NO_BASE, lambda i: again(lora_memory, "adapters", i)),
)


def _width(i: Values) -> str:
    heads, kv_heads, head_dim = heads_of(vars(i))
    h, q, k = f"{i.hidden:,}", f"{heads * head_dim:,}", f"{kv_heads * head_dim:,}"
    times_two = "" if i.targets == "q,v" else "2·"
    attention = f"{times_two}(({h} + {q}) + ({h} + {k}))"
    mlp = f" + {3 if i.gated else 2}·({h} + {i.ffn:,})" if i.targets == "all-linear" else ""
    return f"({attention}{mlp})" if mlp else attention


def _bits(i: Values) -> str:
    return figures.number(float(BITS[i.base]), 5)


def _linear_worked(i: Values, o: Values) -> str:
    linear = i.layers * sum(matrices(vars(i)))
    return f"{linear:,}·{_bits(i)}/8 + {i.parameters - linear:,}·2 = {figures.size(o.base_linear)}"


LORA_MEMORY = Calculator(
    name="lora_memory",
    title=Text("LoRA and QLoRA memory", "LoRA 与 QLoRA 显存"),
    inputs=(
        shape_preset(is_plain),
        PARAMETERS,
        LAYERS,
        HIDDEN,
        HEADS,
        KV_HEADS,
        HEAD_DIM,
        FFN,
        GATED,
        *GUARDS,
        integer("rank", Text("rank r", "秩 r"), high=65_536),
        choice("targets", Text("adapted matrices", "加适配器的矩阵"), TARGETS, default="q,v"),
        choice("base", Text("format of the frozen base", "冻结底座的格式"), tuple(BITS), default="bf16"),
        bytes_each("state_bytes", Text("bytes an adapter parameter", "每个适配器参数的字节数"), FULL),
    ),
    outputs=(
        Output(
            "adapter_parameters",
            Text("trainable parameters", "可训练参数量"),
            "parameter",
            "L·r·Σ(in + out)",
            lambda i, o: f"{i.layers}·{i.rank}·{_width(i)} = {o.adapter_parameters:,}",
        ),
        Output(
            "share",
            Text("of all parameters", "占总参数量的比例"),
            "",
            "adapter_parameters/P",
            lambda i, o: f"{o.adapter_parameters:,}/{i.parameters:,} = {figures.percent(o.share)}",
        ),
        Output(
            "base",
            Text("frozen base, all of it in that format", "冻结底座（全部按该格式）"),
            "byte",
            "P·bits/8",
            lambda i, o: f"{i.parameters:,}·{_bits(i)}/8 = {figures.size(o.base)}",
        ),
        Output(
            "base_linear",
            Text("frozen base, embedding, head and norms in 16 bits", "冻结底座（词表、输出头和 norm 保持 16 位）"),
            "byte",
            "linear·bits/8 + 2·the rest",
            _linear_worked,
        ),
        Output(
            "adapters",
            Text("adapters with gradients and optimizer", "适配器（含梯度与优化器）"),
            "byte",
            "16·adapter_parameters",
            lambda i, o: f"{figures.number(i.state_bytes)}·{o.adapter_parameters:,} = {figures.size(o.adapters)}",
        ),
        Output(
            "total",
            Text("base and adapters, without activations", "底座加适配器（不含激活）"),
            "byte",
            "P·bits/8 + 16·adapter_parameters",
            lambda _, o: f"{figures.size(o.base)} + {figures.size(o.adapters)} = {figures.size(o.total)}",
        ),
        Output(
            "full",
            Text("full fine-tuning", "全参数微调"),
            "byte",
            "16·P",
            lambda i, o: f"16·{i.parameters:,} = {figures.size(o.full)}",
        ),
        Output(
            "saving",
            Text("full fine-tuning over it", "全参数微调是它的几倍"),
            "",
            "full/total",
            lambda _, o: f"{figures.size(o.full)}/{figures.size(o.total)} = {figures.number(o.saving)}",
        ),
    ),
    compute=lora_memory,
    convention=Text(
        "activations are not saved by LoRA and come on top; base counts every parameter in the base's format, "
        "base_linear only the layers' matrices",
        "LoRA 不省激活，激活另算；base 把全部参数按底座格式计，base_linear 只量化各层矩阵",
    ),
    slips=tuple(when_distinct(lora_memory, slip) for slip in SLIPS),
    sources=(
        Reference("Hu et al. 2021, LoRA, §4.2 and §7.1", "https://arxiv.org/abs/2106.09685"),
        Reference("Dettmers et al. 2023, QLoRA, §3", "https://arxiv.org/abs/2305.14314"),
        Reference("bitsandbytes, Linear4bit", "https://huggingface.co/docs/bitsandbytes/reference/quantization"),
    ),
)

CALCULATORS = (LORA_MEMORY,)
