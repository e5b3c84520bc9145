"""Chinese numerals: 三百二十, 一点五, 二零四八, 两千, and the 万 and 亿 behind digits."""

from __future__ import annotations

from fractions import Fraction

DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
TENS = {"十": 10, "百": 100, "千": 1000}
MYRIADS = {"万": 10**4, "亿": 10**8}
NUMERAL = frozenset({*DIGITS, *TENS, *MYRIADS, "点", "半"})
MULTIPLIER = frozenset({*TENS, *MYRIADS})


def multiplier(word: str) -> int | None:
    """The factor that 万, 亿, 十亿, 百万, 万亿, … put behind digits; None for anything else."""
    if not word or not set(word) <= MULTIPLIER:
        return None
    factor = 1
    for n, char in enumerate(word):
        size = TENS.get(char) or MYRIADS[char]
        if n and size < MYRIADS["万"]:
            return None
        factor *= size
    return factor if len(word) <= 4 else None


def numeral(word: str) -> Fraction | None:
    """The number that `word` writes in Chinese numerals, None if it writes none or leaves a place unsaid (三千二)."""
    if word in ("半", "一半"):
        return Fraction(1, 2)
    whole, point, part = word.partition("点")
    if point:
        if not whole or not part or not all(c in DIGITS for c in part):
            return None
        before = numeral(whole)
        after = Fraction(sum(DIGITS[c] * 10 ** (len(part) - n - 1) for n, c in enumerate(part)), 10 ** len(part))
        return None if before is None else before + after
    if all(c in DIGITS for c in word) and (len(word) > 2 or (len(word) == 2 and word[1] in "零〇")):
        # Two digits side by side mean "seven or eight", not 78.
        return Fraction(int("".join(str(DIGITS[c]) for c in word)))
    value = _sections(word)
    return None if value is None else Fraction(value)


def _sections(word: str) -> int | None:
    """Numbers above 万: what stands before the largest myriad counts it, what stands behind is added."""
    if not word:
        return None
    for char in ("亿", "万"):
        place = word.rfind(char)
        if place < 0:
            continue
        head, tail = word[:place], word[place + 1 :]
        above = _sections(head) if head else 1
        below = _sections(tail.lstrip("零")) if tail.strip("零") else 0
        if above is None or below is None or (len(tail) == 1 and tail != "零"):
            return None
        return above * MYRIADS[char] + below if below < MYRIADS[char] else None
    return _under_myriad(word)


def _under_myriad(word: str) -> int | None:
    total, digit, last, gap = 0, None, 10_000, False
    for n, char in enumerate(word):
        if char in DIGITS:
            if digit is not None:
                return None
            if char in "零〇" and len(word) > 1:
                gap = True
                continue
            digit = DIGITS[char]
        elif char in TENS:
            size = TENS[char]
            if size >= last or (digit is None and n and not gap):
                return None
            total += (1 if digit is None else digit) * size
            digit, last, gap = None, size, False
        else:
            return None
    if digit is not None and last > 10 and total and not gap:
        return None
    return total + (digit or 0) if digit is not None or total or word in ("零", "〇") else None
