"""A layer's attention against its MLP: parameters, FLOPs, and the context at which attention overtakes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.attention_flops import CAUSAL, CAUSAL_HALF, FULL_SQUARE, SEQUENCE
from quiz.calculators.base import Calculator, Output, Slip, Values, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.layer_cost import GUARDS, is_plain, matrices
from quiz.calculators.parameter_count import FFN, GATED, HEAD_DIM, HEADS, HIDDEN, KV_HEADS, heads_of, shape_preset
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference


def attention_mlp_share(**given: Any) -> dict[str, Any]:
    """What attention has of one layer's parameters and FLOPs.

        attention_parameters = 2·h·n·d + 2·h·k·d        (4·h² without GQA where n·d = h)
        mlp_parameters = 3·h·f gated, 2·h·f plain       (8·h² where f = 4·h)
        forward FLOPs a token = 2·parameters, and for attention 4·n·d·s more for scores and values (causal: half)
        crossover: attention's FLOPs, scores and all, equal the MLP's   s = (mlp − attention)/(2·n·d)
        scores_crossover: the scores alone equal all matrices           s = (mlp + attention)/(2·n·d), 6·h in a GPT block

    flops_share and scores_share are at `sequence` (None without); scores_share is of scores and values alone. Training
    triples all FLOPs alike. Biases and norms are not counted. Parameters, tokens and pure numbers.

    Source: Korthikanti et al. 2022, Appendix A (24·B·s·h² + 4·B·s²·h a layer), https://arxiv.org/abs/2205.05198
    """
    attention, mlp = matrices(given)
    heads, _, head_dim = heads_of(given)
    key = heads * head_dim * (2 if given["causal"] else 4)
    flops_share = scores_share = None
    if given["sequence"] is not None:
        scores = key * given["sequence"]
        flops_share = plain(Fraction(2 * attention + scores, 2 * (attention + mlp) + scores))
        scores_share = plain(Fraction(scores, 2 * (attention + mlp) + scores))
    return {
        "attention_parameters": attention,
        "mlp_parameters": mlp,
        "parameter_share": plain(Fraction(attention, attention + mlp)),
        "flops_share": flops_share,
        "scores_share": scores_share,
        "crossover": plain(Fraction(2 * max(0, mlp - attention), key)),
        "scores_crossover": plain(Fraction(2 * (mlp + attention), key)),
    }


def _all_heads(i: Values) -> dict[str, Any] | None:
    return {"kv_heads": None} if i.kv_heads and i.kv_heads != i.heads else None


def _two_matrices(i: Values) -> dict[str, Any] | None:
    return {"gated": False} if i.gated else None


def _gpt_block(i: Values) -> dict[str, Any] | None:
    same = not i.gated and i.ffn == 4 * i.hidden and not _all_heads(i)
    return None if same else {"kv_heads": None, "head_dim": None, "heads": 1, "gated": False, "ffn": 4 * i.hidden}


def _no_scores(i: Values) -> Any:
    return None if i.sequence is None else again(attention_mlp_share, "parameter_share", i)


ALL_HEADS = Text("keys and values are given every query head, as without GQA", "没考虑 GQA，K、V 按 query 头数算了")
TWO_MATRICES = Text(
    "the MLP is counted with two matrices; a gated one has three", "MLP 按两个矩阵算了，门控 MLP 有三个"
)
GPT_BLOCK = Text("the 4h² and 8h² of a GPT block are taken", "套用了 GPT 块的 4h² 和 8h²")
NO_SCORES = Text(
    "only parameters are compared; scores and values have none and cost FLOPs all the same",
    "只比了参数，而分数和加权求和没有参数也要计算量",
)
PARTS = ("attention_parameters", "mlp_parameters", "parameter_share", "flops_share", "crossover", "scores_crossover")


def _half_slips(output: str) -> tuple[Slip, ...]:
    """The other convention about the mask, under its own name either way."""

    def other(causal: bool) -> Callable[[Values], dict[str, Any] | None]:
        return lambda i: {"causal": not causal} if i.causal == causal else None

    names = {False: ("causal_half", CAUSAL_HALF), True: ("full_square", FULL_SQUARE)}
    return tuple(changed(attention_mlp_share, output, *names[causal], other(causal)) for causal in (False, True))


def _flops_worked(i: Values, o: Values, above: str) -> str:
    if i.sequence is None:
        return ""
    heads, _, head_dim = heads_of(vars(i))
    scores = f"{2 if i.causal else 4}·{heads}·{head_dim}·{i.sequence:,}"
    top = scores if above == "scores_share" else f"2·{o.attention_parameters:,} + {scores}"
    below = f"2·({o.attention_parameters:,} + {o.mlp_parameters:,}) + {scores}"
    return f"({top})/({below}) = {figures.percent(getattr(o, above))}"


def _crossover_worked(i: Values, o: Values, sign: str, value: Any) -> str:
    heads, _, head_dim = heads_of(vars(i))
    key = f"{1 if i.causal else 2}·{heads}·{head_dim}"
    return f"({o.mlp_parameters:,} {sign} {o.attention_parameters:,})/({key}) = {round(value):,}"


def _attention_worked(i: Values, o: Values) -> str:
    heads, kv_heads, head_dim = heads_of(vars(i))
    return f"2·{i.hidden:,}·({heads} + {kv_heads})·{head_dim} = {o.attention_parameters:,}"


SLIPS = (
    *(
        changed(attention_mlp_share, output, name, about, change)
        for output in PARTS
        for name, about, change in (
            ("gqa_ignored", ALL_HEADS, _all_heads),
            ("two_matrices", TWO_MATRICES, _two_matrices),
            ("gpt_block", GPT_BLOCK, _gpt_block),
        )
        if (output, name) not in (("attention_parameters", "two_matrices"), ("mlp_parameters", "gqa_ignored"))
    ),
    Slip("no_scores", "flops_share", NO_SCORES, _no_scores),
    *_half_slips("flops_share"),
    *_half_slips("scores_share"),
    *_half_slips("crossover"),
    *_half_slips("scores_crossover"),
)

ATTENTION_MLP_SHARE = Calculator(
    name="attention_mlp_share",
    title=Text("Attention against the MLP", "注意力与 MLP 的占比"),
    inputs=(shape_preset(is_plain), HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FFN, GATED, optional(SEQUENCE), CAUSAL, *GUARDS),
    outputs=(
        Output(
            "attention_parameters",
            Text("attention's matrices, one layer", "一层注意力的矩阵参数"),
            "parameter",
            "2·h·(n + k)·d",
            _attention_worked,
        ),
        Output(
            "mlp_parameters",
            Text("the MLP's matrices, one layer", "一层 MLP 的矩阵参数"),
            "parameter",
            "3·h·f gated, 2·h·f plain",
            lambda i, o: f"{3 if i.gated else 2}·{i.hidden:,}·{i.ffn:,} = {o.mlp_parameters:,}",
        ),
        Output(
            "parameter_share",
            Text("attention's share of the parameters", "注意力占参数的比例"),
            "",
            "attention/(attention + mlp)",
            lambda _, o: (
                f"{o.attention_parameters:,}/({o.attention_parameters:,} + {o.mlp_parameters:,}) = "
                f"{figures.percent(o.parameter_share)}"
            ),
        ),
        Output(
            "flops_share",
            Text("attention's share of the FLOPs, scores included", "注意力占计算量的比例（含分数）"),
            "",
            "(2·attention + 4·n·d·s)/(2·(attention + mlp) + 4·n·d·s)",
            lambda i, o: _flops_worked(i, o, "flops_share"),
        ),
        Output(
            "scores_share",
            Text("scores' and values' share of the FLOPs", "分数与加权求和占计算量的比例"),
            "",
            "4·n·d·s/(2·(attention + mlp) + 4·n·d·s)",
            lambda i, o: _flops_worked(i, o, "scores_share"),
        ),
        Output(
            "crossover",
            Text("context at which attention costs as much as the MLP", "注意力与 MLP 计算量相等的序列长度"),
            "token",
            "(mlp − attention)/(2·n·d); causal ×2",
            lambda i, o: _crossover_worked(i, o, "−", o.crossover),
        ),
        Output(
            "scores_crossover",
            Text(
                "context at which scores alone cost as much as all matrices",
                "仅分数部分就与全部矩阵计算量相等的序列长度",
            ),
            "token",
            "(mlp + attention)/(2·n·d); causal ×2",
            lambda i, o: _crossover_worked(i, o, "+", o.scores_crossover),
        ),
    ),
    compute=attention_mlp_share,
    convention=Text(
        "scores as the full square, 4·n·d·s a token; causal=true counts half",
        "分数按完整方阵计，每 token 4·n·d·s；causal=true 只计一半",
    ),
    slips=tuple(when_distinct(attention_mlp_share, slip) for slip in SLIPS),
    sources=(
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models, Appendix A",
            "https://arxiv.org/abs/2205.05198",
        ),
    ),
)

CALCULATORS = (ATTENTION_MLP_SHARE,)
