"""Training FLOPs: 6·N·D, with attention, with recomputation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.amounts import count
from quiz.calculators.attention_flops import (
    ACTIVE,
    CAUSAL,
    CAUSAL_HALF,
    CONVENTION,
    FORWARD_ONLY,
    FULL_SQUARE,
    MACS,
    NO_ATTENTION,
    RECOMPUTATION,
    SEQUENCE,
    SHAPE,
    TOTAL_FOR_ACTIVE,
    scores_per_token,
    total_for_active,
    used,
)
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.inputs import MODEL, PARAMETERS, model_of
from quiz.calculators.models import MODELS, parameters
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference

PETAFLOP_DAY = 10**15 * 86_400
MATRICES = 6


def training_flops(**given: Any) -> dict[str, Any]:
    """FLOPs of training N parameters on D = `tokens` tokens.

        flops = 6·N·D                            2 forward, 4 backward; petaflop_days = flops/(10¹⁵·86,400)
        attention_flops = 12·L·n·d·s·D           scores and values, full square (causal: half); 0 without a sequence
        model_flops = flops + attention_flops    what MFU counts
        hardware_flops = model_flops             + 4·L·n·d·s·D with selective recomputation of scores and values,
                                                 × 8/6 with full recomputation: the forward pass once more
        matmul_flops = 6·(N − V·h)·D             without the input embedding, which no matrix multiplies (a tied one
                                                 is the head too and stays); of presets only

    N is what a token passes (`active_parameters` where they are fewer). FLOP and PF-days. BadInput for a sequence
    without a shape, or more active parameters than parameters.

    Sources: Brown et al. 2020, Appendix D (6 a parameter and token), https://arxiv.org/abs/2005.14165; Chowdhery et al.
    2022, PaLM, §4.1 and Appendix B (attention), https://arxiv.org/abs/2204.02311; Korthikanti et al. 2022, Appendix A
    (selective recomputation), https://arxiv.org/abs/2205.05198
    """
    passed, tokens = used(given["parameters"], given["active_parameters"]), given["tokens"]
    forward = scores_per_token(**given) * tokens
    matrices, attention = MATRICES * passed * tokens, 3 * forward
    model_flops = matrices + attention
    again = {"none": Fraction(0), "selective": forward, "full": Fraction(model_flops) / 3}[given["recompute"]]
    return {
        "flops": matrices,
        "attention_flops": plain(attention),
        "model_flops": plain(model_flops),
        "hardware_flops": plain(model_flops + again),
        "matmul_flops": _multiplied(given, passed, tokens),
        "petaflop_days": plain(Fraction(matrices, PETAFLOP_DAY)),
    }


def _multiplied(given: dict[str, Any], passed: int, tokens: int) -> int | None:
    """6·(N − input embedding)·D for a preset whose own parameters are counted."""
    model = MODELS.get(given["model"] or "")
    if model is None or given["parameters"] != parameters(model):
        return None
    return MATRICES * (passed - (0 if model.tied else model.vocab * model.hidden)) * tokens


def _passed(i: Values) -> int:
    return used(i.parameters, i.active_parameters)


def _product(i: Values) -> str:
    return f"6·{_passed(i):,}·{count(i.tokens)}"


def _attention_worked(i: Values, o: Values) -> str:
    if not o.attention_flops:
        return "0"
    per_token = figures.scaled(o.attention_flops / i.tokens, "FLOP")
    return f"{per_token}·{count(i.tokens)} = {figures.number(o.attention_flops)}"


def _hardware_worked(i: Values, o: Values) -> str:
    total, model_flops = figures.number(o.hardware_flops), figures.number(o.model_flops)
    if i.recompute == "none":
        return total
    if i.recompute == "full":
        return f"{model_flops}·8/6 = {total}"
    return f"{model_flops} + {figures.number(o.attention_flops)}/3 = {total}"


def _multiplied_worked(i: Values, o: Values) -> str:
    model = model_of(i)
    if o.matmul_flops is None or model is None:
        return ""
    table = "" if model.tied else f" − {model.vocab:,}·{model.hidden:,}"
    return f"6·({_passed(i):,}{table})·{count(i.tokens)} = {figures.number(o.matmul_flops)}"


WITH_RECOMPUTE = Text(
    "a recomputed forward pass is counted: 8 FLOPs a parameter", "多算了一遍重算的前向，每参数 8 FLOP"
)
NO_RECOMPUTE = Text("the recomputed forward pass is left out", "漏了重算的那遍前向")
DOUBLED = Text(
    "recomputation is taken to double the compute; it repeats the forward pass, a third",
    "以为重算让计算量翻倍，其实只多一遍前向，即三分之一",
)


def _sized(output: str) -> tuple[Slip, ...]:
    return (
        times(training_flops, output, "forward_only", FORWARD_ONLY, lambda _: 1 / 3),
        times(training_flops, output, "macs", MACS, lambda _: 0.5),
        changed(training_flops, output, "total_for_active", TOTAL_FOR_ACTIVE, total_for_active),
    )


def _mask(i: Values, causal: bool) -> dict[str, Any] | None:
    return {"causal": not causal} if i.sequence is not None and i.causal == causal else None


def _without_attention(i: Values) -> dict[str, Any] | None:
    return None if i.sequence is None else {"sequence": None}


def _recompute(mode: str, *, unless: str = "") -> Callable[[Values], dict[str, Any] | None]:
    return lambda i: None if i.recompute in (mode, unless) else {"recompute": mode}


SLIPS = (
    *(slip for output in ("flops", "model_flops", "hardware_flops", "petaflop_days") for slip in _sized(output)),
    *(
        times(training_flops, output, "with_recompute", WITH_RECOMPUTE, lambda _: 4 / 3)
        for output in ("flops", "model_flops", "petaflop_days")
    ),
    *(
        slip
        for output in ("attention_flops", "model_flops", "hardware_flops")
        for slip in (
            changed(training_flops, output, "causal_half", CAUSAL_HALF, lambda i: _mask(i, False)),
            changed(training_flops, output, "full_square", FULL_SQUARE, lambda i: _mask(i, True)),
        )
    ),
    *(
        changed(training_flops, output, "no_attention", NO_ATTENTION, _without_attention)
        for output in ("model_flops", "hardware_flops")
    ),
    times(training_flops, "attention_flops", "forward_only", FORWARD_ONLY, lambda _: 1 / 3),
    changed(training_flops, "hardware_flops", "no_recompute", NO_RECOMPUTE, _recompute("none")),
    Slip(
        "doubled",
        "hardware_flops",
        DOUBLED,
        lambda i: 2 * training_flops(**vars(i))["model_flops"] if i.recompute == "full" else None,
    ),
    times(training_flops, "matmul_flops", "forward_only", FORWARD_ONLY, lambda _: 1 / 3),
    times(training_flops, "matmul_flops", "macs", MACS, lambda _: 0.5),
)

TOKENS = integer("tokens", Text("training tokens D", "训练 token 数 D"), unit="token", high=10**18)

TRAINING_FLOPS = Calculator(
    name="training_flops",
    title=Text("Training FLOPs", "训练计算量"),
    inputs=(MODEL, PARAMETERS, ACTIVE, TOKENS, optional(SEQUENCE), *SHAPE, CAUSAL, RECOMPUTATION),
    outputs=(
        Output(
            "flops",
            Text("6·N·D", "6·N·D"),
            "FLOP",
            "6·N·D",
            lambda i, o: f"{_product(i)} = {figures.number(o.flops)}",
        ),
        Output(
            "attention_flops",
            Text("scores and values of attention", "注意力的分数与加权求和"),
            "FLOP",
            "12·L·n·d·s·D",
            _attention_worked,
        ),
        Output(
            "model_flops",
            Text("6·N·D with attention, what MFU counts", "6·N·D 加注意力（MFU 口径）"),
            "FLOP",
            "6·N·D + 12·L·n·d·s·D",
            lambda i, o: f"{_product(i)} + {figures.number(o.attention_flops)} = {figures.number(o.model_flops)}",
        ),
        Output(
            "hardware_flops",
            Text("with what is recomputed, what HFU counts", "加上重算的部分（HFU 口径）"),
            "FLOP",
            "full: model_flops·8/6; selective: + 4·L·n·d·s·D",
            _hardware_worked,
        ),
        Output(
            "matmul_flops",
            Text("6·N·D without the input embedding (presets)", "6·N·D，不含输入词表（仅预置模型）"),
            "FLOP",
            "6·(N − V·h)·D",
            _multiplied_worked,
        ),
        Output(
            "petaflop_days",
            Text("6·N·D in petaflop/s-days", "6·N·D，以 PF-day 计"),
            "",
            "6·N·D/8.64e19",
            lambda i, o: f"{_product(i)}/8.64e19 = {figures.number(o.petaflop_days)}",
        ),
    ),
    compute=training_flops,
    convention=CONVENTION,
    slips=tuple(when_distinct(training_flops, slip) for slip in SLIPS),
    sources=(
        Reference(
            "Brown et al. 2020, Language Models are Few-Shot Learners, Appendix D", "https://arxiv.org/abs/2005.14165"
        ),
        Reference("Chowdhery et al. 2022, PaLM, §4.1", "https://arxiv.org/abs/2204.02311"),
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation, Appendix A", "https://arxiv.org/abs/2205.05198"
        ),
    ),
)


CALCULATORS = (TRAINING_FLOPS,)
