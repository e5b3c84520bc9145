"""Launches: against a grid gone through thread by thread."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

LAUNCH = find("launch_configuration")


def launched(**given: Any) -> Any:
    return run(LAUNCH, given).outputs


@given(st.integers(1, 3000), st.integers(1, 200), st.integers(1, 5))
def test_the_grid_covers_all_elements_and_one_block_fewer_does_not(elements: Any, threads: Any, each: Any) -> None:
    found = launched(elements=elements, threads=threads, per_thread=each)
    idle = covered = 0
    for thread in range(found["blocks"] * threads):
        mine = range(thread * each, min((thread + 1) * each, elements))
        covered += len(mine)
        idle += not mine
    assert covered == elements
    assert idle == found["idle_threads"]
    assert (found["blocks"] - 1) * threads * each < elements


@pytest.mark.parametrize(("threads", "warps"), [(256, 8), (1, 1), (32, 1), (33, 2), (1024, 32)])
def test_warps_of_a_block(threads: Any, warps: Any) -> None:
    """256 threads are 8 warps; a block that is no multiple of 32 has a partly empty one (Best Practices Guide, 10.3)."""
    assert launched(elements=1, threads=threads)["warps_per_block"] == warps


@pytest.mark.parametrize(("blocks", "waves", "efficiency"), [(108, 1, 1), (109, 109 / 108, 109 / 216), (216, 2, 1)])
def test_one_block_more_than_there_are_sms_starts_another_wave(blocks: Any, waves: Any, efficiency: Any) -> None:
    found = launched(elements=blocks * 256, threads=256, device="a100-sxm-80gb")
    assert found["waves"] == pytest.approx(waves)
    assert found["wave_efficiency"] == pytest.approx(efficiency)


def test_there_are_no_waves_without_a_gpu() -> None:
    assert launched(elements=10, threads=32)["waves"] is None


def test_every_slip_shows() -> None:
    check_slips(LAUNCH, [{"elements": 10_001, "threads": 200, "per_thread": 4, "sms": 108, "blocks_per_sm": 8}])
