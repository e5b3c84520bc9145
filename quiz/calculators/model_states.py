"""Training: bytes of weights, gradients and optimizer states, and what ZeRO leaves of them on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import MODEL, PARAMETERS, TP, bytes_each, model_of
from quiz.calculators.models import active_parameters
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference


def model_states(
    *,
    parameters: int,
    weight_bytes: Number,
    gradient_bytes: Number,
    optimizer_bytes: Number,
    zero: int,
    dp: int,
    tp: int,
    pp: int,
    **_: Any,
) -> dict[str, Any]:
    """Bytes of model states of P = `parameters`, with w, g, o bytes a parameter of weights, gradients, optimizer.

        weights = P·w   gradients = P·g   optimizer = P·o   total = their sum   bytes_per_parameter = w + g + o
        per_gpu = P/(tp·pp) · (w/[dp at zero 3] + g/[dp from zero 2] + o/[dp from zero 1])

    In bytes; activations, buffers and the layers that ZeRO-3 gathers come on top. Mixed-precision Adam: 2 + 2 + 12
    (ZeRO: fp32 master weight and two moments); 2 + 4 + 12 with fp32 gradients (Megatron). tp and pp split evenly here,
    which the embedding makes a little too low for the first pipeline stage.
    Sources: Rajbhandari et al. 2020, ZeRO, §3.1, §5 and Table 1, https://arxiv.org/abs/1910.02054; Megatron Core, distributed
    optimizer, https://docs.nvidia.com/megatron-core/
    """
    widths = [decimal(width) for width in (weight_bytes, gradient_bytes, optimizer_bytes)]
    shards = (dp if zero >= 3 else 1, dp if zero >= 2 else 1, dp if zero >= 1 else 1)
    each = sum((width / shard for width, shard in zip(widths, shards, strict=True)), Fraction(0))
    weights, gradients, optimizer = (plain(parameters * width) for width in widths)
    return {
        "weights": weights,
        "gradients": gradients,
        "optimizer": optimizer,
        "total": plain(parameters * sum(widths, Fraction(0))),
        "per_gpu": plain(parameters * each / (tp * pp)),
        "bytes_per_parameter": plain(sum(widths, Fraction(0))),
    }


def _widths(i: Values) -> Fraction:
    return decimal(i.weight_bytes) + decimal(i.gradient_bytes) + decimal(i.optimizer_bytes)


def _other_sum(weight: float, gradient: float, optimizer: float) -> Callable[[Values], dict[str, Any] | None]:
    """The change to other bytes a parameter, none where they come to the same sum."""

    def change(i: Values) -> dict[str, Any] | None:
        if _widths(i) == decimal(weight) + decimal(gradient) + decimal(optimizer):
            return None
        return {"weight_bytes": weight, "gradient_bytes": gradient, "optimizer_bytes": optimizer}

    return change


def _active(i: Values) -> dict[str, Any] | None:
    model = model_of(i)
    return {"parameters": active_parameters(model)} if model and model.experts else None


WEIGHTS_ONLY = Text("only the weights are counted, 2 bytes a parameter", "只算了权重，每参数 2 字节")
NO_OPTIMIZER = Text("the optimizer's states are left out", "漏了优化器状态")
NO_MASTER = Text("the fp32 master weights are left out: 12 bytes a parameter", "漏了 fp32 主权重，只算了每参数 12 字节")
FP32_GRADIENTS = Text(
    "gradients are counted in fp32 (18 bytes a parameter), though they are kept in 16 bits here",
    "梯度按 fp32 算了（每参数 18 字节），而这里是 16 位梯度",
)
BOTH_GRADIENTS = Text(
    "gradients are counted both in 16 bits and in fp32 (20 bytes a parameter)",
    "梯度按 16 位和 fp32 各算了一份（每参数 20 字节）",
)
FOUR_TIMES_WEIGHTS = Text(
    "training is taken for four times the 16-bit weights (8 bytes a parameter)",
    "按 16 位权重的 4 倍估算了（每参数 8 字节）",
)
ACTIVE_ONLY = Text(
    "only the parameters that a token uses are counted; all experts are trained", "只算了激活参数，而所有专家都要训练"
)
ALL_SHARDED = Text(
    "everything is divided by dp, though this stage keeps part of it whole",
    "全部除以了 dp，而这个阶段有一部分每卡都存完整的",
)
NOT_SHARDED = Text("ZeRO's sharding is not taken into account", "没考虑 ZeRO 的切分")
ONE_LESS = Text("the stage below is taken", "按低一级的 ZeRO 算了")
ONE_MORE = Text("the stage above is taken", "按高一级的 ZeRO 算了")
DATA_PARALLEL_SPLITS = Text(
    "data parallelism is taken to split what it copies", "以为数据并行会切分模型状态，其实每卡都是完整副本"
)
ALL_GPUS = Text(
    "states are sharded over all GPUs after tp·pp; only the dp ones share them",
    "除以 tp·pp 之后又按总卡数切分，其实只在数据并行组内切分",
)
NO_MODEL_PARALLEL = Text("tp and pp are not taken into account", "没除以 tp·pp")
ONE_MOMENT = Text("one moment is counted, and in 16 bits", "只算了一个动量，还按 16 位算的")
MOMENTS_IN_16 = Text(
    "both moments are counted in 16 bits; mixed precision keeps them in fp32",
    "两个动量按 16 位算了，混合精度里它们是 fp32",
)
MOMENTS_ONLY = Text("only the two moments are counted, not the fp32 master weights", "只算了两个动量，漏了 fp32 主权重")
ALL_STATES = Text("weights and gradients are counted with the optimizer", "把权重和梯度也算进优化器了")


def _sums(output: str) -> tuple[Slip, ...]:
    """The usual mistakes about what there is, as they show in the total or on a GPU."""
    return (
        changed(
            model_states,
            output,
            "weights_only",
            WEIGHTS_ONLY,
            lambda _: {"weight_bytes": 2, "gradient_bytes": 0, "optimizer_bytes": 0},
        ),
        changed(
            model_states,
            output,
            "no_optimizer",
            NO_OPTIMIZER,
            lambda i: {"optimizer_bytes": 0} if i.optimizer_bytes else None,
        ),
        changed(model_states, output, "no_master_weights", NO_MASTER, _other_sum(2, 2, 8)),
        changed(
            model_states,
            output,
            "fp32_gradients",
            FP32_GRADIENTS,
            lambda i: {"gradient_bytes": 4} if i.gradient_bytes == 2 else None,
        ),
        changed(
            model_states,
            output,
            "both_gradients",
            BOTH_GRADIENTS,
            lambda i: {"gradient_bytes": 6} if i.gradient_bytes == 2 else None,
        ),
        changed(model_states, output, "active_only", ACTIVE_ONLY, _active),
    )


def _fixed(output: str, name: str, about: Text, each: float) -> Slip:
    """`each` bytes a parameter instead."""
    return Slip(name, output, about, lambda i: plain(i.parameters * decimal(each)))


def _all_sharded(i: Values) -> dict[str, Any] | None:
    return {"zero": 3} if i.zero in (1, 2) and i.dp > 1 else None


def _data_parallel_splits(i: Values) -> dict[str, Any] | None:
    return {"zero": 3} if i.zero == 0 and i.dp > 1 else None


def _all_gpus(i: Values) -> dict[str, Any] | None:
    return {"dp": i.dp * i.tp * i.pp} if i.zero and i.tp * i.pp > 1 else None


def _stage(step: int) -> Callable[[Values], dict[str, Any] | None]:
    return lambda i: {"zero": i.zero + step} if 1 <= i.zero + step <= 3 and i.zero and i.dp > 1 else None


def _per_gpu_worked(i: Values, o: Values) -> str:
    widths = (i.weight_bytes, i.gradient_bytes, i.optimizer_bytes)
    parts = [
        figures.number(width) + (f"/{i.dp}" if i.zero >= stage and i.dp > 1 else "")
        for width, stage in zip(widths, (3, 2, 1), strict=True)
    ]
    split = f"{i.parameters:,}" if i.tp * i.pp == 1 else f"{i.parameters:,}/({i.tp}·{i.pp})"
    return f"{split}·({' + '.join(parts)}) = {figures.size(o.per_gpu)}"


def _part(width: str, output: str) -> Callable[[Values, Values], str]:
    return lambda i, o: f"{i.parameters:,}·{figures.number(getattr(i, width))} = {figures.size(getattr(o, output))}"


ZERO = integer("zero", Text("ZeRO stage", "ZeRO 阶段"), low=0, high=3, default=0)
DP = integer("dp", Text("data-parallel GPUs", "数据并行的 GPU 数"), high=10**6, default=1)
ZERO_PAPER = Reference("Rajbhandari et al. 2020, ZeRO, §3, §5, §7 and Table 1", "https://arxiv.org/abs/1910.02054")
MEGATRON = Reference(
    "Megatron Core, distributed optimizer",
    "https://github.com/NVIDIA/Megatron-LM/blob/main/docs/user-guide/features/dist_optimizer.md",
)

MODEL_STATES = Calculator(
    name="model_states",
    title=Text("Model states in training", "训练的模型状态显存"),
    inputs=(
        MODEL,
        PARAMETERS,
        bytes_each("weight_bytes", Text("bytes of weights a parameter", "每参数的权重字节数"), 2),
        bytes_each("gradient_bytes", Text("bytes of gradients a parameter", "每参数的梯度字节数"), 2),
        bytes_each(
            "optimizer_bytes",
            Text(
                "bytes of optimizer states a parameter (Adam: 4 master + 4 + 4)",
                "每参数的优化器字节数（Adam：主权重 4 + 动量 4 + 4）",
            ),
            12,
        ),
        ZERO,
        DP,
        TP,
        integer("pp", Text("pipeline stages", "流水线级数"), high=65_536, default=1),
    ),
    outputs=(
        Output("weights", Text("weights, whole", "权重，完整一份"), "byte", "P·w", _part("weight_bytes", "weights")),
        Output(
            "gradients", Text("gradients, whole", "梯度，完整一份"), "byte", "P·g", _part("gradient_bytes", "gradients")
        ),
        Output(
            "optimizer",
            Text("optimizer states, whole", "优化器状态，完整一份"),
            "byte",
            "P·o",
            _part("optimizer_bytes", "optimizer"),
        ),
        Output(
            "total",
            Text("in all, whole", "合计，完整一份"),
            "byte",
            "P·(w + g + o)",
            lambda i, o: (
                f"{i.parameters:,}·({figures.number(i.weight_bytes)} + {figures.number(i.gradient_bytes)} + "
                f"{figures.number(i.optimizer_bytes)}) = {figures.size(o.total)}"
            ),
        ),
        Output(
            "per_gpu",
            Text("on each GPU", "每张 GPU"),
            "byte",
            "P/(tp·pp)·(w + g + o); ZeRO-1: o/dp; ZeRO-2: (g + o)/dp; ZeRO-3: (w + g + o)/dp",
            _per_gpu_worked,
        ),
        Output(
            "bytes_per_parameter",
            Text("bytes a parameter", "每参数字节数"),
            "",
            "w + g + o",
            lambda i, o: (
                f"{figures.number(i.weight_bytes)} + {figures.number(i.gradient_bytes)} + "
                f"{figures.number(i.optimizer_bytes)} = {figures.number(o.bytes_per_parameter)}"
            ),
        ),
    ),
    compute=model_states,
    convention=Text(
        "16 bytes a parameter as in ZeRO (2 + 2 + 12); 18 with fp32 gradients (Megatron), 12 without master weights: say which",
        "按 ZeRO 论文每参数 16 字节（2 + 2 + 12）；fp32 梯度是 18（Megatron），不存主权重是 12，要说清口径",
    ),
    slips=(
        _fixed("optimizer", "one_moment", ONE_MOMENT, 2),
        _fixed("optimizer", "moments_in_16_bits", MOMENTS_IN_16, 4),
        Slip(
            "moments_only", "optimizer", MOMENTS_ONLY, lambda i: 8 * i.parameters if i.optimizer_bytes == 12 else None
        ),
        Slip("all_states", "optimizer", ALL_STATES, lambda i: again(model_states, "total", i)),
        *_sums("total"),
        _fixed("total", "four_times_weights", FOUR_TIMES_WEIGHTS, 8),
        *_sums("per_gpu"),
        changed(model_states, "per_gpu", "all_sharded", ALL_SHARDED, _all_sharded),
        changed(
            model_states, "per_gpu", "not_sharded", NOT_SHARDED, lambda i: {"zero": 0} if i.zero and i.dp > 1 else None
        ),
        changed(model_states, "per_gpu", "stage_below", ONE_LESS, _stage(-1)),
        changed(model_states, "per_gpu", "stage_above", ONE_MORE, _stage(1)),
        changed(model_states, "per_gpu", "data_parallel_splits", DATA_PARALLEL_SPLITS, _data_parallel_splits),
        changed(model_states, "per_gpu", "all_gpus", ALL_GPUS, _all_gpus),
        changed(
            model_states,
            "per_gpu",
            "no_model_parallel",
            NO_MODEL_PARALLEL,
            lambda i: {"tp": 1, "pp": 1} if i.tp * i.pp > 1 else None,
        ),
        changed(model_states, "bytes_per_parameter", "weights_only", WEIGHTS_ONLY, _other_sum(2, 0, 0)),
        changed(model_states, "bytes_per_parameter", "no_master_weights", NO_MASTER, _other_sum(2, 2, 8)),
        changed(
            model_states,
            "bytes_per_parameter",
            "fp32_gradients",
            FP32_GRADIENTS,
            lambda i: {"gradient_bytes": 4} if i.gradient_bytes == 2 else None,
        ),
    ),
    sources=(ZERO_PAPER, MEGATRON),
)


CALCULATORS = (MODEL_STATES,)
