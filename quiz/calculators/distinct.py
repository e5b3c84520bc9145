"""Mistakes that are none where they hardly change the figure: they could not be told from the right answer."""

from __future__ import annotations

from typing import Any

from quiz.calculators.base import Slip, Values
from quiz.calculators.slips import Compute, again

TELLING = 0.03


def when_distinct(compute: Compute, slip: Slip) -> Slip:
    """The same slip, none where it is within three per cent of the right value, three times the usual tolerance."""

    def value(i: Values) -> Any:
        wrong, right = slip.value(i), again(compute, slip.output, i)
        return None if wrong is None or right is None or abs(wrong - right) <= TELLING * abs(right) else wrong

    return Slip(slip.name, slip.output, slip.about, value)
