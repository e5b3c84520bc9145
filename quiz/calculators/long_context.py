"""What a longer context costs: attention's share beside 6·N, and how a longer prompt grows."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.attention_flops import (
    ACTIVE,
    CAUSAL_HALF,
    CONVENTION,
    FULL_SQUARE,
    SEQUENCE,
    SHAPE,
    TOTAL_FOR_ACTIVE,
    score_width,
    scores_per_token,
    total_for_active,
    used,
)
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.inputs import LONGEST, MODEL, PARAMETERS
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference

TRAINING = 3
MATRICES = 6


def long_context_compute(**given: Any) -> dict[str, Any]:
    """Training FLOPs of one token in a context of s tokens, and how they grow with it.

        per_token = 6·N + 12·L·n·d·s       the full square of scores; per_token_causal = 6·N + 6·L·n·d·s, half of it
        ratio = per_token/(6·N)            ratio_causal likewise
        crossover = 6·N/(12·L·n·d)         the context at which the full square costs as much as the parameters
        growth = s·per_token(s)/(s₀·per_token(s₀))    of a prompt that grows from s₀ = `base_sequence` to s tokens (the
                                                      forward pass grows alike); None without base_sequence

    N parameters that a token passes (all without `active_parameters`), L layers, n heads of d; MLA's rotary part adds
    to the scores, a sliding window caps s in its layers (crossover ignores it). FLOP, tokens, pure numbers. BadInput
    without a shape, or for more active parameters than parameters.

    Source: Chowdhery et al. 2022, PaLM, §4.1 and Appendix B (6·N + 12·L·H·Q·T), https://arxiv.org/abs/2204.02311
    """
    passed = used(given["parameters"], given["active_parameters"])
    sequence, base = given["sequence"], given["base_sequence"]

    def cost(tokens: int, causal: bool) -> Fraction:
        return MATRICES * passed + TRAINING * scores_per_token(**{**given, "sequence": tokens, "causal": causal})

    growth = growth_causal = None
    if base is not None:
        growth, growth_causal = (
            plain(sequence * cost(sequence, causal) / (base * cost(base, causal))) for causal in (False, True)
        )
    full, half = cost(sequence, False), cost(sequence, True)
    square = 12 * given["layers"] * score_width(given["heads"], given["head_dim"], given["mla_rope"])
    return {
        "per_token": plain(full),
        "per_token_causal": plain(half),
        "attention_per_token": plain(full - MATRICES * passed),
        "ratio": plain(full / (MATRICES * passed)),
        "ratio_causal": plain(half / (MATRICES * passed)),
        "crossover": plain(MATRICES * passed / square),
        "growth": growth,
        "growth_causal": growth_causal,
    }


def _parts(i: Values, o: Values, causal: bool) -> str:
    passed = used(i.parameters, i.active_parameters)
    scores = figures.scaled((o.per_token_causal if causal else o.per_token) - 6 * passed, "FLOP")
    return f"6·{passed:,} + {scores}"


def _attention_worked(i: Values, o: Values) -> str:
    if i.window or i.mla_rope:
        return figures.scaled(o.attention_per_token, "FLOP")
    product = f"12·{i.layers}·{i.heads}·{i.head_dim}·{i.sequence:,}"
    return f"{product} = {figures.scaled(o.attention_per_token, 'FLOP')}"


def _ratio_worked(i: Values, o: Values, causal: bool) -> str:
    passed = used(i.parameters, i.active_parameters)
    value = o.ratio_causal if causal else o.ratio
    return f"({_parts(i, o, causal)})/(6·{passed:,}) = {figures.number(value)}"


def _growth_worked(i: Values, o: Values, causal: bool) -> str:
    value = o.growth_causal if causal else o.growth
    if value is None:
        return ""
    per_token = Fraction(value) * i.base_sequence / i.sequence
    lengths = f"{i.sequence:,}/{i.base_sequence:,}"
    return f"{lengths} · {figures.number(float(per_token))} = {figures.number(value)}"


def _linear(i: Values) -> Any:
    return None if i.base_sequence is None else plain(Fraction(i.sequence, i.base_sequence))


def _quadratic(i: Values) -> Any:
    return None if i.base_sequence is None else plain(Fraction(i.sequence, i.base_sequence) ** 2)


LINEAR = Text(
    "cost is taken to be linear in tokens: attention's share is left out",
    "以为计算量与 token 数成正比，漏了注意力的平方项",
)
ALL_QUADRATIC = Text(
    "everything is taken to grow with the square; the matrices grow linearly",
    "以为全部按平方增长，其实矩阵部分是线性的",
)
FORWARD = Text("only the forward pass of attention is counted, 4·L·n·d·s", "注意力只算了前向，4·L·n·d·s")
ONE_LAYER = Text("attention is counted in one layer", "注意力只算了一层")


def _pair(output: str) -> tuple[Slip, Slip]:
    """The other convention about the mask, for both of an output's values."""
    return (
        Slip("causal_half", output, CAUSAL_HALF, lambda i: again(long_context_compute, f"{output}_causal", i)),
        Slip("full_square", f"{output}_causal", FULL_SQUARE, lambda i: again(long_context_compute, output, i)),
    )


