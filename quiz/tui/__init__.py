"""The screens, in Textual; nothing outside of this package knows it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from quiz.errors import BadInput
from quiz.language import say

if TYPE_CHECKING:
    from quiz.desk import Desk

SMALLEST = (40, 12)


def run(desk: Desk) -> int:
    """The review on the whole terminal; returns the exit status. BadInput if the terminal is too small."""
    columns, rows = shutil.get_terminal_size()
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        raise BadInput(say("screen.too_small", columns=columns, rows=rows, least="40×12"))
    from quiz.tui.app import ReviewApp

    app = ReviewApp(desk)
    status = app.run(mouse=desk.settings.mouse)
    if app.return_code:
        return app.return_code
    for line in app.farewell:
        print(line)
    return status or 0
