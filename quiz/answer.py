"""The verdict on a typed number: right, wrong, or not readable, and then never graded.

The comparison is relative with its bound included; a right value rounded to the digits that were typed, two at least,
is right too where no slip is nearer. Counts are exact. Another dimension than asked is wrong, the inverse unit never.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quiz.language import Text, say
from quiz.language.verdict import DIMENSIONS
from quiz.number_asked import asked_unit
from quiz.number_dimensions import Dims, canonical, hard, relation
from quiz.number_problems import Unreadable
from quiz.number_reading import Reading, interpret
from quiz.number_rounding import is_rounded, within
from quiz.number_show import example, number, show, show_in
from quiz.number_slips import Question, explain, finite, nearer
from quiz.quantity import Quantity, of_reading, read

CORRECT, INCORRECT, UNREADABLE = "correct", "incorrect", "unreadable"

ZERO = Fraction(1, 10**9)
FLOAT_NOISE = Fraction(1, 10**12)
LARGEST_COUNT = 10**6
# Half of what sets KB and KiB apart, once for each power of 1000.
BINARY_GAP = Fraction(12, 1000)
ESTIMATED = frozenset({"token", "parameter", "element"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """`verdict` is correct, incorrect or unreadable; `read` what was understood (None if unreadable).

    `slips` are at most two sentences on what gives such a number; `deviation` is (typed − right)/|right| where both
    have the same dimension.
    """

    verdict: str
    reason: Text
    read: Quantity | None = None
    slips: tuple[Text, ...] = ()
    deviation: float | None = None


def check_quantity(text: str, expected: Quantity | str, unit: str | None = None, rtol: float = 0.01) -> Verdict:
    """The verdict on `text` where `expected` (a quantity, or a text such as "320 KiB") is right.

    `unit` is the one that the question names, in which a bare number is read; `rtol` 0 means exact. Raises Unreadable
    only for an `expected` or a `unit` that is none; whatever was typed gets a verdict.
    """
    right = _expected(expected, unit or None) if isinstance(expected, str) else expected
    return check_answer(text, right, unit, rtol)


def _expected(text: str, unit: str | None) -> Quantity:
    """The right value as a deck or a test writes it; a bare 0.179 is the ratio, even where per cent are asked for."""
    right = read(text, unit)
    if unit is not None and asked_unit(unit).percent:
        plain = read(text)
        return plain if abs(plain.exact) <= 1 else right
    return right


def check_answer(
    text: str,
    expected: Quantity,
    unit: str | None = None,
    rtol: float = 0.01,
    named_slips: Sequence[tuple[Text, Any]] = (),
) -> Verdict:
    """As `check_quantity`, with a calculator's slips: (what went wrong, the value that it gives in base units)."""
    unit = unit or None
    target = asked_unit(expected.unit).dims
    tolerance = Fraction(str(rtol))
    try:
        reading = interpret(text, unit, target, tolerance)
        if reading.bare and unit is None and hard(target):
            raise Unreadable.of("no_unit")
    except Unreadable as error:
        return _unreadable(error.with_example(example(unit or expected.unit)).reason)
    asked = asked_unit(unit) if unit else None
    question = Question(expected.exact, target, asked, finite(named_slips))
    how = relation(reading.dims, target)
    if how == "inverse":
        return _inverse(reading, expected, question, tolerance, unit)
    if not how:
        return Verdict(INCORRECT, _dimension(reading, target), of_reading(reading))
    limit = _limit(reading, expected, question, tolerance)
    for value in (reading.exact, *reading.alternatives):
        if _right(value, reading, expected, question, limit, tolerance):
            found = of_reading(reading._replace(exact=value))
            return Verdict(CORRECT, _correct(expected, unit, found.notes), found, (), _deviation(value, expected.exact))
    slips = explain(reading, reading.exact, text, question)
    reason = _incorrect(reading.exact, canonical(reading.dims), expected.exact, unit, named=bool(slips))
    return Verdict(INCORRECT, reason, of_reading(reading), slips, _deviation(reading.exact, expected.exact))


def _right(
    value: Fraction, reading: Reading, expected: Quantity, question: Question, limit: Fraction, tolerance: Fraction
) -> bool:
    right = expected.exact
    if not right:
        return abs(value) <= ZERO * (question.asked.factor if question.asked else 1)
    if within(value, right, limit):
        return True
    return (
        bool(tolerance)
        and is_rounded(value, right, reading.literal)
        and not nearer(value, _prefix(reading, question) or _thousands(abs(value)), question)
    )


