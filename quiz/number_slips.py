"""What usually gives such a number: a calculator's named slips, then ratios that any calculation can be off by."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from quiz.language import Text, say
from quiz.number_asked import Asked
from quiz.number_dimensions import Dims, hard
from quiz.number_reading import Reading
from quiz.number_rounding import close, exponent

MOST = 2
SHARP = Fraction(6, 1000)
ROUGH = Fraction(1, 100)
LARGEST_POWER = 15
PREFIXES = "KMGTP"
BINARY = tuple(Fraction(1024**power, 1000**power) for power in range(1, len(PREFIXES) + 1))
_SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

Named = tuple[Text, Fraction]
# The message's key and its words, the ratio to the right value, the relative tolerance.
Ratio = tuple[str, dict[str, str], Fraction, Fraction]


class Question(NamedTuple):
    """What is asked: the right value in base units, its dimension, the unit that the question names."""

    expected: Fraction
    dims: Dims
    asked: Asked | None
    named: tuple[Named, ...] = ()


def finite(slips: Sequence[tuple[Text, Any]]) -> tuple[Named, ...]:
    """The named slips whose value is a finite number, as fractions."""
    kept = []
    for about, value in slips:
        if isinstance(value, float) and not math.isfinite(value):
            continue
        kept.append((about, Fraction(value)))
    return tuple(kept)


def nearer(value: Fraction, prefix: int, question: Question) -> bool:
    """Whether a slip lies nearer to `value` than the right value does: then no rounding makes it right.

    `prefix` is the power of 1000 in the unit of `value`: GiB for GB is a slip with GB, not with MB.
    """
    distance = abs(value - question.expected)
    others = [slip for _, slip in question.named if slip != question.expected]
    others += [question.expected * ratio for ratio in _confused(prefix, question)]
    return any(abs(value - other) < distance for other in others)


def _confused(prefix: int, question: Question) -> tuple[Fraction, ...]:
    if not _is_size(question):
        counted = question.dims and not hard(question.dims)
        multiples = [k for k in (1, 2) if counted and not question.expected % 1024**k]
        return tuple(Fraction(1000**k, 1024**k) for k in multiples)
    ratio = Fraction(1024**prefix, 1000**prefix)
    return (ratio, 1 / ratio)


def _is_size(question: Question) -> bool:
    return any(name == "byte" and e > 0 for name, e in question.dims)


def explain(reading: Reading, value: Fraction, text: str, question: Question) -> tuple[Text, ...]:
    """At most two messages, named slips first, on what gives `value` for the right one."""
    found: list[Text] = []
    if not question.expected or not value:
        return ()
    distance = abs(value - question.expected)
    named = sorted(
        (abs(value - slip), about) for about, slip in question.named if close(value, slip, ROUGH, reading.literal)
    )
    found += [say("verdict.named", about=about) for off, about in named if off < distance]
    times = value / question.expected
    for key, words, ratio, tolerance in (*_general(times, text, question), *_inverse(question)):
        # |times − ratio| < |times − 1| says that the slip is nearer than the right value.
        off = abs(times - ratio)
        if off <= tolerance * abs(ratio) and off < abs(times - 1):
            found.append(say(f"verdict.{key}", **words))
    return tuple(dict.fromkeys(found))[:MOST]


def _general(times: Fraction, text: str, question: Question) -> Iterator[Ratio]:
    """Each mistake that can be made with these units; of the powers of ten only the two around `times`."""
    size = _is_size(question)
    yield "double", {}, Fraction(2), ROUGH
    yield "half", {}, Fraction(1, 2), ROUGH
    yield "bits" if size else "eight", {}, Fraction(8), ROUGH
    yield "bytes" if size else "eighth", {}, Fraction(1, 8), ROUGH
    if 1 / BINARY[-1] - SHARP < times < BINARY[-1] + SHARP:
        yield from _binary(question)
    if any(name == "s" for name, _ in question.dims):
        yield "hours_up", {}, Fraction(3600), ROUGH
        yield "hours_down", {}, Fraction(1, 3600), ROUGH
    wrote_yi = "亿" in text.replace("十亿", "")
    wrote_billions = not size and re.search(r"\d ?B\b|billion|十亿", text) is not None
    if wrote_yi:
        yield "yi_down", {}, Fraction(1, 10), ROUGH
    if wrote_billions:
        yield "yi_up", {}, Fraction(10), ROUGH
    below = exponent(abs(times))
    for signed in (below, below + 1):
        power, way = abs(signed), "up" if signed > 0 else "down"
        if not 1 <= power <= LARGEST_POWER or (power == 1 and (wrote_billions if signed > 0 else wrote_yi)):
            continue
        if not question.dims and power == 2:
            yield f"percent_{way}", {}, Fraction(10) ** signed, ROUGH
        else:
            yield f"ten_{way}", {"power": _raised(power)}, Fraction(10) ** signed, ROUGH


def _binary(question: Question) -> Iterator[Ratio]:
    """KiB for KB and the like, on sizes and on counts."""
    size = _is_size(question)
    if not size and (not question.dims or hard(question.dims)):
        return
    for power, prefix in enumerate(PREFIXES, 1):
        words = (
            {"si": f"{prefix}B", "binary": f"{prefix}iB"}
            if size
            else {"si": f"1000{_raised(power)}", "binary": f"1024{_raised(power)}"}
        )
        ratio = BINARY[power - 1]
        yield "binary_up", words, ratio, SHARP
        yield "binary_down", words, 1 / ratio, SHARP


def _raised(power: int) -> str:
    return str(power).translate(_SUPERSCRIPT) if power > 1 else ""


def _inverse(question: Question) -> Iterator[Ratio]:
    """A ratio turned over, in the unit that the question names."""
    above, below = any(e > 0 for _, e in question.dims), any(e < 0 for _, e in question.dims)
    if question.dims and not (above and below and question.asked is not None):
        return
    scale = question.asked.factor if question.asked is not None and question.dims else Fraction(1)
    there = question.expected / scale
    if abs(there) != 1:
        yield "inverse_slip", {}, 1 / there**2, ROUGH
