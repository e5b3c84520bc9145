"""What the learner typed, read as a number with a unit; and numbers written back the way an engineer writes them.

Everything typed goes through `read`, everything printed through `show`, and what `show` prints `read` reads back.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from quiz.language import Text
from quiz.number_asked import asked_unit
from quiz.number_dimensions import canonical
from quiz.number_problems import Unreadable
from quiz.number_reading import Reading, interpret
from quiz.number_show import example, show, show_in

__all__ = ["Quantity", "Unreadable", "echo", "of_reading", "read", "show", "show_in"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """`value` in base units of `unit` ("byte", "FLOP/byte", "token/s", … or "" for a pure number).

    `value` is an int where it is whole, else the nearest float, `exact` the same as a fraction. `notes` say how an
    ambiguous text was read; `alternatives` are other values that it can mean as well (128K: 128,000 or 131,072).
    ValueError for a value that is not finite.
    """

    value: int | float
    unit: str = ""
    notes: tuple[Text, ...] = ()
    exact: Fraction = None  # type: ignore[assignment]  # filled in from `value`
    alternatives: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        try:
            exact = _exact(self.value) if self.exact is None else self.exact
        except (OverflowError, ValueError) as error:
            raise ValueError(f"{self.value} is no finite number") from error
        # Beyond 2⁵³ a float is no longer known to be whole.
        uncertain = self.exact is None and isinstance(self.value, float) and abs(self.value) >= 2**53
        object.__setattr__(self, "exact", exact)
        object.__setattr__(self, "value", self.value if uncertain else _number(exact))


def read(text: str, unit: str | None = None) -> Quantity:
    """The quantity that `text` writes, a bare number in `unit` (the one that the question names; None if it names none).

    Raises Unreadable, whose reason ends with an example in `unit`, and nothing else.
    """
    try:
        return of_reading(interpret(text, unit))
    except Unreadable as error:
        raise error.with_example(example(unit)) from None


def of_reading(reading: Reading) -> Quantity:
    """The public form of a reading."""
    return Quantity(_number(reading.exact), canonical(reading.dims), reading.notes, reading.exact, reading.alternatives)


def echo(text: str, unit: str | None = None, language: str = "en") -> str:
    """The line under the input as it is typed: `= 320 KiB (327,680 bytes)`, or why it cannot be read; "" for no text."""
    if not text.strip():
        return ""
    try:
        quantity = read(text, unit)
    except Unreadable as error:
        return error.reason.pick(language)
    asked = asked_unit(unit) if unit else None
    prefixed = asked is not None and asked.factor != 1 and canonical(asked.dims) == quantity.unit
    if prefixed and not quantity.unit.startswith("byte"):
        shown = show_in(quantity.exact, quantity.unit, cast(str, unit), language)
    else:
        shown = show(quantity.exact, quantity.unit, language)
    return " · ".join([f"= {shown}", *(note.pick(language) for note in quantity.notes)])


def _exact(value: int | float | Fraction) -> Fraction:
    """A float as the shortest decimal that means it: 0.175 is 7/40, not the binary64 a little below."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _number(exact: Fraction) -> int | float:
    if exact.denominator == 1:
        return exact.numerator
    try:
        return float(exact)
    except OverflowError:
        return round(exact)
