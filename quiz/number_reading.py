"""From a text to one reading: which meaning of each word is meant, and that all values in it are one answer.

A word with several meanings (B, FLOPS, W) takes the one whose dimension is asked for. A bare number is read in the unit
that the question names. `a = b` and `a (b)` are one answer where they agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from quiz.language import Text, say
from quiz.number_asked import Asked, asked_unit
from quiz.number_digits import Literal, Token
from quiz.number_dimensions import Dims, hard, relation, times, without_counts
from quiz.number_dressing import undress
from quiz.number_nodes import Node
from quiz.number_parts import are_listed, parts
from quiz.number_powers import bounded
from quiz.number_problems import Unreadable
from quiz.number_rounding import close
from quiz.number_tokens import tokens
from quiz.number_tree import parse
from quiz.number_values import Choice, Value, evaluate

MOST_AMBIGUOUS = 4
LARGEST_RATIO = 10
AGREEMENT = Fraction(1, 100)


class Reading(NamedTuple):
    """One value: `exact` in base units of `dims`; `bare` if no unit was typed; `raw` is the number before units.

    `alternatives` are other values that the same text can mean (128K is 128,000 or 131,072); `power` is the prefix
    power of the typed unit; `others` are the bare numbers that it is under other meanings (the 140e9 of `70B × 2`).
    """

    exact: Fraction
    dims: Dims
    bare: bool
    raw: Fraction
    scale: Fraction
    literal: Literal | None = None
    alternatives: tuple[Fraction, ...] = ()
    notes: tuple[Text, ...] = ()
    power: int = 0
    others: tuple[Fraction, ...] = ()


def interpret(text: str, unit: str | None, target: Dims | None = None, agreement: Fraction = AGREEMENT) -> Reading:
    """The one reading of `text`, a bare number in `unit`; `target` is the dimension that decides between meanings.

    Unreadable if there is none, or more than one.
    """
    asked = None if unit is None else asked_unit(unit)
    if target is None and asked is not None:
        target = asked.dims
    plain = undress(text)
    several = parts(plain)
    found = [_read(part, asked, target, beside=len(several) > 1) for part in several]
    if len(found) == 1:
        return found[0]
    return _one_answer(found, asked, Fraction(0) if are_listed(plain) else agreement)


def _read(part: str, asked: Asked | None, target: Dims | None, *, beside: bool) -> Reading:
    """The reading of one part whose dimension fits best; `beside` other parts all bare readings are kept too."""
    found = tokens(part)
    node = parse(found)
    best: tuple[int, Reading, Choice] | None = None
    problem: Unreadable | None = None
    bare: list[Fraction] = []
    for choice in _choices(found, asked, target):
        try:
            reading = _finished(evaluate(node, choice), asked)
        except Unreadable as error:
            if error.kind == "percent_of_fraction":
                raise
            problem = problem or error
            continue
        fit = 0 if target is None else {"same": 0, "inverse": 1}.get(relation(reading.dims, target), 2)
        if best is None or fit < best[0]:
            best = (fit, reading, choice)
        if reading.bare:
            bare.append(reading.raw)
        if best[0] == 0 and not beside:
            break
    if best is None:
        raise problem or Unreadable.of("syntax", near=part)
    _, reading, choice = best
    _refuse_unclear(choice, asked, target)
    return _with_notes(reading._replace(others=tuple(bare)), node, choice, asked)


def _choices(found: list[Token], asked: Asked | None, target: Dims | None) -> Iterable[Choice]:
    """The likeliest meanings first; a division by a number with a unit is tried both ways, `7/8 GB` and `1/20 ms`."""
    for meaning in _meanings(found, target):
        whole = _choice(meaning, False, asked)
        yield whole
        if whole.saw_division:
            yield _choice(meaning, True, asked)


def _meanings(found: list[Token], target: Dims | None) -> Iterable[dict[int, int]]:
    """All choices among the words' meanings, the likeliest first."""
    several = [token for token in found if len(token.senses) > 1][:MOST_AMBIGUOUS]
    orders = []
    for token in several:
        order = list(range(len(token.senses)))
        if (
            token.text in ("B", "b")
            and not any(name == "byte" for name, _ in target or ())
            and _is_billion(token, found)
        ):
            order.reverse()
        if token.text == "W" and (token.space or hard(target or ())):
            # Chinese engineers write 10W for 100,000 of something, but 10 W or W of bytes is watts.
            order = order[:1]
        orders.append(order)
    for picked in itertools.product(*orders):
        yield {id(token): index for token, index in zip(several, picked, strict=True)}


