"""What a calculator is: typed inputs with ranges, a pure function, outputs with units, and slips.

A calculator is declared once, beside its function. Everything else (the command, numeric cards, lint,
the screen) goes through `run`, so that what a card expects and what a command prints cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from quiz.errors import BadInput, UnknownName
from quiz.language import Text, say
from quiz.reference import Reference, Value

if TYPE_CHECKING:
    from quiz.quantity import Quantity

Given = Mapping[str, Any]


class Values:
    """Bound inputs or computed outputs, by attribute: ``i.stages``."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class Input(NamedTuple):
    """One named input.

    `kind` is integer, number, choice, text, flag or preset; `unit` a unit that `quiz.quantity` reads ("" for a
    pure number or a word); numbers lie in [low, high]; a choice or a preset is one of `choices`. A preset `fills`
    other inputs that were not given: a model its layers, a device its bandwidth; what it knows beyond the
    calculator's inputs is left out.
    """

    name: str
    kind: str
    about: Text
    unit: str = ""
    low: float = 0
    high: float = 1e18
    choices: tuple[str, ...] = ()
    default: Value | None = None
    required: bool = True
    fills: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] | None = None


class Output(NamedTuple):
    """One named output in base units; `formula` as one writes it, `worked` the same with the inputs' numbers."""

    name: str
    about: Text
    unit: str = ""
    formula: str = ""
    worked: Callable[[Values, Values], str] | None = None


class Slip(NamedTuple):
    """A usual mistake in `output`: what it gives for the same inputs, or None where it does not apply."""

    name: str
    output: str
    about: Text
    value: Callable[[Values], Any]


class Calculator(NamedTuple):
    name: str
    title: Text
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    compute: Callable[..., Mapping[str, Any]]
    slips: tuple[Slip, ...] = ()
    sources: tuple[Reference, ...] = ()
    convention: Text | None = None

    def input(self, name: str) -> Input:
        return _named(self.inputs, name, "calculator.unknown_input", self.name)

    def output(self, name: str) -> Output:
        return _named(self.outputs, name, "calculator.unknown_output", self.name)


class Result(NamedTuple):
    """`inputs` as bound (presets and defaults filled in), `outputs` in base units, by name."""

    calculator: Calculator
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]

    def formula(self, output: str) -> str:
        return self.calculator.output(output).formula

    def worked(self, output: str) -> str:
        """The line that computes `output` from these numbers; "" where the output has none."""
        line = self.calculator.output(output).worked
        return line(Values(self.inputs), Values(self.outputs)) if line else ""

    def slips(self, output: str) -> list[tuple[Slip, Any]]:
        """The usual mistakes in `output` and what each gives here; those that do not apply or agree are left out."""
        expected, values = self.outputs[output], Values(self.inputs)
        found = ((slip, slip.value(values)) for slip in self.calculator.slips if slip.output == output)
        return [(slip, value) for slip, value in found if value is not None and value != expected]


Field = TypeVar("Field", Input, Output)


def integer(
    name: str, about: Text, *, unit: str = "", low: int = 1, high: int = 10**15, default: int | None = None
) -> Input:
    return Input(name, "integer", about, unit, low, high, default=default, required=default is None)


def number(
    name: str, about: Text, *, unit: str = "", low: float = 0, high: float = 1e30, default: float | None = None
) -> Input:
    return Input(name, "number", about, unit, low, high, default=default, required=default is None)


def choice(name: str, about: Text, choices: tuple[str, ...], *, default: str | None = None) -> Input:
    return Input(name, "choice", about, choices=choices, default=default, required=default is None)


def flag(name: str, about: Text, *, default: bool = False) -> Input:
    return Input(name, "flag", about, choices=("false", "true"), default=default, required=False)


def optional(field: Input) -> Input:
    """The same input, absent (None) unless given or filled by a preset."""
    return Input(
        field.name, field.kind, field.about, field.unit, field.low, field.high, field.choices, None, False, field.fills
    )


def preset(
    name: str,
    about: Text,
    choices: tuple[str, ...],
    fills: Callable[[str, Mapping[str, Any]], Mapping[str, Any]],
) -> Input:
    return Input(name, "preset", about, choices=choices, required=False, fills=fills)


