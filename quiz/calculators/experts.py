"""Mixture of experts: what dispatch and combine move; the capacity of an expert beside it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, flag, integer, number, optional
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.expert_capacity import EXPERT_CAPACITY
from quiz.language import Text
from quiz.reference import Reference


def expert_all_to_all(
    *,
    tokens: int,
    top_k: int,
    hidden: int,
    dispatch_bytes: Number,
    combine_bytes: Number,
    ep: int,
    layers: int,
    node_limit: int | None,
    include_local: bool,
    bandwidth: Number | None,
) -> dict[str, Any]:
    """What one GPU sends in the dispatch and the combine of `layers` mixture-of-experts layers.

    Each of the GPU's own `tokens` goes as `copies` rows of h = `hidden` elements, one a chosen expert, and comes back
    the same way:

        dispatch = layers·tokens·copies·h·dispatch_bytes·(EP−1)/EP      combine likewise      total = both
        copies = K, or min(K, node_limit) where a node gets one copy for all its experts
        per_token = copies·h·(dispatch_bytes + combine_bytes): one token, one layer, nothing taken off for local experts
        time = total/bandwidth, in one direction; None without a bandwidth

    (EP−1)/EP is the share that goes to other ranks when experts are chosen evenly; include_local counts the rest too.
    With node_limit the copies go to nodes, so `ep` is the number of nodes. dispatch_bytes is 1 for FP8 (1.03125 with a
    4-byte scale for every 128 elements) and 2 for BF16. Bytes; tokens are of one GPU.

    Sources: Zhao et al. 2025, Insights into DeepSeek-V3, §2.3.2, https://arxiv.org/abs/2505.09343; DeepSeek-V3
    (node-limited routing), https://arxiv.org/abs/2412.19437; DeepEP, docs/legacy.md
    """
    per_row = tokens * layers * hidden * _copies(top_k, node_limit) * _remote(ep, include_local)
    dispatch, combine = per_row * decimal(dispatch_bytes), per_row * decimal(combine_bytes)
    both = decimal(dispatch_bytes) + decimal(combine_bytes)
    return {
        "dispatch": plain(dispatch),
        "combine": plain(combine),
        "total": plain(dispatch + combine),
        "per_token": plain(_copies(top_k, node_limit) * hidden * both),
        "time": None if bandwidth is None else float((dispatch + combine) / Fraction(bandwidth)),
    }


def _copies(top_k: int, node_limit: int | None) -> int:
    return top_k if node_limit is None else min(top_k, node_limit)


def _remote(ep: int, include_local: bool) -> Fraction:
    return Fraction(1) if include_local else Fraction(ep - 1, ep)


def _moved(i: Values, output: str, **changed: Any) -> Number | None:
    """`output` of the same exchange with some inputs changed."""
    found: Number | None = expert_all_to_all(**{**vars(i), **changed})[output]
    return found


def _row(i: Values, width: Number) -> str:
    layers = f"{i.layers}·" if i.layers > 1 else ""
    remote = "" if i.include_local else f"·{i.ep - 1}/{i.ep}"
    return f"{layers}{i.tokens:,}·{_copies(i.top_k, i.node_limit)}·{i.hidden:,}·{figures.number(width, 6)}{remote}"


NO_REMOTE_SHARE = Text("the share for experts on the GPU itself is counted as sent", "把发给本卡专家的那部分也算成发送")
NO_TOP_K = Text(
    "one copy a token is counted, not one for each of its K experts", "每个 token 只算一份，漏了它选的 K 个专家"
)
NO_LIMIT = Text(
    "a copy for each expert is counted, though a node gets one for all of its experts",
    "按每个专家一份来算，而每个节点只需一份",
)
ONE_LAYER = Text("one layer is counted, not all of them", "只算了一层，没有乘层数")


def _no_remote_share(output: str) -> Slip:
    return Slip(
        "local_counted",
        output,
        NO_REMOTE_SHARE,
        lambda i: None if i.include_local else _moved(i, output, include_local=True),
    )


def _no_top_k(output: str) -> Slip:
    return Slip("no_top_k", output, NO_TOP_K, lambda i: _moved(i, output, top_k=1))


def _no_limit(output: str) -> Slip:
    return Slip(
        "no_node_limit",
        output,
        NO_LIMIT,
        lambda i: _moved(i, output, node_limit=None) if i.node_limit is not None else None,
    )


def _one_layer(output: str) -> Slip:
    return Slip("one_layer", output, ONE_LAYER, lambda i: _moved(i, output, layers=1) if i.layers > 1 else None)


def _same_width(output: str) -> Slip:
    return Slip(
        "dispatch_as_wide_as_combine",
        output,
        Text("dispatch is taken to be as wide as combine", "把 dispatch 当成和 combine 一样的精度"),
        lambda i: _moved(i, output, dispatch_bytes=i.combine_bytes),
    )


def _dispatch_only(output: str) -> Slip:
    return Slip(
        "dispatch_only",
        output,
        Text("only the dispatch is counted, not the way back", "只算了 dispatch，漏了 combine"),
        lambda i: _moved(i, output, combine_bytes=0),
    )


def _combine_only(output: str) -> Slip:
    return Slip(
        "combine_only",
        output,
        Text("only the combine is counted, not the way there", "只算了 combine，漏了 dispatch"),
        lambda i: _moved(i, output, dispatch_bytes=0),
    )


EXPERT_ALL_TO_ALL = Calculator(
    name="expert_all_to_all",
    title=Text("Expert parallelism: dispatch and combine", "专家并行的 dispatch 与 combine 通信量"),
    inputs=(
        integer("tokens", Text("tokens of one GPU", "单卡的 token 数"), unit="token", high=10**9),
        integer("top_k", Text("experts a token K", "每个 token 选的专家数 K"), high=1024),
        integer("hidden", Text("hidden size h", "隐藏维度 h"), high=10**6),
        number(
            "dispatch_bytes",
            Text("bytes an element in dispatch (FP8: 1)", "dispatch 每个元素的字节数（FP8 为 1）"),
            high=8,
            default=1,
        ),
        number(
            "combine_bytes",
            Text("bytes an element in combine (BF16: 2)", "combine 每个元素的字节数（BF16 为 2）"),
            high=8,
            default=2,
        ),
        integer(
            "ep",
            Text("expert-parallel ranks EP (with node_limit: nodes)", "专家并行度 EP（给出 node_limit 时为节点数）"),
            low=2,
            high=100_000,
        ),
        integer("layers", Text("mixture-of-experts layers", "MoE 层数"), high=10_000, default=1),
        optional(
            integer("node_limit", Text("nodes that a token goes to at most", "每个 token 最多发往的节点数"), high=1024)
        ),
        flag("include_local", Text("count what stays on the GPU too", "把留在本卡的部分也算上")),
        optional(
            number("bandwidth", Text("bandwidth of one GPU, one direction", "每卡单向带宽"), unit="byte/s", low=1)
        ),
    ),
    outputs=(
        Output(
            "dispatch",
            Text("dispatch, sent by one GPU", "单卡 dispatch 发送量"),
            "byte",
            "layers·tokens·K·h·dispatch_bytes·(EP−1)/EP",
            lambda i, o: f"{_row(i, i.dispatch_bytes)} = {figures.size(o.dispatch)}",
        ),
        Output(
            "combine",
            Text("combine, sent back for one GPU's tokens", "单卡 token 的 combine 回传量"),
            "byte",
            "layers·tokens·K·h·combine_bytes·(EP−1)/EP",
            lambda i, o: f"{_row(i, i.combine_bytes)} = {figures.size(o.combine)}",
        ),
        Output(
            "total",
            Text("dispatch and combine", "dispatch 与 combine 之和"),
            "byte",
            "layers·tokens·K·h·(dispatch_bytes + combine_bytes)·(EP−1)/EP",
            lambda _, o: (
                f"{figures.scaled(o.dispatch, 'B')} + {figures.scaled(o.combine, 'B')} = {figures.size(o.total)}"
            ),
        ),
        Output(
            "per_token",
            Text("one token, one layer, local experts counted too", "单 token 单层（含发给本卡专家的部分）"),
            "byte",
            "K·h·(dispatch_bytes + combine_bytes)",
            lambda i, o: (
                f"{_copies(i.top_k, i.node_limit)}·{i.hidden:,}·({figures.number(i.dispatch_bytes, 6)} + {figures.number(i.combine_bytes, 6)})"
                f" = {figures.number(o.per_token, 6)}"
            ),
        ),
        Output(
            "time",
            Text("time at the given bandwidth", "按给定带宽的时间"),
            "s",
            "total/bandwidth",
            lambda i, o: (
                f"{figures.scaled(o.total, 'B')}/({figures.scaled(i.bandwidth, 'B/s')}) = {figures.seconds(o.time)}"
                if o.time is not None
                else ""
            ),
        ),
    ),
    compute=expert_all_to_all,
    convention=Text(
        "tokens of one GPU, only what goes to other ranks, dispatch and combine of their own widths",
        "按单卡 token 计，只算发往其他 rank 的部分，dispatch 与 combine 各用各的精度",
    ),
    slips=(
        _no_remote_share("dispatch"),
        _no_top_k("dispatch"),
        _no_limit("dispatch"),
        _one_layer("dispatch"),
        _same_width("dispatch"),
        _no_remote_share("combine"),
        _no_top_k("combine"),
        _no_limit("combine"),
        _one_layer("combine"),
        Slip(
            "combine_as_wide_as_dispatch",
            "combine",
            Text("combine is taken to be as narrow as dispatch", "把 combine 当成和 dispatch 一样的精度"),
            lambda i: _moved(i, "combine", combine_bytes=i.dispatch_bytes),
        ),
        _dispatch_only("total"),
        _combine_only("total"),
        _same_width("total"),
        _no_top_k("total"),
        _no_limit("total"),
        _one_layer("total"),
        _no_remote_share("total"),
        _dispatch_only("per_token"),
        _combine_only("per_token"),
        _same_width("per_token"),
        _no_top_k("per_token"),
        _no_limit("per_token"),
        _dispatch_only("time"),
        _combine_only("time"),
        _same_width("time"),
        _no_top_k("time"),
        _no_limit("time"),
        _one_layer("time"),
        _no_remote_share("time"),
        Slip(
            "both_directions",
            "time",
            Text("the bandwidth of both directions is used for one", "把双向带宽当成单向带宽"),
            lambda i: None if i.bandwidth is None else _moved(i, "time", bandwidth=2 * i.bandwidth),
        ),
    ),
    sources=(
        Reference("Zhao et al. 2025, Insights into DeepSeek-V3, §2.3.2", "https://arxiv.org/abs/2505.09343"),
        Reference("DeepSeek-V3 Technical Report, node-limited routing", "https://arxiv.org/abs/2412.19437"),
        Reference("DeepEP, V1 documentation", "https://github.com/deepseek-ai/DeepEP/blob/main/docs/legacy.md"),
    ),
)

CALCULATORS = (EXPERT_CAPACITY, EXPERT_ALL_TO_ALL)
