"""One sitting as a state machine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.queue import Item
from quiz.session import Session, graded, put_back, skipped, start, without

ABC = tuple(Item(name, "new") for name in "abc")


def test_failed_card_comes_again_after_all_others_until_it_gets_four() -> None:
    session = graded(start(ABC), 1)
    session = graded(graded(session, 4), 5)
    assert session.current == Item("a", "drill")
    session = graded(session, 3)
    assert session.current == Item("a", "drill")
    session = graded(session, 4)
    assert session.current is None
    assert session.counts.done == 5


def test_skip_sends_a_card_to_the_end_of_its_own_line() -> None:
    assert [item.card for item in skipped(start(ABC)).pending] == ["b", "c", "a"]
    drills = start((), (Item("x", "drill"), Item("y", "drill")))
    assert [item.card for item in skipped(drills).again] == ["y", "x"]


def test_undone_card_is_the_one_asked_next() -> None:
    session = graded(graded(start(ABC), 1), 4)
    back = put_back(session, Item("b", "new"), answered=True)
    assert back.current == Item("b", "new")
    assert back.counts.done == 1
    back = put_back(back, Item("a", "new"), answered=True)
    assert back.current == Item("a", "new")
    assert back.again == ()
    assert back.counts.done == 0


def test_undo_after_the_last_card_asks_it_again() -> None:
    session = graded(start(ABC[:1]), 5)
    assert session.current is None
    assert put_back(session, ABC[0], answered=True).current == ABC[0]


def test_set_aside_card_is_gone_from_both_lines() -> None:
    session = Session(ABC, (Item("a", "drill"),))
    left = without(session, "a")
    assert [item.card for item in (*left.pending, *left.again)] == ["b", "c"]


def test_nothing_to_answer_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing"):
        graded(start(()), 4)


@given(st.lists(st.integers(0, 5), max_size=60))
def test_every_sitting_ends_once_all_grades_are_good(grades: list[int]) -> None:
    session = start(tuple(Item(f"c{n}", "due") for n in range(7)))
    for grade in grades:
        if session.current is None:
            break
        session = graded(session, grade)
        assert len(session.pending) + len(session.again) <= 7
    for _ in range(14):
        if session.current is not None:
            session = graded(session, 4)
    assert session.current is None
