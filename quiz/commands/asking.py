"""Asking before something is done that was shown first."""

from __future__ import annotations

import sys

from quiz.desk import Desk
from quiz.language import say

LONGEST = 100


def goes_ahead(desk: Desk, *, yes: bool, json: bool) -> bool:
    """Whether to do what was shown: with `yes` at once, on a terminal by the answer, elsewhere not."""
    if yes:
        return True
    if json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    sys.stdout.write(desk.say("data.go_ahead"))
    sys.stdout.flush()
    # Either language's word counts, whatever the language of the screen.
    yeses = "|".join(say("data.yes_words")).split("|")
    return sys.stdin.readline(LONGEST).strip().casefold() in yeses


def not_done(desk: Desk) -> str:
    """What is said where nothing was done."""
    asked = sys.stdin.isatty() and sys.stdout.isatty()
    return desk.say("data.not_done" if asked else "data.only_shown")