def bind(calculator: Calculator, given: Given) -> dict[str, Any]:
    """All inputs of `calculator`, typed: those given first, then what presets fill in, then defaults.

    UnknownName for a name that it does not have (nearest named), BadInput for a missing, unreadable or
    out-of-range value.
    """
    bound = {name: coerce(calculator.input(name), value) for name, value in given.items()}
    own = {field.name for field in calculator.inputs}
    for field in calculator.inputs:
        if field.fills and bound.get(field.name):
            for name, value in field.fills(bound[field.name], bound).items():
                if name in own:
                    bound.setdefault(name, value)
    for field in calculator.inputs:
        if bound.get(field.name) is None:
            if field.required:
                raise BadInput(
                    say("calculator.missing", calculator=calculator.name, name=field.name, about=field.about)
                )
            bound[field.name] = field.default
    return bound


def run(calculator: Calculator, given: Given) -> Result:
    """The outputs for `given`. UnknownName or BadInput as `bind`; BadInput where the function has no value there."""
    inputs = bind(calculator, given)
    try:
        outputs = calculator.compute(**inputs)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise BadInput(say("calculator.no_value", calculator=calculator.name, why=str(error))) from error
    return Result(calculator, inputs, outputs)


def coerce(field: Input, value: Any) -> Any:
    """`value` as the type of `field`, read with its unit where it is text. BadInput if it cannot be."""
    if field.kind in ("choice", "preset", "flag"):
        text = next((known for known in field.choices if known.casefold() == str(value).casefold()), str(value))
        if text not in field.choices:
            raise UnknownName(
                say(
                    "calculator.unknown_choice",
                    name=field.name,
                    value=text,
                    near=nearest(text, field.choices, all_below=12),
                )
            )
        return text == "true" if field.kind == "flag" else text
    if field.kind == "text":
        return str(value)
    exact = _number(field, value)
    if not field.low <= exact <= field.high:
        raise BadInput(
            say(
                "calculator.out_of_range",
                name=field.name,
                value=value,
                low=f"{field.low:,}",
                high=f"{field.high:,}" if field.high < 1e15 else f"{field.high:.0e}",
                unit=field.unit,
            )
        )
    if field.kind == "integer":
        if exact != int(exact):
            raise BadInput(say("calculator.not_whole", name=field.name, value=value))
        return int(exact)
    return int(exact) if exact == int(exact) and abs(exact) < 2**53 else float(exact)


def nearest(name: str, known: tuple[str, ...] | list[str], *, count: int = 3, all_below: int = 0) -> str:
    """The known names most like `name`, comma-separated; all of them where there are fewer than `all_below`."""
    if len(known) < all_below:
        return ", ".join(known)
    import difflib

    close = difflib.get_close_matches(name, known, n=count, cutoff=0.4)
    return ", ".join(close or sorted(known)[:count])


def _number(field: Input, value: Any) -> Fraction:
    if isinstance(value, bool) or value is None:
        raise BadInput(say("calculator.not_a_number", name=field.name, value=value, why=""))
    if isinstance(value, (int, float, Fraction)):
        try:
            return Fraction(value)
        except (ValueError, OverflowError) as error:
            raise BadInput(say("calculator.not_a_number", name=field.name, value=value, why="")) from error
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        return Fraction(int(value))
    from quiz.quantity import Unreadable

    try:
        quantity = _read(str(value), field.unit or None)
        if not _measures(quantity.unit, field.unit):
            raise BadInput(
                say("calculator.wrong_unit", name=field.name, value=value, unit=field.unit or say("calculator.no_unit"))
            )
        return quantity.exact
    except Unreadable as error:
        raise BadInput(say("calculator.not_a_number", name=field.name, value=value, why=error.reason)) from error


@lru_cache(maxsize=4096)
def _read(text: str, unit: str | None) -> Quantity:
    from quiz.quantity import read

    return read(text, unit)


@lru_cache(maxsize=1024)
def _measures(typed: str, unit: str) -> bool:
    """Whether what was typed is of the input's dimension; a plain number takes no physical unit."""
    from quiz.number_asked import asked_unit
    from quiz.number_dimensions import hard, relation

    dims = asked_unit(typed).dims if typed else ()
    if not unit:
        return not dims or not hard(dims)
    return not dims or relation(dims, asked_unit(unit).dims) == "same"


def _named(fields: tuple[Field, ...], name: str, key: str, calculator: str) -> Field:
    for field in fields:
        if field.name == name:
            return field
    known = tuple(f.name for f in fields)
    raise UnknownName(say(key, name=name, calculator=calculator, near=nearest(name, known, all_below=12)))
