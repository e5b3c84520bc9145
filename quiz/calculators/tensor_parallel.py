"""Tensor parallelism: what the all-reduces of a transformer layer move."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, flag, integer, number
from quiz.calculators.exact import Number, decimal, plain
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

FORWARD = BACKWARD = RECOMPUTED = 2


def all_reduces(training: bool, recompute: bool) -> int:
    """All-reduces of one layer: one after attention and one after the MLP, again backward, again recomputed."""
    return FORWARD + (BACKWARD if training else 0) + (RECOMPUTED if recompute else 0)


def tensor_parallel_traffic(
    *,
    batch: int,
    sequence: int,
    hidden: int,
    tp: int,
    layers: int,
    bytes_per_element: Number,
    training: bool,
    recompute: bool,
) -> dict[str, Any]:
    """What each of t = `tp` GPUs sends for one micro-batch of b = `batch` sequences of s = `sequence` tokens.

    Every all-reduce is over a tensor of b·s·h elements and a ring sends 2·(t−1)/t of it from each GPU, so that a
    layer moves 2·(t−1)/t·b·s·h elements for each of its all-reduces: 2 in the forward pass, 2 in the backward pass
    (the input gradients of the column-parallel matrices), 2 more where full recomputation runs the forward pass
    again. In training that is 8·b·s·h·(t−1)/t a layer.

    elements and bytes are of one GPU, all `layers`, one micro-batch. Sequence parallelism splits every all-reduce into
    a reduce-scatter and an all-gather and moves the same. Embedding and output layer are not counted.
    BadInput for recompute without training.

    Sources: Narayanan et al. 2021, §2.3 and §3.2, https://arxiv.org/abs/2104.04473; Rajbhandari et al. 2020, ZeRO, §8
    (six all-reduces with recomputation), https://arxiv.org/abs/1910.02054
    """
    if recompute and not training:
        raise BadInput(
            Text(
                "recompute belongs to training: nothing is recomputed in inference; set training=true or drop it",
                "recompute 只用于训练，推理不做重算；请设 training=true 或去掉它",
            )
        )
    count = all_reduces(training, recompute)
    elements = layers * count * _ring(tp) * batch * sequence * hidden
    return {
        "all_reduces": count,
        "elements": plain(elements),
        "bytes": plain(elements * decimal(bytes_per_element)),
    }


def _ring(tp: int) -> Fraction:
    return Fraction(2 * (tp - 1), tp)


def _tensor(i: Values) -> int:
    return int(i.batch * i.sequence * i.hidden)


def _elements(i: Values, count: int | None = None) -> Fraction:
    return _ring(i.tp) * int(i.layers * (count or all_reduces(i.training, i.recompute)) * _tensor(i))


def _bytes(i: Values, elements: Fraction) -> Number:
    return plain(elements * decimal(i.bytes_per_element))


def _product(i: Values, o: Values) -> str:
    layers = f"{i.layers}·" if i.layers > 1 else ""
    return f"{layers}{o.all_reduces}·2·({i.tp}−1)/{i.tp}·{i.batch:,}·{i.sequence:,}·{i.hidden:,}"


ONLY_FORWARD = Text("only the two all-reduces of the forward pass are counted", "只算了前向的两次 all-reduce")
ALSO_BACKWARD = Text("the backward pass is counted, which inference does not have", "把推理没有的反向也算进去了")
NO_RECOMPUTE = Text(
    "the two all-reduces of the recomputed forward pass are left out", "漏了重算前向时的两次 all-reduce"
)
ONE_A_LAYER = Text(
    "one all-reduce a layer is counted in each pass, not two", "每趟每层只算了一次 all-reduce，实际有两次"
)
NO_SHARE = Text("the factor (t−1)/t is left out", "漏了系数 (t−1)/t")
NO_TWO = Text(
    "an all-reduce is taken to send (t−1)/t of the tensor, not twice that",
    "按 all-reduce 只发 (t−1)/t 份张量来算，漏了系数 2",
)
TENSOR_ONLY = Text("each all-reduce is taken to send its tensor once", "按每次 all-reduce 只把张量发一遍来算")
ONE_LAYER = Text("one layer is counted, not all of them", "只算了一层，没有乘层数")
ALL_GPUS = Text("the traffic of all GPUs together is taken for one GPU's", "把所有卡的总量当成每卡的量")

TENSOR_PARALLEL_TRAFFIC = Calculator(
    name="tensor_parallel_traffic",
    title=Text("Tensor parallelism: communication", "张量并行的通信量"),
    inputs=(
        integer("batch", Text("sequences in a micro-batch b", "micro-batch 的序列数 b"), high=1_000_000),
        integer(
            "sequence",
            Text("tokens a sequence s (1 in decoding)", "每条序列的 token 数 s（解码时为 1）"),
            unit="token",
            high=10**9,
        ),
        integer("hidden", Text("hidden size h", "隐藏维度 h"), high=10**6),
        integer("tp", Text("tensor-parallel GPUs t", "张量并行度 t"), low=2, high=4096),
        integer("layers", Text("layers (of the pipeline stage)", "层数（该流水级的）"), high=10_000, default=1),
        number("bytes_per_element", Text("bytes an element", "每个元素的字节数"), low=0.125, high=8, default=2),
        flag("training", Text("training: forward and backward", "训练：前向加反向"), default=True),
        flag("recompute", Text("full activation recomputation", "全量重算激活")),
    ),
    outputs=(
        Output(
            "all_reduces",
            Text("all-reduces a layer", "每层 all-reduce 次数"),
            "",
            "2 forward + 2 backward + 2 recomputed",
            lambda _, o: " + ".join(["2"] * (o.all_reduces // 2)) + f" = {o.all_reduces}",
        ),
        Output(
            "elements",
            Text(
                "elements that each GPU sends for a micro-batch, all layers",
                "每卡每个 micro-batch 发送的元素数（全部层）",
            ),
            "",
            "L·(all-reduces a layer)·2·(t−1)/t·b·s·h",
            lambda i, o: f"{_product(i, o)} = {figures.number(o.elements, 6)}",
        ),
        Output(
            "bytes",
            Text(
                "bytes that each GPU sends for a micro-batch, all layers", "每卡每个 micro-batch 发送的字节数（全部层）"
            ),
            "byte",
            "elements·(bytes an element)",
            lambda i, o: f"{_product(i, o)}·{figures.number(i.bytes_per_element, 6)} = {figures.size(o.bytes)}",
        ),
    ),
    compute=tensor_parallel_traffic,
    convention=Text(
        "sent by each GPU in a ring all-reduce, for one micro-batch; elements and bytes differ by the width",
        "按环形 all-reduce 计每卡、每个 micro-batch 的发送量；元素数与字节数差一个元素宽度",
    ),
    slips=(
        Slip("only_forward", "all_reduces", ONLY_FORWARD, lambda i: FORWARD if i.training else None),
        Slip("also_backward", "all_reduces", ALSO_BACKWARD, lambda i: None if i.training else FORWARD + BACKWARD),
        Slip("no_recompute", "all_reduces", NO_RECOMPUTE, lambda i: FORWARD + BACKWARD if i.recompute else None),
        Slip("one_a_layer", "all_reduces", ONE_A_LAYER, lambda i: all_reduces(i.training, i.recompute) // 2),
        Slip("only_forward", "elements", ONLY_FORWARD, lambda i: plain(_elements(i, FORWARD)) if i.training else None),
        Slip(
            "also_backward",
            "elements",
            ALSO_BACKWARD,
            lambda i: None if i.training else plain(_elements(i, FORWARD + BACKWARD)),
        ),
        Slip(
            "no_recompute",
            "elements",
            NO_RECOMPUTE,
            lambda i: plain(_elements(i, FORWARD + BACKWARD)) if i.recompute else None,
        ),
        Slip("no_share", "elements", NO_SHARE, lambda i: plain(_elements(i) * i.tp / (i.tp - 1))),
        Slip("no_two", "elements", NO_TWO, lambda i: plain(_elements(i) / 2)),
        Slip("tensor_only", "elements", TENSOR_ONLY, lambda i: plain(_elements(i) / _ring(i.tp))),
        Slip(
            "bytes_for_elements",
            "elements",
            Text("bytes are given for elements", "给的是字节数，不是元素数"),
            lambda i: _bytes(i, _elements(i)),
        ),
        Slip("one_layer", "elements", ONE_LAYER, lambda i: plain(_elements(i) / i.layers) if i.layers > 1 else None),
        Slip("all_gpus", "elements", ALL_GPUS, lambda i: plain(_elements(i) * i.tp)),
        Slip("only_forward", "bytes", ONLY_FORWARD, lambda i: _bytes(i, _elements(i, FORWARD)) if i.training else None),
        Slip(
            "also_backward",
            "bytes",
            ALSO_BACKWARD,
            lambda i: None if i.training else _bytes(i, _elements(i, FORWARD + BACKWARD)),
        ),
        Slip(
            "no_recompute",
            "bytes",
            NO_RECOMPUTE,
            lambda i: _bytes(i, _elements(i, FORWARD + BACKWARD)) if i.recompute else None,
        ),
        Slip(
            "elements_for_bytes",
            "bytes",
            Text("elements are taken for bytes", "把元素数当成字节数"),
            lambda i: plain(_elements(i)),
        ),
        Slip("no_share", "bytes", NO_SHARE, lambda i: _bytes(i, _elements(i) * i.tp / (i.tp - 1))),
        Slip("no_two", "bytes", NO_TWO, lambda i: _bytes(i, _elements(i) / 2)),
        Slip("tensor_only", "bytes", TENSOR_ONLY, lambda i: _bytes(i, _elements(i) / _ring(i.tp))),
        Slip("one_layer", "bytes", ONE_LAYER, lambda i: _bytes(i, _elements(i) / i.layers) if i.layers > 1 else None),
        Slip("all_gpus", "bytes", ALL_GPUS, lambda i: _bytes(i, _elements(i) * i.tp)),
    ),
    sources=(
        Reference(
            "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, §2.3, §3.2",
            "https://arxiv.org/abs/2104.04473",
        ),
        Reference(
            "Rajbhandari et al. 2020, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models, §8",
            "https://arxiv.org/abs/1910.02054",
        ),
    ),
)

CALCULATORS = (TENSOR_PARALLEL_TRAFFIC,)
