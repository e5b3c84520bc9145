"""3D parallelism: model states on a GPU of a layout, and which layouts fit."""

from __future__ import annotations

from collections.abc import Callable

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Input, Output, Values, flag, integer, number, optional
from quiz.calculators.inputs import LAYERS, PARAMETERS, bytes_each
from quiz.calculators.parallel_slips import LAYOUT_SLIPS, MEMORY_SLIPS
from quiz.calculators.parallel_split import layouts, parallel_layouts, parallel_memory
from quiz.calculators.parameter_count import HEADS, HIDDEN, KV_HEADS, shape_preset
from quiz.language import Text
from quiz.reference import Reference

STATES = (
    integer("zero", Text("ZeRO stage", "ZeRO 阶段"), low=0, high=3, default=1),
    bytes_each("weight_bytes", Text("bytes a weight w", "每个权重的字节数 w"), 2),
    bytes_each("gradient_bytes", Text("bytes a gradient g", "每个梯度的字节数 g"), 2),
    bytes_each("optimizer_bytes", Text("optimizer bytes a parameter o", "优化器每参数字节数 o"), 12),
)
GPUS = integer("gpus", Text("GPUs in all", "GPU 总数"), high=10**7)
VOCAB = optional(integer("vocab", Text("vocabulary, for the first stage", "词表大小（算首级用）"), high=10**8))


def _degree(name: str, en: str, zh: str) -> Input:
    return integer(name, Text(en, zh), high=65_536, default=1)


def _each(i: Values, shards: int) -> str:
    widths = ((i.weight_bytes, 3), (i.gradient_bytes, 2), (i.optimizer_bytes, 1))
    return " + ".join(
        figures.number(width) + (f"/{shards}" if i.zero >= stage and shards > 1 else "") for width, stage in widths
    )


def _first_worked(i: Values, o: Values) -> str:
    if o.first_stage is None:
        return ""
    table = i.hidden * i.vocab
    block = i.parameters - table * (1 if i.tied else 2)
    ends = f"{table:,}" if i.pp > 1 or i.tied else f"2·{table:,}"
    each = figures.number(o.bytes_per_parameter)
    return f"({block:,}/{i.pp} + {ends})/{i.tp}·{each} = {figures.size(o.first_stage)}"


def _layout_worked(i: Values, o: Values) -> str:
    shown = [f"{found.tp}×{found.pp}×{found.dp}" for found in layouts(vars(i))]
    more = f", … {len(shown) - 8} more" if len(shown) > 8 else ""
    return f"tp×pp×dp: {', '.join(shown[:8])}{more}: {o.legal}"


def _best_worked(i: Values, o: Values) -> str:
    if o.tp is None:
        return ""
    each = _each(i, o.dp)
    return f"{i.parameters:,}/({o.tp}·{o.pp})·({each}) = {figures.size(o.per_gpu)}"


def _output(name: str, about: Text, unit: str, formula: str, worked: Callable[[Values, Values], str]) -> Output:
    return Output(name, about, unit, formula, worked)


SOURCES = (
    Reference(
        "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, §3",
        "https://arxiv.org/abs/2104.04473",
    ),
    Reference(
        "Megatron-LM, theoretical_memory_usage.py",
        "https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/training/theoretical_memory_usage.py",
    ),
    Reference(
        "Megatron-LM, dist_optimizer.md: bytes a parameter",
        "https://github.com/NVIDIA/Megatron-LM/blob/main/docs/user-guide/features/dist_optimizer.md",
    ),
)