def _is_billion(token: Token, found: list[Token]) -> bool:
    """Where no size is asked for, 70B is billions, but 327680 B and 3350 B/s are bytes."""
    place = next(n for n, other in enumerate(found) if other is token)
    following = found[place + 1].kind if place + 1 < len(found) else ""
    return not token.space and found[place - 1].kind == "number" and following not in ("/", "per")


def _choice(meaning: dict[int, int], tight: bool, asked: Asked | None, *, binary: bool = False) -> Choice:
    if asked is None:
        return Choice(meaning, tight, binary)
    return Choice(meaning, tight, binary or asked.binary, asked.factor, asked.dims)


def _finished(value: Value, asked: Asked | None) -> Reading:
    """The value with a bare number, or one with only a denominator, read in the unit that is asked for."""
    exact, dims, bare = value.exact, value.dims, not value.typed
    if asked is not None:
        to_base = (value.letter and not asked.is_time) or (value.worded and asked.scaled)
        if bare:
            if not (asked.percent and _is_ratio(value)):
                exact *= asked.base if to_base else asked.factor
            dims = asked.dims
        elif _lacks_denominator(dims, asked):
            exact *= asked.factor / asked.above
            dims = asked.dims
        elif dims and all(e < 0 for _, e in dims) and _below(asked.dims, dims):
            exact *= asked.above_base if to_base else asked.above
            dims = times(tuple((n, e) for n, e in asked.dims if e > 0), dims)
    return Reading(
        bounded(exact),
        without_counts(dims),
        bare,
        value.exact,
        value.scale,
        value.literal,
        power=value.power,
    )


def _is_ratio(value: Value) -> bool:
    """7/32 is a ratio even where per cent are asked for; 100·7/32 and 21.9 are per cent."""
    if value.percent_made or not value.computed:
        return False
    return abs(value.exact) <= (LARGEST_RATIO if value.divided else 1)


def _lacks_denominator(typed: Dims, asked: Asked) -> bool:
    """Whether `$2.1` answers a question for $/M tokens or $/GPU-hour: a price, or a count per million of something."""
    above = tuple((n, e) for n, e in asked.dims if e > 0)
    below = tuple((n, e) for n, e in asked.dims if e < 0)
    if not below or typed != above:
        return False
    return above in ((("USD", 1),), (("CNY", 1),)) or (asked.factor != asked.above and not hard(below))


def _below(asked: Dims, typed: Dims) -> bool:
    """Whether `typed` (3000 /s) is the denominator of what is asked for (token/s), or a part of it."""
    wanted = dict(asked)
    return any(e > 0 for _, e in asked) and all(wanted.get(name) == e for name, e in typed)


def _refuse_unclear(choice: Choice, asked: Asked | None, target: Dims | None) -> None:
    """A lone `b` or `m` that nothing decides is asked again."""
    for token, sense in choice.taken:
        if token.text == "b" and (sense.kind == "unit" or target is None) and not (asked and asked.bits):
            raise Unreadable.of("lone_b")
        if token.text == "m" and sense.kind == "unit" and sense.note != "clock":
            milli = asked is not None and asked.is_time and asked.above < 1
            if asked is None or not asked.is_time or milli:
                raise Unreadable.of("lone_m")


