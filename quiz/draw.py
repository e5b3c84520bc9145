"""From a numeric card to one concrete question: its numbers, the right answer and the usual wrong ones."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

from quiz import calculators
from quiz.calculators.base import Calculator, Result, Slip, coerce, run
from quiz.card import Card, Inputs, Numeric, Value
from quiz.errors import BadInput, QuizError, UnknownName
from quiz.language import Text, say
from quiz.shown import shown

REDRAWS = 50
SLIP_DISTANCE = 3
AGREE = 1e-12
MOST_COMBINATIONS = 2**62

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


class DrawsExhausted(QuizError):
    """On every draw a named slip lands within three tolerances of the right value."""


class NotNumeric(QuizError):
    """The card asks for no number, or its calculator gives none."""


@dataclass(frozen=True, slots=True)
class Draw:
    """`inputs` as the card writes them; `expected` and the slips' values in base units of `unit`."""

    inputs: Inputs
    seed: int
    expected: Any
    unit: str
    slips: tuple[tuple[Slip, Any], ...]
    result: Result

    @property
    def named_slips(self) -> tuple[tuple[Text, Any], ...]:
        """(what went wrong, the value that one gets) for each usual mistake that shows on these numbers."""
        return tuple((slip.about, value) for slip, value in self.slips)

    def worked(self, output: str) -> str:
        return self.result.worked(output)


def draw(card: Card, rng_or_seed: random.Random | int) -> Draw:
    """One draw for `card`, the same for the same seed.

    A draw on which a slip cannot be told from the right value is drawn again, 50 times at most. Raises
    DrawsExhausted after that, NotNumeric for a card without a number, BadInput or UnknownName where the
    calculator refuses the inputs.
    """
    numeric = _numeric(card)
    seed = rng_or_seed if isinstance(rng_or_seed, int) else rng_or_seed.getrandbits(32)
    for inputs in _picks(numeric, random.Random(seed)):
        drawn = evaluate(card, inputs, seed)
        if not blurred(drawn, numeric.rtol):
            return drawn
    raise DrawsExhausted(say("deck.exhausted", card=card.id))


def evaluate(card: Card, inputs: Mapping[str, Value], seed: int = 0) -> Draw:
    """The question that `card` asks with exactly these inputs. Raises as `draw`, but never DrawsExhausted."""
    numeric = _numeric(card)
    calculator = calculators.find(numeric.calculator)
    unit = calculator.output(numeric.asks).unit
    result = run(calculator, inputs)
    expected = result.outputs[numeric.asks]
    if not is_number(expected):
        raise NotNumeric(
            say("deck.not_a_number", calculator=calculator.name, output=numeric.asks, value=repr(expected))
        )
    slips = tuple((slip, value) for slip, value in result.slips(numeric.asks) if is_number(value))
    return Draw(dict(inputs), seed, expected, unit, slips, result)


def fixed(card: Card, assigned: Mapping[str, str], seed: int) -> Draw:
    """The question with some of the card's own inputs set and the others drawn by `seed`.

    Inputs of a row belong together: setting some of them takes a row that has these values. UnknownName for an input
    that the card does not draw or for a word that it does not ask about, BadInput where no row has the values.
    """
    numeric = _numeric(card)
    calculator = calculators.find(numeric.calculator)
    own = dict.fromkeys([*numeric.given, *(name for row in numeric.draws for name in row)])
    values: dict[str, Value] = {}
    for name, text in assigned.items():
        if name not in own:
            raise UnknownName(say("calculator.unknown_input", name=name, calculator=card.id, near=", ".join(own)))
        field = calculator.input(name)
        values[name] = coerce(field, text)
        listed = numeric.given.get(name)
        if field.choices and listed is not None:
            words = [str(one) for one in (listed if isinstance(listed, tuple) else (listed,))]
            if str(values[name]) not in words:
                near = ", ".join(words)
                raise UnknownName(say("calculator.unknown_choice", name=name, value=text, near=near))
    rows = [row for row in numeric.draws if all(_same(calculator, row, name, values[name]) for name in values)]
    together = {name for row in numeric.draws for name in row}
    if numeric.draws and not rows and not together <= set(values):
        raise BadInput(say("deck.no_such_row", card=card.id, names=", ".join(sorted(together))))
    rng = random.Random(seed)
    picked: Inputs = {
        name: rng.choice(value) if isinstance(value, tuple) else value for name, value in numeric.given.items()
    }
    if rows:
        picked |= rng.choice(rows)
    return evaluate(card, picked | values, seed)


def _same(calculator: Calculator, row: Inputs, name: str, value: Value) -> bool:
    return name not in row or coerce(calculator.input(name), row[name]) == value


def every(numeric: Numeric) -> Iterator[Inputs]:
    """All inputs that can be drawn, each once."""
    names = list(numeric.given)
    columns = [value if isinstance(value, tuple) else (value,) for value in numeric.given.values()]
    for row in numeric.draws or ({},):
        for cells in itertools.product(*columns):
            yield dict(zip(names, cells, strict=True)) | row


def blurred(drawn: Draw, rtol: float) -> bool:
    """Whether a slip lands within three tolerances of the right value without being the right value."""
    return any(near(value, drawn.expected, rtol) for _, value in drawn.slips)


def near(slip: Any, expected: Any, rtol: float) -> bool:
    """Within three tolerances, but apart by more than rounding: a slip that gives the right value is no slip there."""
    if isinstance(slip, float) and not math.isfinite(slip):
        return False
    apart, size = abs(Fraction(slip) - Fraction(expected)), abs(Fraction(expected))
    return (
        Fraction(AGREE) * size < apart <= (SLIP_DISTANCE * Fraction(rtol) + Fraction(AGREE)) * size if rtol else False
    )


def question(card: Card, drawn: Draw) -> Text:
    """The card's question with this draw's inputs in it; braces around anything else stay as they are."""
    known = {field.name: field for field in drawn.result.calculator.inputs}
    values: dict[str, Any] = {**drawn.result.inputs, **drawn.inputs}

    def fill(template: str, language: str) -> str:
        def put(match: re.Match[str]) -> str:
            name = match[1]
            if name not in known or values.get(name) is None:
                return match[0]
            return shown(known[name], values[name]).pick(language)

        return PLACEHOLDER.sub(put, template)

    return Text(fill(card.question.en, "en"), fill(card.question.zh, "zh"))


def is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, Rational) or (isinstance(value, float) and math.isfinite(value))


def _numeric(card: Card) -> Numeric:
    if card.numeric is None:
        raise NotNumeric(say("deck.not_numeric", card=card.id))
    return card.numeric


def _picks(numeric: Numeric, rng: random.Random) -> Iterator[Inputs]:
    """A first pick and up to 50 others, none of them twice."""
    columns = {name: value if isinstance(value, tuple) else (value,) for name, value in numeric.given.items()}
    rows = numeric.draws or ({},)
    possible = min(MOST_COMBINATIONS, math.prod(len(column) for column in columns.values()) * len(rows))
    for number in rng.sample(range(possible), min(possible, REDRAWS + 1)):
        picked: Inputs = {}
        for name, column in columns.items():
            number, place = divmod(number, len(column))
            picked[name] = column[place]
        yield picked | rows[number]
