"""Split backward passes: against the papers' tables, and against schedules played out pass by pass."""

from __future__ import annotations

import heapq
from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

BUBBLE = find("split_backward_bubble")


def outputs(stages: int, microbatches: int, schedule: str, times: Any = (1, 1, 1), **more: Any) -> Any:
    forward, backward_input, backward_weight = times
    given = {"forward": forward, "backward_input": backward_input, "backward_weight": backward_weight, **more}
    return run(BUBBLE, {"stages": stages, "microbatches": microbatches, "schedule": schedule, **given}).outputs


# Played out pass by pass: each stage takes the input gradient that is ready, else a forward pass while it may hold more
# micro-batches, else a weight gradient. Unit times.


def play(stages: int, microbatches: int, limit: int) -> tuple[int, int]:
    """(time from the first start to the last end, the longest that a single stage is at work or waits)."""
    forward: dict[tuple[int, int], int] = {}
    backward: dict[tuple[int, int], int] = {}
    count = [[0, 0, 0] for _ in range(stages)]
    first: list[int | None] = [None] * stages
    last, busy, events = [0] * stages, [0] * stages, [0]
    while any(done[2] < microbatches for done in count):
        now = heapq.heappop(events)
        for stage, done in enumerate(count):
            if busy[stage] > now or done[2] == microbatches:
                continue
            ahead, back, _ = done
            source = forward.get((stage, back)) if stage == stages - 1 else backward.get((stage + 1, back))
            fed = stage == 0 or forward.get((stage - 1, ahead), now + 1) <= now
            if back < microbatches and source is not None and source <= now:
                done[1] += 1
                backward[stage, back] = now + 1
            elif ahead < microbatches and ahead - back < limit and fed:
                done[0] += 1
                forward[stage, ahead] = now + 1
            elif done[2] < back:
                done[2] += 1
            else:
                continue
            first[stage] = now if first[stage] is None else first[stage]
            busy[stage] = last[stage] = now + 1
            heapq.heappush(events, now + 1)
    spans = [end - (start or 0) for start, end in zip(first, last, strict=True)]
    return max(last), max(spans)


@pytest.mark.parametrize("stages", [1, 2, 4, 8])
@pytest.mark.parametrize("rounds", [2, 3, 4])
def test_schedules_with_equal_passes_idle_what_the_formula_says(stages: int, rounds: int) -> None:
    """ZB-H1 holds p micro-batches; ZB-H2 2·p−1, and no stage waits between its own first and last pass."""
    microbatches = stages * rounds
    whole, _ = play(stages, microbatches, stages)
    assert outputs(stages, microbatches, "zb-h1")["step_time"] == whole
    _, longest = play(stages, microbatches, 2 * stages - 1)
    assert outputs(stages, microbatches, "zb-h2")["step_time"] == longest
    assert outputs(stages, microbatches, "zb-h2")["activations"] == min(2 * stages - 1, microbatches)


# Printed figures


@pytest.mark.parametrize(("f", "b", "w"), [(1, 1, 1), (18.522, 18.086, 9.337), (11.347, 11.248, 8.132)])
def test_table_2_of_zero_bubble(f: float, b: float, w: float) -> None:
    """Qi et al. 2023, Table 2; §2.1: ZB-H1 has a third of 1F1B's bubble where the passes take equally long."""
    p = 8
    assert outputs(p, 24, "1f1b", (f, b, w))["bubble"] == pytest.approx((p - 1) * (f + b + w))
    assert outputs(p, 24, "zb-h1", (f, b, w))["bubble"] == pytest.approx((p - 1) * (f + b - w))
    assert outputs(p, 24, "zb-h2", (f, b, w))["bubble"] == pytest.approx((p - 1) * (f + b - 2 * w))
    assert outputs(p, 24, "zb-h1", (f, b, w))["activations"] == p
    assert outputs(p, 24, "zb-h2", (f, b, w))["activations"] == 2 * p - 1
    if f == b == w:
        assert outputs(p, 24, "zb-h1")["bubble_ratio"] == pytest.approx(1 / 3)
        assert outputs(p, 24, "zb-h2")["bubble"] == 0


