"""Typing errors in the technical words of an answer, put right before anything is looked for in it."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

FEWEST_LETTERS = 5
MANY_LETTERS = 8
SHORTEST_STEM = 4
_ENDINGS = ("s", "es", "d", "ed", "ing", "er", "ers", "ly", "ion", "able", "")

_WORD = re.compile(r"[A-Za-z]{4,}")


class Respelled(NamedTuple):
    """A text with its typing errors put right, and for each of its characters the place in what was typed."""

    text: str
    places: tuple[int, ...]

    def typed(self, span: tuple[int, int]) -> tuple[int, int]:
        """Where the words at `span` of the respelled text stand in what was typed."""
        start, end = span
        return self.places[start], self.places[end - 1] + 1 if end > start else self.places[start]


def respell(text: str, words: Collection[str]) -> Respelled:
    """`text` with unknown Latin words of five letters or more replaced by the nearest of `words` (in lower case).

    Near is one slip of the keys (a letter too many, missing, wrong, or two swapped), two in words of eight letters or
    more, behind the same first letter: read for head is no typing error.
    """
    out: list[str] = []
    places: list[int] = []
    at = 0
    for word in _WORD.finditer(text):
        typed = word[0].casefold()
        right = None if _is_word(typed, words) else _nearest(typed, words)
        if right is None:
            continue
        out.append(text[at : word.start()])
        places.extend(range(at, word.start()))
        out.append(right)
        length = word.end() - word.start()
        places.extend(word.start() + min(n, length - 1) for n in range(len(right) - 1))
        places.append(word.end() - 1)
        at = word.end()
    out.append(text[at:])
    places.extend(range(at, len(text)))
    return Respelled("".join(out), tuple(places))


def _is_word(typed: str, words: Collection[str]) -> bool:
    """Whether it is one of `words`, or one with another ending: sharded beside shard, reduces beside reducing."""
    if typed in words:
        return True
    stems = {typed.removesuffix(ending) for ending in _ENDINGS if len(typed) - len(ending) >= SHORTEST_STEM}
    return any(stem in words or f"{stem}e" in words or f"{stem}ing" in words or f"{stem}ed" in words for stem in stems)


def _nearest(word: str, words: Collection[str]) -> str | None:
    from rapidfuzz.distance import OSA

    best, least = None, 3
    for other in _beginning(word[0], frozenset(words)):
        if len(other) < FEWEST_LETTERS or abs(len(other) - len(word)) > 2:
            continue
        allowed = 2 if min(len(word), len(other)) >= MANY_LETTERS else 1
        if _other_ending(word, other):
            continue
        distance = OSA.distance(word, other, score_cutoff=allowed)
        if distance <= allowed and distance < least:
            best, least = other, distance
    return best


def _other_ending(word: str, other: str) -> bool:
    """Whether the two differ in their ending or, short words, in one letter for another: loaded, loader; falls, fills."""
    if len(word) == len(other) and len(word) < 2 * FEWEST_LETTERS - 3:
        differing = [n for n in range(len(word)) if word[n] != other[n]]
        if len(differing) == 1:
            return True
    alike = 0
    while alike < min(len(word), len(other)) and word[alike] == other[alike]:
        alike += 1
    return max(len(word), len(other)) - alike <= 3 and word[-1] != other[-1]


@lru_cache(maxsize=512)
def _beginning(letter: str, words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(word for word in words if word.startswith(letter)))
