"""The usual mistakes about collective operations, as formulas."""

from __future__ import annotations

from fractions import Fraction

from quiz.calculators.base import Slip, Values
from quiz.calculators.collective_cost import TWO_WAY_TREE_RANKS, bus_factor, cost, cost_of, whole_of
from quiz.calculators.exact import Number, plain
from quiz.language import Text


def _other_reading(i: Values) -> Fraction:
    """S if `size` had been meant the other way."""
    return Fraction(i.size) * (1 if i.size_is == "chunk" else int(i.ranks))


def _ring_all_reduce(i: Values) -> bool:
    return bool(i.op == "all_reduce" and i.algorithm == "ring")


def _halved(i: Values) -> bool:
    return i.op in ("all_gather", "reduce_scatter")


def _seconds(i: Values, *, steps: int, carried: Fraction, bandwidth: Number | None = None) -> float | None:
    """α-β time with `carried` times the whole buffer on one link; None without a bandwidth."""
    if i.bandwidth is None:
        return None
    return float(steps * Fraction(i.latency) + carried * whole_of(i) / Fraction(bandwidth or i.bandwidth))


def _rate(i: Values, factor: Fraction) -> float | None:
    """The whole buffer over the time, times `factor`."""
    seconds = _seconds(i, steps=cost_of(i).steps, carried=cost_of(i).in_series)
    return None if seconds is None else float(whole_of(i) * factor / Fraction(seconds))


