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
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d))|(?P<word>[{LATIN}]+)|(?P<space>\s+)|(?P<hyphen>-)|(?P<other>.)",
    re.DOTALL,
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
    "byte": "b", "percent": "%", "time": "x", "fold": "x", "second": "s", "sec": "s", "millisecond": "ms",
    "microsecond": "us", "μs": "us", "minute": "min", "hour": "h", "hr": "h",
}  # fmt: skip
_UNITS_ZH = {"字节": "b", "倍": "x", "毫秒": "ms", "微秒": "us", "秒": "s", "分钟": "min", "小时": "h", "天": "day"}


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

    def put(words: str, start: int) -> None:
        out.extend(words)
        last = len(places) - 1
        came.extend(places[min(start + n, last)] for n in range(len(words)))

    skip = 0
    for token in _TOKEN.finditer(source):
        kind, start, end = token.lastgroup, token.start(), token.end()
        after_latin = bool(out) and latin(out[-1])
        before_latin = end < len(source) and latin(source[end])
        if start < skip:
            continue
        if kind == "space":
            if after_latin and before_latin:
                put(" ", start)
        elif kind == "hyphen":
            if not (after_latin and before_latin and latin(source[start - 1])) or _is_minus(source, start):
                put("−", start)
            elif not closed:
                put(" ", start)
        elif kind == "number":
            for at in range(start, end):
                put(source[at].replace(",", ""), at)
        elif kind == "word":
            parts = _split(token[0])
            run_goes_on = closed and source[end : end + 1] == "-"
            at = start
            for number, part in enumerate(parts, start=1):
                plain = part if run_goes_on and number == len(parts) else _singular(part)
                if out and (out[-1].isdigit() or (out[-1] == " " and out[-2].isdigit())):
                    plain = _UNITS.get(plain, plain)
                    if plain == "%" and out[-1] == " ":
                        out.pop()
                        came.pop()
                put(plain, at)
                at += len(part)
                if number < len(parts):
                    put(" ", at - 1)
            skip = end + 2 if _POSSESSIVE.match(source, end) else skip
        elif out and out[-1].isdigit() and (unit := _unit(source, start)):
            put(" ", start)
            for letter in _UNITS_ZH[unit]:
                put(letter, start + len(unit) - 1)
            skip = start + len(unit)
        else:
            put(token[0], start)
    return "".join(out), came


def _folded(text: str) -> tuple[str, list[int]]:
    """NFKC, case and kinds of dashes and quotes folded, marks of Markdown dropped; and where each character was."""
    folded: list[str] = []
    places: list[int] = []
    for at, character in enumerate(text):
        if character in _DROPPED or (character == "*" and "*" in (text[at - 1 : at], text[at + 1 : at + 2])):
            continue
        # A minus sign would become a hyphen, and p−1 be taken for one word.
        plain = character if character == "−" else unicodedata.normalize("NFKC", character).casefold()
        if character in _RAISED and (at == 0 or text[at - 1] not in _RAISED):
            plain = f"^{plain}"
        for one in plain:
            folded.append(_FOLDED.get(one, one))
            places.append(at)
    return "".join(folded), places


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
