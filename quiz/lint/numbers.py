"""What is wrong with a card's numbers: inputs, draws and placeholders of a numeric card, figures of any card."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from quiz import calculators
from quiz.calculators.base import Calculator, coerce, nearest, run
from quiz.card import Figure, Numeric, Value
from quiz.draw import PLACEHOLDER, DrawsExhausted, blurred, draw, evaluate, every, is_number, near
from quiz.errors import QuizError
from quiz.language import LANGUAGES, say
from quiz.lint.notes import Notes
from quiz.terms import find, prepare

MOST_COMBINATIONS = 400
SEEDS = 100
REFUSALS_SHOWN = 3
LARGEST_RTOL_ON_BYTES = 0.012

_MANTISSA = re.compile(r"\d[\d,_]*(?:\.\d+)?")


def check(notes: Notes) -> None:
    """All checks of numbers."""
    if notes.card.numeric and notes.card.numeric.calculator:
        _numeric(notes, notes.card.numeric)
    for number, figure in enumerate(notes.card.figures):
        _figure(notes, f"figures[{number}]", figure)


def _numeric(notes: Notes, numeric: Numeric) -> None:
    try:
        calculator = calculators.find(numeric.calculator)
    except QuizError as error:
        notes.note("calculator", error.text)
        return
    sound = _asks(notes, calculator, numeric)
    for where, inputs in _written(numeric):
        sound &= _inputs(notes, calculator, where, inputs)
    _placeholders(notes, calculator, numeric)
    if sound and notes.read.whole:
        _draws(notes, numeric)


def _asks(notes: Notes, calculator: Calculator, numeric: Numeric) -> bool:
    if not numeric.asks:
        return False
    try:
        output = calculator.output(numeric.asks)
    except QuizError as error:
        notes.note("asks", error.text)
        return False
    if output.unit == "byte" and numeric.rtol > LARGEST_RTOL_ON_BYTES:
        notes.note("rtol", say("lint.rtol_hides_kib", rtol=numeric.rtol))
    if numeric.unit:
        _unit(notes, numeric.unit, output.name, output.unit)
    return True


def _unit(notes: Notes, unit: str, output: str, base: str) -> None:
    from quiz.quantity import Unreadable

    try:
        fits = _measures(unit, base)
    except Unreadable as error:
        notes.note("unit", say("lint.bad_unit", unit=unit, output=output, why=error.reason))
        return
    if not fits:
        notes.note("unit", say("lint.bad_unit_dimension", unit=unit, output=output, base=base or "1"))


def _measures(unit: str, base: str) -> bool:
    """Whether both are of one dimension; a count may or may not say of what. Unreadable if either is no unit."""
    from quiz.number_asked import asked_unit
    from quiz.number_dimensions import relation

    return relation(asked_unit(unit).dims, asked_unit(base).dims) == "same"


def _written(numeric: Numeric) -> list[tuple[str, Mapping[str, Value | tuple[Value, ...]]]]:
    rows = [(f"draws[{number}]", row) for number, row in enumerate(numeric.draws)]
    return [("given", numeric.given), *rows]


def _inputs(notes: Notes, calculator: Calculator, where: str, inputs: Mapping[str, Value | tuple[Value, ...]]) -> bool:
    """Whether each input exists and each of its values can be used for it."""
    sound = True
    for name, values in inputs.items():
        try:
            field = calculator.input(name)
        except QuizError as error:
            notes.note(f"{where}.{name}", error.text)
            sound = False
            continue
        for number, value in enumerate(values if isinstance(values, tuple) else (values,)):
            try:
                coerce(field, value)
            except QuizError as error:
                notes.note(f"{where}.{name}" + (f"[{number}]" if isinstance(values, tuple) else ""), error.text)
                sound = False
    return sound


def _placeholders(notes: Notes, calculator: Calculator, numeric: Numeric) -> None:
    """Every placeholder is an input that has a value, and every input that is drawn from a list is shown."""
    given = set(numeric.given) | {name for row in numeric.draws for name in row}
    valued = given | {i.name for i in calculator.inputs if i.default is not None} | _filled(calculator, numeric)
    for language in LANGUAGES:
        question = getattr(notes.card.question, language)
        if not question:
            continue
        shown = {match[1]: match[0] for match in PLACEHOLDER.finditer(question)}
        for name, written in shown.items():
            if name not in valued:
                text = say("lint.not_among_inputs", name=name, near=nearest(name, sorted(valued), all_below=12))
                notes.note(f"question.{language}", text, words=written)
        for name, values in numeric.given.items():
            if isinstance(values, tuple) and len(values) > 1 and name not in shown:
                notes.note(f"question.{language}", say("lint.not_shown", name=name, language=language))


def _filled(calculator: Calculator, numeric: Numeric) -> set[str]:
    """Inputs that a preset among the card's inputs fills in."""
    filled: set[str] = set()
    for inputs in itertools.islice(every(numeric), 20):
        try:
            filled |= {name for name, value in run(calculator, inputs).inputs.items() if value is not None}
        except QuizError:
            continue  # noted as a refused draw
    return filled