def _with_notes(reading: Reading, node: Node, choice: Choice, asked: Asked | None) -> Reading:
    notes: list[Text] = []
    for token, sense in choice.taken:
        if sense.note == "byte_letter" and (token.space or asked is None or asked.factor == asked.base):
            continue
        if sense.note and sense.note != "clock":
            notes.append(say(f"reading.note_{sense.note}", word=token.text))
    if asked is not None and asked.percent and reading.bare:
        if reading.exact == reading.raw and reading.raw:
            notes.append(say("reading.note_ratio"))
        elif reading.literal is not None and 0 < abs(reading.raw) < 1:
            notes.append(
                say("reading.note_percent", typed=f"{float(reading.raw):g}", ratio=f"{float(reading.raw * 100):g}")
            )
    alternatives: tuple[Fraction, ...] = ()
    if choice.saw_letter and not choice.binary and _may_be_binary(reading, asked):
        other = _finished(evaluate(node, _choice(dict(choice.meaning), choice.tight, asked, binary=True)), asked)
        if other.exact != reading.exact:
            alternatives = (other.exact,)
            notes.append(say("reading.note_letter"))
    return reading._replace(notes=tuple(dict.fromkeys(notes)), alternatives=alternatives)


def _may_be_binary(reading: Reading, asked: Asked | None) -> bool:
    """K is 1000 or 1024 on a count, and on bytes where no prefix is asked for; never on a rate."""
    if any(name == "s" for name, _ in reading.dims) or (asked is not None and asked.percent):
        return False
    return not (reading.bare and asked is not None and hard(asked.dims) and asked.factor != asked.base)


def _one_answer(found: list[Reading], asked: Asked | None, agreement: Fraction) -> Reading:
    """The first of several values, where all of them agree. Unreadable where they do not."""
    typed = [reading for reading in found if not reading.bare]
    dims = typed[0].dims if typed else found[0].dims
    if any(relation(reading.dims, dims) != "same" for reading in typed):
        raise Unreadable.of("two_values")
    # A bare number is first taken in the unit asked for, then in one that stands beside it.
    for strict in (True, False) if asked is not None else (False,):
        mine, *others = [_values(reading, typed, asked, strict=strict and n > 0) for n, reading in enumerate(found)]
        for value in mine:
            pairs = zip(found[1:], others, strict=True)
            if all(any(_agree(found[0], value, other, v, agreement) for v in options) for other, options in pairs):
                return _agreed(found, typed, value, dims)
    raise Unreadable.of("two_values")


def _agreed(found: list[Reading], typed: list[Reading], value: Fraction, dims: Dims) -> Reading:
    first = found[0]
    as_read = value == first.exact
    spoken = ([first] if as_read else []) + [reading for reading in typed if reading is not first]
    return first._replace(
        exact=value,
        dims=dims,
        bare=not typed,
        alternatives=first.alternatives if as_read else (),
        notes=tuple(dict.fromkeys(note for reading in spoken for note in reading.notes)),
        power=next((reading.power for reading in typed if reading.power), 0),
    )


def _values(reading: Reading, typed: list[Reading], asked: Asked | None, *, strict: bool) -> list[Fraction]:
    """What `reading` can mean beside the others: a bare number may stand in the unit that another one carries."""
    if strict:
        return [reading.exact, *reading.alternatives]
    values = [] if reading.bare and asked is None and typed else [reading.exact, *reading.alternatives]
    for raw in (*((reading.raw,) if reading.bare else ()), *reading.others):
        values += [raw * other.scale for other in typed if other is not reading]
        if typed or (asked is not None and asked.percent):
            values.append(raw)
    return list(dict.fromkeys(values))


def _agree(a: Reading, value: Fraction, b: Reading, other: Fraction, agreement: Fraction) -> bool:
    """Within the tolerance, or one is the other rounded to all the digits that were typed."""
    return close(value, other, agreement, _all_digits(a)) or close(other, value, agreement, _all_digits(b))


def _all_digits(reading: Reading) -> Literal | None:
    return reading.literal._replace(least=reading.literal.most) if reading.literal else None