@pytest.mark.parametrize(
    ("stages", "microbatches", "times", "communication", "rates"),
    [
        (8, 24, (18.522, 18.086, 9.337), 0.601, (0.2431, 0.1585, 0.1083)),
        (8, 64, (29.935, 29.621, 19.388), 0.535, (0.1091, 0.0554, 0.0294)),
        (16, 48, (11.347, 11.248, 8.132), 0.377, (0.2552, 0.1397, 0.0672)),
        (32, 96, (10.419, 10.207, 7.715), 0.408, (0.2646, 0.1421, 0.0641)),
    ],
)
def test_bubble_rates_of_zero_bubble_come_out_but_for_communication(
    stages: int, microbatches: int, times: Any, communication: float, rates: Any
) -> None:
    """The same, Tables 5 and 9: profiled passes in ms and (cost − m·(F + B + W))/cost, where the cost has communication.

    Each stage hands over twice a step, so that 2·(p−1)·T_comm on top of the formula comes within 2 points of the table.
    """
    for schedule, printed in zip(("1f1b", "zb-h1", "zb-h2"), rates, strict=True):
        found = outputs(stages, microbatches, schedule, times)
        cost = found["step_time"] + 2 * (stages - 1) * communication
        rate = 1 - microbatches * sum(times) / cost
        assert found["fraction_of_total"] < printed + 0.005
        assert rate == pytest.approx(printed, abs=0.021)


@pytest.mark.parametrize("stages", [2, 4, 8, 16])
def test_table_2_of_deepseek_v3(stages: int) -> None:
    """DeepSeek-V3, Table 2, with B the whole backward pass: 1F1B, ZB1P, DualPipe; 1×, 1×, 2× parameters; PP, PP, PP+1."""
    f, b, w, both = 1.0, 2.2, 0.9, 2.6
    times = (f, b - w, w)
    assert outputs(stages, 64, "1f1b", times)["bubble"] == pytest.approx((stages - 1) * (f + b))
    assert outputs(stages, 64, "zb-h1", times)["bubble"] == pytest.approx((stages - 1) * (f + b - 2 * w))
    found = outputs(stages, 64, "dualpipe", times, overlapped=both)
    assert found["bubble"] == pytest.approx((stages / 2 - 1) * (both + b - 3 * w))
    assert (found["parameter_copies"], found["activations"]) == (2, stages + 1)


# Laws


TIMES = st.floats(0.1, 10)


@given(st.integers(2, 64), st.integers(1, 500), TIMES, TIMES, TIMES)
def test_the_two_shares_are_one_bubble(stages: int, microbatches: int, f: float, b: float, w: float) -> None:
    for schedule in ("1f1b", "zb-h1", "zb-h2"):
        found = outputs(stages, microbatches, schedule, (f, b, w))
        of_ideal = found["fraction_of_ideal"]
        assert found["fraction_of_total"] == pytest.approx(of_ideal / (1 + of_ideal), abs=1e-9)
        assert found["bubble"] >= 0


@given(st.integers(1, 64), st.integers(1, 500), TIMES, TIMES, TIMES)
def test_splitting_never_idles_more(stages: int, microbatches: int, f: float, b: float, w: float) -> None:
    plain, h1, h2 = (outputs(stages, microbatches, name, (f, b, w))["bubble"] for name in ("1f1b", "zb-h1", "zb-h2"))
    assert h2 <= h1 <= plain


@given(st.integers(1, 64), st.integers(1, 500))
def test_1f1b_is_that_of_the_other_calculator(stages: int, microbatches: int) -> None:
    other = run(find("pipeline_bubble"), {"stages": stages, "microbatches": microbatches}).outputs
    found = outputs(stages, microbatches, "1f1b", (1, 1.25, 0.75))
    assert found["fraction_of_total"] == pytest.approx(other["fraction_of_total"])
    assert found["activations"] == other["stashed_microbatches"]


@pytest.mark.parametrize(
    "given",
    [
        {"stages": 7, "microbatches": 20, "schedule": "dualpipe"},
        {"stages": 8, "microbatches": 21, "schedule": "dualpipe"},
        {"stages": 8, "microbatches": 20, "schedule": "zb-h1", "overlapped": 2},
    ],
)
def test_what_is_no_schedule_is_refused_in_both_languages(given: Any) -> None:
    with pytest.raises(BadInput) as refused:
        run(BUBBLE, given)
    assert refused.value.text.en
    assert refused.value.text.zh


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    times = {"forward": 1, "backward_input": 1.2, "backward_weight": 0.8}
    check_slips(
        BUBBLE,
        [
            {"stages": 8, "microbatches": 20, "schedule": name, **times}
            for name in ("1f1b", "zb-h1", "zb-h2", "dualpipe")
        ],
    )


def test_the_two_letters_b_are_apart() -> None:
    """DeepSeek's F + B − 2·W with Zero Bubble's B would be ZB-H2."""
    times = {"forward": 1, "backward_input": 1.2, "backward_weight": 0.8}
    given = {"stages": 8, "microbatches": 20, **times}
    wrong = slips(BUBBLE, "bubble", schedule="zb-h1", **given)["input_backward"]
    assert wrong == run(BUBBLE, {"schedule": "zb-h2", **given}).outputs["bubble"]
