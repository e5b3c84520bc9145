"""A training budget split into parameters and tokens."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.amounts import count
from quiz.calculators.base import Calculator, Output, Slip, integer, number, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference


def compute_optimal_split(*, flops: Number, tokens_per_parameter: Number, batch_tokens: int | None) -> dict[str, Any]:
    """The model and the tokens that a budget C = `flops` buys at r = `tokens_per_parameter`.

        C = 6·N·D and D = r·N:   parameters N = √(C/(6·r))   tokens D = √(C·r/6)   steps = ⌈D/batch_tokens⌉

    r is about 20 in Chinchilla's fit (its Table 3: 20.0 to 22.4); a model that is to serve is trained on far more tokens.
    steps is None without batch_tokens. Parameters, tokens, steps.

    Source: Hoffmann et al. 2022, Table 3, https://arxiv.org/abs/2203.15556
    """
    ratio, budget = float(tokens_per_parameter), float(flops)
    tokens = math.sqrt(budget * ratio / 6)
    return {
        "parameters": math.sqrt(budget / (6 * ratio)),
        "tokens": tokens,
        "steps": None if batch_tokens is None else math.ceil(tokens / batch_tokens),
    }


EQUAL_SCALE = Text("one token a parameter is taken", "按每个参数 1 个 token 分了")
NO_SIX = Text("C = N·D is taken, without the 6", "按 C = N·D 算，漏了系数 6")
TWO_FOR_SIX = Text("C = 2·N·D is taken: only the forward pass", "按 C = 2·N·D 算，只有前向")


def _budget(output: str) -> tuple[Slip, ...]:
    """sqrt(C/(6·r)) with another r or another constant: the tokens move the other way."""
    return (
        changed(
            compute_optimal_split,
            output,
            "one_token_a_parameter",
            EQUAL_SCALE,
            lambda i: None if i.tokens_per_parameter == 1 else {"tokens_per_parameter": 1},
        ),
        changed(compute_optimal_split, output, "no_six", NO_SIX, lambda i: {"flops": 6 * i.flops}),
        changed(compute_optimal_split, output, "forward_only", TWO_FOR_SIX, lambda i: {"flops": 3 * i.flops}),
    )


COMPUTE_OPTIMAL_SPLIT = Calculator(
    name="compute_optimal_split",
    title=Text("A training budget split", "训练算力预算分配"),
    inputs=(
        number("flops", Text("budget C", "算力预算 C"), unit="FLOP", low=1e9, high=1e30),
        number(
            "tokens_per_parameter", Text("tokens a parameter r", "每参数 token 数 r"), low=0.01, high=1e5, default=20
        ),
        optional(integer("batch_tokens", Text("tokens a step", "每步 token 数"), unit="token", high=10**12)),
    ),
    outputs=(
        Output(
            "parameters",
            Text("parameters N", "参数量 N"),
            "parameter",
            "√(C/(6·r))",
            lambda i, o: (
                f"√({figures.number(i.flops)}/(6·{figures.number(i.tokens_per_parameter)})) = {count(o.parameters)}"
            ),
        ),
        Output(
            "tokens",
            Text("tokens D", "token 数 D"),
            "token",
            "√(C·r/6)",
            lambda i, o: f"√({figures.number(i.flops)}·{figures.number(i.tokens_per_parameter)}/6) = {count(o.tokens)}",
        ),
        Output(
            "steps",
            Text("steps", "训练步数"),
            "",
            "⌈D/batch_tokens⌉",
            lambda i, o: f"⌈{count(o.tokens)}/{i.batch_tokens:,}⌉ = {o.steps:,}" if o.steps else "",
        ),
    ),
    compute=compute_optimal_split,
    convention=Text(
        "20 tokens a parameter as in Chinchilla; a model that serves much traffic is worth training on far more",
        "按 Chinchilla 每参数 20 token；推理量大的模型值得用多得多的 token 训练",
    ),
    slips=tuple(
        when_distinct(compute_optimal_split, slip)
        for output in ("parameters", "tokens", "steps")
        for slip in _budget(output)
    ),
    sources=(
        Reference(
            "Hoffmann et al. 2022, Training Compute-Optimal Large Language Models, Table 3",
            "https://arxiv.org/abs/2203.15556",
        ),
    ),
)

CALCULATORS = (COMPUTE_OPTIMAL_SPLIT,)
