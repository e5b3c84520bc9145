"""Whether a text uses a term: `terms` of key points are an AND of ORs over both languages.

Texts and terms are brought to one form first (`quiz.canonical`). A Latin term then matches at word boundaries, with or
without its hyphens (micro-batch = micro batch = microbatches), a Chinese one anywhere. A term may be cut to its stem
(``interleav``): the endings -e, -ed, -es and -ing are allowed on a last word of five letters or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from quiz.canonical import IS_LATIN, LATIN, Prepared, canonical, latin, prepare
from quiz.wording import Wording

__all__ = ["Glossary", "Prepared", "Terms", "find", "find_all", "find_any", "meets", "prepare", "spans_of", "unmet"]

Terms = Sequence[Sequence[str]]
_ENDS_IN_E = re.compile(r"[a-z]{4}e$")
# What may stand behind a stem, and how many letters the stem has to have for it.
_ENDINGS = {"ing": 4, "ed": 4, "e": 5, "es": 5, "er": 5, "or": 5, "ion": 5, "tion": 5, "ation": 5, "ive": 5, "able": 5}
_DOUBLED = frozenset({"ing", "ed", "er"})
_HISSING = re.compile(r"([a-z]{3,}(?:s|x|z|ch|sh))e?$")


class Glossary:
    """Groups of words that mean the same in every card."""

    def __init__(self, wording: Wording = Wording()) -> None:
        groups = [_all_forms(group) for group in wording.synonyms]
        opposites = [(_all_forms(one), _all_forms(other)) for one, other in wording.opposites]
        self._synonyms = _Exchange((group, group) for group in groups)
        self._opposites = _Exchange(pair for one, other in opposites for pair in ((one, other), (other, one)))
        self._known: dict[str, tuple[str, ...]] = {}
        every = [*groups, *(side for pair in opposites for side in pair)]
        self.words = frozenset(word for group in every for form in group for word in re.findall(r"[a-z]{4,}", form))
        self.rivals = tuple(tuple(self.variants(name) for name in names) for names in wording.rivals)

    def variants(self, term: str) -> tuple[str, ...]:
        """The forms of `term`, and those with one of the glossary's words in it replaced by another."""
        if term not in self._known:
            forms = _forms(term)
            self._known[term] = tuple(dict.fromkeys([*forms, *self._synonyms.in_place(forms)]))
        return self._known[term]

    def contraries(self, term: str) -> tuple[str, ...]:
        """The forms of `term` with one of its words replaced by its opposite: more for less, 计算受限 for 访存受限."""
        return tuple(dict.fromkeys(self._opposites.in_place(self.variants(term))))


class _Exchange:
    """Words with what may stand in their place, found by their first two characters."""

    def __init__(self, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        self._by_beginning: dict[str, list[tuple[str, Sequence[str]]]] = {}
        for words, instead in pairs:
            for word in words:
                self._by_beginning.setdefault(word[:2], []).append((word, instead))

    def in_place(self, forms: Iterable[str]) -> Iterator[str]:
        """`forms` with one of the words in them replaced by each of those that may stand in its place."""
        for form in forms:
            beginnings = dict.fromkeys(form[at : at + 2] for at in range(len(form)))
            for word, instead in (pair for two in beginnings for pair in self._by_beginning.get(two, ())):
                if word in form:
                    for start, end in _occurrences(word, form, stems=False):
                        yield from (_put(form, start, end, other) for other in instead)


NO_GLOSSARY = Glossary()


def find(term: str, text: Prepared, glossary: Glossary = NO_GLOSSARY) -> tuple[int, int] | None:
    """Where in the original text `term` or a synonym stands, as (start, end); None if nowhere."""
    for variant in glossary.variants(term):
        for form, places in ((text.closed, text.closed_places), (text.open, text.open_places)):
            for at in _occurrences(variant, form):
                return _whole(text, places, at)
    return None


def _whole(text: Prepared, places: Sequence[int], at: tuple[int, int]) -> tuple[int, int]:
    """The place in the original text of what stands `at` in a form of it, to the end of its last word."""
    first, last = places[at[0]], places[at[1] - 1] + 1
    while (
        IS_LATIN.match(text.original[last - 1].casefold())
        and last < len(text.original)
        and IS_LATIN.match(text.original[last].casefold())
    ):
        last += 1
    return first, last


def find_all(term: str, text: Prepared, glossary: Glossary = NO_GLOSSARY) -> list[tuple[int, int]]:
    """Everywhere in the original text where `term` or a synonym stands, as (start, end), in order, none inside another."""
    return spans_of(glossary.variants(term), text)


def spans_of(variants: Iterable[str], text: Prepared) -> list[tuple[int, int]]:
    """Where any of these canonical forms stands in the original text, in order, none inside another."""
    found: set[tuple[int, int]] = set()
    for variant in variants:
        for form, places in ((text.closed, text.closed_places), (text.open, text.open_places)):
            if variant in form:
                found |= {_whole(text, places, at) for at in _occurrences(variant, form)}
    kept: list[tuple[int, int]] = []
    for start, end in sorted(found, key=lambda span: (span[0], -span[1])):
        if not kept or end > kept[-1][1]:
            kept.append((start, end))
    return kept


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


def _all_forms(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for word in words for form in _forms(word)))


@lru_cache(maxsize=8192)
def _forms(term: str) -> tuple[str, ...]:
    both = [canonical(term, closed=True)[0], canonical(term, closed=False)[0]]
    # decode stands for decoding, scale for scaled: the stem takes the endings.
    both += [form[:-1] for form in both if _ENDS_IN_E.search(form)]
    # The plural's s is cut off increase as well: its own stem takes the endings.
    hissing = _HISSING.search(term.casefold())
    if hissing:
        both += [canonical(term[: hissing.start()], closed=True)[0] + _after_word(term, hissing)]
    return tuple(dict.fromkeys(form for form in both if form))


def _after_word(term: str, hissing: re.Match[str]) -> str:
    """The last word of `term` without its e, behind what stands before it."""
    gap = " " if hissing.start() and term[hissing.start() - 1] in " -" else ""
    return gap + hissing[1]


def _put(form: str, start: int, end: int, word: str) -> str:
    """`form` with `word` instead of what stands from start to end; Latin words stay apart."""
    before, after = form[:start], form[end:]
    before += " " if before and latin(before[-1]) and latin(word[0]) else ""
    after = (" " if after and latin(after[0]) and latin(word[-1]) else "") + after
    before = before.rstrip() if before.endswith(" ") and not latin(word[0]) else before
    after = after.lstrip() if after.startswith(" ") and not latin(word[-1]) else after
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
    if latin(first) and before and latin(before):
        return False
    if not (latin(last) and after and latin(after)):
        return True
    rest = re.match(rf"[{LATIN}]+", text[end:])
    stem = re.search(r"[a-z]+$", text[start:end])
    if not stems or not rest or not stem:
        return False
    ending = rest[0]
    if ending == "d":
        return last == "e"
    if ending[0] == last and ending[1:] in _DOUBLED:
        return len(stem[0]) >= 3
    return ending in _ENDINGS and len(stem[0]) >= _ENDINGS[ending]
