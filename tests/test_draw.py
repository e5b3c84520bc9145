"""A numeric card becomes one concrete question, the same for the same seed, on which no usual mistake looks right."""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators.base import integer, number
from quiz.card import Card, Numeric
from quiz.deck import load
from quiz.draw import DrawsExhausted, NotNumeric, blurred, draw, evaluate, every, near, question
from quiz.errors import BadInput, UnknownName
from quiz.language import Text
from quiz.library import Library, shipped_decks
from quiz.shown import preset_name, quantity, shown

EXAMPLES = Path(__file__).parent / "data" / "examples.yaml"
SEEDS = 1000


def card(**numeric: object) -> Card:
    (first, *_) = load(EXAMPLES).deck.cards  # type: ignore[union-attr]
    return replace(first, numeric=replace(first.numeric, **numeric))  # type: ignore[type-var]


def test_the_same_seed_gives_the_same_draw() -> None:
    one = card()
    assert draw(one, 7) == draw(one, 7)
    assert {draw(one, seed).inputs["stages"] for seed in range(40)} == {4, 8, 16}
    rng = random.Random(3)
    first = draw(one, rng)
    assert draw(one, first.seed) == first
    assert draw(one, rng) != first


def test_expected_values_and_slips_are_in_base_units() -> None:
    drawn = evaluate(card(), {"stages": 8, "microbatches": 32, "schedule": "gpipe"})
    assert drawn.expected == 7 / 39
    assert {slip.name: value for slip, value in drawn.slips}["of_ideal_time"] == 7 / 32
    assert drawn.named_slips[0][0].zh
    assert "7/39" in drawn.worked("fraction_of_total")


def test_a_row_of_draws_stays_together_and_outweighs_given() -> None:
    rows = ({"stages": 4, "microbatches": 8}, {"stages": 16, "microbatches": 64})
    one = card(given={"stages": 8, "schedule": ("gpipe", "1f1b")}, draws=rows)
    drawn = {tuple(sorted(draw(one, seed).inputs.items())) for seed in range(60)}
    assert {(dict(d)["stages"], dict(d)["microbatches"]) for d in drawn} == {(4, 8), (16, 64)}
    assert len(drawn) == 4 == len(list(every(one.numeric)))  # type: ignore[arg-type]


def test_a_slip_close_to_the_right_value_is_drawn_again() -> None:
    """With 1,024 micro-batches the share of the ideal time is 0.3 % away: within three tolerances of 1 %."""
    one = card(given={"stages": 4, "microbatches": (8, 1024), "schedule": "gpipe"})
    assert {draw(one, seed).inputs["microbatches"] for seed in range(50)} == {8}


def test_draws_that_run_out_are_told() -> None:
    one = card(given={"stages": 4, "microbatches": (1024, 2048), "schedule": "gpipe"})
    with pytest.raises(DrawsExhausted, match="idle-share"):
        draw(one, 0)
    assert draw(replace(one, numeric=replace(one.numeric, rtol=0.0001)), 0)  # type: ignore[type-var]


def test_one_good_draw_among_fifty_is_always_found() -> None:
    one = card(given={"stages": 4, "microbatches": (*range(1001, 1050), 8), "schedule": "gpipe"})
    assert {draw(one, seed).inputs["microbatches"] for seed in range(30)} == {8}


def test_more_combinations_than_can_be_counted() -> None:
    numeric = Numeric("pipeline_bubble", "fraction_of_total", {f"x{n}": tuple(range(10)) for n in range(30)})
    with pytest.raises(UnknownName):
        draw(replace(card(), numeric=numeric), 1)


def test_near_means_within_three_tolerances_and_not_the_same() -> None:
    assert near(1.03, 1.0, 0.01)
    assert not near(1.0302, 1.0, 0.01)
    assert not near(1.0, 1.0, 0.01)
    assert not near(1.0 + 1e-15, 1.0, 0.01)
    assert not near(2, 1, 0)
    assert not near(float("inf"), 1, 0.01)
    assert near(Fraction(99, 100), 1, 0.01)


