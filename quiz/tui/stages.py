"""Which keys a stage of the review offers, the most likely first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.tui.keys import Key

if TYPE_CHECKING:
    from quiz.desk import Desk

NARROW = 60


def keys_of(desk: Desk, stage: str, remark: str | None, width: int) -> list[Key]:
    """The keys of every stage but `grade`, whose row shows the grades."""
    say = desk.say
    enter, back = say("screen.enter"), ("escape", "Esc", say("screen.back"))
    undo, language = ("u", "u", say("screen.undo")), ("l", "l", say("screen.other_language"))
    aside = [("s", "s", say("screen.skip")), ("b", "b", say("screen.bury"))]
    asking = [("h", "h", say("screen.hint")), *aside, undo, language, ("question_mark", "?", say("screen.keys"))]
    space = ("space", say("screen.space"), say("screen.reveal"))
    if stage == "number":
        return [("enter", enter, say("screen.check")), space, *asking]
    if stage == "open":
        return [space, ("enter", enter, say("screen.type")), *asking]
    if stage == "typing":
        return [("enter", enter, say("screen.compare")), ("ctrl+j", "Ctrl+J", say("screen.new_line")), back]
    if stage == "points":
        return _points(desk, width)
    if stage == "remark":
        return [("enter", enter, say(f"screen.save_{remark}")), back]
    if stage == "help":
        return [back]
    return [undo, language, ("enter", enter, say("screen.leave"))]


def _points(desk: Desk, width: int) -> list[Key]:
    asked = desk.study.asked
    assert asked is not None
    say, had, of = desk.say, len(asked.ticked), len(asked.card.key_points)
    key = "screen.grade_it" if not had else "screen.accept" if width >= NARROW else "screen.accept_narrow"
    hint = say("screen.hint_costs") if asked.attempt.hint else ""
    return [
        ("enter", say("screen.enter"), say(key, had=had, of=of, grade=desk.study.proposed(), hint=hint)),
        ("", f"1–{of}", say("screen.toggle")),
        ("0", "0", say("screen.choose")),
        ("u", "u", say("screen.undo")),
        ("l", "l", say("screen.other_language")),
        ("question_mark", "?", say("screen.keys")),
    ]
