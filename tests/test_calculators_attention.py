"""Attention: the online softmax against the direct one for every split; accesses against the algorithms' loops."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

SOFTMAX, IO = find("online_softmax"), find("flash_attention_io")
SCORES = st.lists(st.tuples(st.floats(-50, 50), st.floats(-10, 10)), min_size=1, max_size=12)


def softmax(scores: Any, values: Any = None) -> Any:
    return run(SOFTMAX, {"scores": scores} | ({"values": values} if values else {})).outputs


def accesses(**given: Any) -> Any:
    return run(IO, given).outputs


def text(numbers: Any, cuts: Any) -> Any:
    """Numbers as blocks, cut after the places in `cuts`."""
    parts = [f"{number!r}{';' if place in cuts else ','}" for place, number in enumerate(numbers)]
    return "".join(parts).rstrip(",;")


# Online softmax


@given(SCORES, st.sets(st.integers(0, 11)))
def test_every_split_gives_the_direct_softmax(pairs: Any, cuts: Any) -> None:
    """Dao et al. 2022, Algorithm 1, lines 10 to 12: whatever the blocks, the result is the softmax of the whole row."""
    scores, values = zip(*pairs, strict=True)
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    found = softmax(text(scores, cuts), text(values, cuts))
    assert found["maximum"] == top
    assert found["denominator"] == pytest.approx(math.fsum(weights), rel=1e-12)
    direct = math.fsum(w * v for w, v in zip(weights, values, strict=True)) / math.fsum(weights)
    assert found["output"] == pytest.approx(direct, rel=1e-9, abs=1e-12)


@given(SCORES, st.sets(st.integers(0, 11)), st.sets(st.integers(0, 11)))
def test_two_splits_agree(pairs: Any, one: Any, other: Any) -> None:
    scores = [score for score, _ in pairs]
    first, second = softmax(text(scores, one)), softmax(text(scores, other))
    assert first["maximum"] == second["maximum"]
    assert first["denominator"] == pytest.approx(second["denominator"], rel=1e-12)


@given(SCORES, st.floats(-20, 20))
def test_a_shift_of_all_scores_changes_nothing_but_the_maximum(pairs: Any, shift: Any) -> None:
    scores = [score for score, _ in pairs]
    moved = [score + shift for score in scores]
    found = softmax(text(moved, {0, 3}))
    assert found["denominator"] == pytest.approx(softmax(text(scores, {0, 3}))["denominator"], rel=1e-9)


def test_two_blocks_by_hand() -> None:
    """m 3 → 5, so that the old sum takes exp(−2)."""
    found = softmax("1,2,3;4,5", "1,2,3;4,5")
    old, new = 1 + math.exp(-1) + math.exp(-2), 1 + math.exp(-1)
    assert found["maximum"] == 5
    assert found["rescale"] == pytest.approx(math.exp(-2))
    assert found["denominator"] == pytest.approx(math.exp(-2) * old + new)


def test_a_block_below_the_maximum_leaves_old_sums_alone() -> None:
    assert softmax("5;1")["rescale"] == 1
    assert softmax("5,1")["rescale"] == 0


def test_masked_blocks_change_nothing() -> None:
    """−∞ − (−∞) would be NaN."""
    plain = softmax("1,2", "3,4")
    for scores, values in (("-inf;1,2", "9;3,4"), ("1,2;-inf", "3,4;9"), ("1,-inf,2", "3,9,4")):
        found = softmax(scores, values)
        assert found["denominator"] == pytest.approx(plain["denominator"])
        assert found["output"] == pytest.approx(plain["output"])
    assert run(SOFTMAX, {"scores": "-inf;1,2"}).worked("denominator")


def test_chinese_punctuation_reads_alike() -> None:
    assert softmax("1，2；−3") == softmax("1,2;-3")


def test_there_is_no_output_without_values() -> None:
    assert softmax("1,2")["output"] is None


@pytest.mark.parametrize(
    "given",
    [
        {"scores": ""},
        {"scores": "1,,2"},
        {"scores": "1;two"},
        {"scores": "1,nan"},
        {"scores": "inf"},
        {"scores": "-inf;-inf"},
        {"scores": "1,2;3", "values": "1,2,3"},
        {"scores": "1,2", "values": "1,-inf"},
        {"scores": ",".join(["1"] * 1001)},
    ],
)
def test_what_is_no_row_of_scores_is_refused_in_both_languages(given: Any) -> None:
    with pytest.raises(BadInput) as refused:
        run(SOFTMAX, given)
    assert refused.value.text.en
    assert refused.value.text.zh


def test_large_scores_do_not_overflow() -> None:
    found = run(SOFTMAX, {"scores": "1000;2000", "values": "1;2"})
    assert found.outputs["output"] == 2
    for output in found.outputs:
        found.slips(output)
        found.worked(output)


# Accesses


def algorithm_0(n: Any, d: Any) -> Any:
    """Elements moved by the three steps of standard attention."""
    return (2 * n * d + n * n) + (n * n + n * n) + (n * n + n * d + n * d)


def algorithm_1(n: Any, d: Any, sram: Any) -> Any:
    """Elements moved by FlashAttention's loops, without the zeros that it starts from."""
    columns = math.ceil(sram / (4 * d))
    rows = min(columns, d)
    moved = 0
    for start in range(0, n, columns):
        moved += 2 * (min(start + columns, n) - start) * d
        for top in range(0, n, rows):
            height = min(top + rows, n) - top
            moved += height * (2 * d + 2)
            moved += height * (d + 2)
    return moved


