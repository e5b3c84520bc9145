"""The screens, in Textual; nothing outside of this package knows it."""

from __future__ import annotations

import shutil
import sys
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


def home(desk: Desk) -> int:
    """The home screen on the whole terminal; returns the exit status. BadInput if the terminal is too small."""
    _refuse_too_small()
    from quiz.tui.home import HomeApp

    return _run(HomeApp(desk))


def calculate(desk: Desk, name: str = "", given: Mapping[str, Any] | None = None) -> int:
    """The calculators on the whole terminal; returns the exit status. BadInput if the terminal is too small."""
    _refuse_too_small()
    from quiz.tui.app import CalculatorApp

    return _run(CalculatorApp(desk, name, given or {}))


def _read_any_byte() -> None:
    """Bytes that are no UTF-8 (a paste in another encoding) show as �; in Textual's strict decoder they end all input."""
    if sys.platform == "win32":
        return
    from codecs import getincrementaldecoder
    from functools import partial

    from textual.drivers import linux_driver

    def lenient(encoding: str) -> Any:
        return partial(getincrementaldecoder(encoding), errors="replace")

    linux_driver.getincrementaldecoder = lenient  # type: ignore[attr-defined]


def _refuse_too_small() -> None:
    columns, rows = shutil.get_terminal_size()
    if columns < SMALLEST[0] or rows < SMALLEST[1]:
        raise BadInput(say("screen.too_small", columns=columns, rows=rows, least="40×12"))


def _run(app: QuizApp) -> int:
    _read_any_byte()
    status = app.run(mouse=app.desk.settings.mouse)
    if app.return_code:
        return app.return_code
    for line in app.farewell:
        print(line)
    return status or 0