SLIPS = (
    Slip(
        "two_sizes",
        "sent_per_rank",
        Text(
            "each rank is taken to send the whole tensor twice, without the factor (n−1)/n",
            "按每卡把整个张量发两遍（2·S）来算，漏了 (n−1)/n",
        ),
        lambda i: plain(2 * whole_of(i)) if _ring_all_reduce(i) else None,
    ),
    Slip(
        "one_pass",
        "sent_per_rank",
        Text(
            "only the reduce-scatter is counted, not the all-gather after it",
            "只算了 reduce-scatter，漏了后面的 all-gather",
        ),
        lambda i: plain(cost_of(i).sent * whole_of(i) / 2) if i.op == "all_reduce" and i.algorithm != "naive" else None,
    ),
    Slip(
        "as_all_reduce",
        "sent_per_rank",
        Text(
            "all-reduce's factor 2 is used for an operation that is half an all-reduce",
            "把 all-reduce 的系数 2 用在了只有一半的操作上",
        ),
        lambda i: plain(2 * cost_of(i).sent * whole_of(i)) if _halved(i) else None,
    ),
    Slip(
        "own_part_sent",
        "sent_per_rank",
        Text("the part that a rank keeps for itself is counted as sent", "把留给自己的那一份也算成发送"),
        lambda i: plain(whole_of(i)) if _halved(i) or i.op == "all_to_all" else None,
    ),
    Slip(
        "in_all",
        "sent_per_rank",
        Text("the traffic of all ranks together is taken for one rank's", "把所有卡的总量当成每卡的量"),
        lambda i: plain(cost_of(i).in_all * whole_of(i)),
    ),
    Slip(
        "chunk_for_tensor",
        "sent_per_rank",
        Text(
            "size is read as one rank's chunk, not as the whole buffer",
            "把 size 当成一张卡的那一份，而不是整个缓冲区",
        ),
        lambda i: plain(cost_of(i).sent * _other_reading(i)) if i.size_is == "tensor" else None,
    ),
    Slip(
        "tensor_for_chunk",
        "sent_per_rank",
        Text("size is read as the whole buffer, not as one chunk of n", "把 size 当成整个缓冲区，而不是 n 份中的一份"),
        lambda i: plain(cost_of(i).sent * _other_reading(i)) if i.size_is == "chunk" else None,
    ),
    Slip(
        "through_a_root",
        "sent_per_rank",
        Text("one root is taken to send the result to every other rank", "按由一个根把结果逐个发给其他卡来算"),
        lambda i: (
            plain((i.ranks - 1) * whole_of(i))
            if i.op in ("all_reduce", "broadcast") and i.algorithm != "naive"
            else None
        ),
    ),
    Slip(
        "spread_evenly",
        "sent_per_rank",
        Text(
            "the traffic is spread over all ranks as in a ring, though the root carries it",
            "按环那样把流量均摊到各卡，而实际都压在根上",
        ),
        lambda i: plain(bus_factor(i.op, i.ranks) * whole_of(i)) if i.algorithm == "naive" else None,
    ),
    Slip(
        "per_rank",
        "sent_in_all",
        Text("what one rank sends is taken for the traffic of all", "把一张卡的发送量当成总量"),
        lambda i: plain(cost_of(i).sent * whole_of(i)),
    ),
    Slip(
        "two_sizes_each",
        "sent_in_all",
        Text(
            "each of the n ranks is taken to send the whole tensor twice",
            "按 n 张卡各把整个张量发两遍（2·n·S）来算",
        ),
        lambda i: plain(2 * i.ranks * whole_of(i)) if i.op == "all_reduce" else None,
    ),
    Slip(
        "one_pass_in_all",
        "sent_in_all",
        Text("only the reducing half of the all-reduce is counted", "只算了 all-reduce 里归约的那一半"),
        lambda i: plain((i.ranks - 1) * whole_of(i)) if i.op == "all_reduce" else None,
    ),
    Slip(
        "other_reading_in_all",
        "sent_in_all",
        Text("the whole buffer and one chunk of n are mixed up", "把整个缓冲区和 n 份中的一份弄混了"),
        lambda i: plain(cost_of(i).in_all * _other_reading(i)),
    ),
    Slip(
        "one_pass_of_steps",
        "steps",
        Text("only the first half of the all-reduce is counted", "只数了 all-reduce 的前一半步数"),
        lambda i: cost_of(i).steps // 2 if i.op == "all_reduce" else None,
    ),
    Slip(
        "n_for_n_minus_one",
        "steps",
        Text("a pass around the ring is taken to need n steps, not n−1", "把绕环一圈数成 n 步，而不是 n−1 步"),
        lambda i: (2 if i.op == "all_reduce" else 1) * i.ranks if i.algorithm != "tree" else None,
    ),
    Slip(
        "ring_for_tree",
        "steps",
        Text("a ring's steps are counted for a tree", "按环的步数来算树"),
        lambda i: cost(i.op, i.ranks, "ring").steps if i.algorithm == "tree" else None,
    ),
    Slip(
        "tree_for_ring",
        "steps",
        Text("a tree's steps are counted for a ring", "按树的步数来算环"),
        lambda i: (
            cost(i.op, i.ranks, "tree").steps
            if i.algorithm == "ring" and i.op in ("all_reduce", "broadcast") and i.ranks >= TWO_WAY_TREE_RANKS
            else None
        ),
    ),
    Slip(
        "both_directions",
        "time",
        Text("the bandwidth of both directions is used for one", "把双向带宽当成单向带宽"),
        lambda i: _seconds(i, steps=cost_of(i).steps, carried=cost_of(i).in_series / 2),
    ),
    Slip(
        "size_over_bandwidth",
        "time",
        Text(
            "the size alone is divided by the bandwidth, without the operation's factor",
            "只拿 S 除以带宽，漏了操作的系数",
        ),
        lambda i: _seconds(i, steps=cost_of(i).steps, carried=Fraction(1)),
    ),
    Slip(
        "one_pass_of_time",
        "time",
        Text("only one half of the all-reduce is counted", "只算了 all-reduce 的一半"),
        lambda i: (
            _seconds(i, steps=cost_of(i).steps // 2, carried=cost_of(i).in_series / 2) if i.op == "all_reduce" else None
        ),
    ),
    Slip(
        "two_sizes_of_time",
        "time",
        Text("the whole tensor is sent twice, without (n−1)/n", "按整个张量发两遍（2·S）来算，漏了 (n−1)/n"),
        lambda i: _seconds(i, steps=cost_of(i).steps, carried=Fraction(2)) if _ring_all_reduce(i) else None,
    ),
    Slip(
        "all_on_one_link",
        "time",
        Text(
            "the traffic of all ranks is sent through one link, though all links work at once",
            "把所有卡的流量压到一条链路上，而各链路其实同时在传",
        ),
        lambda i: _seconds(i, steps=cost_of(i).steps, carried=Fraction(cost_of(i).in_all)),
    ),
    Slip(
        "latency_once",
        "time",
        Text("the latency is counted once, not at every step", "延迟只算了一次，而每一步都有"),
        lambda i: _seconds(i, steps=1, carried=cost_of(i).in_series),
    ),
    Slip(
        "no_latency",
        "time",
        Text("the latency of the steps is left out", "漏了各步的延迟"),
        lambda i: _seconds(i, steps=0, carried=cost_of(i).in_series),
    ),
    Slip(
        "two",
        "factor",
        Text("2 is used without (n−1)/n", "用了 2，漏了 (n−1)/n"),
        lambda i: 2 * (i.ranks if i.size_is == "chunk" else 1) if _ring_all_reduce(i) else None,
    ),
    Slip(
        "one_pass_of_factor",
        "factor",
        Text("only one half of the all-reduce is counted", "只算了 all-reduce 的一半"),
        lambda i: (
            plain(cost_of(i).sent * whole_of(i) / Fraction(i.size) / 2)
            if i.op == "all_reduce" and i.algorithm != "naive"
            else None
        ),
    ),
    Slip(
        "other_reading_of_factor",
        "factor",
        Text("the whole buffer and one chunk of n are mixed up", "把整个缓冲区和 n 份中的一份弄混了"),
        lambda i: plain(cost_of(i).sent * _other_reading(i) / Fraction(i.size)),
    ),
    Slip(
        "in_all_factor",
        "factor",
        Text("the traffic of all ranks together is taken for one rank's", "把所有卡的总量当成每卡的量"),
        lambda i: plain(cost_of(i).in_all * whole_of(i) / Fraction(i.size)),
    ),
    Slip(
        "busbw_for_algbw",
        "algbw",
        Text("bus bandwidth is taken for algorithm bandwidth", "把 busbw 当成 algbw"),
        lambda i: _rate(i, bus_factor(i.op, i.ranks)),
    ),
    Slip(
        "algbw_for_busbw",
        "busbw",
        Text("algorithm bandwidth is taken for bus bandwidth", "把 algbw 当成 busbw"),
        lambda i: _rate(i, Fraction(1)),
    ),
)