def _per_output(output: str) -> tuple[Slip, ...]:
    return (
        changed(long_context_compute, output, "total_for_active", TOTAL_FOR_ACTIVE, total_for_active),
        changed(long_context_compute, output, "one_layer", ONE_LAYER, _one_layer),
    )


def _one_layer(i: Values) -> dict[str, Any] | None:
    return {"layers": 1, "window_layers": None, "window": None} if i.layers > 1 else None


def _no_attention(i: Values) -> int:
    return 6 * used(i.parameters, i.active_parameters)


SLIPS = (
    *(Slip("linear", output, LINEAR, _no_attention) for output in ("per_token", "per_token_causal")),
    *(Slip("linear", output, LINEAR, lambda _: 1) for output in ("ratio", "ratio_causal")),
    *(Slip("linear", output, LINEAR, _linear) for output in ("growth", "growth_causal")),
    *(Slip("quadratic", output, ALL_QUADRATIC, _quadratic) for output in ("growth", "growth_causal")),
    *(slip for output in ("per_token", "ratio", "growth") for slip in _pair(output)),
    *(slip for output in ("per_token", "ratio", "ratio_causal", "crossover") for slip in _per_output(output)),
    Slip(
        "forward_only",
        "attention_per_token",
        FORWARD,
        lambda i: plain(Fraction(again(long_context_compute, "attention_per_token", i)) / 3),
    ),
    Slip(
        "causal_half",
        "attention_per_token",
        CAUSAL_HALF,
        lambda i: again(long_context_compute, "per_token_causal", i) - _no_attention(i),
    ),
    changed(long_context_compute, "attention_per_token", "one_layer", ONE_LAYER, _one_layer),
)


def _output(name: str, about: Text, unit: str, formula: str, worked: Callable[[Values, Values], str]) -> Output:
    return Output(name, about, unit, formula, worked)


LONG_CONTEXT_COMPUTE = Calculator(
    name="long_context_compute",
    title=Text("Compute in a long context", "长上下文的计算量"),
    inputs=(
        MODEL,
        PARAMETERS,
        ACTIVE,
        *SHAPE,
        SEQUENCE,
        optional(
            integer(
                "base_sequence",
                Text("tokens that growth compares with", "growth 所比较的原长度"),
                unit="token",
                high=LONGEST,
            )
        ),
    ),
    outputs=(
        _output(
            "per_token",
            Text("training FLOPs a token, full square", "每 token 训练计算量（完整方阵）"),
            "FLOP",
            "6·N + 12·L·n·d·s",
            lambda i, o: f"{_parts(i, o, False)} = {figures.scaled(o.per_token, 'FLOP')}",
        ),
        _output(
            "per_token_causal",
            Text("training FLOPs a token, causal half", "每 token 训练计算量（因果一半）"),
            "FLOP",
            "6·N + 6·L·n·d·s",
            lambda i, o: f"{_parts(i, o, True)} = {figures.scaled(o.per_token_causal, 'FLOP')}",
        ),
        _output(
            "attention_per_token",
            Text("scores and values, training, full square", "分数与加权求和的训练计算量（完整方阵）"),
            "FLOP",
            "12·L·n·d·s",
            _attention_worked,
        ),
        _output(
            "ratio",
            Text("times 6·N, full square", "是 6·N 的几倍（完整方阵）"),
            "",
            "1 + 12·L·n·d·s/(6·N)",
            lambda i, o: _ratio_worked(i, o, False),
        ),
        _output(
            "ratio_causal",
            Text("times 6·N, causal half", "是 6·N 的几倍（因果一半）"),
            "",
            "1 + 6·L·n·d·s/(6·N)",
            lambda i, o: _ratio_worked(i, o, True),
        ),
        _output(
            "crossover",
            Text("context at which attention costs as much as 6·N", "注意力与 6·N 相等的序列长度"),
            "token",
            "6·N/(12·L·n·d); causal ×2",
            lambda i, o: (
                f"6·{used(i.parameters, i.active_parameters):,}/"
                f"(12·{i.layers}·{figures.number(float(score_width(i.heads, i.head_dim, i.mla_rope)), 6)}) = "
                f"{round(o.crossover):,}"
            ),
        ),
        _output(
            "growth",
            Text(
                "cost of the longer prompt over the shorter one, full square", "变长后整条提示的计算量倍数（完整方阵）"
            ),
            "",
            "s·per_token(s)/(s₀·per_token(s₀))",
            lambda i, o: _growth_worked(i, o, False),
        ),
        _output(
            "growth_causal",
            Text(
                "cost of the longer prompt over the shorter one, causal half", "变长后整条提示的计算量倍数（因果一半）"
            ),
            "",
            "s·per_token(s)/(s₀·per_token(s₀))",
            lambda i, o: _growth_worked(i, o, True),
        ),
    ),
    compute=long_context_compute,
    convention=CONVENTION,
    slips=tuple(when_distinct(long_context_compute, slip) for slip in SLIPS),
    sources=(
        Reference("Chowdhery et al. 2022, PaLM, §4.1 and Appendix B", "https://arxiv.org/abs/2204.02311"),
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation, Appendix A", "https://arxiv.org/abs/2205.05198"
        ),
    ),
)

CALCULATORS = (LONG_CONTEXT_COMPUTE,)
