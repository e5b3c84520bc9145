"""The online softmax: one row of scores that arrives block by block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Input, Output, Slip, Values, optional
from quiz.calculators.softmax_blocks import MASKED, blocks, online
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def online_softmax(*, scores: str, values: str | None) -> dict[str, Any]:
    """Softmax statistics of one row of scores that arrives in blocks, and the output with one value a score.

    For each block, with m, l, o before it (−∞, 0, 0 at first):

        m' = max(m, max(block))      l' = exp(m−m')·l + Σ exp(s−m')      o' = exp(m−m')·o + Σ exp(s−m')·v

    maximum, denominator: m and l after the last block, the same for every way of cutting the row. output: o/l, None
    without values. rescale: exp(m−m') of the last block, 0 if there is only one. Masked scores are -inf. Pure numbers.
    BadInput for blocks that cannot be read, values that do not match the scores, or a row with everything masked.

    Source: Dao et al. 2022, FlashAttention, §3.1 and Algorithm 1, https://arxiv.org/abs/2205.14135
    """
    rows, weights = _read(scores, values)
    last = online(rows, weights)[-1]
    return {
        "maximum": last.maximum,
        "denominator": last.denominator,
        "output": None if weights is None else last.weighted / last.denominator,
        "rescale": last.rescale,
    }


def _read(scores: str, values: str | None) -> tuple[list[list[float]], list[list[float]] | None]:
    rows = blocks(scores, "scores")
    weights = None if values is None else blocks(values, "values")
    if weights is not None and [len(block) for block in weights] != [len(block) for block in rows]:
        raise BadInput(
            Text(
                "values need one number for each score, in blocks of the same sizes",
                "values 要与 scores 一一对应，分块也要相同",
            )
        )
    if weights is not None and any(math.isinf(value) for block in weights for value in block):
        raise BadInput(Text("values: finite numbers only", "values：只能是有限数"))
    if all(score == MASKED for block in rows for score in block):
        raise BadInput(
            Text(
                "every score is masked, so that there is nothing to normalise; leave one score finite",
                "所有分数都被掩掉，没有可归一化的项；请至少留一个有限的分数",
            )
        )
    return rows, weights


def _sum_exp(scores: Sequence[float], top: float) -> float:
    return math.fsum(math.exp(score - top) for score in scores) if top > MASKED else 0.0


def _rows(i: Values) -> list[list[float]]:
    return _read(i.scores, i.values)[0]


def _no_rescale(i: Values) -> float:
    """Each block's sum under the maximum so far, old sums left as they were."""
    rows = _rows(i)
    return math.fsum(_sum_exp(block, step.maximum) for block, step in zip(rows, online(rows), strict=True))


def _own_maxima(i: Values) -> float | None:
    """Each block's sum under its own maximum, where that is not the maximum so far."""
    rows = _rows(i)
    if all(max(block) == step.maximum for block, step in zip(rows, online(rows), strict=True)):
        return None
    return math.fsum(_sum_exp(block, max(block)) for block in rows)


def _no_maximum(i: Values) -> float | None:
    try:
        return math.fsum(math.exp(score) for block in _rows(i) for score in block)
    except OverflowError:
        return None


def _rescaled_block(i: Values) -> float | None:
    """The factor put on the last block's sum, not on the old one."""
    rows = _rows(i)
    steps = online(rows)
    if len(rows) == 1:
        return None
    return steps[-2].denominator + steps[-1].rescale * _sum_exp(rows[-1], steps[-1].maximum)


def _last_block(i: Values) -> float:
    rows = _rows(i)
    return _sum_exp(rows[-1], online(rows)[-1].maximum)


def _output_no_rescale(i: Values) -> float | None:
    rows, weights = _read(i.scores, i.values)
    if weights is None:
        return None
    pairs = [
        (math.exp(score - step.maximum) if step.maximum > MASKED else 0.0, value)
        for block, held, step in zip(rows, weights, online(rows), strict=True)
        for score, value in zip(block, held, strict=True)
    ]
    return math.fsum(w * v for w, v in pairs) / math.fsum(w for w, _ in pairs)


def _output_sum_not_rescaled(i: Values) -> float | None:
    """The denominator rescaled, the output sum not."""
    rows, weights = _read(i.scores, i.values)
    if weights is None:
        return None
    steps = online(rows)
    pairs = (
        (math.exp(score - step.maximum) if step.maximum > MASKED else 0.0) * value
        for block, held, step in zip(rows, weights, steps, strict=True)
        for score, value in zip(block, held, strict=True)
    )
    return math.fsum(pairs) / steps[-1].denominator


def _not_normalised(i: Values) -> float | None:
    rows, weights = _read(i.scores, i.values)
    return None if weights is None else online(rows, weights)[-1].weighted


def _mean_of_blocks(i: Values) -> float | None:
    """The plain mean of the blocks' own softmax outputs."""
    rows, weights = _read(i.scores, i.values)
    if weights is None or any(max(block) == MASKED for block in rows):
        return None
    own = [online([block], [held])[-1] for block, held in zip(rows, weights, strict=True)]
    return math.fsum(step.weighted / step.denominator for step in own) / len(own)


def _inverse_rescale(i: Values) -> float | None:
    last = online(_rows(i))[-1]
    return 1 / last.rescale if last.rescale else None


def _maximum(value: float) -> str:
    return "−∞" if value == MASKED else figures.number(value, 6)


def _worked_denominator(i: Values, _: Values) -> str:
    """l after each block, with the factor that the old sum took."""
    rows = _rows(i)
    parts: list[str] = []
    before = 0.0
    for block, step in zip(rows, online(rows), strict=True):
        added = figures.number(_sum_exp(block, step.maximum), 6)
        parts.append(
            f"m={_maximum(step.maximum)}: l={figures.number(step.denominator, 6)}"
            if not parts
            else f"m={_maximum(step.maximum)}: l={figures.number(step.rescale, 6)}·{figures.number(before, 6)} + {added} = {figures.number(step.denominator, 6)}"
        )
        before = step.denominator
    return "; ".join(parts)


def _worked_output(i: Values, o: Values) -> str:
    if o.output is None:
        return ""
    last = online(*_read(i.scores, i.values))[-1]
    return f"{figures.number(last.weighted, 6)}/{figures.number(last.denominator, 6)} = {figures.number(o.output, 6)}"


def _worked_rescale(i: Values, o: Values) -> str:
    steps = online(_rows(i))
    old = _maximum(steps[-2].maximum if len(steps) > 1 else MASKED)
    return f"exp({old} − {figures.number(o.maximum, 6)}) = {figures.number(o.rescale, 6)}"


ONLINE_SOFTMAX = Calculator(
    name="online_softmax",
    title=Text("Online softmax, block by block", "在线 softmax，逐块更新"),
    inputs=(
        Input("scores", "text", Text("scores, blocks separated by ;", "分数，用 ; 分块")),
        optional(Input("values", "text", Text("one value a score, in the same blocks", "每个分数对应的 v，分块相同"))),
    ),
    outputs=(
        Output(
            "maximum",
            Text("running maximum after the last block", "最后一块之后的最大值 m"),
            "",
            "m' = max(m, max(block))",
        ),
        Output(
            "denominator",
            Text("denominator after the last block", "最后一块之后的分母 l"),
            "",
            "l' = exp(m−m')·l + Σ exp(s−m')",
            _worked_denominator,
        ),
        Output("output", Text("softmax-weighted sum of the values", "softmax 加权和"), "", "o/l", _worked_output),
        Output(
            "rescale",
            Text("factor on the old sums at the last block", "最后一块对旧累加值的缩放系数"),
            "",
            "exp(m−m')",
            _worked_rescale,
        ),
    ),
    compute=online_softmax,
    slips=(
        Slip(
            "last_block",
            "maximum",
            Text(
                "the last block's own maximum is given, not the running one",
                "给的是最后一块自己的最大值，不是全程最大值",
            ),
            lambda i: max(_rows(i)[-1]),
        ),
        Slip(
            "no_rescale",
            "denominator",
            Text("the old sum is not rescaled when the maximum moves", "最大值变了，旧的和却没有缩放"),
            _no_rescale,
        ),
        Slip(
            "own_maxima",
            "denominator",
            Text("each block keeps its own maximum", "每块各减自己的最大值，没有统一"),
            _own_maxima,
        ),
        Slip(
            "no_maximum",
            "denominator",
            Text("no maximum is subtracted", "没有减最大值"),
            _no_maximum,
        ),
        Slip(
            "new_block_rescaled",
            "denominator",
            Text("the factor is put on the new block instead of the old sum", "把缩放系数乘到了新块上，而不是旧的和"),
            _rescaled_block,
        ),
        Slip(
            "last_block_only",
            "denominator",
            Text("only the last block is summed", "只累加了最后一块"),
            _last_block,
        ),
        Slip(
            "no_rescale",
            "output",
            Text("neither old sum is rescaled when the maximum moves", "最大值变了，两个旧的累加值都没有缩放"),
            _output_no_rescale,
        ),
        Slip(
            "sum_not_rescaled",
            "output",
            Text("the denominator is rescaled, but not the sum of the values", "分母缩放了，加权和却没有缩放"),
            _output_sum_not_rescaled,
        ),
        Slip(
            "not_normalised",
            "output",
            Text("the sum is not divided by the denominator", "最后没有除以分母"),
            _not_normalised,
        ),
        Slip(
            "mean_of_blocks",
            "output",
            Text("the blocks' own outputs are averaged without their weights", "把各块的输出直接平均，没有按权重合并"),
            _mean_of_blocks,
        ),
        Slip(
            "inverse",
            "rescale",
            Text("the factor is turned upside down, exp(m'−m)", "系数写反了，成了 exp(m'−m)"),
            _inverse_rescale,
        ),
    ),
    sources=(Reference("Dao et al. 2022, FlashAttention, §3.1 and Algorithm 1", "https://arxiv.org/abs/2205.14135"),),
)
