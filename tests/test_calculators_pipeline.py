"""Pipeline bubble: against the papers' fractions, and against schedules played out task by task."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

BUBBLE = find("pipeline_bubble")


def outputs(stages: Any, microbatches: Any, schedule: Any = "1f1b", chunks: Any = 1) -> Any:
    given = {"stages": stages, "microbatches": microbatches, "schedule": schedule, "chunks": chunks}
    return run(BUBBLE, given).outputs


# Played out task by task: a task is (forward?, micro-batch, chunk)


def gpipe(_stages: Any, microbatches: Any, _rank: Any, _chunks: Any) -> Any:
    return [(True, m, 0) for m in range(microbatches)] + [(False, m, 0) for m in range(microbatches)]


def one_f_one_b(stages: Any, microbatches: Any, rank: Any, _chunks: Any) -> Any:
    forward = [(True, m, 0) for m in range(microbatches)]
    backward = [(False, m, 0) for m in range(microbatches)]
    return alternate(forward, backward, min(stages - rank - 1, microbatches))


def interleaved(stages: Any, microbatches: Any, rank: Any, chunks: Any) -> Any:
    """Megatron-LM's order: groups of `stages` micro-batches through one chunk after another."""
    total = microbatches * chunks

    def task(place: Any, forward: Any) -> Any:
        group, within = divmod(place, stages * chunks)
        chunk, offset = divmod(within, stages)
        return forward, group * stages + offset, chunk if forward else chunks - 1 - chunk

    warm_up = min(2 * (stages - rank - 1) + (chunks - 1) * stages, total)
    forward = [task(place, True) for place in range(total)]
    backward = [task(place, False) for place in range(total)]
    return alternate(forward, backward, warm_up)


def alternate(forward: Any, backward: Any, warm_up: Any) -> Any:
    order = forward[:warm_up]
    for ahead, back in zip(forward[warm_up:], backward, strict=False):
        order += [ahead, back]
    return order + backward[len(forward) - warm_up :]


