"""Speculative decoding: against Leviathan et al.'s tables, and against every pattern of acceptances."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

SPECULATIVE = find("speculative_decoding")
RATES = st.floats(0, 1)
COSTS = st.floats(0, 2)


def outputs(acceptance: Any, draft_length: Any, draft_cost: Any = 0) -> Any:
    given = {"acceptance": acceptance, "draft_length": draft_length, "draft_cost": draft_cost}
    return run(SPECULATIVE, given).outputs


# Printed figures


@pytest.mark.parametrize(
    ("acceptance", "length", "speed"),
    [(0.6, 2, 1.96), (0.7, 3, 2.53), (0.8, 2, 2.44), (0.8, 5, 3.69), (0.9, 2, 2.71), (0.9, 10, 6.86)],
)
def test_table_1_of_leviathan(acceptance: Any, length: Any, speed: Any) -> None:
    """Leviathan et al. 2023, Table 1, speed with c = 0."""
    assert outputs(acceptance, length)["speedup"] == pytest.approx(speed, abs=0.005)


def test_a_bigram_draft_gives_1_25() -> None:
    """§3.6: α ≈ 0.2 and γ = 3 give 1.25X at no cost."""
    assert outputs(0.2, 3)["speedup"] == pytest.approx(1.25, abs=0.005)


def test_one_mtp_module_gives_1_8() -> None:
    """Insights into DeepSeek-V3, §2.3.3: 80 % to 90 % accepted, one token drafted, 1.8x the tokens a second."""
    assert outputs(0.8, 1)["expected_tokens"] == pytest.approx(1.8)
    assert outputs(0.9, 1)["expected_tokens"] == pytest.approx(1.9)


@pytest.mark.parametrize(("acceptance", "cost"), [(0.5, 0.1), (0.8, 0.05), (0.9, 0.5)])
def test_the_best_draft_gains_at_least_one_plus_alpha_over_one_plus_c(acceptance: Any, cost: Any) -> None:
    """Corollary 3.9, for α > c; γ = 1 gives it exactly."""
    bound = (1 + acceptance) / (1 + cost)
    assert outputs(acceptance, 1, cost)["speedup"] == pytest.approx(bound)
    assert outputs(acceptance, 1, cost)["best_speedup"] >= bound * (1 - 1e-12)


# Every pattern of acceptances


@given(st.fractions(0, 1, max_denominator=20), st.integers(0, 6))
def test_expected_tokens_over_every_pattern(acceptance: Any, length: Any) -> None:
    """Accepted until the first rejection, and one token more."""
    expected = Fraction(0)
    for pattern in itertools.product((True, False), repeat=length):
        chance = Fraction(1)
        for accepted in pattern:
            chance *= acceptance if accepted else 1 - acceptance
        expected += chance * (1 + len(list(itertools.takewhile(bool, pattern))))
    assert outputs(float(acceptance), length)["expected_tokens"] == pytest.approx(float(expected), rel=1e-12)


# Laws


@given(RATES, st.integers(0, 32), COSTS)
def test_nothing_beats_the_best_length(acceptance: Any, length: Any, cost: Any) -> None:
    found = outputs(acceptance, length, cost)
    assert found["best_speedup"] >= found["speedup"] * (1 - 1e-12)
    assert 0 <= found["best_length"] <= 32


@given(RATES, st.integers(0, 100))
def test_tokens_lie_between_one_and_all(acceptance: Any, length: Any) -> None:
    assert 1 <= outputs(acceptance, length)["expected_tokens"] <= length + 1


@given(st.floats(0, 0.99), st.integers(0, 100))
def test_the_closed_form_is_the_sum(acceptance: Any, length: Any) -> None:
    closed = (1 - acceptance ** (length + 1)) / (1 - acceptance)
    assert outputs(acceptance, length)["expected_tokens"] == pytest.approx(closed, rel=1e-9)


def test_the_ends() -> None:
    assert outputs(1, 4)["expected_tokens"] == 5
    assert outputs(0, 4)["expected_tokens"] == 1
    assert outputs(0.9, 4)["best_length"] == 32
    assert outputs(0.3, 4, 0.5)["best_length"] == 0
    assert outputs(0.3, 4, 0.5)["best_speedup"] == 1


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    result = run(SPECULATIVE, {"acceptance": 0.8, "draft_length": 4, "draft_cost": 0.05})
    seen = set()
    for output in result.outputs:
        seen |= {(output, slip.name) for slip, _ in result.slips(output)}
        assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in SPECULATIVE.slips}


def test_the_linear_count_and_the_forgotten_cost() -> None:
    result = run(SPECULATIVE, {"acceptance": 0.8, "draft_length": 4, "draft_cost": 0.1})
    assert {s.name: v for s, v in result.slips("expected_tokens")}["linear"] == pytest.approx(4.2)
    assert {s.name: v for s, v in result.slips("speedup")}["no_cost"] == pytest.approx(3.3616)


@pytest.mark.parametrize("row", [(0, 0, 0), (1, 0, 0), (1, 3, 0), (0, 3, 0.5)])
def test_slips_and_worked_lines_hold_at_the_ends(row: Any) -> None:
    result = run(SPECULATIVE, dict(zip(("acceptance", "draft_length", "draft_cost"), row, strict=True)))
    for output in result.outputs:
        result.slips(output)
        assert result.worked(output)
