"""Collectives: against nccl-tests' factors and tables, and against rings and trees played out message by message."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

COLLECTIVE = find("collective")
RANKS = st.integers(min_value=2, max_value=64)
SIZES = st.integers(min_value=1, max_value=10**12)


def outputs(**given: Any) -> Any:
    return run(COLLECTIVE, {"size": 1, **given}).outputs


# Printed figures


@pytest.mark.parametrize(
    ("op", "factor"),
    [
        ("all_reduce", lambda n: Fraction(2 * (n - 1), n)),
        ("reduce_scatter", lambda n: Fraction(n - 1, n)),
        ("all_gather", lambda n: Fraction(n - 1, n)),
        ("all_to_all", lambda n: Fraction(n - 1, n)),
        ("broadcast", lambda _: Fraction(1)),
    ],
)
@pytest.mark.parametrize("ranks", [2, 3, 8, 72])
def test_the_factors_are_those_of_nccl_tests(op: Any, factor: Any, ranks: Any) -> None:
    """nccl-tests, doc/PERFORMANCE.md, Summary."""
    assert outputs(op=op, ranks=ranks)["factor"] == pytest.approx(float(factor(ranks)), rel=1e-15)


@pytest.mark.parametrize(
    ("size", "microseconds", "algbw", "busbw"),
    [
        (536870912, 2432.7, 220.69, 413.79),
        (1073741824, 4523.3, 237.38, 445.09),
        (2147483648, 8785.8, 244.43, 458.30),
        (4294967296, 17404, 246.79, 462.73),
        (8589934592, 34468, 249.21, 467.28),
    ],
)
def test_a_table_of_all_reduce_perf_on_16_ranks(size: Any, microseconds: Any, algbw: Any, busbw: Any) -> None:
    """SkyPilot, NCCL test on two nodes of 8 GPUs, out of place, examples/nebius_infiniband."""
    found = outputs(op="all_reduce", ranks=16, size=size, bandwidth=busbw * 1e9)
    assert found["time"] == pytest.approx(microseconds * 1e-6, rel=2e-4)
    assert found["algbw"] == pytest.approx(algbw * 1e9, rel=2e-4)
    assert found["busbw"] == pytest.approx(busbw * 1e9, rel=1e-12)


def test_480_gb_a_second_of_busbw_is_275_of_algbw_on_8_gpus() -> None:
    """An NCCL maintainer, nccl-tests issue 212: "a peak busBw of ~480GB/s (algbw ~275GB/s)"."""
    assert outputs(op="all_reduce", ranks=8, bandwidth=480e9)["algbw"] == pytest.approx(275e9, rel=0.005)


def test_zero_counts_two_sizes_for_many_ranks() -> None:
    """ZeRO §7.1: reduce-scatter and all-gather move Ψ elements each, the all-reduce 2Ψ; that is the limit of many ranks."""
    many = {"ranks": 1024, "size": 1024 * 1000}
    assert outputs(op="reduce_scatter", **many)["factor"] == pytest.approx(1, rel=1e-3)
    assert outputs(op="all_reduce", **many)["factor"] == pytest.approx(2, rel=1e-3)


def test_four_cards_with_the_tensor_or_a_chunk_as_x() -> None:
    """Four ranks: 1.5x a card and 6x in all where x is the tensor; 6x and 24x, in 6 steps, where it is one chunk."""
    tensor = outputs(op="all_reduce", ranks=4, size=8)
    assert (tensor["sent_per_rank"], tensor["sent_in_all"], tensor["steps"]) == (12, 48, 6)
    chunk = outputs(op="all_reduce", ranks=4, size=8, size_is="chunk")
    assert (chunk["sent_per_rank"], chunk["sent_in_all"], chunk["steps"], chunk["factor"]) == (48, 192, 6, 6)
    gather = outputs(op="all_gather", ranks=4, size=8, size_is="chunk")
    assert gather["sent_per_rank"] == 24


def test_a_root_moves_as_much_in_all_but_sends_it_alone() -> None:
    root = outputs(op="all_reduce", ranks=4, size=8, algorithm="naive")
    assert root["sent_in_all"] == outputs(op="all_reduce", ranks=4, size=8)["sent_in_all"]
    assert root["sent_per_rank"] == 24


def test_a_tree_needs_20_steps_for_1024_ranks_and_a_ring_2046() -> None:
    assert outputs(op="all_reduce", ranks=1024)["steps"] == 2046
    assert outputs(op="all_reduce", ranks=1024, algorithm="tree")["steps"] == 20


def test_a_tree_wins_up_to_1_8_gb_on_64_ranks_with_10_microseconds_and_50_gb_a_second() -> None:
    link = {"op": "all_reduce", "ranks": 64, "latency": 10e-6, "bandwidth": 50e9}
    for size, tree_wins in ((1.82e9, True), (1.83e9, False)):
        ring, tree = (outputs(size=size, algorithm=a, **link)["time"] for a in ("ring", "tree"))
        assert (tree < ring) == tree_wins


# Played out message by message


def ring_all_reduce(ranks: Any) -> Any:
    """Chunks of vectors passed around a ring: (chunks sent by each rank, steps). Checks that all end with the sum."""
    held = [[rank * 100 + chunk for chunk in range(ranks)] for rank in range(ranks)]
    total = [sum(held[rank][chunk] for rank in range(ranks)) for chunk in range(ranks)]
    sent, steps = [0] * ranks, 0
    for reducing in (True, False):
        for step in range(ranks - 1):
            first = 0 if reducing else 1
            moves = [(rank, (rank + first - step) % ranks) for rank in range(ranks)]
            carried = [(rank, chunk, held[rank][chunk]) for rank, chunk in moves]
            for rank, chunk, value in carried:
                target = (rank + 1) % ranks
                held[target][chunk] = held[target][chunk] + value if reducing else value
                sent[rank] += 1
            steps += 1
        if reducing:
            assert all(held[rank][(rank + 1) % ranks] == total[(rank + 1) % ranks] for rank in range(ranks))
    assert all(held[rank] == total for rank in range(ranks))
    return sent, steps


@pytest.mark.parametrize("ranks", [2, 3, 4, 7, 8, 16])
def test_a_ring_all_reduce_sends_what_the_formula_says(ranks: Any) -> None:
    sent, steps = ring_all_reduce(ranks)
    found = outputs(op="all_reduce", ranks=ranks, size=1, size_is="chunk")
    assert sent == [found["sent_per_rank"]] * ranks
    assert sum(sent) == found["sent_in_all"]
    assert steps == found["steps"]
    half = outputs(op="reduce_scatter", ranks=ranks, size=1, size_is="chunk")
    assert half["sent_per_rank"] == (ranks - 1) == half["steps"]


@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
def test_a_pairwise_all_to_all_sends_what_the_formula_says(ranks: Any) -> None:
    held = {rank: {rank: 0} for rank in range(ranks)}
    sent = [0] * ranks
    for step in range(1, ranks):
        for rank in range(ranks):
            held[(rank + step) % ranks][rank] = 1
            sent[rank] += 1
    assert all(len(got) == ranks for got in held.values())
    found = outputs(op="all_to_all", ranks=ranks, size=1, size_is="chunk")
    assert sent == [found["sent_per_rank"]] * ranks
    assert found["steps"] == ranks - 1
    assert found["sent_in_all"] == sum(sent)


def parents(ranks: Any) -> Any:
    """A balanced binary tree over the ranks in order, rank 0 the root with one child."""
    found = {}
    for rank in range(1, ranks):
        low = rank & -rank
        up = (rank ^ low) | (low << 1)
        found[rank] = up if up < ranks else rank ^ low
    return found


@pytest.mark.parametrize("ranks", [4, 5, 8, 12, 16, 33, 64])
def test_the_busiest_rank_of_a_double_binary_tree_sends_two_tensors(ranks: Any) -> None:
    """Each tree carries one half: up once from every rank but its root, down once to every child."""
    first = parents(ranks)
    second = (
        {ranks - 1 - child: ranks - 1 - up for child, up in first.items()}
        if ranks % 2 == 0
        else {(child + 1) % ranks: (up + 1) % ranks for child, up in first.items()}
    )
    sent = [Fraction(0)] * ranks
    for tree in (first, second):
        for child, up in tree.items():
            sent[child] += Fraction(1, 2)
            sent[up] += Fraction(1, 2)
    found = outputs(op="all_reduce", ranks=ranks, algorithm="tree", size=1)
    assert max(sent) == found["sent_per_rank"]
    assert sum(sent) == found["sent_in_all"]


# Laws


@given(RANKS, SIZES, st.integers(1, 10**6), st.integers(1, 10**6))
def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather(
    ranks: Any, size: Any, nanoseconds: Any, mega: Any
) -> None:
    link = {"ranks": ranks, "size": size, "latency": nanoseconds * 1e-9, "bandwidth": mega * 1e6}
    whole, *halves = (outputs(op=op, **link) for op in ("all_reduce", "reduce_scatter", "all_gather"))
    for name in ("sent_per_rank", "sent_in_all", "steps", "time", "factor"):
        assert whole[name] == pytest.approx(sum(half[name] for half in halves), rel=1e-12)


@given(RANKS, SIZES)
def test_a_chunk_is_an_nth_of_the_buffer(ranks: Any, size: Any) -> None:
    for op in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"):
        chunk = outputs(op=op, ranks=ranks, size=size, size_is="chunk")
        tensor = outputs(op=op, ranks=ranks, size=size * ranks)
        assert all(chunk[name] == tensor[name] for name in ("sent_per_rank", "sent_in_all", "steps"))


@given(RANKS, SIZES, st.integers(1, 10**6))
def test_the_bus_bandwidth_of_a_ring_without_latency_is_the_links(ranks: Any, size: Any, mega: Any) -> None:
    for op in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"):
        found = outputs(op=op, ranks=ranks, size=size, bandwidth=mega * 1e6)
        assert found["busbw"] == pytest.approx(mega * 1e6, rel=1e-12)


@given(RANKS, SIZES)
def test_equal_ranks_send_the_total_together(ranks: Any, size: Any) -> None:
    for op in ("all_reduce", "all_gather", "reduce_scatter", "all_to_all"):
        found = outputs(op=op, ranks=ranks, size=size)
        assert found["sent_per_rank"] * ranks == pytest.approx(found["sent_in_all"], rel=1e-12)


def test_there_is_no_time_without_a_bandwidth() -> None:
    found = outputs(op="all_reduce", ranks=8, latency=1e-5)
    assert found["time"] is found["algbw"] is found["busbw"] is None


@pytest.mark.parametrize(
    "given",
    [
        {"op": "all_gather", "ranks": 8, "algorithm": "tree"},
        {"op": "all_to_all", "ranks": 8, "algorithm": "naive"},
        {"op": "all_reduce", "ranks": 3, "algorithm": "tree"},
        {"op": "all_reduce", "ranks": 1},
    ],
)
def test_what_has_no_cost_is_refused_in_both_languages(given: Any) -> None:
    with pytest.raises(BadInput) as refused:
        outputs(**given)
    assert refused.value.text.en
    assert refused.value.text.zh


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    link = {"latency": 1e-5, "bandwidth": 50e9, "size": 4_000_000_000, "ranks": 8}
    rows = [
        {"op": op, "algorithm": algorithm, "size_is": reading, **link}
        for op in ("all_reduce", "all_gather", "broadcast", "all_to_all")
        for algorithm in ("ring", "tree", "naive")
        for reading in ("tensor", "chunk")
        if algorithm == "ring" or op in ("all_reduce", "broadcast")
    ]
    seen = set()
    for row in rows:
        result = run(COLLECTIVE, row)
        for output in result.outputs:
            seen |= {(output, slip.name) for slip, _ in result.slips(output)}
            assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in COLLECTIVE.slips}


def test_the_usual_mistakes_of_a_ring_all_reduce() -> None:
    result = run(COLLECTIVE, {"op": "all_reduce", "ranks": 4, "size": 1000, "bandwidth": 1000})
    assert {slip.name: value for slip, value in result.slips("sent_per_rank")} == {
        "two_sizes": 2000,
        "one_pass": 750,
        "in_all": 6000,
        "chunk_for_tensor": 6000,
        "through_a_root": 3000,
    }
    slips = {slip.name: value for slip, value in result.slips("time")}
    assert slips["both_directions"] == pytest.approx(result.outputs["time"] / 2)
