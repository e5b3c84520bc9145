"""The words of a typed number: numbers, units, signs. Positions do not matter, spaces sometimes do.

Words are looked up in `quiz.units`; Chinese ones have no spaces between them, so the longest known one is taken at
each place.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from quiz import number_words
from quiz.number_digits import Literal, Token, number_at, spoken
from quiz.number_dimensions import hard
from quiz.number_problems import Unreadable
from quiz.number_vocabulary import CHIPS
from quiz.units import Sense, senses

MOST = 60

FUNCTIONS = ("sqrt", "ceil", "floor")
_BOUNDS = frozenset({
    "at", "least", "most", "more", "less", "fewer", "greater", "larger", "smaller", "over", "under", "above", "below",
    "exceed", "exceeds", "beyond", "within", "minimum", "maximum", "max", "upper", "lower", "than", "not", "no", "up",
})  # fmt: skip
_RANGES = frozenset({
    "to", "from", "between", "through", "till", "until", "and", "several", "few", "many", "some", "dozens",
    "hundreds", "thousands",
})  # fmt: skip
_BOUNDS_ZH = (
    "不到", "不足", "至少", "至多", "最多", "最少", "超过", "超出", "大于", "小于", "高于", "低于", "多于", "少于", "不超",
    "以上", "以下", "以内", "之内", "以外", "上限", "下限", "不止", "起码", "顶多", "不大于", "不小于", "不高于", "不低于", "不少于",
)  # fmt: skip
_RANGES_ZH = ("到", "至", "多", "余", "几", "若干", "之间", "介于", "数百", "数千", "数十", "数万", "来")
_FILLERS_ZH = "个张块台条次份根种组片支颗枚的"
_SIGNS = {"+": "+", "-": "-", "*": "*", "/": "/", "^": "^", "(": "(", ")": ")"}


def tokens(text: str) -> list[Token]:
    """The tokens of `text` (undressed). Unreadable for an unknown word, a bound, a range, a stray comma, too many."""
    out: list[Token] = []
    place = 0
    while place < len(text):
        char = text[place]
        if char == " ":
            place += 1
            continue
        space = place > 0 and text[place - 1] == " "
        if char.isascii() and (char.isdigit() or (char == "." and text[place + 1 : place + 2].isdigit())):
            if out and out[-1].kind == "number" and not _size(out[-1]):
                raise Unreadable.of("two_numbers")
            token, place = number_at(text, place, space)
            out.append(token)
        elif char in _SIGNS:
            place = _sign(text, place, space, out)
        elif (char.isascii() and char.isalpha()) or char in "$%μ¥¢‰":
            place = _latin(text, place, space, out)
        elif number_words.NUMERAL & {char} or "㐀" <= char <= "鿿":
            place = _chinese(text, place, space, out)
        else:
            raise _stray(text, place)
        if len(out) > MOST:
            raise Unreadable.of("too_long")
    return _joined(out)


def _sign(text: str, place: int, space: bool, out: list[Token]) -> int:
    char = text[place]
    if char == "*" and text[place : place + 2] == "**":
        out.append(Token("^", "**", space))
        return place + 2
    if char == "-" and _is_hyphen(text, place, out):
        if out[-1].kind == "word":
            out.append(Token("*", "-", space))
        return place + 1
    if char == "+" and not text[place + 1 :].strip(" )"):
        raise Unreadable.of("inequality")
    out.append(Token(_SIGNS[char], char, space))
    return place + 1


def _is_hyphen(text: str, place: int, out: list[Token]) -> bool:
    """`GPU-days`, `8-bit`, `per-token`: a dash with no space around it and a letter behind."""
    if not out or out[-1].kind not in ("number", "word", "per") or text[place - 1] == " ":
        return False
    following = text[place + 1 : place + 2]
    return following.isalpha() and following not in number_words.NUMERAL and not text.startswith(FUNCTIONS, place + 1)


def _latin(text: str, place: int, space: bool, out: list[Token]) -> int:
    if text[place] in "$%¥¢‰":
        word = text[place]
        out.append(Token("word", word, space, senses=senses(word)))
        return place + 1
    match = _run().match(text, place)
    word = match[0] if match else text[place]
    named = _chip().match(text, place)
    if named and (named[0].lower() in CHIPS or named[0].lower().rstrip("s") in CHIPS or senses(named[0])):
        word = named[0]
    end = place + len(word)
    low = word.lower()
    after_value = bool(out) and out[-1].kind in ("number", "word", ")")
    if low in FUNCTIONS and not after_value:
        out.append(Token("function", low, space))
    elif low == "per" or (low in ("a", "an") and after_value):
        out.append(Token("per", low, space))
    elif low == "and" and after_value:
        out.append(Token("and", low, space))
    elif low == "of":
        _of(out, space)
    elif senses(word):
        out.append(Token("word", word, space, senses=senses(word)))
    elif low[0] == "x" and after_value and senses(word[1:]):
        out.append(Token("*", "x", space))
        out.append(Token("word", word[1:], senses=senses(word[1:])))
    elif low in _BOUNDS:
        raise Unreadable.of("inequality")
    elif low in _RANGES:
        raise Unreadable.of("range")
    else:
        raise Unreadable.of("word", word=word)
    return end


@lru_cache(maxsize=1)
def _run() -> re.Pattern[str]:
    return re.compile(r"[A-Za-zμ]+")


@lru_cache(maxsize=1)
def _chip() -> re.Pattern[str]:
    """Words with digits or a hyphen inside: `H100`, `MI300X`, `micro-batches`."""
    return re.compile(r"[A-Za-z]+\d+[A-Za-z]*|micro[-_][A-Za-z]+", re.IGNORECASE)


def _of(out: list[Token], space: bool) -> None:
    """`12.5% of 80 GB`, `1/8 of 80 GB`; "3 of 8" is no product."""
    share = bool(out) and (out[-1].text == "%" or (len(out) > 2 and out[-2].kind == "/") or out[-1].kind == ")")
    if not share:
        raise Unreadable.of("word", word="of")
    out.append(Token("*", "of", space))


def _chinese(text: str, place: int, space: bool, out: list[Token]) -> int:
    rest = text[place:]
    if rest[0] == "每":
        if out and out[-1].kind == "/":
            out.pop()
        out.append(Token("per", "每", space))
        return place + 1
    if any(rest.startswith(word) for word in _BOUNDS_ZH):
        raise Unreadable.of("inequality")
    if any(rest.startswith(word) for word in _RANGES_ZH):
        raise Unreadable.of("range")
    after_number, after_bracket = bool(out) and out[-1].kind == "number", bool(out) and out[-1].kind == ")"
    scale = _longest(rest, number_words.MULTIPLIER)
    unit = next((n for n in range(min(6, len(rest)), 0, -1) if senses(rest[:n])), 0)
    if (after_number or after_bracket) and scale >= unit and scale:
        factor = number_words.multiplier(rest[:scale])
        if factor is None:
            raise Unreadable.of("numeral", near=rest[:scale])
        if after_bracket or (space and len(out) > 1 and out[-2].kind == "/"):
            # In `(3+4) 亿` the whole sum and in `3/4 亿` the whole fraction is counted in 亿.
            out.append(Token("word", rest[:scale], space, senses=(Sense(Fraction(factor), kind="scale"),)))
        else:
            out[-1] = _scaled(out[-1], factor, rest[:scale])
        return place + scale
    run = _longest(rest, number_words.NUMERAL)
    if run and run >= unit:
        value = number_words.numeral(rest[:run])
        if value is None or after_number:
            raise Unreadable.of("numeral", near=rest[:run])
        out.append(Token("number", rest[:run], space, value, spoken(value)))
        return place + run
    if unit:
        out.append(Token("word", rest[:unit], space, senses=senses(rest[:unit])))
        return place + unit
    if rest[0] in _FILLERS_ZH:
        if rest[0] == "的" and out and _share().match(rest[1:]):
            out.append(Token("*", "的", space))
        return place + 1
    raise Unreadable.of("word", word=_word_at(rest))


@lru_cache(maxsize=1)
def _share() -> re.Pattern[str]:
    return re.compile(r"\s*(?:[\d.]+\s*[%/]|[零一二两三四五六七八九十百点]+%|\([\d零一二三四五六七八九十百]+/|一半)")


def _longest(text: str, allowed: frozenset[str]) -> int:
    return next((n for n, char in enumerate(text) if char not in allowed), len(text))


def _scaled(number: Token, factor: int, word: str) -> Token:
    literal = number.literal
    value = number.value * factor
    return Token(
        "number",
        number.text + word,
        number.space,
        value,
        Literal(value, literal.least, literal.most, plain=False) if literal else None,
    )


def _joined(found: list[Token]) -> list[Token]:
    """`x` and `times` between two values are signs; 1亿2000万 is one number; the B of `70B params` is no byte."""
    out: list[Token] = []
    for token, following in zip(found, [*found[1:], None], strict=False):
        if token.kind == "number" and out and out[-1].kind == "number":
            token = _compound(out.pop(), token)
        elif token.text in ("x", "X", "times") and out and following and following.kind in ("number", "(", "function"):
            token = Token("*", token.text, token.space)
        elif len(token.senses) > 1 and following and following.senses and _counts(following):
            scales = tuple(sense for sense in token.senses if sense.kind == "scale")
            token = token._replace(senses=scales or token.senses)
        out.append(token)
    return out


def _compound(first: Token, second: Token) -> Token:
    if not (_size(first) > _size(second) > 0 and second.value < _size(first)):
        raise Unreadable.of("two_numbers")
    return Token("number", first.text + second.text, first.space, first.value + second.value)


def _counts(word: Token) -> bool:
    """Whether the word names what is counted: tokens, parameters, GPUs."""
    dims = word.senses[0].dims
    return len(dims) == 1 and not hard(dims)


def _size(number: Token) -> int:
    """The 万 or 亿 that a number ends in, 0 without one."""
    tail = number.text[len(number.text.rstrip("".join(number_words.MULTIPLIER))) :]
    return (number_words.multiplier(tail) or 0) if tail else 0


def _stray(text: str, place: int) -> Unreadable:
    char = text[place]
    if char in "<>≤≥≦≧⩽⩾≪≫≠":
        return Unreadable.of("inequality")
    if char in "±~":
        return Unreadable.of("range")
    if char == ":":
        return Unreadable.of("clock")
    if char == ",":
        return Unreadable.of("comma")
    if char == "." and text[place : place + 2] == "..":
        return Unreadable.of("range")
    return Unreadable.of("word", word=_word_at(text[place:]))


def _word_at(text: str) -> str:
    first = text.split()[0] if text.split() else text
    return first[:12]
