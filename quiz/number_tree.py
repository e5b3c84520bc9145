"""The grammar of a typed number: tokens to a tree.

    sum       = [sign] product {("+" | "−") product}
    product   = quantity {("*" | "/" | nothing before a bracket) quantity}
    quantity  = {per unit} [currency] power {unit} {("/" | per) unit} {time: number unit}
    power     = primary ["^" exponent]
    primary   = number | "(" sum ")" | function "(" sum ")"

A unit binds to its number before any other sign, so that `989 TFLOP/s / 3.35 TB/s` is one division.
"""

from __future__ import annotations

from fractions import Fraction

from quiz.number_digits import Token
from quiz.number_dimensions import hard
from quiz.number_nodes import Clock, Group, Node, Number, Power, Product, Quantity, Suffix, Sum
from quiz.number_problems import Unreadable

DEEPEST = 20
LARGEST_UNIT_POWER = 6


def parse(found: list[Token]) -> Node:
    """The tree of `found`. Unreadable where it is no number: nothing there, two signs, two numbers, a tower of powers."""
    parser = _Parser(found)
    if not found:
        raise Unreadable.of("empty")
    if found[0].text in ("*", "x", "X") and len(found) > 1 and found[1].kind == "number":
        parser.place = 1
    node = parser.sum(0)
    rest = parser.peek
    if rest is not None:
        if rest.kind == "and":
            raise Unreadable.of("range")
        raise Unreadable.of("two_numbers") if rest.kind == "number" else Unreadable.of("syntax", near=rest.text)
    return _opened(node)


def _opened(node: Node) -> Node:
    """`node` with a sum in brackets that is all of it, but for a unit, marked as the outermost: (5-6) GB is a range."""
    match node:
        case Group(Sum(terms), ""):
            return Group(Sum(terms))
        case Group(inside, ""):
            return Group(_opened(inside))
        case Quantity(Group() as number):
            return node._replace(number=_opened(number))
        case _:
            return node


def _is_time(word: Token) -> bool:
    return word.senses[0].dims == (("s", 1),)


