"""Expert capacity: how many tokens an expert takes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, integer, number
from quiz.calculators.exact import Number, decimal, plain
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference


def expert_capacity(*, tokens: int, top_k: int, experts: int, capacity_factor: Number) -> dict[str, Any]:
    """Tokens that each of E = `experts` takes at most, of `tokens` routed to K = `top_k` experts each.

        capacity = ⌈capacity_factor·tokens·K/E⌉

    in tokens, for one routing group (a batch, or what one device routes). Tokens beyond it are dropped: the layer passes
    them on unchanged. Switch Transformer is K = 1; inference engines usually set no capacity.
    BadInput where K is more than E.

    Sources: Fedus et al. 2021, Switch Transformers, §2.2 and Figure 3, https://arxiv.org/abs/2101.03961; DeepSpeed,
    deepspeed/moe/sharded_moe.py (K times, rounded up)
    """
    _check(top_k, experts)
    return {"capacity": math.ceil(_slots(tokens, top_k, experts, capacity_factor))}


def _slots(tokens: int, top_k: int, experts: int, capacity_factor: Number) -> Fraction:
    return decimal(capacity_factor) * tokens * top_k / experts


def _check(top_k: int, experts: int) -> None:
    if top_k > experts:
        raise BadInput(
            Text(
                f"top_k is {top_k}, but there are only {experts} experts to choose from",
                f"top_k 是 {top_k}，但总共只有 {experts} 个专家可选",
            )
        )


EXPERT_CAPACITY = Calculator(
    name="expert_capacity",
    title=Text("Expert capacity", "专家容量"),
    inputs=(
        integer("tokens", Text("tokens of the routing group", "参与路由的 token 数"), unit="token", high=10**12),
        integer("top_k", Text("experts a token K", "每个 token 选的专家数 K"), high=1024, default=1),
        integer("experts", Text("experts E", "专家数 E"), high=100_000),
        number("capacity_factor", Text("capacity factor", "容量系数"), low=0.01, high=100, default=1.25),
    ),
    outputs=(
        Output(
            "capacity",
            Text("tokens that one expert takes at most", "单个专家最多接收的 token 数"),
            "token",
            "⌈capacity_factor·tokens·K/E⌉",
            lambda i, o: (
                f"⌈{figures.number(i.capacity_factor, 6)}·{i.tokens:,}·{i.top_k}/{i.experts}⌉ = "
                f"⌈{figures.number(plain(_slots(i.tokens, i.top_k, i.experts, i.capacity_factor)), 6)}⌉ = {o.capacity:,}"
            ),
        ),
    ),
    compute=expert_capacity,
    convention=Text(
        "K is inside the capacity, as DeepSpeed has it; rounded up",
        "容量按 DeepSpeed 的写法含 K，向上取整",
    ),
    slips=(
        Slip(
            "no_top_k",
            "capacity",
            Text(
                "each token is counted once, not for each of its K experts", "每个 token 只算一次，漏了它选的 K 个专家"
            ),
            lambda i: math.ceil(_slots(i.tokens, 1, i.experts, i.capacity_factor)),
        ),
        Slip(
            "no_factor",
            "capacity",
            Text("the capacity factor is left out", "漏了容量系数"),
            lambda i: math.ceil(_slots(i.tokens, i.top_k, i.experts, 1)),
        ),
        Slip(
            "rounded_down",
            "capacity",
            Text("the last part of a token is rounded down, not up", "小数向下取整，应向上取整"),
            lambda i: math.floor(_slots(i.tokens, i.top_k, i.experts, i.capacity_factor)),
        ),
        Slip(
            "all_experts",
            "capacity",
            Text("the slots of all experts together are taken for one expert's", "把所有专家的总槽位当成一个专家的"),
            lambda i: math.ceil(_slots(i.tokens, i.top_k, 1, i.capacity_factor)),
        ),
    ),
    sources=(
        Reference("Fedus et al. 2021, Switch Transformers, §2.2, Figure 3", "https://arxiv.org/abs/2101.03961"),
        Reference(
            "DeepSpeed, deepspeed/moe/sharded_moe.py",
            "https://github.com/deepspeedai/DeepSpeed/blob/master/deepspeed/moe/sharded_moe.py",
        ),
    ),
)