def _limit(reading: Reading, expected: Quantity, question: Question, tolerance: Fraction) -> Fraction:
    """The relative tolerance that holds here."""
    # A calculator's float is a rounded value itself: its last bits do not count.
    is_float = isinstance(expected.value, float) and expected.exact == Fraction(repr(expected.value))
    noise = FLOAT_NOISE if is_float else Fraction(0)
    if _is_exact_count(reading, question):
        return noise
    if tolerance and any(name == "byte" and e > 0 for name, e in question.dims):
        tolerance = min(tolerance, BINARY_GAP * max(1, _prefix(reading, question)))
    return tolerance + noise


def _prefix(reading: Reading, question: Question) -> int:
    """The power of 1000 in the prefix of the unit that was typed, or in which a bare number was read."""
    if reading.bare and question.asked is not None:
        return _thousands(question.asked.factor / question.asked.base)
    return max(0, reading.power)


def _thousands(ratio: Fraction) -> int:
    """The power of 1000 (or 1024) that a prefix is."""
    power = 0
    while ratio > 999:
        ratio, power = ratio / 1000, power + 1
    return power


def _is_exact_count(reading: Reading, question: Question) -> bool:
    """A count typed to the unit has to be it; one typed rounded (1.4T, 250,000) or computed is compared like any other."""
    literal = reading.literal
    if literal is None or not literal.plain or question.expected.denominator != 1:
        return False
    if abs(question.expected) > LARGEST_COUNT or hard(question.dims):
        return False
    counted = [name for name, e in question.dims if e > 0]
    if len(counted) != 1 or len(question.dims) != 1 or (question.asked is not None and question.asked.scaled):
        return False
    if literal.value.denominator != 1:
        return counted[0] not in ESTIMATED
    return literal.least == literal.most


def _inverse(
    reading: Reading, expected: Quantity, question: Question, tolerance: Fraction, unit: str | None
) -> Verdict:
    """`ms/token` where token/s is asked for: right with a note, or asked again."""
    right = expected.exact
    if reading.exact and right:
        turned = 1 / reading.exact
        if within(turned, right, tolerance) or (tolerance and is_rounded(reading.exact, 1 / right, reading.literal)):
            found = of_reading(reading._replace(notes=(*reading.notes, say("reading.note_inverse"))))
            return Verdict(CORRECT, _correct(expected, unit, found.notes), found, (), _deviation(turned, right))
    typed, asked = canonical(reading.dims), unit or canonical(question.dims)
    return _unreadable(say("verdict.inverse", typed=typed, asked=asked))


def _unreadable(why: Text) -> Verdict:
    return Verdict(UNREADABLE, say("verdict.unreadable", why=why))


def _correct(expected: Quantity, unit: str | None, notes: tuple[Text, ...]) -> Text:
    value = Text(*(show_in(expected.exact, expected.unit, unit, language) for language in ("en", "zh")))
    words = [say("verdict.correct", value=value), *notes]
    return Text(" · ".join(text.en for text in words), " · ".join(text.zh for text in words))


def _incorrect(value: Fraction, typed: str, right: Fraction, unit: str | None, *, named: bool) -> Text:
    """What is off. Where a slip is named the size is left out: it would give the answer away before the second try."""
    shown = Text(*(show_in(value, typed, unit, language) for language in ("en", "zh")))
    if not right or named:
        return say("verdict.too_high" if value > right else "verdict.too_low", value=shown)
    ratio = value / right
    if ratio <= 0:
        return say("verdict.sign" if ratio else "verdict.too_low", value=shown)
    way = "high" if ratio > 1 else "low"
    if abs(ratio - 1) < Fraction(1, 1000):
        return say("verdict.near", value=shown)
    if Fraction(1, 2) < ratio < 2:
        return say(f"verdict.percent_{way}", value=shown, by=_two_digits(abs(ratio - 1) * 100))
    return say(f"verdict.times_{way}", value=shown, by=_two_digits(max(ratio, 1 / ratio)))


def _two_digits(value: Fraction) -> str:
    return f"{float(value):.2g}" if value < 100 else number(round(value))


def _dimension(reading: Reading, target: Dims) -> Text:
    shown = Text(*(show(reading.exact, canonical(reading.dims), language) for language in ("en", "zh")))
    return say("verdict.dimension", value=shown, typed=_kind(reading.dims), asked=_kind(target))


def _kind(dims: Dims) -> Text:
    """What a dimension is called: a size, a time, a bandwidth."""
    unit = canonical(dims)
    return DIMENSIONS[unit] if unit in DIMENSIONS else say("verdict.value_in", unit=unit)


def _deviation(value: Fraction, right: Fraction) -> float | None:
    if not right:
        return None
    try:
        return float((value - right) / abs(right))
    except OverflowError:
        return None
