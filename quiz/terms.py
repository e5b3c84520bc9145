"""Whether a text uses a term: `terms` of key points are an AND of ORs over both languages.

Texts and terms are brought to one form first: NFKC and case folding, plurals to singulars, Markdown marks and
possessives dropped, spaces kept only between two Latin words. A Latin term then matches at word boundaries, with or
without its hyphens (micro-batch = micro batch = microbatches), a Chinese one anywhere. A term may be cut to its stem
(``interleav``): the endings -e, -ed, -es and -ing are allowed on a last word of five letters or more.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

Terms = Sequence[Sequence[str]]

_LATIN = "0-9a-zß-öø-ÿα-ωά-ώ"
_TOKEN = re.compile(
    rf"(?P<number>\d{{1,3}}(?:,\d{{3}})+(?!\d))|(?P<word>[{_LATIN}]+)|(?P<space>\s+)|(?P<hyphen>-)|(?P<other>.)",
    re.DOTALL,
)
_POSSESSIVE = re.compile(rf"'s(?![{_LATIN}])")
_LAST_WORD = re.compile(rf"[{_LATIN}]+$")
_IS_LATIN = re.compile(rf"[{_LATIN}]")
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
_ENDINGS = ("ing", "ed", "es", "e")


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text ready for matching, with its hyphens closed up and with them as spaces, and where each character was."""

    original: str
    closed: str
    open: str
    closed_places: tuple[int, ...]
    open_places: tuple[int, ...]


class Glossary:
    """Groups of words that mean the same in every card."""

    def __init__(self, groups: Iterable[Sequence[str]] = ()) -> None:
        self._groups = [tuple(dict.fromkeys(form for word in group for form in _forms(word))) for group in groups]
        self._known: dict[str, tuple[str, ...]] = {}

    def variants(self, term: str) -> tuple[str, ...]:
        """The forms of `term`, and those with one of the glossary's words in it replaced by another."""
        if term not in self._known:
            forms = _forms(term)
            found = dict.fromkeys(forms)
            for form in forms:
                for group in self._groups:
                    for word in group:
                        for start, end in _occurrences(word, form, stems=False):
                            found |= dict.fromkeys(_put(form, start, end, other) for other in group)
            self._known[term] = tuple(found)
        return self._known[term]


NO_GLOSSARY = Glossary()


@lru_cache(maxsize=256)
def prepare(text: str) -> Prepared:
    closed, closed_places = _canonical(text, closed=True)
    opened, open_places = _canonical(text, closed=False)
    return Prepared(text, closed, opened, tuple(closed_places), tuple(open_places))


def find(term: str, text: Prepared, glossary: Glossary = NO_GLOSSARY) -> tuple[int, int] | None:
    """Where in the original text `term` or a synonym stands, as (start, end); None if nowhere."""
    for variant in glossary.variants(term):
        for form, places in ((text.closed, text.closed_places), (text.open, text.open_places)):
            for start, end in _occurrences(variant, form):
                first, last = places[start], places[end - 1] + 1
                while last < len(text.original) and _IS_LATIN.match(text.original[last].casefold()):
                    last += 1
                return first, last
    return None


def find_any(any_of: Sequence[str], text: Prepared, glossary: Glossary = NO_GLOSSARY) -> tuple[int, int] | None:
    """Where the first of these terms that the text uses stands."""
    found = (find(term, text, glossary) for term in any_of)
    return next((place for place in found if place), None)


def unmet(terms: Terms, text: Prepared, glossary: Glossary = NO_GLOSSARY) -> tuple[int, ...]:
    """Which of the ORs, by number, the text does not meet."""
    return tuple(number for number, any_of in enumerate(terms) if find_any(any_of, text, glossary) is None)


def meets(terms: Terms, text: Prepared, glossary: Glossary = NO_GLOSSARY) -> bool:
    """Whether the text uses at least one term of every OR."""
    return not unmet(terms, text, glossary)


@lru_cache(maxsize=8192)
def _forms(term: str) -> tuple[str, ...]:
    both = (_canonical(term, closed=True)[0], _canonical(term, closed=False)[0])
    return tuple(dict.fromkeys(form for form in both if form))


def _put(form: str, start: int, end: int, word: str) -> str:
    """`form` with `word` instead of what stands from start to end; Latin words stay apart."""
    before, after = form[:start], form[end:]
    before += " " if before and _latin(before[-1]) and _latin(word[0]) else ""
    after = (" " if after and _latin(after[0]) and _latin(word[-1]) else "") + after
    before = before.rstrip() if before.endswith(" ") and not _latin(word[0]) else before
    after = after.lstrip() if after.startswith(" ") and not _latin(word[-1]) else after
    return before + word + after


def _occurrences(term: str, text: str, *, stems: bool = True) -> list[tuple[int, int]]:
    found = []
    start = text.find(term)
    while start >= 0:
        end = start + len(term)
        if _bounded(text, start, end, stems=stems):
            found.append((start, end))
        start = text.find(term, start + 1)
    return found


def _bounded(text: str, start: int, end: int, *, stems: bool) -> bool:
    """Whether text[start:end] is made of whole words (its last one may lack an ending) and whole numbers."""
    first, last = text[start], text[end - 1]
    before, after = text[start - 1 : start], text[end : end + 1]
    if first.isdigit() and re.search(r"\d\.$", text[max(0, start - 2) : start]):
        return False
    if last.isdigit() and re.match(r"\.\d", text[end : end + 2]):
        return False
    if _latin(first) and before and _latin(before):
        return False
    if not (_latin(last) and after and _latin(after)):
        return True
    rest = re.match(rf"[{_LATIN}]+", text[end:])
    stem = re.search(r"[a-z]+$", text[start:end])
    if not stems or not rest or not stem or rest[0] not in (*_ENDINGS, "d"):
        return False
    if rest[0] == "d":
        return last == "e"
    return len(stem[0]) >= (6 if rest[0] == "e" else 4 if rest[0] in ("ed", "ing") else 5)


def _latin(character: str) -> bool:
    return bool(_IS_LATIN.match(character))


def _canonical(text: str, *, closed: bool) -> tuple[str, list[int]]:
    """The one form of `text`, and for each of its characters the place in `text` that it comes from."""
    source, places = _folded(text)
    out: list[str] = []
    came: list[int] = []

    def put(words: str, start: int) -> None:
        out.extend(words)
        came.extend(places[start : start + len(words)])

    skip = 0
    for token in _TOKEN.finditer(source):
        kind, start, end = token.lastgroup, token.start(), token.end()
        after_latin = bool(out) and _latin(out[-1])
        before_latin = end < len(source) and _latin(source[end])
        if start < skip:
            continue
        if kind == "space":
            if after_latin and before_latin:
                put(" ", start)
        elif kind == "hyphen":
            if not (after_latin and before_latin and _latin(source[start - 1])) or _is_minus(source, start):
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
                put(part if run_goes_on and number == len(parts) else _singular(part), at)
                at += len(part)
                if number < len(parts):
                    put(" ", at - 1)
            skip = end + 2 if _POSSESSIVE.match(source, end) else skip
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
