"""Plain text for a terminal or a pipe: cell widths, columns, one JSON document."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from quiz.cells import cells

BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def print_json(document: Any) -> None:
    """One JSON document on standard output and nothing else."""
    import json

    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, default=_plain) + "\n")


def columns(rows: Sequence[Sequence[str]], *, gap: int = 2) -> list[str]:
    """Rows as lines with aligned columns, by terminal cells."""
    if not rows:
        return []
    widths = [max(cells(row[n]) for row in rows) for n in range(len(rows[0]))]
    return [
        "".join(cell + " " * (w - cells(cell) + gap) for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def clip(text: str, width: int) -> str:
    """`text` on one line in at most `width` cells, with … where it was cut."""
    line = " ".join(text.split())
    if cells(line) <= width:
        return line
    kept = ""
    for character in line:
        if cells(kept + character) > width - 1:
            break
        kept += character
    return kept + "…"


def safe(text: str) -> str:
    """`text` without what would steer a terminal: control characters except newline and tab, and bidi controls."""
    return "".join(c for c in text if c in "\n\t" or not (ord(c) < 32 or 127 <= ord(c) < 160 or c in BIDI))


def _plain(value: Any) -> Any:
    from fractions import Fraction

    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    raise TypeError(f"{value!r} is no JSON")
