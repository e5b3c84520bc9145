"""SmoothQuant: how much of a channel's range moves from its activations to its weights."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number
from quiz.calculators.int_quantizer import INVERSE
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference


def smoothquant_scale(*, activation_max: Number, weight_max: Number, alpha: Number) -> dict[str, Any]:
    """SmoothQuant's factor for one input channel, and the channel's ranges with it.

        scale s = activation_max^alpha/weight_max^(1 − alpha)
        activations are divided by s, the weights' row of that channel multiplied: the product stays the same
        activation_max_after = activation_max/s      weight_max_after = weight_max·s       equal at alpha = 0.5

    activation_max is max |X_j| over tokens, weight_max max |W_j| over the output channels; pure numbers. alpha moves
    the difficulty: 0 leaves the activations' outliers but for 1/weight_max, 1 gives them to the weights altogether.
    Source: Xiao et al., SmoothQuant, smoothquant/smooth.py, https://github.com/mit-han-lab/smoothquant
    """
    scale = float(activation_max) ** float(alpha) / float(weight_max) ** (1 - float(alpha))
    return {
        "scale": scale,
        "activation_max_after": activation_max / scale,
        "weight_max_after": weight_max * scale,
    }


def _smooth(i: Values, **changes: Any) -> dict[str, Any]:
    return smoothquant_scale(**{**vars(i), **changes})


SWAPPED = Text("alpha and 1 − alpha are swapped", "α 和 1 − α 用反了")
RATIO = Text("the ratio of the two ranges is taken, without the powers", "直接取了两个范围之比，漏了幂次")
OTHER_WAY = Text("the factor is applied the other way round", "除和乘弄反了")

SMOOTHQUANT_SCALE = Calculator(
    name="smoothquant_scale",
    title=Text("SmoothQuant's scale of a channel", "SmoothQuant 的通道缩放因子"),
    inputs=(
        number(
            "activation_max",
            Text("largest |X| of the input channel", "该输入通道激活的最大绝对值 max|X|"),
            low=1e-9,
            high=1e12,
        ),
        number(
            "weight_max",
            Text("largest |W| of the input channel", "该输入通道权重的最大绝对值 max|W|"),
            low=1e-9,
            high=1e12,
        ),
        number("alpha", Text("migration strength α", "迁移强度 α"), high=1, default=0.5),
    ),
    outputs=(
        Output(
            "scale",
            Text("factor s of the channel", "通道缩放因子 s"),
            "",
            "max|X|^α/max|W|^(1−α)",
            lambda i, o: (
                f"{figures.number(i.activation_max)}^{figures.number(i.alpha)}/{figures.number(i.weight_max)}^"
                f"{figures.number(1 - i.alpha)} = {figures.number(o.scale)}"
            ),
        ),
        Output(
            "activation_max_after",
            Text("largest |X| afterwards", "缩放后激活的最大绝对值"),
            "",
            "max|X|/s",
            lambda i, o: (
                f"{figures.number(i.activation_max)}/{figures.number(o.scale)} = {figures.number(o.activation_max_after)}"
            ),
        ),
        Output(
            "weight_max_after",
            Text("largest |W| afterwards", "缩放后权重的最大绝对值"),
            "",
            "max|W|·s",
            lambda i, o: (
                f"{figures.number(i.weight_max)}·{figures.number(o.scale)} = {figures.number(o.weight_max_after)}"
            ),
        ),
    ),
    compute=smoothquant_scale,
    convention=Text(
        "one factor an input channel: activations divided, weights multiplied",
        "每个输入通道一个因子：激活除以它，权重乘以它",
    ),
    slips=tuple(
        when_distinct(smoothquant_scale, slip)
        for slip in (
            changed(smoothquant_scale, "scale", "alpha_swapped", SWAPPED, lambda i: {"alpha": 1 - i.alpha}),
            Slip("ratio", "scale", RATIO, lambda i: i.activation_max / i.weight_max),
            Slip("inverse", "scale", INVERSE, lambda i: 1 / _smooth(i)["scale"]),
            Slip("multiplied", "activation_max_after", OTHER_WAY, lambda i: i.activation_max * _smooth(i)["scale"]),
            changed(
                smoothquant_scale, "activation_max_after", "alpha_swapped", SWAPPED, lambda i: {"alpha": 1 - i.alpha}
            ),
            Slip("divided", "weight_max_after", OTHER_WAY, lambda i: i.weight_max / _smooth(i)["scale"]),
            changed(smoothquant_scale, "weight_max_after", "alpha_swapped", SWAPPED, lambda i: {"alpha": 1 - i.alpha}),
        )
    ),
    sources=(
        Reference(
            "SmoothQuant, smoothquant/smooth.py",
            "https://github.com/mit-han-lab/smoothquant/blob/main/smoothquant/smooth.py",
        ),
    ),
)

CALCULATORS = (SMOOTHQUANT_SCALE,)
