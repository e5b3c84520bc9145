"""Where a typed or dictated answer falls into sentences and clauses, in Chinese and English."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|resp|eq|fig|sec|no)|\b[A-Za-z]\.[A-Za-z])$", re.IGNORECASE
)
_STRONG = re.compile(
    r"[。！？!?；;\n]+|(?<!\d)\.(?=\s|$)|(?<=\d)\.(?=\s+[A-Z\u4e00-\u9fff]|\s*$)|\.(?=[\u4e00-\u9fff])"
)
_WEAK = re.compile(
    r"""
    [，、—…]
    | ,(?!\d{3}(?!\d))
    | [:：](?!\d)
    | (?:(?<=[\s\u3000-\u9fff])|^)[(（] | (?<=\s)[-–](?=\s)
    | [)）](?=[\s，。、；：！？,.;:!?\u4e00-\u9fff]|$)
    """,
    re.VERBOSE,
)
# What comes after one of these says something else, often the contrary.
_CONTRAST = re.compile(
    r"\b(?:but|while|whereas|however|although|though|yet|unlike|because|since|so|instead|rather than)\b"
    r"|而(?!且)|但是?|不过|却|然而|因为|所以|因此",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Starts of the clauses in a text, and for each clause the number of its sentence."""

    starts: tuple[int, ...]
    sentences: tuple[int, ...]
    end: int

    def at(self, place: int) -> int:
        """The number of the clause that holds the character at `place`."""
        return max(0, bisect_right(self.starts, place) - 1)

    def span(self, clause: int) -> tuple[int, int]:
        return self.starts[clause], self.starts[clause + 1] if clause + 1 < len(self.starts) else self.end


def clauses(text: str) -> Clauses:
    """The clauses of `text`. Commas, colons and full stops inside numbers part nothing."""
    cuts: dict[int, bool] = {}
    for mark in _STRONG.finditer(text):
        if text[mark.start()] != "." or not _ABBREVIATION.search(text[max(0, mark.start() - 8) : mark.start()]):
            cuts[mark.end()] = True
    for mark in _WEAK.finditer(text):
        cuts.setdefault(mark.end(), False)
    for word in _CONTRAST.finditer(text):
        cuts.setdefault(word.start(), False)
    starts, sentences, sentence = [0], [0], 0
    for cut in sorted(cuts):
        sentence += cuts[cut]
        if cut >= len(text):
            continue
        if text[starts[-1] : cut].strip():
            starts.append(cut)
            sentences.append(sentence)
        else:
            sentences[-1] = sentence
    return Clauses(tuple(starts), tuple(sentences), len(text))
