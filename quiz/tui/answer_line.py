"""The line in which an answer, a note or a flag is typed."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.widgets import Input


class AnswerLine(Input):
    """An input line that leaves command keys to the screen while it is empty, and takes a paste whole."""

    DEFAULT_CSS = """
    AnswerLine { border: none; width: 1fr; height: 1; padding: 0; background: transparent; }
    AnswerLine:focus { border: none; background: transparent; }
    """

    def __init__(self, value: str = "", *, is_command: Callable[[str], bool] | None = None) -> None:
        super().__init__(value, select_on_focus=False)
        self.name_of_input = ""
        self.passing = False
        self._is_command = is_command or (lambda _: False)
        self._passes = is_command is not None

    async def _on_key(self, event: events.Key) -> None:
        # Keys that come in one burst reach this line before the screen has done the first: they follow it there.
        if self.passing or (not self.value and event.character is not None and self._is_command(event.character)):
            self.passing = True
            event.prevent_default()
            return
        await super()._on_key(event)

    async def action_submit(self) -> None:
        self.passing = self._passes
        await super().action_submit()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        if not self.value and character is not None and self._is_command(character):
            return False
        return super().check_consume_key(key, character)

    def _on_paste(self, event: events.Paste) -> None:
        # An input method may commit several lines as one paste; Textual's own line would keep the first only.
        event.prevent_default()
        event.stop()
        text = " ".join(event.text.split())
        if self.selection.is_empty:
            self.insert_text_at_cursor(text)
        else:
            self.replace(text, *self.selection)
