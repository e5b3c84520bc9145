"""What stands around every screen's content: the rules, and the row of keys."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from quiz.tui.text import plain


class Rule(Widget):
    """A line across the screen."""

    def render(self) -> Content:
        return plain("─" * self.content_size.width)


class KeyRow(Static):
    """The keys in sight; a click on one does what the key does, without looking like a link."""

    def __init__(self) -> None:
        super().__init__(id="keys")
        self.auto_links = False
