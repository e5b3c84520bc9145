"""One form for texts that are compared: what is written differently and means the same becomes the same.

NFKC and case folding, plurals to singulars, units behind numbers in one spelling, Markdown marks and possessives dropped,
spaces kept only between two Latin words; hyphens closed up in one form and opened to spaces in the other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

LATIN = "0-9a-zß-öø-ÿα-ωά-ώ"
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d))|(?P<word>[{LATIN}]+)|(?P<space>\s+)|(?P<hyphen>-)|(?P<other>[^{LATIN}\s-]+)",
)
_POSSESSIVE = re.compile(rf"'s(?![{LATIN}])")
_LAST_WORD = re.compile(rf"[{LATIN}]+$")
IS_LATIN = re.compile(rf"[{LATIN}]")
_DROPPED = frozenset("`\u200b\u200c\u200d\u2060\ufeff")
_FOLDED = {
    "‐": "-",
    "‑": "-",
    "–": "-",
    "—": " ",
    "_": "-",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "×": "·",
    "⋅": "·",
    "∙": "·",
}
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_IRREGULAR = {"matrices": "matrix", "indices": "index", "vertices": "vertex", "axes": "axis", "queries": "query"}
# Units in one spelling behind a number: 32 bytes = 32B = 32 字节, 2 times = 2x = 2 倍.
_UNITS = {
    "byte": "b", "percent": "%", "time": "x", "fold": "x", "s": "second", "sec": "second", "ms": "millisecond",
    "us": "microsecond", "μs": "microsecond", "min": "minute", "h": "hour", "hr": "hour",
}  # fmt: skip
_UNITS_ZH = {
    "字节": "b",
    "倍": "x",
    "毫秒": "millisecond",
    "微秒": "microsecond",
    "秒": "second",
    "分钟": "minute",
    "小时": "hour",
    "天": "day",
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text ready for matching, with its hyphens closed up and with them as spaces, and where each character was."""

    original: str
    closed: str
    open: str
    closed_places: tuple[int, ...]
    open_places: tuple[int, ...]


@lru_cache(maxsize=256)
def prepare(text: str) -> Prepared:
    closed, closed_places = canonical(text, closed=True)
    opened, open_places = canonical(text, closed=False)
    return Prepared(text, closed, opened, tuple(closed_places), tuple(open_places))


def canonical(text: str, *, closed: bool) -> tuple[str, list[int]]:
    """The one form of `text`, and for each of its characters the place in `text` that it comes from."""
    source, places = _folded(text)
    out: list[str] = []
    came: list[int] = []
    final, skip = "", 0

    for token in _TOKEN.finditer(source):
        kind, start, end = token.lastgroup, token.start(), token.end()
        if start < skip:
            if end <= skip:
                continue
            start = skip
        piece = source[start:end]
        if kind == "other":
            if final.isdigit() and (unit := _unit(source, start)):
                short = _UNITS_ZH[unit]
                out.append(f" {short}")
                came += [places[start], *[places[start + len(unit) - 1]] * len(short)]
                start += len(unit)
                piece = source[start:end]
            out.append(piece)
            came += places[start:end]
        elif kind == "space":
            if not (final and latin(final) and end < len(source) and latin(source[end])):
                continue
            out.append(" ")
            came.append(places[start])
        elif kind == "hyphen":
            inside = end < len(source) and latin(source[end]) and final and latin(final) and latin(source[start - 1])
            if not inside or _is_minus(source, start):
                out.append("−")
            elif closed:
                continue
            else:
                out.append(" ")
            came.append(places[start])
        elif kind == "number":
            out.append(piece.replace(",", ""))
            came += [places[at] for at in range(start, end) if source[at] != ","]
        else:
            whole = closed and source[end : end + 1] == "-"
            for part, at, form in _word_parts(piece, whole):
                before = "".join(out[-2:])[-2:]
                if before[-1:].isdigit() or (before[-1:] == " " and before[:1].isdigit()):
                    form = _UNITS.get(form, form)
                    if form == "%" and before[-1:] == " ":
                        out[-1] = out[-1][:-1]
                        came.pop()
                if at:
                    out.append(" ")
                    came.append(places[start + at - 1])
                out.append(form)
                begin = start + at
                came += places[begin : begin + min(len(form), len(part))]
                came += [places[begin + len(part) - 1]] * (len(form) - len(part))
            skip = end + 2 if _POSSESSIVE.match(source, end) else skip
        while out and not out[-1]:
            out.pop()
        final = out[-1][-1] if out else ""
    return "".join(out), came


@lru_cache(maxsize=8192)
def _word_parts(word: str, whole: bool) -> tuple[tuple[str, int, str], ...]:
    """(part, its place in the word, its one form); `whole` keeps the last part as it is: a hyphen follows."""
    parts, at = [], 0
    pieces = _split(word)
    for number, piece in enumerate(pieces, start=1):
        parts.append((piece, at, piece if whole and number == len(pieces) else _singular(piece)))
        at += len(piece)
    return tuple(parts)


@lru_cache(maxsize=64)
def _folded(text: str) -> tuple[str, list[int]]:
    """NFKC, case and kinds of dashes and quotes folded, marks of Markdown dropped; and where each character was."""
    folded: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        if character in _DROPPED or (character == "*" and "*" in (text[at - 1 : at], text[at + 1 : at + 2])):
            continue
        plain = _plain(character)
        if character in _RAISED and (at == 0 or text[at - 1] not in _RAISED):
            plain = f"^{plain}"
        folded.append(plain)
        if len(plain) == 1:
            places.append(at)
        else:
            places += [at] * len(plain)
    return "".join(folded), places


@lru_cache(maxsize=8192)
def _plain(character: str) -> str:
    # A minus sign would become a hyphen, and p−1 be taken for one word.
    folded = character if character == "−" else unicodedata.normalize("NFKC", character).casefold()
    return "".join(_FOLDED.get(one, one) for one in folded)


def _unit(source: str, at: int) -> str:
    """The Chinese unit that begins at `at`; "" if none does."""
    return next((unit for unit in _UNITS_ZH if source.startswith(unit, at)), "")


def _split(word: str) -> list[str]:
    """At each step from a digit to a letter: 80gb is 80 gb, fp8 stays, 1f1b is 1 f1 b."""
    return re.split(r"(?<=\d)(?=[^\d])", word)


def _is_minus(source: str, at: int) -> bool:
    """A hyphen before a digit and after a number or a variable of one letter (p-1) is a minus."""
    word = _LAST_WORD.search(source[max(0, at - 12) : at])
    return source[at + 1].isdigit() and word is not None and (word[0].isdigit() or len(word[0]) == 1)


def _singular(word: str) -> str:
    """One form for singular and plural; only meant to be compared with what it gives for other words."""
    word = _IRREGULAR.get(word, word)
    while len(word) >= 3 and word.isascii() and word.isalpha():
        if word.endswith("ies") and len(word) > 4:
            shorter = word[:-3] + "y"
        elif re.search(r"(?:[sxz]|ch|sh)es$", word):
            shorter = word[:-2]
        elif (word.endswith("s") and not word.endswith("ss")) or re.search(r"(?:[sxz]|ch|sh)e$", word):
            shorter = word[:-1]
        else:
            return word
        word = shorter
    return word


def latin(character: str) -> bool:
    return bool(IS_LATIN.match(character))
