"""Formulas as people type them, compared by what they give: 2(N-1)/N = 2·(N−1)/N = (2n − 2)/n.

A formula is parsed into a tree of sums, products and powers over numbers and names, and two are the same if they give
the same exact fractions for several values of their names, with the names taken as they stand or, for another letter
than the card's, in any one-to-one way.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from quiz.number_words import numeral

MOST_CHARACTERS = 80
MOST_NAMES = 4
MOST_POWER = 8
LETTERS_APART = 3
VALUES = tuple(Fraction(n) for n in (5, 11, 7, 3))
OTHER_VALUES = tuple(Fraction(n, 3) for n in (13, 4, 29, 10))

_OPERATOR = re.compile(r"[-+*/·×÷^−⁰¹²³⁴⁵⁶⁷⁸⁹]")
_BARE_PRODUCT = re.compile(r"\d[A-Z]{2}")
_SHARE = re.compile(r"(?<![\d.,A-Za-z])(\d+\.\d+(?!\d)|\d+(?:\.\d+)?(?=\s?%))(?![\d.]*[A-Za-z])(\s?%)?")
_PART = re.compile(r"([零一二两三四五六七八九十百]+)分之([零一二两三四五六七八九十百]+)")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)|(?P<name>[A-Za-zα-ωΑ-Ω]+(?:_[A-Za-z0-9]+)?)|(?P<sign>\*\*|[-+*/^()]))"
)
_RUN = re.compile(r"[A-Za-z0-9α-ωΑ-Ω_().,+\-−–*/·×÷^⁻⁰¹²³⁴⁵⁶⁷⁸⁹ ]+")
_WORDY = re.compile(r"[A-Za-z]{4,}")

Value = Callable[[Mapping[str, Fraction]], Fraction]


class Formula(NamedTuple):
    """`renamable`: its letters may be others than the card's, which 80 GB's may not."""

    names: tuple[str, ...]
    value: Value
    renamable: bool
    start: int = 0
    end: int = 0


class _Unparsable(Exception):
    pass


@lru_cache(maxsize=4096)
def formula(text: str) -> Formula | None:
    """`text` as a formula; None if it is none: it needs an operator and a name, or two numbers. 0.75 and 75 % are some."""
    share = _SHARE.fullmatch(text.strip())
    if share:
        return _constant(_share(share))
    if len(text) > MOST_CHARACTERS or not (_OPERATOR.search(text) or _BARE_PRODUCT.search(text)):
        return None
    try:
        tokens = list(_tokens(text))
        if not tokens or not (any(kind == "name" for kind, _ in tokens) or sum(k == "number" for k, _ in tokens) > 1):
            return None
        parser = _Parser(tokens)
        value = parser.sum()
        if parser.at != len(tokens):
            return None
    except (_Unparsable, RecursionError):
        return None
    names = tuple(dict.fromkeys(word for kind, word in tokens if kind == "name"))
    return Formula(names, value, bool(_OPERATOR.search(text))) if len(names) <= MOST_NAMES else None


def formulas(text: str) -> Iterator[Formula]:
    """The formulas that stand in `text`, with their places: each side of an equals sign is one."""
    for share in _SHARE.finditer(text):
        yield _constant(_share(share))._replace(start=share.start(), end=share.end())
    for part in _PART.finditer(text):
        below, above = numeral(part[1]), numeral(part[2])
        if below and above:
            yield _constant(above / below)._replace(start=part.start(), end=part.end())
    for run in _RUN.finditer(text):
        if not _OPERATOR.search(run[0]) and not _BARE_PRODUCT.search(run[0]):
            continue
        at = 0
        for word in [*_WORDY.finditer(run[0]), None]:
            piece = run[0][at : word.start() if word else len(run[0])]
            yield from _within(piece, run.start() + at)
            parts = list(re.finditer(r"\S+", piece))
            for part in parts if len(parts) > 1 else ():
                yield from _within(part[0], run.start() + at + part.start())
            at = word.end() if word else at


def same(one: Formula, other: Formula) -> bool:
    """Whether both give the same for all values tried, names renamed one to one where they differ."""
    if len(one.names) != len(other.names):
        return False
    alike = set(one.names) == set(other.names)
    if not alike and not (one.renamable and other.renamable):
        return False
    for order in [one.names] if alike else permutations(other.names):
        partner = dict(zip(one.names, order, strict=True))
        if all(_agree(one, other, partner, values) for values in (VALUES, OTHER_VALUES)):
            return True
    return False


def _constant(value: Fraction) -> Formula:
    return Formula((), lambda _: value, False)


def _share(match: re.Match[str]) -> Fraction:
    return Fraction(match[1]) / (100 if match[2] else 1)


def _agree(one: Formula, other: Formula, partner: Mapping[str, str], values: tuple[Fraction, ...]) -> bool:
    given = dict(zip(one.names, values, strict=False))
    try:
        return one.value(given) == other.value({partner[name]: value for name, value in given.items()})
    except (ZeroDivisionError, OverflowError):
        return False


def _within(piece: str, start: int) -> Iterator[Formula]:
    trimmed = piece.strip(" .,")
    if not trimmed or _WORDY.search(trimmed):
        return
    found = formula(trimmed)
    if found is not None:
        at = start + piece.index(trimmed)
        yield found._replace(start=at, end=at + len(trimmed))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    plain = re.sub(r"[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda m: "^" + m[0].translate(_RAISED), text)
    plain = "".join("-" if c in "−–" else "*" if c in "·×" else "/" if c == "÷" else c for c in plain)
    plain = unicodedata.normalize("NFKC", plain).strip()
    at = 0
    while at < len(plain):
        match = _TOKEN.match(plain, at)
        if match is None:
            raise _Unparsable
        kind = match.lastgroup or ""
        word = match[kind]
        if kind == "name" and len(word) <= LETTERS_APART and "_" not in word:
            # ND is N·D; whoever writes tp for one name gets t·p on both sides.
            yield from (("name", letter) for letter in word.casefold())
        else:
            yield kind, word.replace(",", "") if kind == "number" else word.casefold()
        at = match.end()


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0

    def _next(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def sum(self) -> Value:
        left = self.product()
        while self._next()[1] in ("+", "-"):
            how = operator.add if self._next()[1] == "+" else operator.sub
            self.at += 1
            left = _combined(left, self.product(), how)
        return left

    def product(self) -> Value:
        left = self.power()
        while True:
            kind, word = self._next()
            if word in ("*", "/"):
                self.at += 1
                left = _combined(left, self.power(), operator.mul if word == "*" else operator.truediv)
            elif kind in ("name", "number") or word == "(":
                left = _combined(left, self.power(), operator.mul)
            else:
                return left

    def power(self) -> Value:
        base = self.atom()
        if self._next()[1] in ("^", "**"):
            self.at += 1
            return _combined(base, self.atom(), _raised)
        return base

    def atom(self) -> Value:
        kind, word = self._next()
        self.at += 1
        if kind == "number":
            number = Fraction(word)
            return lambda _: number
        if kind == "name":
            return lambda given: given[word]
        if word == "(":
            inside = self.sum()
            if self._next()[1] != ")":
                raise _Unparsable
            self.at += 1
            return inside
        if word == "-":
            value = self.power()
            return lambda given: -value(given)
        raise _Unparsable


def _combined(left: Value, right: Value, how: Callable[[Fraction, Fraction], Fraction]) -> Value:
    return lambda given: how(left(given), right(given))


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1 or abs(exponent) > 1000 or (abs(exponent) > MOST_POWER and abs(base) > 10):
        raise OverflowError
    return base**exponent.numerator
