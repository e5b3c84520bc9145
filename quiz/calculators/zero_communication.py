"""What ZeRO sends in a training step."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, integer
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import MODEL, PARAMETERS, element_bytes
from quiz.calculators.model_states import ZERO_PAPER
from quiz.calculators.slips import changed, times
from quiz.language import Text


def zero_communication(*, parameters: int, zero: int, dp: int, bytes_per_element: Number, **_: Any) -> dict[str, Any]:
    """What each of N = `dp` GPUs sends in a training step.

        elements = 2·P·(N−1)/N for zero 0, 1, 2      a reduce-scatter of gradients and an all-gather
        elements = 3·P·(N−1)/N for zero 3            weights gathered in the forward and in the backward pass, gradients scattered
        bytes = elements·bytes_per_element

    Elements of P parameters and bytes, by ring or any algorithm that sends no more than it must; one gradient
    reduction a step (with accumulation over k micro-batches ZeRO-3 gathers again in each of them).
    Source: Rajbhandari et al. 2020, ZeRO, §7, https://arxiv.org/abs/1910.02054
    """
    elements = Fraction(_passes(zero) * parameters * (dp - 1), dp)
    return {"elements": plain(elements), "bytes": plain(elements * decimal(bytes_per_element))}


def _passes(zero: int) -> int:
    return 3 if zero == 3 else 2


def _sent_slips(output: str) -> tuple[Slip, ...]:
    return (
        times(
            zero_communication,
            output,
            "zero_2_as_3",
            Text(
                "3·P is taken, which only stage 3 sends; below it is 2·P as in plain data parallelism",
                "按 3P 算了，只有 ZeRO-3 才是 3P，其余和普通数据并行一样是 2P",
            ),
            lambda i: None if i.zero == 3 else 1.5,
        ),
        times(
            zero_communication,
            output,
            "zero_3_as_2",
            Text(
                "2·P is taken, though stage 3 gathers the weights twice, forward and backward: 3·P",
                "按 2P 算了，而 ZeRO-3 前向、反向各收集一次权重，是 3P",
            ),
            lambda i: 2 / 3 if i.zero == 3 else None,
        ),
        times(
            zero_communication,
            output,
            "no_share_of_own",
            Text("a GPU's own 1/N is counted as sent", "把自己那 1/N 也算成要发送了"),
            lambda i: i.dp / (i.dp - 1) if i.dp > 1 else None,
        ),
        times(
            zero_communication,
            output,
            "of_all_gpus",
            Text("what all GPUs send together is taken for one GPU's share", "算成了所有卡的总发送量，而不是每张卡"),
            lambda i: i.dp,
        ),
        times(
            zero_communication,
            output,
            "once",
            Text("the parameters are sent once, not in two or three passes", "只算了一遍参数量，应为两遍或三遍"),
            lambda i: 1 / _passes(i.zero),
        ),
    )


ZERO_COMMUNICATION = Calculator(
    name="zero_communication",
    title=Text("What ZeRO sends", "ZeRO 通信量"),
    inputs=(
        MODEL,
        PARAMETERS,
        integer("zero", Text("ZeRO stage", "ZeRO 阶段"), low=0, high=3),
        integer("dp", Text("data-parallel GPUs N", "数据并行的 GPU 数 N"), high=10**6),
        element_bytes("bytes_per_element", Text("bytes an element", "每个元素的字节数")),
    ),
    outputs=(
        Output(
            "elements",
            Text("elements that a GPU sends a step", "每卡每步发送的元素数"),
            "parameter",
            "2·P·(N−1)/N; ZeRO-3: 3·P·(N−1)/N",
            lambda i, o: f"{_passes(i.zero)}·{i.parameters:,}·({i.dp}−1)/{i.dp} = {figures.number(o.elements, 6)}",
        ),
        Output(
            "bytes",
            Text("bytes that a GPU sends a step", "每卡每步发送的字节数"),
            "byte",
            "elements·bytes_per_element",
            lambda i, o: (
                f"{figures.number(o.elements, 6)}·{figures.number(i.bytes_per_element)} = {figures.size(o.bytes)}"
            ),
        ),
    ),
    compute=zero_communication,
    convention=Text(
        "sent by one GPU in one direction, one reduction a step; ZeRO's 2Ψ and 3Ψ leave out (N−1)/N",
        "按单卡单向、每步一次梯度规约算；ZeRO 论文的 2Ψ、3Ψ 省去了 (N−1)/N",
    ),
    slips=(
        *_sent_slips("elements"),
        *_sent_slips("bytes"),
        changed(
            zero_communication,
            "bytes",
            "elements_for_bytes",
            Text("elements are taken for bytes", "把元素个数当成了字节数"),
            lambda i: {"bytes_per_element": 1} if i.bytes_per_element != 1 else None,
        ),
    ),
    sources=(ZERO_PAPER,),
)

CALCULATORS = (ZERO_COMMUNICATION,)
