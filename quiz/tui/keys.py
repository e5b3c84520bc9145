"""The keys in sight: what each does now, in one or two rows, clickable."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.style import Style

from quiz.cells import cells

Key = tuple[str, str, str]
"""(the key as pressed, the key as written, what it does)"""


def row(keys: Sequence[Key], width: int) -> Content:
    """As many of `keys` as fit into `width` cells, the most likely first; that and the last always do."""
    labels = [f"{written} {does}".rstrip() for _, written, does in keys]
    gap = 3 if sum(map(cells, labels)) + 3 * (len(labels) - 1) <= width else 2
    needs = [cells(f"{written} {does}".rstrip()) + gap for _, written, does in keys]
    kept, room = [keys[-1]], width + gap - needs[-1]
    for at, key in enumerate(keys[:-1]):
        if needs[at] <= room or at == 0:
            kept.insert(-1, key)
            room -= needs[at]
    return Content(" " * gap).join(button(*key) for key in kept)


def button(pressed: str, written: str, does: str, *, style: str = "") -> Content:
    text = Content.assemble((written, "bold"), (f" {does}" if does else ""))
    if style:
        text = text.stylize(style)
    return text.stylize(Style.from_meta({"@click": f"screen.press({pressed!r})"}))


def grades(words: Sequence[str], intervals: Sequence[str], proposed: int, width: int, takes: str) -> Content:
    """The six grades with the next interval of each; the proposed one, that Enter takes, is marked."""
    if width < 72:
        short = [f"{'▸' if n == proposed else ''}{n}:{days.replace(' ', '')}" for n, days in enumerate(intervals)]
        buttons = [button(str(n), label, "", style="reverse" if n == proposed else "") for n, label in enumerate(short)]
        if cells(" ".join(short)) <= width:
            return Content(" ").join(buttons)
        return Content("\n").join([Content(" ").join(buttons[:3]), Content(" ").join(buttons[3:])])
    column = max(10, *(cells(f"{n} {word}") + 2 for n, word in enumerate(words)))
    top, bottom = [], []
    for n, (word, days) in enumerate(zip(words, intervals, strict=True)):
        style = "reverse" if n == proposed else ""
        label = f"{n} {word}"
        top.append(Content.assemble(button(str(n), str(n), word, style=style), " " * (column - cells(label))))
        below = f"{'▸' if n == proposed else ' '} {days}"
        bottom.append(Content.assemble((below, "bold" if n == proposed else ""), " " * max(0, column - cells(below))))
    return Content.assemble(*top, "\n", *bottom, takes if 6 * column + cells(takes) <= width else "")