def play(schedule: Any, stages: Any, microbatches: Any, chunks: Any, backward_time: Any = 2) -> Any:
    """(idle share of the whole step, micro-batches held at most): every task as early as its order and inputs allow."""
    orders = [schedule(stages, microbatches, rank, chunks) for rank in range(stages)]
    last = stages * chunks - 1
    done, clock, place = {}, [0] * stages, [0] * stages
    while any(place[rank] < len(orders[rank]) for rank in range(stages)):
        moved = False
        for rank in range(stages):
            if place[rank] == len(orders[rank]):
                continue
            forward, m, chunk = orders[rank][place[rank]]
            layer = chunk * stages + rank
            if forward:
                needs = [(True, m, layer - 1)] if layer else []
            else:
                needs = [(False, m, layer + 1)] if layer < last else [(True, m, layer)]
            if all(need in done for need in needs):
                start = max([clock[rank], *(done[need] for need in needs)])
                clock[rank] = start + Fraction(1 if forward else backward_time, chunks)
                done[forward, m, layer] = clock[rank]
                place[rank] += 1
                moved = True
        assert moved, "the schedule waits for itself"
    whole = max(clock)
    held, most = 0, 0
    for forward, _, _ in orders[0]:
        held += 1 if forward else -1
        most = max(most, held)
    return 1 - Fraction(microbatches * (1 + backward_time)) / whole, Fraction(most, chunks)


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("microbatches", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(("name", "schedule"), [("gpipe", gpipe), ("1f1b", one_f_one_b)])
def test_gpipe_and_1f1b_idle_and_hold_what_the_formula_says(
    stages: Any, microbatches: Any, name: Any, schedule: Any
) -> None:
    idle, held = play(schedule, stages, microbatches, 1)
    found = outputs(stages, microbatches, name)
    assert found["fraction_of_total"] == pytest.approx(float(idle), abs=1e-12)
    assert found["stashed_microbatches"] == held


@pytest.mark.parametrize(("stages", "rounds"), [(2, 1), (2, 4), (3, 2), (4, 1), (4, 2), (4, 4), (8, 2)])
@pytest.mark.parametrize("chunks", [2, 3, 4])
@pytest.mark.parametrize("backward_time", [1, 2])
def test_interleaving_idles_and_holds_what_the_formula_says(
    stages: Any, rounds: Any, chunks: Any, backward_time: Any
) -> None:
    idle, held = play(interleaved, stages, stages * rounds, chunks, backward_time)
    found = outputs(stages, stages * rounds, "interleaved", chunks)
    assert found["fraction_of_total"] == pytest.approx(float(idle), abs=1e-12)
    assert found["stashed_microbatches"] == pytest.approx(float(held))


# Printed formulas


@pytest.mark.parametrize(("stages", "microbatches", "chunks"), [(4, 8, 1), (8, 64, 1), (4, 8, 2), (16, 64, 4)])
def test_the_fraction_of_megatron(stages: Any, microbatches: Any, chunks: Any) -> None:
    """Narayanan et al. 2021, §2.2: (1/v)·(p−1)/m of the ideal time; §2.2.1: the same for GPipe and 1F1B."""
    schedule = "interleaved" if chunks > 1 else "1f1b"
    found = outputs(stages, microbatches, schedule, chunks)["fraction_of_ideal"]
    assert found == pytest.approx((stages - 1) / microbatches / chunks)
    if chunks == 1:
        assert outputs(stages, microbatches, "gpipe")["fraction_of_ideal"] == found


def test_the_bubble_in_gpus_and_batches() -> None:
    """The same, §3.3.1: (n−d)/b' with n GPUs, d replicas and b' = B/b micro-batches in all."""
    gpus, batches = 32, 128
    for replicas in (1, 2, 4, 8):
        found = outputs(gpus // replicas, batches // replicas)["fraction_of_ideal"]
        assert found == pytest.approx((gpus - replicas) / batches)


def test_the_share_of_gpipe_is_small_from_four_times_the_stages() -> None:
    """Huang et al. 2019: O((K−1)/(M+K−1)), found negligible for M ≥ 4·K; it is below a fifth there."""
    for stages in (2, 4, 8, 64):
        assert outputs(stages, 4 * stages, "gpipe")["fraction_of_total"] == (stages - 1) / (5 * stages - 1) < 0.2


@pytest.mark.parametrize(("stages", "chunks"), [(4, 2), (8, 2), (8, 4), (16, 5)])
def test_interleaving_holds_megatrons_penalty_more(stages: Any, chunks: Any) -> None:
    """Megatron-LM, theoretical_memory_usage.py: 1 + (p−1)/(p·v) times the activations of p micro-batches."""
    found = outputs(stages, 8 * stages, "interleaved", chunks)["stashed_microbatches"]
    assert found == pytest.approx(stages * (1 + (stages - 1) / (stages * chunks)))


def test_four_stages_and_eight_micro_batches_have_two_percentages() -> None:
    """27.3 % of the whole step, 37.5 % of the ideal time."""
    found = run(BUBBLE, {"stages": 4, "microbatches": 8})
    assert found.outputs["fraction_of_total"] == 3 / 11
    assert found.outputs["fraction_of_ideal"] == 0.375
    assert found.worked("fraction_of_total") == "(4−1)/(8 + 4−1) = 3/11 = 27.3 %"


# Laws


@given(st.integers(1, 64), st.integers(1, 1000))
def test_the_two_shares_are_one_bubble(stages: Any, microbatches: Any) -> None:
    found = outputs(stages, microbatches)
    of_ideal, of_total = found["fraction_of_ideal"], found["fraction_of_total"]
    assert of_total == pytest.approx(of_ideal / (1 + of_ideal))


@given(st.integers(2, 64), st.integers(1, 1000))
def test_more_micro_batches_idle_less(stages: Any, microbatches: Any) -> None:
    more, fewer = (outputs(stages, count)["fraction_of_total"] for count in (microbatches + 1, microbatches))
    assert more < fewer


def test_one_chunk_interleaved_is_1f1b() -> None:
    assert outputs(4, 8, "interleaved", 1) == outputs(4, 8, "1f1b")


@pytest.mark.parametrize("given", [(4, 6, "interleaved", 2), (4, 8, "1f1b", 2), (4, 8, "gpipe", 2), (0, 8), (4, 0)])
def test_what_is_no_schedule_is_refused_in_both_languages(given: Any) -> None:
    with pytest.raises(BadInput) as refused:
        outputs(*given)
    assert refused.value.text.en
    assert refused.value.text.zh


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    seen = set()
    for row in ((8, 32), (8, 32, "gpipe"), (8, 32, "interleaved", 4)):
        names = ("stages", "microbatches", "schedule", "chunks")
        result = run(BUBBLE, dict(zip(names, row, strict=False)))
        for output in result.outputs:
            seen |= {(output, slip.name) for slip, _ in result.slips(output)}
            assert result.worked(output)
    assert seen == {(slip.output, slip.name) for slip in BUBBLE.slips}


def test_the_twice_counted_ramp() -> None:
    slips = {
        slip.name: value for slip, value in run(BUBBLE, {"stages": 4, "microbatches": 8}).slips("fraction_of_total")
    }
    assert slips["ramp_counted_twice"] == 6 / 14
    assert slips["of_ideal_time"] == 3 / 8
