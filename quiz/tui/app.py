"""The application: one screen over one desk."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from quiz.tui.review import ReviewScreen

if TYPE_CHECKING:
    from quiz.desk import Desk

THEMES = {"dark": "textual-dark", "light": "textual-light", "ansi": "ansi-dark", "auto": "ansi-dark"}


class QuizApp(App[int]):
    """What every screen of quiz shares: colours, keys that leave, `farewell` for the terminal after it is gone."""

    ENABLE_COMMAND_PALETTE = False
    # Textual loads a screen's own CSS when it is pushed, but not for the screen that an application starts with.
    CSS = """
    ReviewScreen, HomeScreen { background: ansi_default; }
    #title, #keys { height: auto; padding: 0 1; }
    Rule { height: 1; padding: 0 1; color: $text-muted; }
    #page { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    #line, #area { height: auto; }
    #prompt { width: 2; height: 1; }
    #echo { height: auto; padding: 0 0 0 2; color: $text-muted; }
    #gap { height: 1; }
    PickScreen #line { padding: 0 1; }
    .field { height: 1; }
    .label { width: 22; height: 1; }
    .allowed { width: 2fr; height: 1; padding: 0 0 0 2; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
        Binding("ctrl+l", "switch_language", show=False, priority=True),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(ansi_color=desk.settings.theme in ("auto", "ansi"))
        self.desk = desk
        self.farewell: list[str] = []
        self.theme = THEMES[desk.settings.theme]

    def on_mount(self) -> None:
        # Without a handler a kill leaves the terminal on the other screen, without a cursor. No grade depends on it.
        # A closed terminal (SIGHUP) has nothing to restore, and writing to it could block for ever.
        if sys.platform != "win32":
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)

    def action_interrupt(self) -> None:
        self.exit(130)

    def action_leave(self) -> None:
        self.exit(0)


class ReviewApp(QuizApp):
    """The daily session."""

    def get_default_screen(self) -> ReviewScreen:
        return ReviewScreen(self.desk)

    def action_switch_language(self) -> None:
        if isinstance(self.screen, ReviewScreen):
            self.screen.switch_language()

    def action_leave(self) -> None:
        from quiz.today import summary_lines

        self.farewell = summary_lines(self.desk)
        self.exit(0)


class CalculatorApp(QuizApp):
    """The calculators: the list of all, or the one that was named; leaving the last of them ends it."""

    def __init__(self, desk: Desk, name: str, given: Mapping[str, Any]) -> None:
        super().__init__(desk)
        self._name, self._given = name, given

    def on_mount(self) -> None:
        super().on_mount()
        self._open(self._name) if self._name else self._pick()

    def _pick(self, _: None = None) -> None:
        from quiz.tui.calculate import PickScreen

        self.push_screen(PickScreen(self.desk), self._open)

    def _open(self, name: str | None) -> None:
        from quiz.calculators import find
        from quiz.tui.calculate import CalculatorScreen

        if name is None:
            self.exit(0)
        else:
            leave = (lambda _: self.exit(0)) if self._name else self._pick
            self.push_screen(CalculatorScreen(self.desk, find(name), self._given), leave)