def _repeats(last: Suffix, word: Token) -> bool:
    """`5 GB MB`, `5 % %`: the same kind of unit twice in a row."""
    before, now = last.word.senses[0], word.senses[0]
    return last.power > 0 and before.kind == now.kind != "scale" and before.dims == now.dims


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.in_exponent = False

    @property
    def peek(self) -> Token | None:
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def kind(self, ahead: int = 0) -> str:
        place = self.place + ahead
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def take(self) -> Token:
        self.place += 1
        return self.tokens[self.place - 1]

    def sum(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise Unreadable.of("too_deep")
        terms = [(self.sign(), self.product(depth), False)]
        while self.kind() in ("+", "-"):
            sign = self.take()
            if self.kind() in ("+", "-"):
                raise Unreadable.of("two_signs")
            if sign.kind == "+" and self.kind() in ("word", ""):
                raise Unreadable.of("inequality")
            following = self.peek
            terms.append((sign.kind, self.product(depth), bool(following and following.space)))
        if len(terms) == 1 and terms[0][0] == "+":
            return terms[0][1]
        return Sum(tuple(terms), inner=depth > 0)

    def sign(self) -> str:
        """An optional sign; two in a row are unreadable."""
        sign = self.take().kind if self.kind() in ("+", "-") else "+"
        if self.place and self.tokens[self.place - 1].kind in ("+", "-") and self.kind() in ("+", "-"):
            raise Unreadable.of("two_signs")
        return sign

    def product(self, depth: int) -> Node:
        factors = [("*", self.quantity(depth))]
        while True:
            if self.kind() in ("*", "/"):
                operator = self.take().kind
                negative = self.sign() == "-"
                node = self.quantity(depth)
                factors.append((operator, Group(Sum((("-", node, False),), inner=True)) if negative else node))
            elif self.kind() in ("(", "function"):
                factors.append(("*", self.quantity(depth)))
            else:
                break
        return factors[0][1] if len(factors) == 1 else Product(tuple(factors))

    def quantity(self, depth: int) -> Node:
        suffixes: list[Suffix] = []
        per = Fraction(1)
        while self.kind() == "per":
            per *= self.below(suffixes)
        if self._is_currency() and self.kind(1) == "number":
            suffixes.append(Suffix(self.take(), 1))
        node = self.power(depth)
        is_number = isinstance(node, Number)
        while True:
            kind = self.kind()
            if kind == "word":
                word = self.take()
                if suffixes and _repeats(suffixes[-1], word):
                    raise Unreadable.of("syntax", near=word.text)
                suffixes.append(Suffix(word, self.unit_power(), is_number and not suffixes and not word.space))
                if len(suffixes) == 1 and isinstance(node, Number) and self._starts_clock(word):
                    return self.clock(node.token, word)
            elif kind == "*" and self.kind(1) == "word" and not self._is_currency(1):
                self.take()
                suffixes.append(Suffix(self.take(), self.unit_power()))
            elif kind == "per" or (kind == "/" and (self.kind(1) == "word" or self._is_unit_group(1))):
                per *= self.below(suffixes)
            else:
                break
        return Quantity(node, tuple(suffixes), per) if suffixes or per != 1 else node

    def below(self, suffixes: list[Suffix]) -> Fraction:
        """What stands below the line: `/s`, `per GPU hour`, `per 1000 tokens`, `/(s·GPU)`; the number in it."""
        self.take()
        if self._is_unit_group(0):
            self.take()
            while self.kind() != ")":
                inside = self.take()
                if inside.kind == "word":
                    suffixes.append(Suffix(inside, -self.unit_power()))
            self.take()
            return Fraction(1)
        count = Fraction(1)
        if self.kind() == "number" and self.kind(1) == "word":
            count = self.take().value
            if not count:
                raise Unreadable.of("zero")
        if self.kind() != "word":
            raise Unreadable.of("syntax", near=self.tokens[self.place].text if self.peek else "/")
        while self.kind() == "word":
            word = self.take()
            suffixes.append(Suffix(word, -self.unit_power()))
            joined = self.peek
            if _is_time(word):
                # Below the line a time ends the unit: PFLOP/s-day counts days, $/GPU-hour divides by both.
                break
            if joined is not None and joined.kind == "*" and joined.text == "-" and self.kind(1) == "word":
                self.take()
        return count

    def unit_power(self) -> int:
        """The exponent behind a unit: `s^-1`, `s⁻¹`; 1 without one."""
        if self.kind() != "^":
            return 1
        self.take()
        bracket = self.kind() == "("
        if bracket:
            self.take()
        negative = self.sign() == "-"
        if self.kind() != "number":
            raise Unreadable.of("syntax", near="^")
        value = self.take().value
        if bracket:
            if self.kind() != ")":
                raise Unreadable.of("syntax", near="^")
            self.take()
        if value.denominator != 1 or not 0 < value <= LARGEST_UNIT_POWER:
            raise Unreadable.of("unit_power")
        return -int(value) if negative else int(value)

    def clock(self, number: Token, unit: Token) -> Node:
        times = [(number, unit)]
        while self._starts_clock(times[-1][1]):
            if self.kind() == "and":
                self.take()
            times.append((self.take(), self.take()))
        return Clock(tuple(times))

    def power(self, depth: int) -> Node:
        base = self.primary(depth)
        if self.kind() != "^":
            return base
        if self.in_exponent:
            raise Unreadable.of("tower")
        self.take()
        self.in_exponent = True
        negative = self.sign() == "-"
        exponent = self.primary(depth)
        if self.kind() == "^":
            raise Unreadable.of("tower")
        self.in_exponent = False
        return Power(base, Sum((("-", exponent, False),), inner=True) if negative else exponent)

    def primary(self, depth: int) -> Node:
        token = self.peek
        if token is None:
            raise Unreadable.of("unfinished")
        if token.kind == "number":
            return Number(self.take())
        if token.kind == "function":
            self.take()
            if self.kind() == "number" and token.text == "sqrt":
                return Group(Number(self.take()), "sqrt")
            if self.kind() != "(":
                raise Unreadable.of("syntax", near=token.text)
            return self.group(depth, token.text)
        if token.kind == "(":
            return self.group(depth, "")
        if token.kind in ("+", "-"):
            raise Unreadable.of("two_signs")
        if token.kind == "word":
            raise Unreadable.of("no_number", near=token.text)
        raise Unreadable.of("syntax", near=token.text)

    def group(self, depth: int, function: str) -> Node:
        self.take()
        inside = self.sum(depth + 1)
        if self.kind() != ")":
            raise Unreadable.of("bracket")
        self.take()
        return Group(inside, function)

    def _is_currency(self, ahead: int = 0) -> bool:
        place = self.place + ahead
        if place >= len(self.tokens) or not self.tokens[place].senses:
            return False
        return self.tokens[place].senses[0].dims in ((("USD", 1),), (("CNY", 1),))

    def _is_unit_group(self, ahead: int) -> bool:
        if self.kind(ahead) != "(" or self.kind(ahead + 1) != "word":
            return False
        for token in self.tokens[self.place + ahead + 1 :]:
            if token.kind == ")":
                return True
            if token.kind not in ("word", "*", "^"):
                return False
        return False

    def _starts_clock(self, longer: Token) -> bool:
        """Whether a number with a shorter unit of time comes next, as the 30 min of 1 h 30 min."""
        skip = 1 if self.kind() == "and" else 0
        if self.kind(skip) != "number" or self.kind(skip + 1) != "word":
            return False
        shorter = self.tokens[self.place + skip + 1]
        long, short = longer.senses[0], shorter.senses[0]
        return hard(long.dims) == long.dims == short.dims == (("s", 1),) and short.factor < long.factor
