"""The value of a tree under one choice among the meanings that its words can have.

Exact rationals throughout. Only a root, a broken exponent or a power with thousands of digits goes through floating
point. Every intermediate result stays within 10^±400.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from quiz.number_digits import Literal, Token
from quiz.number_dimensions import Dims, times
from quiz.number_nodes import Clock, Group, Node, Number, Power, Product, Quantity, Sum
from quiz.number_powers import bounded, raised, root
from quiz.number_problems import Unreadable
from quiz.number_words import MYRIADS
from quiz.units import Sense


class Value(NamedTuple):
    """A number on the way: `exact` in base units of `dims`.

    `typed` is set once a unit (or %, or times) was written; `scale` is the factor of that unit; `divided`, `computed`
    and `percent_made` (a factor of 100 was written) tell a ratio from a percentage; `letter` says that a prefix stands
    without a unit (70B, 989T), `worded` that a number word does (15.6 亿); `power` is the prefix power of the written
    unit; `approximate` is set where exactness ended, `ten` on a power of ten.
    """

    exact: Fraction
    dims: Dims = ()
    typed: bool = False
    scale: Fraction = Fraction(1)
    literal: Literal | None = None
    divided: bool = False
    computed: bool = False
    percent_made: bool = False
    letter: bool = False
    worded: bool = False
    power: int = 0
    approximate: bool = False
    ten: bool = False


@dataclass(slots=True)
class Choice:
    """Which meaning each word takes (by its place among `words`), and what evaluating found on the way.

    `tight` divides by number and unit together, else `7/8 GB` is seven eighths of a GB; `binary` takes K as 1024;
    `asked_scale` and `asked_dims` are the unit in which a bare term of a sum is read.
    """

    meaning: Mapping[int, int] = field(default_factory=dict)
    tight: bool = False
    binary: bool = False
    asked_scale: Fraction | None = None
    asked_dims: Dims = ()
    saw_division: bool = False
    saw_letter: bool = False
    taken: list[tuple[Token, Sense]] = field(default_factory=list)

    def sense(self, word: Token) -> Sense:
        sense = word.senses[min(self.meaning.get(id(word), 0), len(word.senses) - 1)]
        self.taken.append((word, sense))
        if self.binary and sense.letter and not sense.binary and sense.power > 0:
            sense = sense._replace(factor=Fraction(1024**sense.power), prefix=Fraction(1024**sense.power))
        return sense


def evaluate(node: Node, choice: Choice) -> Value:
    """The value of `node`. Unreadable for a division by zero, terms that do not add up, what exceeds the bounds."""
    match node:
        case Number(token):
            ten = token.literal is not None and token.literal.plain and token.value == 10
            return Value(
                bounded(token.value),
                literal=token.literal,
                ten=ten,
                percent_made=token.value == 100,
                worded=not MYRIADS.keys().isdisjoint(token.text),
            )
        case Group(inside, function):
            value = evaluate(inside, choice)
            return _function(function, value) if function else value
        case Power(base, exponent):
            return _power(evaluate(base, choice), evaluate(exponent, choice))
        case Quantity():
            return _with_suffix(*_quantity(node, choice))
        case Product(factors):
            return _product(factors, choice)
        case Sum():
            return _sum(node, choice)
        case Clock(clock):
            total = Fraction(0)
            for number, unit in clock:
                sense = unit.senses[0]
                choice.taken.append((unit, sense._replace(note="clock")))
                total += number.value * sense.factor
            return Value(bounded(total), clock[0][1].senses[0].dims, typed=True, scale=clock[0][1].senses[0].factor)


def _quantity(node: Quantity, choice: Choice) -> tuple[Value, Value]:
    """The number with the scales written onto it (`70B`), and the unit behind it."""
    number = evaluate(node.number, choice)
    unit = Value(Fraction(1))
    if node.per != 1:
        unit = unit._replace(exact=1 / node.per, typed=True)
    whole_letter = False
    for suffix in node.suffixes:
        sense = choice.sense(suffix.word)
        factor = sense.factor**suffix.power
        if sense.kind == "scale":
            if sense.letter and sense.power in (1, 2) and suffix.power == 1 and not (sense.binary or sense.note):
                whole_letter = number.exact.denominator == 1
            unit = unit._replace(letter=unit.letter or sense.letter, worded=unit.worded or not sense.letter)
            if suffix.attached:
                number = number._replace(exact=bounded(number.exact * factor), literal=_marked(number.literal))
                continue
        typed = sense.kind != "scale"
        unit = unit._replace(
            exact=bounded(unit.exact * factor),
            dims=times(unit.dims, sense.dims, suffix.power),
            typed=unit.typed or typed,
            power=unit.power or (sense.power if typed and suffix.power > 0 else 0),
        )
    unit = unit._replace(scale=unit.exact if unit.typed else Fraction(1))
    if whole_letter and not any(name in ("byte", "FLOP", "s", "J") for name, e in unit.dims if e > 0):
        choice.saw_letter = True
    return number, unit


def _marked(literal: Literal | None) -> Literal | None:
    return literal._replace(plain=False) if literal else None


def _product(factors: tuple[tuple[str, Node], ...], choice: Choice) -> Value:
    total = evaluate(factors[0][1], choice)
    for operator, node in factors[1:]:
        if operator == "*":
            total = _times(total, evaluate(node, choice))
            continue
        if isinstance(node, Quantity) and not total.typed:
            number, unit = _quantity(node, choice)
            if unit.exact != 1 or unit.dims:
                choice.saw_division = True
                if not choice.tight:
                    total = _with_suffix(_divide(total, number), unit)
                    if unit.scale == Fraction(1, 100) and not unit.dims and not total.percent_made:
                        raise Unreadable.of("percent_of_fraction")
                    continue
            total = _divide(total, _with_suffix(number, unit))
            continue
        total = _divide(total, evaluate(node, choice))
    return total


def _with_suffix(number: Value, unit: Value) -> Value:
    """`number` in `unit`: its digits stay what was typed."""
    return number._replace(
        exact=bounded(number.exact * unit.exact),
        dims=times(number.dims, unit.dims),
        typed=number.typed or unit.typed,
        scale=unit.scale if unit.typed else number.scale,
        literal=number.literal if unit.typed or unit.exact == 1 else _marked(number.literal),
        letter=number.letter or unit.letter,
        worded=number.worded or unit.worded,
        power=unit.power if unit.typed else number.power,
    )


def _times(a: Value, b: Value) -> Value:
    return Value(
        bounded(a.exact * b.exact),
        times(a.dims, b.dims),
        typed=a.typed or b.typed,
        scale=b.scale if b.typed else a.scale,
        literal=_marked(a.literal) if b.ten and b.computed else None,
        divided=a.divided or b.divided,
        computed=True,
        percent_made=a.percent_made or b.percent_made,
        letter=a.letter or b.letter,
        worded=a.worded or b.worded,
        power=b.power if b.typed else a.power,
        approximate=a.approximate or b.approximate,
    )


def _divide(a: Value, b: Value) -> Value:
    if not b.exact:
        raise Unreadable.of("zero")
    return Value(
        bounded(a.exact / b.exact),
        times(a.dims, b.dims, -1),
        typed=a.typed or b.typed,
        scale=a.scale / b.scale,
        divided=True,
        computed=True,
        percent_made=a.percent_made,
        letter=a.letter or b.letter,
        worded=a.worded or b.worded,
        power=a.power,
        approximate=a.approximate or b.approximate,
    )


def _sum(node: Sum, choice: Choice) -> Value:
    values = [evaluate(term, choice) for _, term, _ in node.terms]
    if len(values) == 1:
        value = values[0]
        literal = value.literal
        if node.terms[0][0] == "-":
            literal = literal._replace(value=-literal.value) if literal else None
            value = value._replace(exact=-value.exact, literal=literal)
        return value
    _refuse_range(node, values)
    typed = [value for value in values if value.typed]
    if typed and len(typed) < len(values):
        values = _with_unit(values, typed[0], choice)
    first = values[0]
    if any(value.dims != first.dims for value in values):
        raise Unreadable.of("mixed_sum")
    total = sum(
        (v.exact if sign == "+" else -v.exact for (sign, _, _), v in zip(node.terms, values, strict=True)), Fraction(0)
    )
    return Value(
        bounded(total),
        first.dims,
        typed=bool(typed),
        scale=(typed or [first])[0].scale,
        divided=any(value.divided for value in values),
        computed=True,
        letter=any(value.letter for value in values),
        worded=any(value.worded for value in values),
        power=max(value.power for value in values),
        approximate=any(value.approximate for value in values),
    )


def _with_unit(values: list[Value], typed: Value, choice: Choice) -> list[Value]:
    """Bare terms beside terms with a unit: 1 − 17.9 % is a sum of ratios, 80 GB − 16 is one where GB are asked for."""
    out = []
    for value in values:
        if value.typed:
            out.append(value)
        elif not typed.dims:
            if typed.scale != 1 and not 0 <= value.exact <= 1:
                raise Unreadable.of("mixed_sum")
            out.append(value)
        elif choice.asked_scale == typed.scale and choice.asked_dims == typed.dims and not value.letter:
            out.append(value._replace(exact=value.exact * typed.scale, dims=typed.dims))
        else:
            raise Unreadable.of("mixed_sum")
    return out


def _refuse_range(node: Sum, values: list[Value]) -> None:
    """Two typed numbers with a dash between, the first one smaller, are a range: 300-320, 5-10 %."""
    if node.inner or len(values) != 2 or node.terms[1][0] != "-" or node.terms[0][0] != "+":
        return
    first, second = (value.literal for value in values)
    if first is None or second is None or first.value >= second.value:
        return
    if values[0].exact > values[1].exact and node.terms[1][2]:
        # With its spaces, 1 - 17.9 % is a difference.
        return
    raise Unreadable.of("range")


def _power(base: Value, exponent: Value) -> Value:
    if exponent.typed or exponent.dims:
        raise Unreadable.of("exponent")
    if base.dims and exponent.exact.denominator != 1:
        raise Unreadable.of("exponent")
    dims = times((), base.dims, int(exponent.exact)) if base.dims else ()
    if any(abs(e) > 12 for _, e in dims):
        raise Unreadable.of("exponent")
    exact, approximate = raised(base.exact, exponent.exact)
    return Value(
        bounded(exact),
        dims,
        typed=base.typed,
        scale=base.scale,
        computed=True,
        approximate=base.approximate or approximate,
        ten=base.ten and exponent.exact.denominator == 1,
        percent_made=False,
    )


def _function(name: str, value: Value) -> Value:
    if name == "sqrt":
        if value.exact < 0 or any(e % 2 for _, e in value.dims):
            raise Unreadable.of("exponent")
        exact, approximate = root(value.exact)
        dims = tuple((n, e // 2) for n, e in value.dims)
        return Value(
            bounded(exact), dims, typed=value.typed, computed=True, approximate=value.approximate or approximate
        )
    if value.dims:
        raise Unreadable.of("rounding")
    rounded = math.ceil(value.exact) if name == "ceil" else math.floor(value.exact)
    return Value(Fraction(rounded), typed=value.typed, computed=True, approximate=value.approximate)