PARALLEL_MEMORY = Calculator(
    name="parallel_memory",
    title=Text("Model states under 3D parallelism", "3D 并行下每卡的模型状态"),
    inputs=(
        shape_preset(),
        PARAMETERS,
        GPUS,
        _degree("tp", "tensor-parallel GPUs", "张量并行度"),
        _degree("pp", "pipeline stages", "流水线级数"),
        _degree("cp", "context-parallel GPUs", "上下文并行度"),
        *STATES,
        optional(HIDDEN),
        VOCAB,
        flag("tied", Text("the head shares the embedding", "输出头与词表矩阵共享")),
        KV_HEADS,
    ),
    outputs=(
        _output(
            "dp",
            Text("data-parallel replicas", "数据并行度"),
            "",
            "gpus/(tp·pp·cp)",
            lambda i, o: f"{i.gpus}/({i.tp}·{i.pp}·{i.cp}) = {o.dp}",
        ),
        _output(
            "bytes_per_parameter",
            Text("bytes a parameter of the shard", "分片内每参数字节数"),
            "",
            "w + g + o, each ÷ dp·cp as ZeRO shares it",
            lambda i, o: f"{_each(i, o.dp * i.cp)} = {figures.number(o.bytes_per_parameter)}",
        ),
        _output(
            "per_gpu",
            Text("model states on a GPU, even split", "每卡模型状态（平均切分）"),
            "byte",
            "P/(tp·pp)·(w + g + o)",
            lambda i, o: f"{i.parameters:,}/({i.tp}·{i.pp})·({_each(i, o.dp * i.cp)}) = {figures.size(o.per_gpu)}",
        ),
        _output(
            "first_stage",
            Text("model states on a GPU of the first stage", "首级每卡的模型状态"),
            "byte",
            "(layers' parameters/pp + V·h)/tp·(w + g + o)",
            _first_worked,
        ),
        _output(
            "kv_copies",
            Text("tp GPUs that hold the same KV head", "持有同一 KV 头的 tp 卡数"),
            "",
            "max(1, tp/kv_heads)",
            lambda i, o: f"max(1, {i.tp}/{i.kv_heads}) = {figures.number(o.kv_copies)}" if o.kv_copies else "",
        ),
    ),
    compute=parallel_memory,
    convention=Text(
        "2 + 2 + 12 bytes a parameter (ZeRO); Megatron's bf16 with fp32 gradients is 2 + 4 + 12: gradient_bytes=4",
        "每参数 2 + 2 + 12 字节（ZeRO）；Megatron 的 bf16 加 fp32 梯度是 2 + 4 + 12，用 gradient_bytes=4",
    ),
    slips=MEMORY_SLIPS,
    sources=SOURCES,
)

PARALLEL_LAYOUTS = Calculator(
    name="parallel_layouts",
    title=Text("Layouts that fit", "可行的并行布局"),
    inputs=(
        shape_preset(),
        PARAMETERS,
        LAYERS,
        HEADS,
        KV_HEADS,
        GPUS,
        integer(
            "gpus_per_node", Text("GPUs a node (tp stays inside)", "每节点 GPU 数（tp 不跨节点）"), high=1024, default=8
        ),
        number("memory", Text("memory of a GPU", "每卡显存"), unit="byte", low=1, high=1e13, default=80e9),
        number(
            "reserve",
            Text("of it for activations and buffers", "其中留给激活和缓冲的部分"),
            unit="byte",
            high=1e13,
            default=0,
        ),
        *STATES,
    ),
    outputs=(
        _output(
            "legal",
            Text("layouts into which the shapes divide", "能整除的布局数"),
            "",
            "tp | node, heads, KV heads; pp | layers; tp·pp | GPUs",
            _layout_worked,
        ),
        _output(
            "fitting",
            Text("of those, where the states fit", "其中放得下的布局数"),
            "",
            "P/(tp·pp)·(w + g + o) ≤ memory − reserve",
            lambda _, o: f"{o.fitting} / {o.legal}",
        ),
        _output(
            "smallest",
            Text("least tp·pp that fits", "放得下的最小 tp·pp"),
            "",
            "min tp·pp",
            lambda _, o: f"{o.tp}·{o.pp} = {o.smallest}" if o.tp else "",
        ),
        _output("tp", Text("its tp", "对应的 tp"), "", "", lambda _, o: f"{o.tp}" if o.tp else ""),
        _output(
            "pp",
            Text("its stages, the fewest", "对应的 pp（取最少级数）"),
            "",
            "",
            lambda _, o: f"{o.pp}" if o.pp else "",
        ),
        _output(
            "dp",
            Text("its replicas", "对应的 dp"),
            "",
            "gpus/(tp·pp)",
            lambda i, o: f"{i.gpus}/({o.tp}·{o.pp}) = {o.dp}" if o.tp else "",
        ),
        _output(
            "per_gpu",
            Text("its model states on a GPU", "对应的每卡模型状态"),
            "byte",
            "P/(tp·pp)·(w + g + o)",
            _best_worked,
        ),
    ),
    compute=parallel_layouts,
    convention=Text(
        "model states only, split evenly; leave a reserve for activations. Least tp·pp first, tp before pp",
        "只算模型状态，按平均切分；激活用 reserve 留出。先取最小 tp·pp，同样大小时优先 tp",
    ),
    slips=LAYOUT_SLIPS,
    sources=SOURCES,
)

CALCULATORS = (PARALLEL_MEMORY, PARALLEL_LAYOUTS)