@given(st.integers(1, 300), st.integers(1, 64), st.integers(1, 4096))
def test_accesses_are_those_of_the_algorithms(n: Any, d: Any, sram: Any) -> None:
    """Dao et al. 2022, Algorithms 0 and 1."""
    sram = min(max(sram, d), n * d)
    found = accesses(tokens=n, head_dim=d, sram=sram)
    assert found["standard_counted"] == algorithm_0(n, d)
    assert found["flash_counted"] == algorithm_1(n, d, sram)


@given(st.integers(64, 10**6), st.integers(16, 256), st.integers(1, 100))
def test_theorem_2_holds_within_constants(n: Any, d: Any, blocks: Any) -> None:
    """Standard Θ(N·d + N²), FlashAttention Θ(N²·d²/M), for d ≤ M ≤ N·d."""
    sram = min(max(d * 4 * blocks, d), n * d)
    found = accesses(tokens=n, head_dim=d, sram=sram)
    assert found["standard_counted"] == 4 * found["standard"]
    assert 1 <= found["flash_counted"] / found["flash"] <= 30


def test_a_100_kb_sram_makes_d_squared_many_times_smaller_than_m() -> None:
    """§3.2: for d of 64 to 128 and M around 100 KB, d² is many times smaller than M: here 51,200 elements of FP16."""
    assert accesses(tokens=4096, head_dim=64, sram=51_200)["ratio"] == pytest.approx(12.7, rel=0.01)
    assert accesses(tokens=4096, head_dim=128, sram=51_200)["ratio"] == pytest.approx(3.22, rel=0.01)


def test_the_measured_reduction_lies_between_the_count_and_the_order() -> None:
    """Figure 2, left: 40.3 GB against 4.4 GB, N = 1024, d = 64, forward and backward, with dropout's extra passes."""
    found = accesses(tokens=1024, head_dim=64, sram=51_200)
    assert found["standard_counted"] / found["flash_counted"] < 40.3 / 4.4 < found["ratio"]


def test_standard_forward_attention_of_figure_2_in_bytes() -> None:
    """Its 64·16 heads move 9.1 GB forward in FP16, of the 40.3 GB that Figure 2 measures forward and backward."""
    found = accesses(tokens=1024, head_dim=64, sram=51_200, heads=64 * 16)
    assert 2 * found["standard_counted"] == pytest.approx(9.13e9, rel=1e-3)
    assert 2 * found["standard_counted"] < 40.3e9


@pytest.mark.parametrize("sram", [63, 1024 * 64 + 1])
def test_an_sram_outside_the_theorem_is_refused(sram: Any) -> None:
    with pytest.raises(BadInput) as refused:
        accesses(tokens=1024, head_dim=64, sram=sram)
    assert "N·d" in refused.value.text.en
    assert "应在" in refused.value.text.zh


# Usual mistakes


@pytest.mark.parametrize(
    ("calculator", "rows"),
    [
        (SOFTMAX, [{"scores": "1,2,3;4,5;0,1", "values": "1,2,3;4,5;6,7"}, {"scores": "1,2;3", "values": "1,4;2"}]),
        (IO, [{"tokens": 2048, "head_dim": 64, "sram": 51_200, "heads": 16}]),
    ],
)
def test_every_slip_differs_from_the_right_value_somewhere(calculator: Any, rows: Any) -> None:
    seen = set()
    for row in rows:
        result = run(calculator, row)
        for output in result.outputs:
            seen |= {(output, slip.name) for slip, _ in result.slips(output)}
            assert result.worked(output) or output == "maximum"
    assert seen == {(slip.output, slip.name) for slip in calculator.slips}


def test_the_sum_that_is_not_rescaled() -> None:
    slips = {slip.name: value for slip, value in run(SOFTMAX, {"scores": "1,2;3"}).slips("denominator")}
    assert slips["no_rescale"] == pytest.approx(1 + math.exp(-1) + 1)
    assert slips["no_maximum"] == pytest.approx(math.exp(1) + math.exp(2) + math.exp(3))
