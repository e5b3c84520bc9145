"""The area in which an open answer is typed."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea


class AnswerArea(TextArea):
    """Enter is the screen's: it ends the answer. Ctrl+J breaks a line; a paste of several lines stays whole."""

    DEFAULT_CSS = """
    AnswerArea { height: 6; border: none; padding: 0 1; background: transparent; border-left: outer $primary; }
    AnswerArea:focus { border: none; border-left: outer $primary; background: transparent; }
    """

    def __init__(self) -> None:
        super().__init__(soft_wrap=True, highlight_cursor_line=False, tab_behavior="focus")

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.prevent_default()
        elif event.key == "ctrl+j":
            self.insert("\n")
            event.prevent_default()
            event.stop()
        else:
            await super()._on_key(event)
