"""Which grade is proposed, by how the answer went."""

from __future__ import annotations

import pytest

from quiz.grading import Attempt, answered, propose, propose_points


def after(*verdicts: str, slip: bool = False, hint: bool = False) -> Attempt:
    attempt = Attempt(hint=hint)
    for verdict in verdicts:
        attempt = answered(attempt, verdict, slip_named=slip and verdict == "incorrect")
    return attempt


@pytest.mark.parametrize(
    ("verdicts", "slip", "hint", "grade"),
    [
        (("correct",), False, False, 4),
        (("unreadable", "unreadable", "correct"), False, False, 4),
        (("incorrect", "correct"), True, False, 3),
        (("incorrect", "unreadable", "correct"), True, False, 3),
        (("incorrect",), True, False, 1),
        (("incorrect", "incorrect"), True, False, 1),
        ((), False, False, 0),
        (("unreadable",), False, False, 0),
        (("correct",), False, True, 3),
        (("incorrect", "correct"), True, True, 2),
        (("incorrect",), False, True, 0),
        ((), False, True, 0),
    ],
)
def test_number(verdicts: tuple[str, ...], slip: bool, hint: bool, grade: int) -> None:
    assert propose(after(*verdicts, slip=slip, hint=hint)) == grade


def test_second_try_only_once_and_only_after_a_named_slip() -> None:
    assert after("incorrect", slip=True).may_try_again
    assert not after("incorrect").may_try_again
    assert not after("incorrect", "incorrect", slip=True).may_try_again
    assert not after("incorrect", "correct", slip=True).may_try_again


@pytest.mark.parametrize(
    ("confirmed", "of", "grade"),
    [(5, 5, 4), (1, 1, 4), (4, 6, 3), (4, 5, 3), (3, 5, 2), (2, 6, 2), (1, 3, 2), (1, 4, 1), (0, 5, 0)],
)
def test_key_points(confirmed: int, of: int, grade: int) -> None:
    assert propose_points(confirmed, of) == grade
    assert propose_points(confirmed, of, hint=True) == max(0, grade - 1)


@pytest.mark.parametrize(("confirmed", "of"), [(1, 0), (6, 5), (-1, 5)])
def test_impossible_points_are_refused(confirmed: int, of: int) -> None:
    with pytest.raises(ValueError, match="key points"):
        propose_points(confirmed, of)
