"""What activation recomputation costs in FLOPs: a forward pass again, or attention's scores alone."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.attention_flops import CAUSAL, CAUSAL_HALF, FULL_SQUARE
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.layer_cost import GUARDS, is_plain, matrices
from quiz.calculators.parameter_count import GATED, HEAD_DIM, HEADS, HIDDEN, KV_HEADS, heads_of, shape_preset
from quiz.calculators.slips import changed
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

MODES = ("full", "selective")


def recomputation_overhead(**given: Any) -> dict[str, Any]:
    """FLOPs that recomputation adds, over those of a training step without it.

        full        the layers' forward pass again: F/(3·F) = 1/3, whatever the shape
        selective   scores and values again: 4·n·d·s/(3·(2·P + 4·n·d·s)), P the layer's matrices
                    in a GPT block (P = 12·h², n·d = h): (s/(18·h))/(1 + s/(6·h))

    overhead is that share, hardware_over_model = 1 + overhead (HFU over MFU), step_time what a step of forward time 1
    and backward time `backward` takes: 1 + backward + what is repeated of the forward pass. Full square of scores
    (causal: half). The head is neither recomputed nor counted. Pure numbers. BadInput for selective without a shape.

    Source: Korthikanti et al. 2022, §5 and Appendix A, https://arxiv.org/abs/2205.05198, whose Equation 8 and 2.7 % for GPT-3
    count 12·B·s²·h more a layer, though its text names the two forward matrices, 4·B·s²·h
    """
    repeated = Fraction(1)
    if given["mode"] == "selective":
        scores, forward = _forward(given)
        repeated = Fraction(scores, forward)
    return {
        "overhead": plain(repeated / 3),
        "hardware_over_model": plain(1 + repeated / 3),
        "step_time": plain(1 + Fraction(given["backward"]) + repeated),
    }


def _forward(given: dict[str, Any]) -> tuple[int, int]:
    """Forward FLOPs a token of one layer: scores and values, and all of it."""
    if given["hidden"] is None or given["heads"] is None or given["sequence"] is None:
        raise BadInput(
            Text(
                "selective recomputation depends on the shape: give hidden, heads and sequence, or a model",
                "选择性重算的开销与形状有关：请给 hidden、heads 和 sequence，或给 model",
            )
        )
    heads, _, head_dim = heads_of(given)
    attention, mlp = matrices({**given, "ffn": given["ffn"] or 4 * given["hidden"]})
    scores = heads * head_dim * given["sequence"] * (2 if given["causal"] else 4)
    return scores, 2 * (attention + mlp) + scores


def _times_three(i: Values) -> Any:
    if i.mode == "full":
        return None
    return plain(3 * Fraction(recomputation_overhead(**vars(i))["overhead"]))


def _other(mode: str) -> Callable[[Values], dict[str, Any] | None]:
    return lambda i: None if i.mode == mode else {"mode": mode}


def _mask(i: Values, causal: bool) -> dict[str, Any] | None:
    return {"causal": not causal} if i.mode == "selective" and i.causal == causal else None


DOUBLES = Text(
    "recomputation is taken to double the compute; it repeats the forward pass alone",
    "以为重算让计算量翻倍，其实只多一遍前向",
)
OF_BACKWARD = Text("the extra is set against the backward pass", "除以的是反向计算量")
WITH_BACKWARD = Text("scores are charged with their backward pass too, as s/(6·h)", "连反向也算进去了，即 s/(6h)")
FULL = Text("the whole forward pass is repeated in this figure", "按重算整个前向算了")

SLIPS = (
    Slip("doubles", "overhead", DOUBLES, lambda i: 1 if i.mode == "full" else None),
    Slip("of_backward", "overhead", OF_BACKWARD, lambda i: 0.5 if i.mode == "full" else None),
    Slip("with_backward", "overhead", WITH_BACKWARD, _times_three),
    changed(recomputation_overhead, "overhead", "full_instead", FULL, _other("full")),
    changed(recomputation_overhead, "overhead", "causal_half", CAUSAL_HALF, lambda i: _mask(i, False)),
    changed(recomputation_overhead, "overhead", "full_square", FULL_SQUARE, lambda i: _mask(i, True)),
    Slip("doubles", "hardware_over_model", DOUBLES, lambda i: 2 if i.mode == "full" else None),
    changed(recomputation_overhead, "hardware_over_model", "full_instead", FULL, _other("full")),
    Slip("doubles", "step_time", DOUBLES, lambda i: 2 * (1 + i.backward) if i.mode == "full" else None),
    changed(recomputation_overhead, "step_time", "full_instead", FULL, _other("full")),
    Slip(
        "no_recompute",
        "step_time",
        Text("the repeated forward pass is left out", "漏了重算的那遍前向"),
        lambda i: 1 + i.backward,
    ),
)


def _overhead_worked(i: Values, o: Values) -> str:
    if i.mode == "full":
        return f"2/6 = {figures.percent(o.overhead)}"
    scores, forward = _forward(vars(i))
    return f"{scores:,}/(3·{forward:,}) = {figures.percent(o.overhead)}"


RECOMPUTATION_OVERHEAD = Calculator(
    name="recomputation_overhead",
    title=Text("Cost of activation recomputation", "激活重算的开销"),
    inputs=(
        choice("mode", Text("what is recomputed", "重算方式"), MODES),
        shape_preset(is_plain),
        optional(integer("sequence", Text("tokens a sequence s", "每条序列的 token 数 s"), unit="token", high=10**9)),
        optional(HIDDEN),
        optional(HEADS),
        KV_HEADS,
        HEAD_DIM,
        optional(integer("ffn", Text("width of the MLP f (4·h if absent)", "MLP 宽度 f（不给则 4·h）"), high=10**8)),
        GATED,
        CAUSAL,
        *GUARDS,
        integer("backward", Text("backward time over forward time", "反向与前向的时间比"), high=10, default=2),
    ),
    outputs=(
        Output(
            "overhead",
            Text("added FLOPs over those of the step", "多出的计算量占原来的比例"),
            "",
            "full 2/6; selective (s/18h)/(1 + s/6h) in a GPT block",
            _overhead_worked,
        ),
        Output(
            "hardware_over_model",
            Text("hardware FLOPs over model FLOPs", "硬件计算量与模型计算量之比"),
            "",
            "1 + overhead",
            lambda _, o: f"1 + {figures.number(o.overhead)} = {figures.number(o.hardware_over_model)}",
        ),
        Output(
            "step_time",
            Text("time of a step, in forward passes", "一步的时间（以前向为 1）"),
            "",
            "1 + backward + repeated",
            lambda i, o: (
                f"1 + {i.backward} + {figures.number(o.step_time - 1 - i.backward)} = {figures.number(o.step_time)}"
            ),
        ),
    ),
    compute=recomputation_overhead,
    convention=Text(
        "share of the FLOPs of the step without recomputation; measured times rise by 30 to 40 % in full mode",
        "按不重算时整步计算量的比例；全量重算实测时间增加 30%–40%",
    ),
    slips=tuple(when_distinct(recomputation_overhead, slip) for slip in SLIPS),
    sources=(
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models, §5, Appendix A",
            "https://arxiv.org/abs/2205.05198",
        ),
    ),
)

CALCULATORS = (RECOMPUTATION_OVERHEAD,)
