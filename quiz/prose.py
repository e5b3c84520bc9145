"""The small Markdown of cards: paragraphs, lists, tables, **bold**, `code` and fenced code. All else is literal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quiz.cells import wide

PLAIN, BOLD, CODE, BOLD_CODE = "", "bold", "code", "bold code"


@dataclass(frozen=True, slots=True)
class Span:
    """Text in one style: "", bold, code, or bold code."""

    text: str
    style: str = PLAIN


Spans = tuple[Span, ...]
FULL_WIDTH_MARKS = frozenset("，。、；：！？（）《》「」『』【】")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`tight`: follows the block before it without an empty line. So in all blocks."""

    spans: Spans
    tight: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """`marker` is "-" or a number with its dot; `level` 0, or 1 inside another item."""

    marker: str
    level: int
    spans: Spans


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[Item, ...]
    tight: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Every row has as many cells as the header; `right` says which columns are aligned to the right."""

    header: tuple[Spans, ...]
    rows: tuple[tuple[Spans, ...], ...]
    right: tuple[bool, ...]
    tight: bool = False


@dataclass(frozen=True, slots=True)
class Code:
    lines: tuple[str, ...]
    language: str = ""
    tight: bool = False


Block = Paragraph | Bullets | Table | Code

_FENCE = re.compile(r"\s{0,3}```\s*([\w+#.-]*)\s*$")
_ITEM = re.compile(r"(\s*)(-|\d{1,3}\.)\s+(?=\S)")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_TICKS = re.compile(r"`+")
_OPENS = re.compile(r"\*\*(?=[^\s*])")
_CLOSES = re.compile(r"(?<=[^\s*])\*\*")


def parse(text: str) -> tuple[Block, ...]:
    """The blocks of `text`, in order. Nothing but markup and white space is dropped."""
    lines = text.expandtabs(4).splitlines()
    blocks: list[Block] = []
    at, blank = 0, True
    while at < len(lines):
        if not lines[at].strip():
            at, blank = at + 1, True
            continue
        block, at = _block(lines, at, tight=not blank)
        blocks.append(block)
        blank = False
    return tuple(blocks)


def inline(text: str) -> Spans:
    """`text` on one line as spans."""
    spans: list[Span] = []
    for piece, bold in _bold(_code(text)):
        style = (BOLD_CODE if bold else CODE) if piece.style == CODE else (BOLD if bold else PLAIN)
        if spans and spans[-1].style == style:
            spans[-1] = Span(spans[-1].text + piece.text, style)
        elif piece.text:
            spans.append(Span(piece.text, style))
    return tuple(spans)


def plain(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in spans)


def _block(lines: list[str], at: int, *, tight: bool) -> tuple[Block, int]:
    fence = _FENCE.match(lines[at])
    if fence:
        end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == "```"), len(lines))
        return Code(tuple(lines[at + 1 : end]), fence[1], tight), end + 1
    if _is_table(lines, at):
        return _table(lines, at, tight=tight)
    if _ITEM.match(lines[at]):
        return _bullets(lines, at, tight=tight)
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines, end):
        end += 1
    return Paragraph(inline(_joined(lines[at:end])), tight), end


def _starts_block(lines: list[str], at: int) -> bool:
    return bool(_FENCE.match(lines[at]) or _ITEM.match(lines[at]) or _is_table(lines, at))


def _is_table(lines: list[str], at: int) -> bool:
    if at + 1 >= len(lines) or "|" not in lines[at] or "|" not in lines[at + 1] or not _RULE.match(lines[at + 1]):
        return False
    return len(_row(lines[at])) == len(_row(lines[at + 1]))


def _table(lines: list[str], at: int, *, tight: bool) -> tuple[Table, int]:
    header = _row(lines[at])
    right = tuple(cell.endswith(":") and not cell.startswith(":") for cell in _row(lines[at + 1]))
    end = at + 2
    rows: list[tuple[Spans, ...]] = []
    while end < len(lines) and "|" in lines[end] and not _FENCE.match(lines[end]):
        cells = _row(lines[end])
        # Cells beyond the header's join the last one: a stray bar in a text must not swallow it.
        cells = [*cells[: len(header) - 1], " | ".join(cells[len(header) - 1 :])] if len(cells) > len(header) else cells
        rows.append(tuple(inline(cell) for cell in cells + [""] * (len(header) - len(cells))))
        end += 1
    return Table(tuple(inline(cell) for cell in header), tuple(rows), right, tight), end


def _row(line: str) -> list[str]:
    """The cells of a table's row; a bar inside code or after a backslash is none."""
    cells, cell, at = [], "", 0
    line = line.strip()
    while at < len(line):
        ticks = _TICKS.match(line, at)
        if line.startswith("\\|", at):
            cell, at = cell + "|", at + 2
        elif ticks and (close := _closing(line, ticks)):
            cell, at = cell + line[at : close.end()], close.end()
        elif line[at] == "|":
            cells.append(cell.strip())
            cell, at = "", at + 1
        else:
            cell, at = cell + line[at], at + 1
    cells.append(cell.strip())
    return cells[1 if line.startswith("|") else 0 : -1 if len(cells) > 1 and not cells[-1] else None]


