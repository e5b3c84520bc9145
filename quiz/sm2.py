"""SM-2: from a card's state and a grade to its next state.

P. A. Woźniak, "Algorithm SM-2", https://www.supermemo.com/en/blog/application-of-a-computer-to-improve-the-results-obtained-in-working-with-the-supermemo-method

    I(1) = 1 day, I(2) = 6 days, I(n) = ⌈I(n−1)·EF⌉
    EF' = EF + 0.1 − (5−q)·(0.08 + (5−q)·0.02), at least 1.3, no upper bound
    q < 3: the repetitions start again at I(1), EF stays

The text leaves open whether I(n) takes the EF before or after the answer's update. This takes the
one held before it, as the order of the text's own steps has it. EF is kept in whole hundredths, so
that the rounding up is exact: in binary floating point 1.3·10 is 13.000000000000002 and rounds to 14.
"""

from __future__ import annotations

from dataclasses import dataclass

INITIAL_EASE = 250
LOWEST_EASE = 130
LONGEST_INTERVAL = 36_500
PASSING_GRADE = 3
DRILL_BELOW = 4


@dataclass(frozen=True, slots=True)
class State:
    """`repetitions` in a row that passed, `interval_days` until the next, `ease` (EF) in hundredths."""

    repetitions: int
    interval_days: int
    ease: int


def new() -> State:
    """The state of a card never answered."""
    return State(repetitions=0, interval_days=0, ease=INITIAL_EASE)


def review(state: State, grade: int) -> State:
    """The state after an answer graded `grade`. ValueError unless the grade is an integer from 0 to 5."""
    if isinstance(grade, bool) or not isinstance(grade, int) or not 0 <= grade <= 5:
        raise ValueError(f"a grade is an integer from 0 to 5, not {grade!r}")
    if grade < PASSING_GRADE:
        return State(repetitions=0, interval_days=1, ease=state.ease)
    if state.repetitions == 0:
        interval = 1
    elif state.repetitions == 1:
        interval = 6
    else:
        interval = -(-state.interval_days * state.ease // 100)
    return State(
        repetitions=state.repetitions + 1,
        interval_days=min(interval, LONGEST_INTERVAL),
        ease=max(LOWEST_EASE, state.ease + _ease_change(grade)),
    )


def _ease_change(grade: int) -> int:
    missing = 5 - grade
    return 10 - missing * (8 + missing * 2)
