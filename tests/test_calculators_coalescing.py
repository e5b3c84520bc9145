"""Coalescing: against the Best Practices Guide, and every byte of a warp's access."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

COALESCING = find("coalescing")


def accessed(**given: Any) -> Any:
    return run(COALESCING, given).outputs


@pytest.mark.parametrize(
    ("given", "sectors"),
    [
        ({}, 4),
        ({"offset": 4}, 5),
        ({"offset": 32}, 4),
        ({"stride": 2}, 8),
        ({"stride": 8}, 32),
        ({"stride": 1000}, 32),
        ({"stride": 0}, 1),
    ],
)
def test_the_segments_of_the_best_practices_guide(given: Any, sectors: Any) -> None:
    """9.2.1: four 32-byte transactions for 32 aligned floats, also where the offset is a multiple of 8 words; five
    segments when misaligned; eight at a stride of 2; 32 for the 32 threads as it grows; one where all read one word."""
    assert accessed(**given)["sectors"] == sectors


def test_the_efficiencies_of_the_guide() -> None:
    """A stride of 2 has 50 % load/store efficiency, a misaligned access 4/5, one word for all uses 4 of 32 bytes."""
    assert accessed(stride=2)["efficiency"] == 0.5
    assert accessed(offset=4)["efficiency"] == 0.8
    assert accessed(stride=0)["efficiency"] == 4 / 32


@given(st.integers(1, 16), st.integers(0, 50), st.integers(0, 300), st.integers(1, 32))
def test_sectors_are_those_of_all_bytes(element_bytes: Any, stride: Any, offset: Any, threads: Any) -> None:
    found = accessed(element_bytes=element_bytes, stride=stride, offset=offset, threads=threads)
    touched = [
        offset + thread * stride * element_bytes + byte for thread in range(threads) for byte in range(element_bytes)
    ]
    assert found["sectors"] == len({byte // 32 for byte in touched})
    assert found["lines"] == len({byte // 128 for byte in touched})
    assert found["efficiency"] == pytest.approx(len(set(touched)) / found["bytes_moved"])
    assert found["efficiency"] <= 1


def test_every_slip_shows() -> None:
    check_slips(COALESCING, [{"stride": 2, "offset": 4}, {"offset": 4}])


def test_lines_for_sectors_move_four_times_as_much_where_accesses_are_scattered() -> None:
    assert slips(COALESCING, "bytes_moved", stride=1000)["lines"] == 4 * accessed(stride=1000)["bytes_moved"]
