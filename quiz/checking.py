"""Checking a typed number against what was drawn for a card."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from quiz.answer import Verdict, check_answer
from quiz.quantity import Quantity, show_in

MOST_DIGITS = 25

if TYPE_CHECKING:
    from quiz.card import Numeric
    from quiz.draw import Draw


def check_drawn(text: str, drawn: Draw, numeric: Numeric) -> Verdict:
    """The verdict on `text` for these inputs, with the calculator's usual mistakes named."""
    expected = Quantity(drawn.expected, drawn.unit, ())
    return check_answer(text, expected, numeric.unit, numeric.rtol, drawn.named_slips)


def right_value(drawn: Draw, numeric: Numeric, language: str) -> str:
    """The right value in the unit asked for; with all its digits where the card asks for the exact one."""
    if numeric.rtol == 0 and not numeric.unit and isinstance(drawn.expected, (int, float)):
        exact = f"{Decimal(drawn.expected):,f}"
        if len(exact) <= MOST_DIGITS:
            return exact
        return repr(drawn.expected)
    return show_in(drawn.expected, drawn.unit, numeric.unit, language)
