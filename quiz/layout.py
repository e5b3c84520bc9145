"""Laying blocks out in terminal cells: lines of styled spans, none wider than asked for, nothing lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from quiz.cells import cell_width, cells, wide
from quiz.prose import BOLD, CODE, Block, Bullets, Code, Paragraph, Span, Table, plain

Line = tuple[Span, ...]

NO_START = frozenset("，。、；：！？）》」』】〕〉”’…％—～·,.;:!?)]}%‰℃°") | frozenset("）］｝：；，．！？")
NO_END = frozenset("（《「『【〔〈“‘([{") | frozenset("（［｛")
BULLETS = ("•", "–")
GAP = 2
NARROWEST = 4


@dataclass(frozen=True, slots=True)
class Cluster:
    """A character with the marks that combine with it: what a terminal draws as one."""

    text: str
    width: int
    style: str


def lay(blocks: Sequence[Block], width: int) -> list[Line]:
    """`blocks` in lines of at most `width` cells (4 at least), an empty line between blocks that are not tight."""
    width = max(width, NARROWEST)
    lines: list[Line] = []
    for block in blocks:
        if lines and not block.tight:
            lines.append(())
        lines += _block(block, width)
    return lines


def wrap(spans: Sequence[Span], width: int, *, first: str = "", rest: str = "") -> list[Line]:
    """`spans` broken into lines; `first` stands before the first line and `rest` before the others.

    A line breaks at spaces, between Chinese characters, and between Chinese and Latin ones. No line starts with a
    closing mark or ends with an opening one, and a word is cut only where it is longer than a line.
    """
    width = max(width, NARROWEST)
    if max(cells(first), cells(rest)) > width - NARROWEST:
        first = rest = ""
    lines: list[Line] = []
    line: list[Cluster] = []
    used = 0
    prefix = first

    def end() -> None:
        nonlocal line, used, prefix
        while line and line[-1].text == " ":
            line.pop()
        lines.append(_spans([Cluster(prefix, cells(prefix), ""), *line] if prefix else line))
        line, used, prefix = [], 0, rest

    for piece in _pieces(_clusters(spans)):
        if not line:
            piece = _without_leading_spaces(piece)
        visible = sum(cluster.width for cluster in piece[: len(piece) - len(_trailing_spaces(piece))])
        room = width - cells(prefix)
        if line and used + visible > room:
            end()
            piece = _without_leading_spaces(piece)
            room = width - cells(prefix)
        if not line and visible > room:
            *cut, piece = _cut(piece, room, width - cells(rest))
            for part in cut:
                line = part
                end()
        line += piece
        used += sum(cluster.width for cluster in piece)
    if line or not lines:
        end()
    return lines


def text_of(line: Line) -> str:
    return plain(line)


def _block(block: Block, width: int) -> list[Line]:
    if isinstance(block, Paragraph):
        return wrap(block.spans, width)
    if isinstance(block, Bullets):
        return _bullets(block, width)
    if isinstance(block, Table):
        return _columns(block, width) or _records(block, width)
    return _code(block, width)


def _bullets(block: Bullets, width: int) -> list[Line]:
    lines: list[Line] = []
    for item in block.items:
        marker = BULLETS[item.level] if item.marker == "-" else item.marker
        first = f"{'  ' * item.level}{marker} "
        lines += wrap(item.spans, width, first=first, rest=" " * cells(first))
    return lines


def _code(block: Code, width: int) -> list[Line]:
    """Each line as it is, folded at the edge."""
    lines: list[Line] = []
    for text in block.lines:
        part: list[Cluster] = []
        for cluster in _clusters([Span(text.rstrip(), CODE)]):
            if sum(c.width for c in part) + cluster.width > width:
                lines.append(_spans(part))
                part = []
            part.append(cluster)
        lines.append(_spans(part))
    return lines


def _columns(table: Table, width: int) -> list[Line]:
    """The table in columns; no lines if it is too wide for that."""
    rows = [table.header, *table.rows]
    widths = [max(cells(plain(row[n])) for row in rows) for n in range(len(table.header))]
    if sum(widths) + GAP * (len(widths) - 1) > width:
        return []
    lines: list[Line] = []
    for number, row in enumerate(rows):
        line: list[Span] = []
        for n, cell in enumerate(row):
            pad = " " * (widths[n] - cells(plain(cell)))
            cell = tuple(replace(s, style=s.style or BOLD) for s in cell) if number == 0 else cell
            line += [Span(pad), *cell] if table.right[n] else [*cell, Span(pad)]
            line.append(Span(" " * GAP))
        lines.append(_trimmed(line))
        if number == 0:
            lines.append((Span((" " * GAP).join("─" * w for w in widths)),))
    return lines


def _records(table: Table, width: int) -> list[Line]:
    """A table too wide for columns: each row as lines of ``header: cell``."""
    if not table.rows:
        return [line for cell in table.header for line in wrap(cell, width)]
    lines: list[Line] = []
    for number, row in enumerate(table.rows):
        if number:
            lines.append(())
        for head, cell in zip(table.header, row, strict=True):
            if not plain(cell):
                continue
            label = tuple(replace(s, style=s.style or BOLD) for s in head)
            lines += wrap(
                [*label, Span("：" if wide(plain(head)[-1]) else ": "), *cell] if plain(head) else cell,
                width,
                rest="  ",
            )
    return lines


def _clusters(spans: Iterable[Span]) -> list[Cluster]:
    clusters: list[Cluster] = []
    for span in spans:
        for character in span.text.replace("\n", " "):
            size = cell_width(character)
            if size == 0 and clusters:
                clusters[-1] = replace(clusters[-1], text=clusters[-1].text + character)
            else:
                clusters.append(Cluster(character, size, span.style))
    return clusters


def _pieces(clusters: list[Cluster]) -> list[list[Cluster]]:
    """What a line may not break inside; a piece holds the spaces that follow it."""
    pieces: list[list[Cluster]] = []
    for cluster in clusters:
        if pieces and not _may_break(pieces[-1], cluster):
            pieces[-1].append(cluster)
        else:
            pieces.append([cluster])
    return pieces


def _may_break(piece: list[Cluster], following: Cluster) -> bool:
    if following.text == " " or following.text[0] in NO_START:
        return False
    last = piece[-1]
    if last.text == " ":
        kept = next((c for c in reversed(piece) if c.text != " "), None)
        return kept is None or kept.text[0] not in NO_END
    if last.text[0] in NO_END:
        return False
    return last.width == 2 or following.width == 2 or _chinese(last) or _chinese(following)


def _chinese(cluster: Cluster) -> bool:
    """Quotation marks and dashes that Chinese text uses are as narrow as Latin ones."""
    return cluster.text[0] in "”’…—"


def _without_leading_spaces(piece: list[Cluster]) -> list[Cluster]:
    start = next((n for n, cluster in enumerate(piece) if cluster.text != " "), len(piece))
    return piece[start:]


def _trailing_spaces(piece: list[Cluster]) -> list[Cluster]:
    count = 0
    while count < len(piece) and piece[-1 - count].text == " ":
        count += 1
    return piece[len(piece) - count :]


def _cut(piece: list[Cluster], room: int, room_after: int) -> list[list[Cluster]]:
    """A piece longer than a line in parts that fit: cut between words if it can be, and not before a closing mark."""
    parts: list[list[Cluster]] = []
    while sum(c.width for c in piece) - sum(c.width for c in _trailing_spaces(piece)) > room:
        fits, used = 0, 0
        while used + piece[fits].width <= room:
            used += piece[fits].width
            fits += 1
        places = range(fits, 1, -1)
        polite = (n for n in places if not _ill_mannered(piece, n) and not _inside_word(piece, n))
        mannered = (n for n in places if not _ill_mannered(piece, n))
        at = next(polite, None) or next(mannered, None) or fits
        parts.append(piece[:at])
        piece = piece[at:]
        piece = _without_leading_spaces(piece)
        room = room_after
    return [*parts, piece]


def _ill_mannered(piece: list[Cluster], at: int) -> bool:
    return piece[at].text[0] in NO_START or piece[at - 1].text[0] in NO_END or piece[at].text == " "


def _inside_word(piece: list[Cluster], at: int) -> bool:
    before, after = piece[at - 1], piece[at]
    return before.width == after.width == 1 and " " not in (before.text, after.text)


def _spans(clusters: Iterable[Cluster]) -> Line:
    spans: list[Span] = []
    for cluster in clusters:
        if spans and spans[-1].style == cluster.style:
            spans[-1] = Span(spans[-1].text + cluster.text, cluster.style)
        else:
            spans.append(Span(cluster.text, cluster.style))
    return tuple(spans)


def _trimmed(line: list[Span]) -> Line:
    while line and not line[-1].text.strip():
        line.pop()
    if line:
        line[-1] = replace(line[-1], text=line[-1].text.rstrip())
    return tuple(span for span in line if span.text)
