"""Attention over a sequence that lies on several GPUs: what to move, keys and values, queries, or heads."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import LONGEST, MODEL, element_bytes
from quiz.calculators.kv_shape import HEAD_DIM, KV_HEADS
from quiz.calculators.slips import changed
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

FP32 = 4
WAYS = ("all_gather_kv", "all_gather_q", "ulysses")


def context_parallel_traffic(
    *,
    heads: int,
    kv_heads: int,
    head_dim: int,
    sequence: int,
    queries: int | None,
    cp: int,
    batch: int,
    bytes_per_element: Number,
    mla_latent: int | None,
    **_: Any,
) -> dict[str, Any]:
    """Bytes that each of c = `cp` GPUs sends in one layer's forward attention, keys and values lying s/c on each.

    b sequences of s keys and q queries (all s of training and prefill unless given, 1 in decoding), n heads, k KV heads of d:

        all_gather_kv   (c−1)/c·b·s·2·k·d·bytes        every GPU gets all keys and values
        ring            the same bytes, in c−1 steps of b·s/c tokens that hide behind the attention of the block before
        all_gather_q    (c−1)/c·b·q·(n·d·bytes + n·d·bytes + 4·n)    queries out, partial outputs and an fp32 log-sum-exp
                        a head back
        ulysses         (c−1)/c·b·(2·q·n + 2·s·k)·d·bytes/c    an all-to-all of Q, K, V before and one of the output
                        after; of whole sequences, None where the KV heads do not divide by c

    kv_over_q = 2·k·s/(n·q) says which of K/V and Q is smaller. cheapest is the way with the fewest bytes. The backward
    pass sends gradients as well and is not counted. Bytes.
    BadInput for MLA models: what they move is their latent.

    Sources: Llama 3, §3.3.2 (all-gather of K and V, small under GQA), https://arxiv.org/abs/2407.21783; Megatron-LM,
    docs/user-guide/features/context_parallel.md (ring); DeepSpeed-Ulysses, README (4·N·h/P with MHA),
    https://arxiv.org/abs/2309.14509; derived for queries
    """
    if mla_latent:
        raise BadInput(
            Text(
                "MLA moves its latent, not keys and values; take another model",
                "MLA 传的是潜向量而不是 K、V，请换一个模型",
            )
        )
    asked = sequence if queries is None else queries
    sent, width = Fraction(cp - 1, cp) * batch, decimal(bytes_per_element)
    gathered = sent * sequence * 2 * kv_heads * head_dim * width
    queried = sent * asked * (2 * heads * head_dim * width + FP32 * heads)
    swapped = sent * (2 * asked * heads + 2 * sequence * kv_heads) * head_dim * width / cp
    by_heads = None if asked != sequence or kv_heads % cp or heads % cp else plain(swapped)
    found = {"all_gather_kv": plain(gathered), "all_gather_q": plain(queried), "ulysses": by_heads}
    return {
        **found,
        "ring": plain(gathered),
        "ring_step": plain(gathered / (cp - 1)),
        "ring_steps": cp - 1,
        "kv_over_q": plain(Fraction(2 * kv_heads * sequence, heads * asked)),
        "cheapest": min((way for way in WAYS if found[way] is not None), key=lambda way: found[way] or 0),
    }


def _asked(i: Values) -> int:
    return int(i.sequence if i.queries is None else i.queries)


def _all_heads(i: Values) -> dict[str, Any] | None:
    return {"kv_heads": i.heads} if i.kv_heads != i.heads else None


def _right(i: Values, output: str) -> Fraction | None:
    value = context_parallel_traffic(**vars(i))[output]
    return None if value is None else Fraction(value)


def _scaled(output: str, factor: Callable[[Values], Fraction | None]) -> Callable[[Values], Any]:
    def value(i: Values) -> Any:
        right, by = _right(i, output), factor(i)
        return None if right is None or by is None else plain(right * by)

    return value


def _queries_only(i: Values) -> Number:
    sent = Fraction(i.cp - 1, i.cp) * i.batch
    return plain(sent * _asked(i) * i.heads * i.head_dim * decimal(i.bytes_per_element))


def _by_key_heads(i: Values) -> Any:
    """Ulysses as 4·s·n·d/c: keys and values as wide as the queries."""
    if _right(i, "ulysses") is None or i.kv_heads == i.heads:
        return None
    sent = Fraction(i.cp - 1, i.cp) * i.batch
    wide = (2 * _asked(i) + 2 * i.sequence) * i.heads * i.head_dim
    return plain(sent * wide * decimal(i.bytes_per_element) / i.cp)


GQA_IGNORED = Text("keys and values are given every query head, as without GQA", "没考虑 GQA，K、V 按 query 头数算了")
NO_RETURN = Text("the partial outputs that come back are left out", "漏了要传回来的部分输出")
OWN_SHARE = Text("a GPU's own part is counted as sent", "把自己那一份也算成要发送")
KEYS_ONLY = Text("only keys are moved in this figure, not values", "只算了 K，漏了 V")
ALL_GPUS = Text("what all GPUs send together is given", "给的是所有卡的总量")
NOT_DIVIDED = Text(
    "an all-to-all is taken to send as much as an all-gather", "把 all-to-all 当成 all-gather 来算，没再除以 c"
)
ELEMENTS = Text("elements are taken for bytes", "把元素个数当成了字节数")
SENDS = ("all_gather_kv", "ring", "all_gather_q", "ulysses")

SLIPS = (
    *(
        changed(context_parallel_traffic, output, "gqa_ignored", GQA_IGNORED, _all_heads)
        for output in ("all_gather_kv", "ring", "ring_step", "kv_over_q")
    ),
    Slip("gqa_ignored", "ulysses", GQA_IGNORED, _by_key_heads),
    *(Slip("own_share", output, OWN_SHARE, _scaled(output, lambda i: Fraction(i.cp, i.cp - 1))) for output in SENDS),
    *(Slip("all_gpus", output, ALL_GPUS, _scaled(output, lambda i: Fraction(i.cp))) for output in SENDS),
    *(
        Slip("keys_only", output, KEYS_ONLY, _scaled(output, lambda _: Fraction(1, 2)))
        for output in ("all_gather_kv", "ring", "ring_step", "kv_over_q")
    ),
    *(
        changed(
            context_parallel_traffic,
            output,
            "elements_for_bytes",
            ELEMENTS,
            lambda i: {"bytes_per_element": 1} if i.bytes_per_element != 1 else None,
        )
        for output in ("all_gather_kv", "ring", "ulysses")
    ),
    Slip("no_return", "all_gather_q", NO_RETURN, _queries_only),
    Slip("as_all_gather", "ulysses", NOT_DIVIDED, _scaled("ulysses", lambda i: Fraction(i.cp))),
    Slip(
        "whole_buffer",
        "ring_step",
        Text("all blocks are counted in one step", "把所有块算进了一步"),
        _scaled("ring_step", lambda i: Fraction(i.cp - 1) if i.cp > 2 else None),
    ),
)


def _sent(i: Values) -> str:
    return f"({i.cp}−1)/{i.cp}·{i.batch}" if i.batch > 1 else f"({i.cp}−1)/{i.cp}"


def _kv_worked(i: Values, o: Values) -> str:
    width = figures.number(i.bytes_per_element)
    return f"{_sent(i)}·{i.sequence:,}·2·{i.kv_heads}·{i.head_dim}·{width} = {figures.size(o.all_gather_kv)}"


def _q_worked(i: Values, o: Values) -> str:
    width = figures.number(i.bytes_per_element)
    each = f"(2·{i.heads}·{i.head_dim}·{width} + 4·{i.heads})"
    return f"{_sent(i)}·{_asked(i):,}·{each} = {figures.size(o.all_gather_q)}"


def _ulysses_worked(i: Values, o: Values) -> str:
    if o.ulysses is None:
        return ""
    width = figures.number(i.bytes_per_element)
    wide = f"(2·{_asked(i):,}·{i.heads} + 2·{i.sequence:,}·{i.kv_heads})·{i.head_dim}"
    return f"{_sent(i)}·{wide}·{width}/{i.cp} = {figures.size(o.ulysses)}"


CONTEXT_PARALLEL_TRAFFIC = Calculator(
    name="context_parallel_traffic",
    title=Text("Context parallelism: what to move", "上下文并行：该传哪一个"),
    inputs=(
        MODEL,
        integer("heads", Text("query heads n (or give model)", "query 头数 n（或给 model）"), high=100_000),
        KV_HEADS,
        HEAD_DIM,
        optional(
            integer("mla_latent", Text("MLA's latent (not counted here)", "MLA 潜向量（此处不计）"), high=100_000)
        ),
        integer("sequence", Text("keys of a sequence s", "每条序列的 K、V 长度 s"), unit="token", high=LONGEST),
        optional(
            integer(
                "queries",
                Text("queries of a sequence (s if absent)", "每条序列的 query 数（不给则为 s）"),
                unit="token",
                high=LONGEST,
            )
        ),
        integer("cp", Text("context-parallel GPUs c", "上下文并行度 c"), low=2, high=65_536),
        integer("batch", Text("sequences b", "序列数 b"), high=10**6, default=1),
        element_bytes("bytes_per_element", Text("bytes an element", "每个元素的字节数")),
    ),
    outputs=(
        Output(
            "all_gather_kv",
            Text("all-gather of keys and values", "all-gather K、V"),
            "byte",
            "(c−1)/c·s·2·k·d·bytes",
            _kv_worked,
        ),
        Output("ring", Text("ring of keys and values", "K、V 环形传递"), "byte", "(c−1)·(s/c)·2·k·d·bytes", _kv_worked),
        Output(
            "ring_step",
            Text("of it in one step", "其中每一步"),
            "byte",
            "(s/c)·2·k·d·bytes",
            lambda _, o: f"{figures.size(o.ring)}/{o.ring_steps} = {figures.size(o.ring_step)}",
        ),
        Output(
            "ring_steps", Text("steps of the ring", "环的步数"), "", "c−1", lambda i, o: f"{i.cp}−1 = {o.ring_steps}"
        ),
        Output(
            "all_gather_q",
            Text("queries out, partial outputs back", "all-gather Q，再传回部分输出"),
            "byte",
            "(c−1)/c·q·(2·n·d·bytes + 4·n)",
            _q_worked,
        ),
        Output(
            "ulysses",
            Text("all-to-all by heads (Ulysses)", "按头 all-to-all（Ulysses）"),
            "byte",
            "(c−1)/c·(2·q·n + 2·s·k)·d·bytes/c",
            _ulysses_worked,
        ),
        Output(
            "kv_over_q",
            Text("K and V over Q", "K、V 与 Q 之比"),
            "",
            "2·k·s/(n·q)",
            lambda i, o: f"2·{i.kv_heads}·{i.sequence:,}/({i.heads}·{_asked(i):,}) = {figures.number(o.kv_over_q)}",
        ),
        Output("cheapest", Text("fewest bytes", "字节数最少的做法"), "", "", lambda _, o: f"{o.cheapest}"),
    ),
    compute=context_parallel_traffic,
    convention=Text(
        "sent by each GPU, one layer, forward; a ring moves no fewer bytes than an all-gather but hides them step by step",
        "每卡、单层、前向的发送量；环形与 all-gather 字节数相同，只是逐步隐藏在计算后面",
    ),
    slips=tuple(when_distinct(context_parallel_traffic, slip) for slip in SLIPS),
    sources=(
        Reference("Llama 3, §3.3.2", "https://arxiv.org/abs/2407.21783"),
        Reference(
            "Megatron-LM, context_parallel.md",
            "https://github.com/NVIDIA/Megatron-LM/blob/main/docs/user-guide/features/context_parallel.md",
        ),
        Reference("DeepSpeed-Ulysses", "https://arxiv.org/abs/2309.14509"),
    ),
)

CALCULATORS = (CONTEXT_PARALLEL_TRAFFIC,)
