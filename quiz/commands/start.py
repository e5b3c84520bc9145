"""Starting a review, on a screen or line by line."""

from __future__ import annotations

import os
import sys
from typing import Any

from quiz import __version__
from quiz.commands.look import known_kind, selection
from quiz.desk import Desk
from quiz.errors import QuizError
from quiz.terminal import safe
from quiz.today import due_lines

Names = list[str] | None


def version() -> int:
    print(f"quiz {__version__}")
    return 0


def bare(desk: Desk) -> int:
    """`quiz` alone: the home screen, or what `quiz due` says where there is no terminal."""
    if not has_screen(desk):
        from quiz.commands.look import due

        return due(desk, None, None, None, False)
    from quiz.tui import home

    status = home(desk)
    if "study" in desk.__dict__ and desk.study.grades:
        _copy_of_the_day(desk)
    return status


def review(
    desk: Desk,
    deck: Names,
    company: Names,
    tag: Names,
    *,
    kind: Names = None,
    plain: bool = False,
    **more: Any,
) -> int:
    chosen = selection(deck, company, tag, kinds=tuple(known_kind(one) for one in kind or ()), **more)
    queue = desk.study.begin(chosen)
    if desk.study.asked is None:
        for line in (*map(desk.words, desk.study.troubles), *due_lines(desk, queue)):
            print(safe(line))
        return 0
    if plain or not has_screen(desk):
        from quiz.plain import Plain

        status = Plain(desk).run()
    else:
        from quiz.tui import run

        status = run(desk)
    _copy_of_the_day(desk)
    return status


def _copy_of_the_day(desk: Desk) -> None:
    """The sitting is over and on disk; a copy that cannot be made is told and changes nothing of that."""
    from quiz.backups import daily

    try:
        daily(desk.store, desk.places.backups, desk.study.today())
    except QuizError as error:
        print(f"quiz: {safe(desk.words(error.text))}", file=sys.stderr)


def has_screen(desk: Desk) -> bool:
    """Textual does not notice a missing terminal: it would write escapes into a pipe and wait for ever."""
    named = desk.environment.get("TERM", "" if os.name == "posix" else "windows")
    return named not in ("", "dumb") and sys.stdin.isatty() and sys.stdout.isatty()
