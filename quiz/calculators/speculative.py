"""Speculative decoding: tokens a verification yields, speed-up, and the best draft length."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number
from quiz.calculators.exact import Number
from quiz.language import Text
from quiz.reference import Reference

LONGEST_DRAFT = 32


def expected(acceptance: Number, length: int) -> float:
    """1 + α + … + α^γ = (1−α^(γ+1))/(1−α), tokens that one run of the target yields."""
    return math.fsum(float(acceptance) ** power for power in range(length + 1))


def speedup(acceptance: Number, length: int, cost: Number) -> float:
    """Tokens a run over what the run costs, in runs of the target alone."""
    return expected(acceptance, length) / (length * float(cost) + 1)


def speculative_decoding(*, acceptance: Number, draft_length: int, draft_cost: Number) -> dict[str, Any]:
    """Tokens a run of the target, and speed-up over plain decoding.

    With α = `acceptance` (the same, independently, for every drafted token), γ = `draft_length` drafted tokens and
    c = `draft_cost`, the time of one draft step over one step of the target:

        expected_tokens = (1−α^(γ+1))/(1−α), γ+1 for α = 1      speedup = expected_tokens/(γ·c + 1)

    The run itself always yields one token: the target's own at the first rejection, or one more where all γ pass.
    Verifying γ+1 tokens is taken to cost one step of the target, which large batches and mixtures of experts do not
    grant. best_length is the γ of 0 to 32 with the greatest speed-up, the shortest of equals; 0 means that no draft
    pays, and 32 stands for longer ones as well. Tokens; the rest pure numbers.

    Source: Leviathan et al. 2023, Equation 1 and Theorem 3.8, https://arxiv.org/abs/2211.17192
    """
    best = max(range(LONGEST_DRAFT + 1), key=lambda length: speedup(acceptance, length, draft_cost))
    return {
        "expected_tokens": expected(acceptance, draft_length),
        "speedup": speedup(acceptance, draft_length, draft_cost),
        "best_length": best,
        "best_speedup": speedup(acceptance, best, draft_cost),
    }


def _worked_tokens(i: Values, o: Values) -> str:
    a, g = figures.number(i.acceptance, 6), i.draft_length
    if i.acceptance == 1:
        return f"{g} + 1 = {figures.number(o.expected_tokens, 6)}"
    return f"(1 − {a}^{g + 1})/(1 − {a}) = {figures.number(o.expected_tokens, 6)}"


NO_COST = Text("the draft model is taken to cost nothing", "把草稿模型当成不花时间")

SPECULATIVE_DECODING = Calculator(
    name="speculative_decoding",
    title=Text("Speculative decoding", "投机解码"),
    inputs=(
        number("acceptance", Text("acceptance rate α", "接受率 α"), high=1),
        integer("draft_length", Text("drafted tokens γ", "草稿长度 γ"), unit="token", low=0, high=1024),
        number("draft_cost", Text("draft step over target step c", "草稿一步与目标一步的时间比 c"), high=10),
    ),
    outputs=(
        Output(
            "expected_tokens",
            Text("tokens a run of the target yields on average", "目标模型每跑一次平均得到的 token 数"),
            "token",
            "(1−α^(γ+1))/(1−α)",
            _worked_tokens,
        ),
        Output(
            "speedup",
            Text("speed-up over plain decoding", "相对普通解码的加速比"),
            "",
            "(1−α^(γ+1))/((1−α)·(γ·c + 1))",
            lambda i, o: (
                f"{figures.number(o.expected_tokens, 6)}/({i.draft_length}·{figures.number(i.draft_cost, 6)} + 1) = {figures.number(o.speedup, 6)}"
            ),
        ),
        Output(
            "best_length",
            Text("best draft length, up to 32", "最优草稿长度（不超过 32）"),
            "token",
            "γ with the greatest speed-up",
            lambda i, o: (
                f"γ = {max(o.best_length - 1, 0)}, {o.best_length}, {o.best_length + 1}: "
                + ", ".join(
                    figures.number(speedup(i.acceptance, length, i.draft_cost), 6)
                    for length in (max(o.best_length - 1, 0), o.best_length, o.best_length + 1)
                )
            ),
        ),
        Output(
            "best_speedup",
            Text("speed-up at the best draft length", "最优草稿长度下的加速比"),
            "",
            "speedup at best_length",
            lambda i, o: (
                f"{figures.number(expected(i.acceptance, o.best_length), 6)}/({o.best_length}·{figures.number(i.draft_cost, 6)} + 1)"
                f" = {figures.number(o.best_speedup, 6)}"
            ),
        ),
    ),
    compute=speculative_decoding,
    convention=Text(
        "α for each token independently; one run verifies γ drafted tokens and always yields one of its own",
        "各 token 独立按 α 接受；一次验证 γ 个草稿 token，并总会多得一个目标模型自己的 token",
    ),
    slips=(
        Slip(
            "linear",
            "expected_tokens",
            Text(
                "γ·α + 1 is used, as if tokens after a rejection still counted",
                "用了 γ·α + 1，等于被拒之后的 token 还算数",
            ),
            lambda i: i.draft_length * i.acceptance + 1,
        ),
        Slip(
            "no_own_token",
            "expected_tokens",
            Text("the token that the target itself yields is left out", "漏了目标模型自己给出的那个 token"),
            lambda i: expected(i.acceptance, i.draft_length) - 1,
        ),
        Slip(
            "one_power_less",
            "expected_tokens",
            Text("the extra token when all drafted ones pass is left out", "漏了草稿全部通过时多得的那个 token"),
            lambda i: expected(i.acceptance, i.draft_length - 1) if i.draft_length else None,
        ),
        Slip(
            "all_accepted",
            "expected_tokens",
            Text("every drafted token is taken to be accepted", "当成草稿 token 全部被接受"),
            lambda i: i.draft_length + 1,
        ),
        Slip("no_cost", "speedup", NO_COST, lambda i: expected(i.acceptance, i.draft_length)),
        Slip(
            "linear",
            "speedup",
            Text("γ·α + 1 tokens a run are counted", "按每次得到 γ·α + 1 个 token 来算"),
            lambda i: (i.draft_length * i.acceptance + 1) / (i.draft_length * i.draft_cost + 1),
        ),
        Slip(
            "one_draft_step",
            "speedup",
            Text("the draft is taken to run once, not γ times", "按草稿模型只跑一步来算，实际要跑 γ 步"),
            lambda i: expected(i.acceptance, i.draft_length) / (i.draft_cost + 1),
        ),
        Slip(
            "no_target_run",
            "speedup",
            Text("the run of the target that verifies is left out of the cost", "成本里漏了目标模型的那次验证"),
            lambda i: (
                expected(i.acceptance, i.draft_length) / (i.draft_length * i.draft_cost)
                if i.draft_length * i.draft_cost
                else None
            ),
        ),
        Slip(
            "no_own_token",
            "speedup",
            Text("the token that the target itself yields is left out", "漏了目标模型自己给出的那个 token"),
            lambda i: (expected(i.acceptance, i.draft_length) - 1) / (i.draft_length * i.draft_cost + 1),
        ),
        Slip(
            "no_cost",
            "best_length",
            Text(
                "longer drafts are taken to be better always, as if they cost nothing",
                "当成草稿越长越好，等于草稿不花时间",
            ),
            lambda _: LONGEST_DRAFT,
        ),
        Slip(
            "given_length",
            "best_length",
            Text("the given draft length is taken for the best one", "把给定的草稿长度当成最优长度"),
            lambda i: i.draft_length,
        ),
        Slip(
            "no_cost",
            "best_speedup",
            Text("the limit 1/(1−α) of a draft that costs nothing is given", "给的是草稿不花时间时的上限 1/(1−α)"),
            lambda i: 1 / (1 - i.acceptance) if i.acceptance < 1 else None,
        ),
        Slip(
            "given_length",
            "best_speedup",
            Text(
                "the speed-up at the given draft length is taken for the best one", "把给定草稿长度的加速比当成最优值"
            ),
            lambda i: speedup(i.acceptance, i.draft_length, i.draft_cost),
        ),
    ),
    sources=(
        Reference(
            "Leviathan et al. 2023, Fast Inference from Transformers via Speculative Decoding, Theorem 3.8",
            "https://arxiv.org/abs/2211.17192",
        ),
    ),
)

CALCULATORS = (SPECULATIVE_DECODING,)
