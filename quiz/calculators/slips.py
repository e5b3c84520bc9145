"""Slips that are the right formula with a wrong input: the calculator's own function, run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quiz.calculators.base import Slip, Values
from quiz.language import Text

NEGLIGIBLE = 0.01

Compute = Callable[..., Mapping[str, Any]]
Change = Callable[[Values], Mapping[str, Any] | None]


def again(compute: Compute, output: str, i: Values, **changed: Any) -> Any:
    """`output` for the inputs `i` with some of them changed."""
    return compute(**{**vars(i), **changed})[output]


def changed(compute: Compute, output: str, name: str, about: Text, change: Change) -> Slip:
    """What `output` is if the inputs that `change` returns are taken instead; none where it returns None."""

    def value(i: Values) -> Any:
        wrong = change(i)
        return None if wrong is None else again(compute, output, i, **wrong)

    return Slip(name, output, about, value)


def times(compute: Compute, output: str, name: str, about: Text, factor: Callable[[Values], float | None]) -> Slip:
    """What `output` is if it is off by `factor`; none where that is None or 1."""

    def value(i: Values) -> Any:
        right, by = again(compute, output, i), factor(i)
        if by is None or by == 1 or right is None:
            return None
        wrong = right * by
        return int(wrong) if wrong == int(wrong) else wrong

    return Slip(name, output, about, value)


def unless_negligible(compute: Compute, slip: Slip) -> Slip:
    """The same slip, none where it is within 1 % of the right value: there it is a fair approximation."""

    def value(i: Values) -> Any:
        wrong, right = slip.value(i), again(compute, slip.output, i)
        return None if wrong is None or right is None or abs(wrong - right) <= NEGLIGIBLE * abs(right) else wrong

    return Slip(slip.name, slip.output, slip.about, value)
