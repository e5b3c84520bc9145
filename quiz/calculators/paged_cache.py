"""Paged KV cache against one that reserves the longest length: slots, waste, and how many requests get in."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.inputs import LONGEST
from quiz.language import Text
from quiz.reference import Reference


def paged_cache_waste(*, tokens: int, block: int, reserve: int | None, pool: int | None) -> dict[str, Any]:
    """Cache slots for a request that ends with `tokens` tokens, one slot a token.

    In blocks of `block` slots, taken as the request grows:

        blocks = ⌈tokens/block⌉     slots = blocks·block     unused = slots − tokens     waste = unused/slots
        requests_paged = ⌊⌊pool/block⌋/blocks⌋               used_paged = requests_paged·tokens/pool

    Contiguous, with `reserve` slots for the longest length held from the start:

        reserved_waste = (reserve − tokens)/reserve          internal: reserved, never used
        requests_contiguous = ⌊pool/reserve⌋                 used_contiguous = requests_contiguous·tokens/pool
        external = pool − requests_contiguous·reserve        slots left over that no request fits in

    In slots, requests and fractions; what needs reserve or pool is None without. Only a request's last block has unused
    slots, half a block on average. ValueError where reserve is below tokens.
    Source: Kwon et al. 2023 (PagedAttention), §3.1 and figure 3, https://arxiv.org/abs/2309.06180
    """
    if reserve is not None and reserve < tokens:
        raise ValueError(f"{tokens} tokens do not fit into {reserve} reserved slots")
    blocks = math.ceil(tokens / block)
    slots = blocks * block
    paged = None if pool is None else pool // block // blocks
    whole = None if pool is None or reserve is None else pool // reserve
    return {
        "blocks": blocks,
        "slots": slots,
        "unused": slots - tokens,
        "waste": (slots - tokens) / slots,
        "reserved_waste": None if reserve is None else (reserve - tokens) / reserve,
        "requests_paged": paged,
        "requests_contiguous": whole,
        "used_paged": None if pool is None or paged is None else paged * tokens / pool,
        "used_contiguous": None if pool is None or whole is None else whole * tokens / pool,
        "external": None if pool is None or whole is None or reserve is None else pool - whole * reserve,
    }


def _when(name: str, line: Any) -> Any:
    return lambda i, o: "" if getattr(o, name) is None else line(i, o)


_SLIPS = (
    Slip(
        "rounded_down",
        "blocks",
        Text("the last, partly filled block is left out", "漏了最后一个没填满的块"),
        lambda i: i.tokens // i.block,
    ),
    Slip(
        "no_block",
        "slots",
        Text("the tokens are counted, not the whole blocks that hold them", "只数了 token，没有按整块算"),
        lambda i: i.tokens,
    ),
    Slip(
        "reserved",
        "slots",
        Text("the longest length is held, as without paging", "按预留最大长度算了，那是没有分页的做法"),
        lambda i: i.reserve,
    ),
    Slip(
        "whole_block",
        "unused",
        Text("the tokens in the last block are counted, not its empty slots", "数的是最后一块里的 token，不是空槽"),
        lambda i: i.tokens % i.block,
    ),
    Slip(
        "reserved",
        "unused",
        Text("the longest length is held, as without paging", "按预留最大长度算了，那是没有分页的做法"),
        lambda i: None if i.reserve is None else i.reserve - i.tokens,
    ),
    Slip(
        "of_tokens",
        "waste",
        Text("the empty slots are put over the tokens, not over all slots", "除以了 token 数，应除以全部槽位"),
        lambda i: (math.ceil(i.tokens / i.block) * i.block - i.tokens) / i.tokens,
    ),
    Slip(
        "reserved",
        "waste",
        Text("the longest length is held, as without paging", "按预留最大长度算了，那是没有分页的做法"),
        lambda i: None if i.reserve is None else (i.reserve - i.tokens) / i.reserve,
    ),
    Slip(
        "used_share",
        "reserved_waste",
        Text("the share in use is given, not the one wasted", "给的是用到的比例，不是浪费的比例"),
        lambda i: None if i.reserve is None else i.tokens / i.reserve,
    ),
    Slip(
        "reserved",
        "requests_paged",
        Text("the longest length is held, as without paging", "按预留最大长度算了，那是没有分页的做法"),
        lambda i: None if i.pool is None or i.reserve is None else i.pool // i.reserve,
    ),
    Slip(
        "no_block",
        "requests_paged",
        Text("the tokens are counted, not the whole blocks that hold them", "只数了 token，没有按整块算"),
        lambda i: None if i.pool is None else i.pool // i.tokens,
    ),
    Slip(
        "as_paged",
        "requests_contiguous",
        Text("each request is taken to hold what it uses only", "按每个请求只占实际长度算了"),
        lambda i: None if i.pool is None or i.reserve is None else i.pool // i.tokens,
    ),
    Slip(
        "no_external",
        "used_contiguous",
        Text(
            "only what is reserved and unused is counted, not the rest of memory that no request fits in",
            "只算了预留未用的部分，漏了剩余空间放不下整个请求的外部碎片",
        ),
        lambda i: None if i.pool is None or i.reserve is None else i.tokens / i.reserve,
    ),
    Slip(
        "one_request",
        "used_paged",
        Text("one request is counted, not all that fit", "只算了一个请求，没算能放下的全部"),
        lambda i: None if i.pool is None else i.tokens / i.pool,
    ),
)

PAGED_CACHE_WASTE = Calculator(
    name="paged_cache_waste",
    title=Text("Waste of a paged KV cache, and of a reserved one", "分页与预留 KV cache 的浪费"),
    inputs=(
        integer("tokens", Text("tokens of a request at its end", "请求结束时的 token 数"), unit="token", high=LONGEST),
        integer("block", Text("tokens a block", "每块的 token 数"), unit="token", high=10**9, default=16),
        optional(
            integer(
                "reserve", Text("slots reserved without paging", "不分页时预留的槽位数"), unit="token", high=LONGEST
            )
        ),
        optional(integer("pool", Text("slots in memory", "显存里的槽位总数"), unit="token", high=LONGEST)),
    ),
    outputs=(
        Output(
            "blocks",
            Text("blocks of a request", "请求占的块数"),
            "",
            "⌈tokens/block⌉",
            lambda i, o: f"⌈{i.tokens:,}/{i.block}⌉ = {o.blocks:,}",
        ),
        Output(
            "slots",
            Text("slots that they hold", "占的槽位数"),
            "",
            "blocks·block",
            lambda i, o: f"{o.blocks:,}·{i.block} = {o.slots:,}",
        ),
        Output(
            "unused",
            Text("slots unused", "空着的槽位数"),
            "",
            "slots − tokens",
            lambda i, o: f"{o.slots:,} − {i.tokens:,} = {o.unused:,}",
        ),
        Output(
            "waste",
            Text("share of the slots unused", "空着的比例"),
            "",
            "(slots − tokens)/slots",
            lambda _, o: f"{o.unused:,}/{o.slots:,} = {figures.percent(o.waste)}",
        ),
        Output(
            "reserved_waste",
            Text("share unused where the longest length is reserved", "预留最大长度时空着的比例"),
            "",
            "(reserve − tokens)/reserve",
            _when(
                "reserved_waste",
                lambda i, o: f"({i.reserve:,} − {i.tokens:,})/{i.reserve:,} = {figures.percent(o.reserved_waste)}",
            ),
        ),
        Output(
            "requests_paged",
            Text("requests that fit, paged", "分页能放下的请求数"),
            "",
            "⌊⌊pool/block⌋/blocks⌋",
            _when("requests_paged", lambda i, o: f"⌊⌊{i.pool:,}/{i.block}⌋/{o.blocks:,}⌋ = {o.requests_paged:,}"),
        ),
        Output(
            "requests_contiguous",
            Text("requests that fit, reserved", "预留能放下的请求数"),
            "",
            "⌊pool/reserve⌋",
            _when("requests_contiguous", lambda i, o: f"⌊{i.pool:,}/{i.reserve:,}⌋ = {o.requests_contiguous:,}"),
        ),
        Output(
            "used_paged",
            Text("share of memory that holds tokens, paged", "分页时真正存 token 的比例"),
            "",
            "requests_paged·tokens/pool",
            _when(
                "used_paged",
                lambda i, o: f"{o.requests_paged:,}·{i.tokens:,}/{i.pool:,} = {figures.percent(o.used_paged)}",
            ),
        ),
        Output(
            "used_contiguous",
            Text("share of memory that holds tokens, reserved", "预留时真正存 token 的比例"),
            "",
            "requests_contiguous·tokens/pool",
            _when(
                "used_contiguous",
                lambda i, o: (
                    f"{o.requests_contiguous:,}·{i.tokens:,}/{i.pool:,} = {figures.percent(o.used_contiguous)}"
                ),
            ),
        ),
        Output(
            "external",
            Text("slots left over, too few for a request", "剩下不够放一个请求的槽位"),
            "",
            "pool − requests_contiguous·reserve",
            _when(
                "external",
                lambda i, o: f"{i.pool:,} − {o.requests_contiguous:,}·{i.reserve:,} = {o.external:,}",
            ),
        ),
    ),
    compute=paged_cache_waste,
    convention=Text(
        "one slot a token; waste over all slots held; requests all of one length, none sharing a prefix",
        "一个 token 一个槽位；浪费以占用的槽位为分母；请求等长，不共享前缀",
    ),
    slips=tuple(when_distinct(paged_cache_waste, slip) for slip in _SLIPS),
    sources=(Reference("Kwon et al. 2023, PagedAttention, §3.1 and figure 3", "https://arxiv.org/abs/2309.06180"),),
)

CALCULATORS = (PAGED_CACHE_WASTE,)
