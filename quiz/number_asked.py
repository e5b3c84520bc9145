"""The unit that a question names, and what a bare number means in it."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from quiz.number_dimensions import Dims, hard, times
from quiz.number_dressing import undress
from quiz.number_nodes import Number, Quantity
from quiz.number_problems import Unreadable
from quiz.number_tokens import tokens
from quiz.number_tree import parse
from quiz.number_words import MULTIPLIER
from quiz.units import Sense


class Asked(NamedTuple):
    """The unit that a question names: `factor` to base units of `dims`.

    `base` is the factor without its prefix (where 70B or 989T belong), `above` and `above_base` the same for what
    stands above the line alone; `scaled` says that it counts in millions or 亿, `bits` that it does in bits.
    """

    factor: Fraction
    dims: Dims
    base: Fraction
    above: Fraction
    above_base: Fraction
    binary: bool = False
    percent: bool = False
    scaled: bool = False
    bits: bool = False

    @property
    def is_time(self) -> bool:
        return hard(self.dims) == (("s", 1),)


@lru_cache(maxsize=512)
def asked_unit(unit: str) -> Asked:
    """The unit that a deck or a calculator names ("%", "KiB/token", "GPU-hour", "$/M tokens"); "" is a pure number.

    Unreadable for one that is unknown.
    """
    one = Fraction(1)
    if unit.strip() in ("", "1"):
        return Asked(one, (), one, one, one)
    named = re.sub(r"/\s*1\s*(?=[A-Za-z])", "/", unit.strip())
    try:
        node = parse(tokens(undress("1 " + (named[1:] if named.startswith("1/") else named))))
    except Unreadable as error:
        raise Unreadable.of("unknown_unit", unit=unit) from error
    if isinstance(node, Number):
        node = Quantity(node, ())
    if not isinstance(node, Quantity) or not isinstance(node.number, Number):
        raise Unreadable.of("unknown_unit", unit=unit)
    many = node.number.token.value  # 亿 and 万 are part of a number where digits stand before them
    if many != 1 and MULTIPLIER.isdisjoint(node.number.token.text):
        raise Unreadable.of("unknown_unit", unit=unit)
    factor, base, above, above_base = many / node.per, 1 / node.per, many, one
    dims: Dims = ()
    chosen: list[Sense] = []
    for suffix in node.suffixes:
        sense = suffix.word.senses[0]
        dims = times(dims, sense.dims, suffix.power)
        plain = sense.factor / (sense.factor if sense.kind == "scale" else sense.prefix)
        factor *= sense.factor**suffix.power
        base *= (plain if suffix.power > 0 else sense.factor) ** suffix.power
        if suffix.power > 0:
            above, above_base = above * sense.factor, above_base * plain
            chosen.append(sense)
    return Asked(
        factor,
        dims,
        base,
        above,
        above_base,
        binary=any(sense.binary for sense in chosen),
        percent=not dims and factor == Fraction(1, 100),
        scaled=many != 1 or any(sense.kind == "scale" for sense in chosen),
        bits=any(sense.dims == (("byte", 1),) and sense.factor * 8 == sense.prefix for sense in chosen),
    )
