"""The screens, in Textual; nothing outside of this package knows it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from quiz.errors import BadInput
from quiz.language import say

if TYPE_CHECKING:
    from quiz.desk import Desk
    from quiz.tui.app import QuizApp

SMALLEST = (40, 12)


def run(desk: Desk) -> int:
    """The review on the whole terminal; returns the exit status. BadInput if the terminal is too small."""
    _refuse_too_small()
    from quiz.tui.app import ReviewApp

    return _run(ReviewApp(desk))


def calculate(desk: Desk, name: str = "", given: Mapping[str, Any] | None = None) -> int:
    """The calculators on the whole terminal; returns the exit status. BadInput if the terminal is too small."""
    _refuse_too_small()
    from quiz.tui.app import CalculatorApp

    return _run(CalculatorApp(desk, name, given or {}))


def _refuse_too_small() -> None:
    columns, rows = shutil.get_terminal_size()
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        raise BadInput(say("screen.too_small", columns=columns, rows=rows, least="40×12"))


def _run(app: QuizApp) -> int:
    status = app.run(mouse=app.desk.settings.mouse)
    if app.return_code:
        return app.return_code
    for line in app.farewell:
        print(line)
    return status or 0
