"""From how an answer went to the grade that is proposed. The learner decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

GAVE_UP, WRONG, NEARLY, EFFORT, RIGHT, AT_ONCE = range(6)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a number was answered: verdicts so far, whether a slip was named after the first, whether a hint was taken."""

    wrong: int = 0
    right: bool = False
    slip_named: bool = False
    hint: bool = False

    @property
    def may_try_again(self) -> bool:
        """A second try is offered once, after a slip was named: the message says what to look at, not the answer."""
        return not self.right and self.wrong == 1 and self.slip_named


def answered(attempt: Attempt, verdict: str, *, slip_named: bool) -> Attempt:
    """The attempt after a verdict; what could not be read counts for nothing."""
    if verdict == "correct":
        return replace(attempt, right=True)
    if verdict == "incorrect":
        return replace(attempt, wrong=attempt.wrong + 1, slip_named=attempt.slip_named or slip_named)
    return attempt


def propose(attempt: Attempt) -> int:
    """Right at first 4, right after a slip was named 3, wrong 1, given up 0; a hint lowers it by one."""
    if attempt.right:
        grade = RIGHT if attempt.wrong == 0 else EFFORT if attempt.slip_named else WRONG
    else:
        grade = WRONG if attempt.wrong else GAVE_UP
    return max(GAVE_UP, grade - attempt.hint)


def propose_points(confirmed: int, of: int, *, hint: bool = False) -> int:
    """From the confirmed key points: all 4, two thirds 3, one third 2, fewer 1, none 0; a hint lowers it by one.

    ValueError unless 0 ≤ confirmed ≤ of and there is a point at all.
    """
    if not 0 <= confirmed <= of or of == 0:
        raise ValueError(f"{confirmed} of {of} key points")
    if confirmed == of:
        grade = RIGHT
    elif 3 * confirmed >= 2 * of:
        grade = EFFORT
    elif 3 * confirmed >= of:
        grade = NEARLY
    else:
        grade = WRONG if confirmed else GAVE_UP
    return max(GAVE_UP, grade - hint)