def _bullets(lines: list[str], at: int, *, tight: bool) -> tuple[Bullets, int]:
    base = len(lines[at]) - len(lines[at].lstrip())
    items: list[Item] = []
    while at < len(lines):
        match = _ITEM.match(lines[at])
        if not match:
            break
        end = at + 1
        while end < len(lines) and lines[end].startswith("  ") and lines[end].strip() and not _starts_block(lines, end):
            end += 1
        text = _joined([lines[at][match.end() :], *lines[at + 1 : end]])
        level = 1 if items and len(match[1]) >= base + 2 else 0
        items.append(Item(match[2], level, inline(text)))
        at = end
        gap = at
        while gap < len(lines) and not lines[gap].strip():
            gap += 1
        if gap < len(lines) and gap > at and _ITEM.match(lines[gap]):
            at = gap
    return Bullets(tuple(items), tight), at


def _joined(lines: Sequence[str]) -> str:
    """Lines of one paragraph as one; between two Chinese characters, or beside a full-width mark, there is no space."""
    text = lines[0].strip()
    for line in lines[1:]:
        more = line.strip()
        touching = bool(text and more) and (
            (wide(text[-1]) and wide(more[0])) or text[-1] in FULL_WIDTH_MARKS or more[0] in FULL_WIDTH_MARKS
        )
        text += more if touching else f" {more}"
    return text


def _closing(text: str, ticks: re.Match[str]) -> re.Match[str] | None:
    return next((close for close in _TICKS.finditer(text, ticks.end()) if len(close[0]) == len(ticks[0])), None)


def _code(text: str) -> list[Span]:
    """`text` cut into plain text and code; a backtick without its partner is literal."""
    spans: list[Span] = []
    start = at = 0
    while ticks := _TICKS.search(text, at):
        close = _closing(text, ticks)
        inner = text[ticks.end() : close.start()] if close else ""
        if close and inner.strip():
            spans += [Span(text[start : ticks.start()]), Span(inner.strip(), CODE)]
            start = at = close.end()
        else:
            at = ticks.end()
    return [*spans, Span(text[start:])]


def _bold(spans: list[Span]) -> list[tuple[Span, bool]]:
    """Each piece with whether it is bold. Two stars that neither open nor close (``2**30``) are literal."""
    whole = "".join(span.text if span.style == PLAIN else "\0" * len(span.text) for span in spans)
    shut = 0
    pairs: list[tuple[int, int]] = []
    for opens in _OPENS.finditer(whole):
        if opens.start() < shut or _inside_word(whole, opens.start()):
            continue
        for closes in _CLOSES.finditer(whole, opens.end()):
            if not _inside_word(whole, closes.start()):
                pairs.append((opens.start(), closes.start()))
                shut = closes.end()
                break
        else:
            break
    marks = {place for pair in pairs for place in pair}
    pieces: list[tuple[Span, bool]] = []
    at, bold = 0, False
    for span in spans:
        start = 0
        for offset in range(len(span.text)):
            if span.style == PLAIN and at + offset in marks:
                pieces.append((Span(span.text[start:offset], span.style), bold))
                bold, start = not bold, offset + 2
        pieces.append((Span(span.text[start:], span.style), bold))
        at += len(span.text)
    return [(piece, is_bold) for piece, is_bold in pieces if piece.text]


def _inside_word(text: str, at: int) -> bool:
    """Whether the two stars at `at` stand between ASCII letters, digits or brackets, as a power does."""
    before, after = text[at - 1 : at], text[at + 2 : at + 3]
    return bool(re.match(r"[A-Za-z0-9)\]]", before) and re.match(r"[A-Za-z0-9(\[−-]", after))
