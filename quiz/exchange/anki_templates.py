"""Anki's card templates and cloze deletions: from a note's fields to the front and the back of a card, as HTML.

The template language: https://docs.ankiweb.net/templates/intro.html (fields, filters, conditions, cloze).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST_TEMPLATE = 50_000
LONGEST_CARD = 400_000
MOST_CLOZES = 200
DEEPEST_CLOZE = 8

_MARK = re.compile(r"\{\{([^{}]{0,200})\}\}")
_CLOZE = re.compile(r"\{\{c(\d{1,3})::|::|\}\}")
_NUMBERS = re.compile(r"\{\{c(\d{1,3})::")


def render(template: str, fields: Mapping[str, str], *, card: int, back: bool) -> str:
    """One side of the card with the number `card` (from 0). A field that does not exist is empty.

    The front side inside of a back is left out: a card here shows both. Returns "" for what is larger than any card.
    """
    parts: list[str] = []
    # Each open condition: whether what stands in it is shown.
    shown: list[bool] = []
    at = size = 0
    for mark in _MARK.finditer(template[:LONGEST_TEMPLATE]):
        if all(shown[-1:]):
            parts.append(template[at : mark.start()])
        at = mark.end()
        words = mark[1].strip()
        sign, name = (words[:1], words[1:].strip()) if words[:1] in ("#", "^", "/") else ("", words)
        if sign in ("#", "^"):
            value = _value(name, fields)
            filled, size = bool(value.strip()), size + len(value)
            shown.append(all(shown[-1:]) and filled == (sign == "#"))
        elif sign == "/":
            del shown[-1:]
        elif all(shown[-1:]):
            parts.append(_filled(name, fields, card=card, back=back))
            # What is looked through counts as well as what comes out: either may be asked for many times over.
            size += max(len(parts[-1]), len(_value(name, fields)))
        if size > LONGEST_CARD:
            return ""
    if all(shown[-1:]):
        parts.append(template[at:LONGEST_TEMPLATE])
    return "".join(parts)


def cloze_numbers(text: str) -> list[int]:
    """The numbers of the deletions in `text`, each once, ascending."""
    return sorted({int(number) for number in _NUMBERS.findall(text) if int(number) > 0})[:MOST_CLOZES]


def cloze(text: str, number: int, *, back: bool, bold: tuple[str, str] = ("<b>", "</b>")) -> str:
    """`text` with the deletion `number` as […] or its hint, on the back revealed in bold; the others as they read."""
    top = _Deletion(-1)
    stack = [top]
    at = 0
    for mark in _CLOZE.finditer(text):
        stack[-1].add(text[at : mark.start()])
        at = mark.end()
        if mark[1] and len(stack) <= DEEPEST_CLOZE:
            stack.append(_Deletion(int(mark[1])))
        elif mark[0] == "}}" and len(stack) > 1:
            done = stack.pop()
            stack[-1].add(done.shown(number, bold if back else None))
        elif mark[0] == "::" and len(stack) > 1 and not stack[-1].in_hint:
            stack[-1].in_hint = True
        else:
            stack[-1].add(mark[0])
    stack[-1].add(text[at:])
    while len(stack) > 1:
        done = stack.pop()
        stack[-1].add(f"{{{{c{done.number}::" + "".join(done.words))
    return "".join(top.words)


@dataclass(slots=True)
class _Deletion:
    number: int
    words: list[str] = field(default_factory=list)
    hint: list[str] = field(default_factory=list)
    in_hint: bool = False

    def add(self, text: str) -> None:
        (self.hint if self.in_hint else self.words).append(text)

    def shown(self, number: int, bold: tuple[str, str] | None) -> str:
        words = "".join(self.words)
        if self.number != number:
            return words
        return f"{bold[0]}{words}{bold[1]}" if bold else f"[{''.join(self.hint) or '…'}]"


def _value(name: str, fields: Mapping[str, str]) -> str:
    return fields.get(name.rpartition(":")[2].strip(), "")


def _filled(name: str, fields: Mapping[str, str], *, card: int, back: bool) -> str:
    filters = [part.strip() for part in name.split(":")[:-1]]
    value = _value(name, fields)
    if "cloze" in filters:
        return cloze(value, card + 1, back=back) if card + 1 in cloze_numbers(value) else ""
    return "" if "type" in filters and not back else value