def _draws(notes: Notes, numeric: Numeric) -> None:
    """No draw is refused, and none of a hundred seeds runs out of them."""
    where = "draws" if numeric.draws else "given"
    refused: dict[str, tuple[Mapping[str, Value], QuizError]] = {}
    crowding: dict[str, None] = {}
    for inputs in itertools.islice(every(numeric), MOST_COMBINATIONS):
        try:
            drawn = evaluate(notes.card, inputs)
        except QuizError as error:
            refused[str(inputs)] = (inputs, error)
            continue
        if blurred(drawn, numeric.rtol):
            crowding |= {s.name: None for s, value in drawn.slips if near(value, drawn.expected, numeric.rtol)}
    for row, refusal in list(refused.values())[:REFUSALS_SHOWN]:
        said = ", ".join(f"{name}={value}" for name, value in row.items())
        notes.note(_row(numeric, row) or where, say("lint.refused", inputs=said, why=refusal.text))
    if len(refused) > REFUSALS_SHOWN:
        notes.note(where, say("lint.refused_more", count=len(refused) - REFUSALS_SHOWN))
    if refused:
        return
    out = 0
    for seed in range(SEEDS) if crowding else ():
        try:
            draw(notes.card, seed)
        except DrawsExhausted:
            out += 1
    if out:
        notes.note(where, say("lint.runs_out", seeds=out, tried=SEEDS, slips=", ".join(crowding)))


def _row(numeric: Numeric, inputs: Mapping[str, Value]) -> str:
    """The row of `draws` that `inputs` were drawn from."""
    found = (number for number, row in enumerate(numeric.draws) if row.items() <= inputs.items())
    return next((f"draws[{number}]" for number in found), "")


def _figure(notes: Notes, where: str, figure: Figure) -> None:
    """`says` stands in each answer, and is what the calculator gives, rounded as it is written."""
    for language in LANGUAGES:
        says, answer = getattr(figure.says, language), getattr(notes.card.answer, language)
        pitfall = getattr(notes.card.pitfall, language) if notes.card.pitfall else ""
        if says and answer and find(says, prepare(f"{answer}\n\n{pitfall}")) is None:
            notes.note(f"{where}.says", say("lint.says_absent", says=says, language=language))
    try:
        calculator = calculators.find(figure.calculator)
    except QuizError as error:
        notes.note(f"{where}.calculator", error.text)
        return
    try:
        output = calculator.output(figure.output)
    except QuizError as error:
        notes.note(f"{where}.output", error.text)
        return
    if not _inputs(notes, calculator, f"{where}.given", figure.given):
        return
    try:
        value = run(calculator, figure.given).outputs[output.name]
    except QuizError as error:
        notes.note(f"{where}.given", error.text)
        return
    for says in dict.fromkeys(filter(None, figure.says)):
        _says(notes, f"{where}.says", says, calculator.name, value, output.unit)


def _says(notes: Notes, where: str, says: str, calculator: str, value: Any, unit: str) -> None:
    from quiz.quantity import Unreadable, read

    if not is_number(value):
        if prepare(says).open != prepare(str(value)).open:
            notes.note(where, say("lint.says_wrong", says=says, calculator=calculator, value=value))
        return
    try:
        written = read(says, unit)
        finest = [read(step, unit).exact for step in steps(says)]
        fits = _measures(written.unit, unit)
    except Unreadable as error:
        notes.note(where, say("lint.says_unread", says=says, why=error.reason))
        return
    apart = abs(written.exact - Fraction(value))
    if not fits or not any(2 * apart <= step * (1 + Fraction(1, 10**9)) for step in finest):
        shown = f"{float(value):.6g} {unit}".strip()
        notes.note(where, say("lint.says_wrong", says=says, calculator=calculator, value=shown))


def steps(says: str) -> list[str]:
    """`says` with its number replaced by a step of its last digit, and of each zero before it that may be rounding.

    "17.9 %" gives "0.1 %"; "1,200 GB" gives "1 GB", "10 GB" and "100 GB", since two digits at least must count.
    """
    match = _MANTISSA.search(says)
    if not match:
        return [says]
    digits = match[0].replace(",", "").replace("_", "")
    whole, point, part = digits.partition(".")
    powers = (
        [-len(part)] if point else list(range(max(1, min(len(whole) - len(whole.rstrip("0")), len(whole) - 2) + 1)))
    )
    written = [f"0.{'0' * (-power - 1)}1" if power < 0 else "1" + "0" * power for power in powers]
    if digits == "10" and re.match(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻^]", says[match.end() :]):
        return [f"{says[: match.start()]}0.1·{says[match.start() :]}"]
    return [says[: match.start()] + step + says[match.end() :] for step in written]
