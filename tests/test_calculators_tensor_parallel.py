"""Tensor parallelism: against Megatron-LM's and ZeRO's formulas, and against a sharded layer multiplied out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

TRAFFIC = find("tensor_parallel_traffic")
SHAPE = {"batch": 2, "sequence": 2048, "hidden": 12288, "tp": 8}


def outputs(**given: Any) -> Any:
    return run(TRAFFIC, {**SHAPE, **given}).outputs


# Printed formulas


@pytest.mark.parametrize("tp", [2, 4, 8])
def test_a_layer_moves_8bsh_times_t_minus_1_over_t(tp: Any) -> None:
    """Narayanan et al. 2021, §3.2: 8bsh(t−1)/t a layer, device and micro-batch, l_stage times that in all."""
    expected = Fraction(8 * 2 * 2048 * 12288 * (tp - 1), tp)
    assert outputs(tp=tp)["elements"] == expected
    assert outputs(tp=tp, layers=12)["elements"] == 12 * expected


def test_a_layer_has_four_all_reduces() -> None:
    """Shoeybi et al. 2019, Figure 4: "4 total communication operations in the forward and backward pass"."""
    assert outputs()["all_reduces"] == 4
    assert outputs(training=False)["all_reduces"] == 2


def test_recomputation_makes_it_six_and_twelve_tensors() -> None:
    """ZeRO §8 counts 12·seq·hidden a block with checkpointing: it drops the batch and takes (t−1)/t for 1."""
    found = outputs(recompute=True, tp=16)
    assert found["all_reduces"] == 6
    assert found["elements"] == 12 * 2 * 2048 * 12288 * Fraction(15, 16)


def test_a_70b_layer_of_8192_tokens_over_8_gpus_in_bf16() -> None:
    """One all-reduce is over 8192·8192·2 B = 134.2 MB; 1.75 of it is sent, four times in 80 layers."""
    found = outputs(batch=1, sequence=8192, hidden=8192, layers=80)
    assert found["bytes"] == 80 * 4 * 1.75 * 134_217_728


# A sharded block multiplied out


class Wire:
    """Adds up what the GPUs hold and counts how often that is needed."""

    def __init__(self) -> None:
        self.times = 0

    def all_reduce(self, parts: Any) -> Any:
        self.times += 1
        return sum(parts)


@pytest.mark.parametrize("tp", [2, 4])
def test_a_column_and_a_row_parallel_matrix_need_one_all_reduce_each_way(tp: Any) -> None:
    """Y = X·A·B with A cut by columns and B by rows: the output forward, the input's gradient backward. Twice a layer."""
    rng = np.random.default_rng(0)
    x, a, b, grad = (rng.integers(-5, 6, size) for size in ((3, 4), (4, 8), (8, 4), (3, 4)))
    columns, rows = np.split(a, tp, axis=1), np.split(b, tp, axis=0)
    wire = Wire()
    y = wire.all_reduce([x @ column @ row for column, row in zip(columns, rows, strict=True)])
    assert (y == x @ a @ b).all()
    input_grad = wire.all_reduce([grad @ row.T @ column.T for column, row in zip(columns, rows, strict=True)])
    assert (input_grad == grad @ b.T @ a.T).all()
    blocks_a_layer = 2
    assert wire.times * blocks_a_layer == outputs()["all_reduces"]


# Laws


@given(st.integers(1, 64), st.integers(1, 10**5), st.integers(1, 10**5), st.integers(2, 64), st.integers(1, 200))
def test_elements_are_all_reduces_of_one_activation(
    batch: Any, sequence: Any, hidden: Any, tp: Any, layers: Any
) -> None:
    ring = run(find("collective"), {"op": "all_reduce", "ranks": tp, "size": batch * sequence * hidden}).outputs
    found = outputs(batch=batch, sequence=sequence, hidden=hidden, tp=tp, layers=layers)
    assert found["elements"] == pytest.approx(layers * 4 * ring["sent_per_rank"], rel=1e-12)
    assert found["bytes"] == pytest.approx(2 * found["elements"], rel=1e-12)


def test_training_without_recomputation_is_twice_inference_and_with_it_three_times() -> None:
    forward = outputs(training=False)["elements"]
    assert outputs()["elements"] == 2 * forward
    assert outputs(recompute=True)["elements"] == 3 * forward


def test_recomputing_in_inference_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        outputs(training=False, recompute=True)
    assert "training" in refused.value.text.en
    assert "推理" in refused.value.text.zh


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    seen = set()
    for row in ({"layers": 80}, {"layers": 80, "recompute": True}, {"layers": 80, "training": False}):
        result = run(TRAFFIC, {**SHAPE, **row})
        for output in result.outputs:
            seen |= {(output, slip.name) for slip, _ in result.slips(output)}
            assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in TRAFFIC.slips}


def test_elements_for_bytes_and_only_the_forward_pass_are_both_half_in_bf16() -> None:
    result = run(TRAFFIC, SHAPE)
    slips = {slip.name: value for slip, value in result.slips("bytes")}
    assert slips["elements_for_bytes"] == slips["only_forward"] == result.outputs["bytes"] / 2
