"""The one door from text to screen: decks' and learners' words become Content, never markup.

Textual reads markup in any plain string: `list[int]` would show as `list`, `[/x]` would crash a widget and
`[@click=…]` would run an action. So nothing but this module makes what a widget shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from quiz.cells import cells
from quiz.layout import Line, lay, wrap
from quiz.prose import BOLD, CODE, Span, parse
from quiz.terminal import safe

WIDEST = 76
QUOTE = "quote"
STYLES = {BOLD: "bold", CODE: "bold dim", QUOTE: "italic not bold"}


class Page(Widget):
    """Text laid out for the width that the widget has. `parts` are card text, or lines of spans made beforehand."""

    DEFAULT_CSS = "Page { height: auto; width: 1fr; text-wrap: nowrap; }"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.auto_links = False
        self._parts: tuple[Part, ...] = ()
        self._laid: tuple[int, list[Content]] = (0, [])

    def show(self, *parts: Part) -> None:
        self._parts = parts
        self._laid = (0, [])
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self.height_at(width)

    def height_at(self, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Content:
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        width = min(width, WIDEST)
        if self._laid[0] != width:
            self._laid = (width, [line for part in self._parts for line in part.lines(width)])
        return self._laid[1]


class Part:
    """A piece of a page: `style` for all of it, `action` what a click on it does."""

    def __init__(self, text: str = "", *, style: str = "", action: str = "") -> None:
        self.text = text
        self.style = style
        self.action = action

    def lines(self, width: int) -> list[Content]:
        return [self._styled(content(line)) for line in self.laid(width)]

    def laid(self, width: int) -> Sequence[Line]:
        """A plain sentence, wrapped; no Markdown is read in it."""
        return [line for row in self.text.split("\n") for line in wrap((Span(row),), width)] if self.text else [()]

    def _styled(self, line: Content) -> Content:
        if self.style:
            line = line.stylize_before(self.style)
        return line.stylize(Style.from_meta({"@click": self.action})) if self.action else line


class Prose(Part):
    """A piece of card text in the small Markdown."""

    def laid(self, width: int) -> Sequence[Line]:
        return lay(parse(self.text), width)


class Hanging(Part):
    """A sentence that hangs behind a mark, such as a numbered key point."""

    def __init__(self, mark: str, text: str, *, style: str = "", action: str = "") -> None:
        super().__init__(text, style=style, action=action)
        self.mark = mark

    def laid(self, width: int) -> Sequence[Line]:
        return wrap((Span(self.text),), width, first=self.mark, rest=" " * cells(self.mark))


class Spans(Part):
    """Spans made beforehand, wrapped behind a mark; line breaks in them stay."""

    def __init__(self, spans: Sequence[Span], mark: str = "", *, style: str = "", action: str = "") -> None:
        super().__init__(style=style, action=action)
        self.spans = spans
        self.mark = mark

    def laid(self, width: int) -> Sequence[Line]:
        rows: list[list[Span]] = [[]]
        for span in self.spans:
            for number, piece in enumerate(span.text.split("\n")):
                if number:
                    rows.append([])
                rows[-1].append(Span(piece, span.style))
        rest = " " * cells(self.mark)
        return [
            line
            for number, row in enumerate(rows)
            for line in wrap(row, width, first=rest if number else self.mark, rest=rest)
        ]


def content(line: Iterable[Span]) -> Content:
    return Content.assemble(*((safe(span.text), STYLES.get(span.style, "")) for span in line))


def plain(text: str, style: str = "") -> Content:
    return Content.styled(safe(text), style)
