"""Serving a mixture of experts: touched experts counted out, and the published sizes."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

MOE = find("moe_deployment")


def served(**given: Any) -> Any:
    return run(MOE, given).outputs


def expected_touched(experts: int, top_k: int, batch: int) -> Fraction:
    """Over all ways in which `batch` tokens can choose."""
    choices = list(itertools.combinations(range(experts), top_k))
    total = sum(len(set().union(*tokens)) for tokens in itertools.product(choices, repeat=batch))
    return Fraction(total, len(choices) ** batch)


@pytest.mark.parametrize(("experts", "top_k", "batch"), [(4, 2, 1), (4, 2, 3), (5, 1, 4), (6, 3, 2), (3, 3, 2)])
def test_touched_experts_are_the_mean_over_all_choices(experts: Any, top_k: Any, batch: Any) -> None:
    found = served(parameters=1000, active_parameters=500, experts=experts, top_k=top_k, batch=batch)
    assert found["experts_touched"] == pytest.approx(float(expected_touched(experts, top_k, batch)))


@given(st.integers(2, 12), st.integers(1, 12), st.integers(1, 64), st.integers(1, 50), st.integers(0, 1000))
def test_weights_read_are_the_common_ones_and_the_touched_experts(
    experts: Any, top_k: Any, batch: Any, expert: Any, common: Any
) -> None:
    """A model built from its parts: one layer of experts of `expert` parameters and `common` ones beside them."""
    if top_k > experts:
        return
    given = {"parameters": common + experts * expert, "active_parameters": common + top_k * expert}
    found = served(**given, experts=experts, top_k=top_k, batch=batch, weight_bytes=1)
    assert found["weights_read"] == pytest.approx(common + found["experts_touched"] * expert, rel=1e-9)


def test_deepseek_v3() -> None:
    """Technical report: 671B in all, 37B active. One token 36.6 GB in FP8, 64 tokens 222 of 256 experts and 584 GB."""
    one, many = (served(model="deepseek-v3", weight_bytes=1, batch=batch) for batch in (1, 64))
    assert one["memory"] / 1e9 == pytest.approx(671, abs=0.5)
    assert one["weights_read"] / 1e9 == pytest.approx(36.6, abs=0.05)
    assert many["experts_touched"] == pytest.approx(222, abs=0.5)
    assert many["weights_read"] / 1e9 == pytest.approx(584, abs=0.5)


def test_qwen3_235b_activates_22b_not_three_in_a_thousand() -> None:
    """Qwen3-235B-A22B: 235B parameters, 22B active; 470 GB in BF16."""
    found = served(model="qwen3-235b-a22b")
    assert found["active_share"] == pytest.approx(0.0944, abs=5e-5)
    assert found["memory"] / 1e9 == pytest.approx(470, abs=0.5)
    assert found["flops_per_token"] / 1e9 == pytest.approx(43, abs=0.5)


def test_a_30b_mixture_reads_about_3b_for_one_token() -> None:
    found = served(model="qwen3-30b-a3b")
    assert found["weights_read"] / 2e9 == pytest.approx(3.0, abs=0.1)
    assert found["memory"] / 1e9 == pytest.approx(61, abs=0.5)


def test_more_choices_than_experts_are_refused() -> None:
    with pytest.raises(BadInput):
        served(parameters=10, active_parameters=5, experts=2, top_k=3)
    with pytest.raises(BadInput):
        served(parameters=10, active_parameters=11, experts=2, top_k=1)


def test_every_slip_shows() -> None:
    check_slips(MOE, [{"model": "qwen3-30b-a3b", "batch": batch} for batch in (1, 4, 32)])


def test_memory_from_active_parameters_is_a_tenth() -> None:
    found = slips(MOE, "memory", model="qwen3-235b-a22b")["active_only"]
    assert found / served(model="qwen3-235b-a22b")["memory"] == pytest.approx(0.094, abs=0.001)
