"""How many cells of a terminal a text takes."""

from __future__ import annotations

import unicodedata


def cells(text: str) -> int:
    """The cells that a terminal takes for `text`: two for wide characters, none for combining ones."""
    return sum(cell_width(character) for character in text)


def cell_width(character: str) -> int:
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if wide(character) else 1


def wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