@pytest.mark.parametrize(
    ("numeric", "error"),
    [
        ({"calculator": "pipeline_bubbel"}, UnknownName),
        ({"asks": "share"}, UnknownName),
        ({"given": {"stages": 4}}, BadInput),
        ({"given": {"stages": 4, "microbatches": 8, "stagess": 1}}, UnknownName),
        ({"given": {"stages": 8, "microbatches": 12, "schedule": "interleaved", "chunks": 2}}, BadInput),
    ],
)
def test_what_a_calculator_refuses_is_raised(numeric: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        draw(card(**numeric), 0)


def test_an_open_card_has_nothing_to_draw() -> None:
    with pytest.raises(NotNumeric):
        draw(replace(card(), numeric=None), 0)


def test_only_inputs_are_filled_in() -> None:
    text = Text(
        "{stages} of {microbatches}: {chunks}, {nonsense} {} {0} {a b} {{x}} {stages!r} f(x) {", "{stages}级 {schedule}"
    )
    one = replace(card(given={"stages": 4, "microbatches": 65536, "schedule": "gpipe"}, rtol=0), question=text)
    asked = question(one, draw(one, 1))
    assert asked.en == "4 of 65,536: 1, {nonsense} {} {0} {a b} {{x}} {stages!r} f(x) {"
    assert asked.zh == "4级 GPipe"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (8192, "token", "8,192"),
        (7_000_000_000, "parameter", "7,000,000,000"),
        (6000, "token/s", "6,000 token/s"),
        (0.4, "", "0.4"),
        (1e-9, "", "1·10⁻⁹"),
        (1234.5, "", "1,234.5"),
        (-0.25, "", "-0.25"),
        (9_900_000_000, "", "9,900,000,000"),
        (0.18, "%", "18 %"),
        (3.35e12, "byte/s", "3.35 TB/s"),
        (80e9, "byte", "80 GB"),
        (327_680, "byte", "320 KiB"),
        (85_899_345_920, "byte", "80 GiB"),
        (2, "byte", "2 B"),
        (0.5, "byte", "0.5 B"),
        (327_681, "byte", "327.681 kB"),
        (989e12, "FLOP/s", "989 TFLOP/s"),
        (5e-6, "s", "5 µs"),
        (0.0025, "s", "2.5 ms"),
        (90, "s", "90 s"),
        (1.755e9, "Hz", "1.755 GHz"),
        (0, "byte", "0 B"),
        (2.5, "USD", "2.5 USD"),
    ],
)
def test_values_are_shown_with_separators_or_a_prefix(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit) == text


def test_presets_go_by_their_names() -> None:
    assert preset_name("rtx-4090").en == "RTX 4090"
    assert preset_name("nothing-known").zh == "nothing-known"


def test_what_the_card_writes_is_shown_as_written() -> None:
    about = Text("x", "x")
    assert shown(number("bandwidth", about, unit="byte/s"), "3.35 TB/s").en == "3.35 TB/s"
    assert shown(integer("tokens", about, unit="token"), 8192).zh == "8,192"


@given(st.floats(min_value=1e-6, max_value=1e15).map(Fraction), st.sampled_from(["byte", "s", "FLOP/s", ""]))
def test_a_shown_number_is_the_number(value: Fraction, unit: str) -> None:
    text = quantity(float(value), unit).replace(",", "")
    head, _, tail = text.partition(" ")
    mantissa, _, power = head.partition("·10")
    scale = Fraction(10) ** int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")) or 0)
    prefixes = {"P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "m": -3, "µ": -6, "n": -9}
    binary = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4}
    symbol = {"byte": "B", "s": "s", "FLOP/s": "FLOP/s", "": ""}[unit]
    prefix = tail.removesuffix(symbol)
    if prefix in binary:
        scale *= 1024 ** binary[prefix]
    elif prefix:
        scale *= Fraction(10) ** prefixes[prefix]
    assert abs(Fraction(mantissa) * scale - value) <= value * Fraction(1, 10**11)


def shipped_numbers() -> Iterator[Card]:
    return (one for one in Library.open([shipped_decks()]).cards() if one.numeric)


@pytest.mark.parametrize("one", [pytest.param(c, id=c.id) for c in [*shipped_numbers(), card()]])
def test_a_thousand_seeds_of_every_shipped_card(one: Card) -> None:
    """Each draw is right where it counts: a value, no slip beside it, every placeholder filled."""
    assert isinstance(one.numeric, Numeric)
    seen: dict[str, None] = {}
    for seed in range(SEEDS):
        drawn = draw(one, seed)
        key = repr(sorted(drawn.inputs.items()))
        if key not in seen:
            seen[key] = None
            assert not blurred(drawn, one.numeric.rtol)
            asked = question(one, drawn)
            assert not [name for name in drawn.inputs if "{" + name + "}" in asked.en + asked.zh]
