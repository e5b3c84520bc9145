"""Mixture of experts: how many tokens each expert sees, and how many it needs for compute to bind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import MODEL, OPTIONAL_RATES
from quiz.calculators.roofline import (
    INTENSITY,
    MATRIX_BYTES,
    MULTIPLY_ADDS,
    OUTPUT_AS_A,
    SCALING_BOOK,
    SPARSE_FOR_DENSE,
    WEIGHTS_ONLY,
    half,
    output_as_a,
    with_sparse_peak,
)
from quiz.calculators.slips import changed, times, unless_negligible
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def expert_tokens(
    *,
    tokens: int,
    ranks: int,
    top_k: int,
    experts: int,
    hidden: int,
    expert_ffn: int,
    a_bytes: Number,
    b_bytes: Number,
    c_bytes: Number,
    peak: Number | None,
    bandwidth: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """Tokens that each expert sees, with d = `hidden`, f = `expert_ffn`, and how many its up projection needs.

        tokens_per_expert T = tokens·ranks·top_k/experts   all ranks of the expert-parallel group route to the same experts
        arithmetic_intensity = 2·T·d·f/(a·T·d + b·d·f + c·T·f)
        needed_per_expert = R·b·d·f/(2·d·f − R·(a·d + c·f)), where that intensity is the ridge R
        needed_tokens = needed_per_expert·experts/top_k     of the whole group

    In tokens and FLOP/byte. The needed ones are None where peak or bandwidth is not given, and where activations alone
    keep the intensity below the ridge at any number of tokens. BadInput where top_k is above experts.
    Source: DeepSeek-V3, §3.4.2 (tokens of the whole group, "within 256 tokens" an expert), https://arxiv.org/abs/2412.19437
    """
    if top_k > experts:
        raise BadInput(
            Text(
                f"top_k is {top_k}, but there are only {experts} experts to choose from",
                f"top_k 是 {top_k}，但总共只有 {experts} 个专家可选",
            )
        )
    each = Fraction(tokens * ranks * top_k, experts)
    moved = (
        decimal(a_bytes) * each * hidden + decimal(b_bytes) * hidden * expert_ffn + decimal(c_bytes) * each * expert_ffn
    )
    needed = None
    if peak is not None and bandwidth is not None:
        needed = _needed(Fraction(peak) / Fraction(bandwidth), hidden, expert_ffn, a_bytes, b_bytes, c_bytes)
    return {
        "tokens_per_expert": plain(each),
        "arithmetic_intensity": float(2 * each * hidden * expert_ffn / moved),
        "needed_per_expert": None if needed is None else float(needed),
        "needed_tokens": None if needed is None else float(needed * experts / top_k),
    }


def _needed(ridge: Fraction, hidden: int, width: int, a: Number, b: Number, c: Number) -> Fraction | None:
    left = 2 * hidden * width - ridge * (decimal(a) * hidden + decimal(c) * width)
    return ridge * decimal(b) * hidden * width / left if left > 0 else None


def _one_rank(i: Values) -> dict[str, Any] | None:
    return {"ranks": 1} if i.ranks > 1 else None


def _weights_only(i: Values) -> float | None:
    """R·b/2, the critical batch with activations left out."""
    return None if i.peak is None or i.bandwidth is None else i.peak / i.bandwidth * i.b_bytes / 2


def _needed_worked(i: Values, o: Values) -> str:
    if o.needed_per_expert is None:
        return ""
    ridge, up = figures.number(i.peak / i.bandwidth), f"{i.hidden:,}·{i.expert_ffn:,}"
    widths = f"{figures.number(i.a_bytes)}·{i.hidden:,} + {figures.number(i.c_bytes)}·{i.expert_ffn:,}"
    return (
        f"{ridge}·{figures.number(i.b_bytes)}·{up} / (2·{up} − {ridge}·({widths})) = "
        f"{figures.number(o.needed_per_expert)} token"
    )


def _needed_all_worked(i: Values, o: Values) -> str:
    if o.needed_tokens is None:
        return ""
    return f"{figures.number(o.needed_per_expert)}·{i.experts}/{i.top_k} = {figures.number(o.needed_tokens, 5)} token"


ONE_RANK = Text(
    "the tokens of one rank are counted, though all ranks share the experts",
    "只算了单个 rank 的 token，而专家由全组共享",
)
NO_TOP_K = Text("each token is sent to one expert, not to top_k", "每个 token 只按送给 1 个专家算，漏了 top_k")

EXPERT_TOKENS = Calculator(
    name="expert_tokens",
    title=Text("Tokens an expert sees and needs", "每个专家分到和需要的 token 数"),
    inputs=(
        MODEL,
        integer(
            "tokens",
            Text(
                "tokens a step, of the whole expert-parallel group (or of a rank)",
                "每步 token 数（整个专家并行组，或单个 rank）",
            ),
            unit="token",
            high=10**12,
        ),
        integer(
            "ranks",
            Text(
                "ranks with as many tokens each (1 if `tokens` is the whole group's)",
                "各有这么多 token 的 rank 数（tokens 已是全组则为 1）",
            ),
            high=10**6,
            default=1,
        ),
        integer("top_k", Text("experts a token goes to", "每个 token 选中的专家数"), high=1024),
        integer("experts", Text("routed experts", "路由专家数"), high=100_000),
        integer("hidden", Text("hidden size d", "隐藏维度 d"), high=10**6),
        integer("expert_ffn", Text("width of one expert f", "单个专家的中间维度 f"), high=10**6),
        *MATRIX_BYTES,
        *OPTIONAL_RATES,
    ),
    outputs=(
        Output(
            "tokens_per_expert",
            Text("tokens an expert, balanced", "均衡时每个专家的 token 数"),
            "token",
            "tokens·ranks·top_k/experts",
            lambda i, o: (
                f"{i.tokens:,}{f'·{i.ranks}' if i.ranks > 1 else ''}·{i.top_k}/{i.experts} = "
                f"{figures.number(o.tokens_per_expert)} token"
            ),
        ),
        Output(
            "arithmetic_intensity",
            Text("intensity of one expert's up projection", "单个专家 up 投影的算术强度"),
            INTENSITY,
            "2·T·d·f / (a·T·d + b·d·f + c·T·f)",
            lambda i, o: (
                f"2·{figures.number(o.tokens_per_expert)}·{i.hidden:,}·{i.expert_ffn:,} / "
                f"({figures.number(i.a_bytes)}·{figures.number(o.tokens_per_expert)}·{i.hidden:,} + "
                f"{figures.number(i.b_bytes)}·{i.hidden:,}·{i.expert_ffn:,} + "
                f"{figures.number(i.c_bytes)}·{figures.number(o.tokens_per_expert)}·{i.expert_ffn:,}) = "
                f"{figures.number(o.arithmetic_intensity)} {INTENSITY}"
            ),
        ),
        Output(
            "needed_per_expert",
            Text("tokens an expert needs to be bound by compute", "专家受限于计算所需的 token 数"),
            "token",
            "R·b·d·f / (2·d·f − R·(a·d + c·f))",
            _needed_worked,
        ),
        Output(
            "needed_tokens",
            Text("tokens that the whole group needs", "整个专家并行组所需的 token 数"),
            "token",
            "needed_per_expert·experts/top_k",
            _needed_all_worked,
        ),
    ),
    compute=expert_tokens,
    convention=Text(
        "balanced routing, dense peak; one expert's up projection with A, B and C counted",
        "路由均衡，稠密峰值；按单个专家的 up 投影算，A、B、C 都计入",
    ),
    slips=(
        changed(expert_tokens, "tokens_per_expert", "no_top_k", NO_TOP_K, lambda _: {"top_k": 1}),
        changed(
            expert_tokens,
            "tokens_per_expert",
            "one_rank",
            ONE_RANK,
            _one_rank,
        ),
        Slip(
            "chosen_for_all",
            "tokens_per_expert",
            Text(
                "the tokens are divided by top_k, not by the experts over top_k",
                "除以了 top_k，应乘 top_k 再除以专家数",
            ),
            lambda i: plain(Fraction(i.tokens * i.ranks, i.top_k)),
        ),
        unless_negligible(
            expert_tokens,
            changed(
                expert_tokens,
                "arithmetic_intensity",
                "weights_only",
                WEIGHTS_ONLY,
                lambda _: {"a_bytes": 0, "c_bytes": 0},
            ),
        ),
        changed(expert_tokens, "arithmetic_intensity", "no_top_k", NO_TOP_K, lambda _: {"top_k": 1}),
        changed(
            expert_tokens,
            "arithmetic_intensity",
            "one_rank",
            ONE_RANK,
            _one_rank,
        ),
        times(expert_tokens, "arithmetic_intensity", "multiply_adds", MULTIPLY_ADDS, half),
        Slip("weights_only", "needed_per_expert", WEIGHTS_ONLY, _weights_only),
        changed(expert_tokens, "needed_per_expert", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        changed(
            expert_tokens,
            "needed_per_expert",
            "output_in_input_width",
            OUTPUT_AS_A,
            output_as_a,
        ),
        Slip(
            "weights_only",
            "needed_tokens",
            WEIGHTS_ONLY,
            lambda i: None if _weights_only(i) is None else (_weights_only(i) or 0) * i.experts / i.top_k,
        ),
        changed(expert_tokens, "needed_tokens", "sparse_peak", SPARSE_FOR_DENSE, with_sparse_peak),
        changed(expert_tokens, "needed_tokens", "no_top_k", NO_TOP_K, lambda _: {"top_k": 1}),
        Slip(
            "of_one_expert",
            "needed_tokens",
            Text("one expert's tokens are taken for the whole group's", "把单个专家的 token 数当成了全组的"),
            lambda i: expert_tokens(**vars(i))["needed_per_expert"],
        ),
    ),
    sources=(
        Reference("DeepSeek-V3, §3.4.2", "https://arxiv.org/abs/2412.19437"),
        SCALING_BOOK,
    ),
)

CALCULATORS = (EXPERT_TOKENS,)
