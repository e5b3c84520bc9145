"""What a collective operation costs: traffic and steps in units of its whole buffer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from quiz.calculators.base import Values
from quiz.calculators.exact import Number
from quiz.errors import BadInput
from quiz.language import Text

OPERATIONS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all")
ALGORITHMS = ("ring", "tree", "naive")
READINGS = ("tensor", "chunk")
TWO_WAY_TREE_RANKS = 4


@dataclass(frozen=True, slots=True)
class Cost:
    """In units of the whole buffer S: what the busiest rank sends, what all send, what one link carries in series."""

    sent: Fraction
    in_all: int
    steps: int
    in_series: Fraction


def cost(op: str, ranks: int, algorithm: str) -> Cost:
    """The cost of `op` over `ranks` ranks. BadInput where the algorithm is not one for that operation or size."""
    n, share = ranks, Fraction(ranks - 1, ranks)
    if algorithm != "ring" and op not in ("all_reduce", "broadcast"):
        raise BadInput(
            Text(
                f"{algorithm} is for all_reduce and broadcast; take algorithm=ring for {op}",
                f"{algorithm} 只用于 all_reduce 和 broadcast；{op} 请用 algorithm=ring",
            )
        )
    if algorithm == "naive":
        phases = 2 if op == "all_reduce" else 1
        return Cost(Fraction(n - 1), phases * (n - 1), phases * (n - 1), Fraction(phases * (n - 1)))
    if algorithm == "tree":
        if n < TWO_WAY_TREE_RANKS:
            raise BadInput(
                Text(
                    f"a tree of {n} ranks is a chain; take {TWO_WAY_TREE_RANKS} ranks or more, or algorithm=ring",
                    f"{n} 个 rank 的树就是一条链；请取 {TWO_WAY_TREE_RANKS} 个以上 rank，或用 algorithm=ring",
                )
            )
        passes = 2 if op == "all_reduce" else 1
        return Cost(Fraction(passes), passes * (n - 1), passes * (n - 1).bit_length(), Fraction(passes))
    if op == "all_reduce":
        return Cost(2 * share, 2 * (n - 1), 2 * (n - 1), 2 * share)
    if op == "broadcast":
        return Cost(Fraction(1), n - 1, n - 1, Fraction(1))
    return Cost(share, n - 1, n - 1, share)


def bus_factor(op: str, ranks: int) -> Fraction:
    """nccl-tests' correction from algorithm bandwidth to bus bandwidth, whatever the algorithm."""
    return cost(op, ranks, "ring").sent


def whole(size: Number, size_is: str, ranks: int) -> Fraction:
    """The whole buffer S in bytes: `size` itself, or `ranks` chunks of `size`."""
    return Fraction(size) * (ranks if size_is == "chunk" else 1)


def cost_of(i: Values) -> Cost:
    """The cost of the operation that the inputs name."""
    return cost(i.op, i.ranks, i.algorithm)


def whole_of(i: Values) -> Fraction:
    """The whole buffer S that the inputs name."""
    return whole(i.size, i.size_is, i.ranks)
