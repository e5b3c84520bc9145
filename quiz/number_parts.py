"""The several ways to write one answer that a text may hold: `7/39 = 17.9 %`, `320 KiB (327,680 bytes)`."""

from __future__ import annotations

import re

from quiz.number_digits import Token
from quiz.number_dimensions import hard
from quiz.number_problems import Unreadable
from quiz.number_tokens import tokens


def parts(plain: str) -> list[str]:
    """What `=`, `;`, a comma before a space, or brackets at the end set apart: several ways to write one answer."""
    plain = re.sub(r"(^|[(=;,])[\s~=]*[~=]", r"\1", plain)
    if "~" in plain:
        raise Unreadable.of("range")
    head, inside = _bracketed(plain)
    if inside:
        words = _words_of(inside)
        if any(token.kind == "number" for token in words):
            return [*parts(head), *parts(inside)]
        if not _is_unit(words):
            raise Unreadable.of("word", word=inside)
        return parts(f"{head} {inside}")
    pieces = [piece.strip() for piece in re.split(r"[=;]|,(?!\d)", plain)]
    found = [piece for piece in pieces if piece]
    if len(found) > 1 and "=" in plain and _is_name(found[0]):
        found = found[1:]
    if not found:
        raise Unreadable.of("empty")
    return found


def are_listed(plain: str) -> bool:
    """Whether values stand beside one another (`a, b`, `a or b`) and not as one worked out from the other."""
    return re.search(r";|,(?!\d)", plain) is not None


def _bracketed(plain: str) -> tuple[str, str]:
    """(head, inside) of `320 KiB (327,680 bytes)`; ("", "") where brackets at the end belong to the arithmetic."""
    if not plain.endswith(")"):
        return "", ""
    depth = 0
    for start in range(len(plain) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(plain[start], 0)
        if depth == 0:
            break
    else:
        return "", ""
    head, inside = plain[:start], plain[start + 1 : -1].strip()
    stem = head.rstrip()
    if not stem or not inside or stem[-1] in "+-*/^(=;,~×" or re.search(r"(sqrt|ceil|floor|(?<![A-Za-z])[xX])$", stem):
        return "", ""
    spaced = stem != head
    if stem[-1] in "0123456789)." and not spaced:
        return "", ""
    return stem, inside


def _is_unit(words: list[Token]) -> bool:
    """Whether brackets without a number hold a unit, `(per token)` or `(GB)`, and not a remark, `(H100)`."""
    if words and words[0].kind == "per":
        return True
    return any(sense.kind != "unit" or hard(sense.dims) for word in words for sense in word.senses[:1])


def _words_of(text: str) -> list[Token]:
    try:
        return tokens(text)
    except Unreadable as error:
        if error.kind == "two_numbers":
            return [Token("number", text)]
        raise


def _is_name(part: str) -> bool:
    """Whether what stands before `=` names or derives the answer: `MFU`, `气泡占比`, `(p-1)/(m+p-1)`."""
    try:
        return not any(token.kind == "number" for token in tokens(part))
    except Unreadable as error:
        if error.kind != "word":
            return False
    words = re.findall(r"[A-Za-z]+", part)
    has_digits = re.search(r"\d", part) is not None
    return not has_digits or (bool(words) and all(len(word) == 1 for word in words))
