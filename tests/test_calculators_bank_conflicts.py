"""Bank conflicts: against the guide's figures, gcd, and a warp read bank by bank."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

CONFLICTS = find("bank_conflicts")


def conflicts(**given: Any) -> Any:
    return run(CONFLICTS, given).outputs


@pytest.mark.parametrize(("stride", "ways"), [(1, 1), (2, 2), (3, 1)])
def test_the_strides_of_the_programming_guide(stride: Any, ways: Any) -> None:
    """CUDA C++ Programming Guide, figure 39: a stride of one word has no conflict, of two a two-way one, of three none."""
    assert conflicts(stride=stride)["ways"] == ways


def test_a_column_of_a_32_wide_tile_and_its_remedy() -> None:
    """Best Practices Guide, 9.2.3.3: every thread of the warp hits the same bank; a 33rd column removes the conflicts."""
    assert conflicts(stride=32)["ways"] == 32
    assert conflicts(stride=32, padding=1)["ways"] == 1


def test_the_same_word_is_broadcast() -> None:
    assert conflicts(stride=0)["ways"] == 1


@given(st.integers(1, 1000))
def test_words_conflict_by_what_stride_and_32_share(stride: Any) -> None:
    assert conflicts(stride=stride)["ways"] == math.gcd(stride, 32)


def passes(stride: int, width: int) -> int:
    """Passes by the rule itself: in each part of at most 128 bytes, a bank serves one of its words at a time."""
    lanes = 32 if width <= 4 else 128 // width
    total = 0
    for first in range(0, 32, lanes):
        banks = defaultdict(set)
        for lane in range(first, first + lanes):
            for byte in range(lane * stride * width, lane * stride * width + width):
                banks[byte // 4 % 32].add(byte // 4)
        total += max(len(words) for words in banks.values())
    return total


@given(st.integers(0, 300), st.sampled_from([1, 2, 4, 8, 16]))
def test_passes_are_those_of_a_warp_read_bank_by_bank(stride: Any, width: Any) -> None:
    found = conflicts(stride=stride, element_bytes=width)
    assert found["wavefronts"] == passes(stride, width)
    assert found["efficiency"] == max(1, width // 4) / found["wavefronts"]


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_neighbouring_elements_never_conflict(width: Any) -> None:
    assert conflicts(stride=1, element_bytes=width)["ways"] == 1


def test_every_slip_shows() -> None:
    check_slips(CONFLICTS, [{"stride": 31, "padding": 1}, {"stride": 6}, {"stride": 0}, {"stride": 32, "padding": 1}])


def test_a_stride_of_three_is_no_three_way_conflict() -> None:
    assert slips(CONFLICTS, "ways", stride=3)["stride_itself"] == 3
