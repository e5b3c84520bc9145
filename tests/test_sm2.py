"""SM-2 by the published text, against tables worked by hand."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz import sm2

GRADES = st.lists(st.integers(0, 5), max_size=40)


def after(*grades: int) -> sm2.State:
    state = sm2.new()
    for grade in grades:
        state = sm2.review(state, grade)
    return state


@pytest.mark.parametrize(
    ("grades", "repetitions", "interval", "ease"),
    [
        ((), 0, 0, 250),
        ((4,), 1, 1, 250),
        ((5,), 1, 1, 260),
        ((3,), 1, 1, 236),
        ((4, 4), 2, 6, 250),
        ((4, 4, 4), 3, 15, 250),
        ((4, 4, 4, 4), 4, 38, 250),  # 15 · 2.50 = 37.5, rounded up
        ((5, 5, 5), 3, 17, 280),  # 6 · 2.70 = 16.2: the EF held before the third answer, 2.70, not 2.80
        ((5, 5, 5, 5), 4, 48, 290),  # 17 · 2.80 = 47.6
        ((3, 3, 3), 3, 14, 208),  # 6 · 2.22 = 13.32
        ((4, 4, 4, 2), 0, 1, 250),  # a failure starts again and leaves EF
        ((4, 4, 4, 2, 4, 4), 2, 6, 250),
        ((3,) * 10, 10, 487, 130),  # 1 6 14 30 59 107 178 271 374 487
    ],
)
def test_table_worked_by_hand(grades: tuple[int, ...], repetitions: int, interval: int, ease: int) -> None:
    assert after(*grades) == sm2.State(repetitions, interval, ease)


@pytest.mark.parametrize(("grade", "change"), [(5, 10), (4, 0), (3, -14)])
def test_ease_changes_as_published(grade: int, change: int) -> None:
    published = Fraction(1, 10) - (5 - grade) * (Fraction(8, 100) + (5 - grade) * Fraction(2, 100))
    assert Fraction(change, 100) == published
    assert after(grade).ease == 250 + change


@pytest.mark.parametrize("grade", [-1, 6, 7, 9, True, 3.0, "4", None])
def test_grade_outside_zero_to_five_is_refused(grade: object) -> None:
    with pytest.raises(ValueError, match="0 to 5"):
        sm2.review(sm2.new(), grade)  # type: ignore[arg-type]


@given(GRADES)
def test_laws(grades: list[int]) -> None:
    state = sm2.new()
    for grade in grades:
        following = sm2.review(state, grade)
        assert following.ease >= sm2.LOWEST_EASE
        assert 1 <= following.interval_days <= sm2.LONGEST_INTERVAL
        if grade < 3:
            assert following == sm2.State(0, 1, state.ease)
        else:
            assert following.repetitions == state.repetitions + 1
            assert following.interval_days >= state.interval_days
        state = following


@given(GRADES)
def test_better_grade_never_gives_a_shorter_interval(grades: list[int]) -> None:
    state = after(*grades)
    intervals = [sm2.review(state, grade).interval_days for grade in range(6)]
    assert intervals == sorted(intervals)


def test_intervals_are_exact_where_floats_are_not() -> None:
    for interval, ease in itertools.product(range(1, 400), range(130, 300)):
        state = sm2.State(3, interval, ease)
        exact = -((-interval * Fraction(ease, 100)) // 1)
        assert sm2.review(state, 4).interval_days == exact


def test_interval_ends_at_a_hundred_years() -> None:
    state = after(*[5] * 30)
    assert state.interval_days == 36_500
    assert sm2.review(state, 5).interval_days == 36_500
