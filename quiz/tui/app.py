"""The application: one screen over one desk."""

from __future__ import annotations

import asyncio
import signal
import sys
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType

from quiz.tui.review import ReviewScreen

if TYPE_CHECKING:
    from quiz.desk import Desk

THEMES = {"dark": "textual-dark", "light": "textual-light", "ansi": "ansi-dark", "auto": "ansi-dark"}


class ReviewApp(App[int]):
    """`farewell` is what stays on the terminal after the screen is gone."""

    ENABLE_COMMAND_PALETTE = False
    # Textual loads a screen's own CSS when it is pushed, but not for the screen that an application starts with.
    CSS = """
    ReviewScreen { background: ansi_default; }
    #title, #keys { height: auto; padding: 0 1; }
    .rule { height: 1; padding: 0 1; color: $text-muted; }
    #page { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    #line { height: auto; }
    #prompt { width: 2; height: 1; }
    #echo { height: auto; padding: 0 0 0 2; color: $text-muted; }
    #gap { height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__(ansi_color=desk.settings.theme in ("auto", "ansi"))
        self.desk = desk
        self.farewell: list[str] = []
        self.theme = THEMES[desk.settings.theme]

    def get_default_screen(self) -> ReviewScreen:
        return ReviewScreen(self.desk)

    def on_mount(self) -> None:
        # Without a handler a kill leaves the terminal on the other screen, without a cursor. No grade depends on it.
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", None)):
            if number is not None and sys.platform != "win32":
                asyncio.get_running_loop().add_signal_handler(number, self.exit, 128 + number)

    def action_interrupt(self) -> None:
        self.exit(130)

    def action_leave(self) -> None:
        from quiz.today import summary_lines

        self.farewell = summary_lines(self.desk)
        self.exit(0)
